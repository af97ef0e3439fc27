//! The page as one text: the template with its style, its scripts and its data in their places.
//!
//! The page makes no requests, so it opens from a file and from any server. Its data is JSON with
//! `<` escaped. So no text of a grammar can close the data's element.

use super::data::PageData;

/// The template. `{{name}}` is a placeholder.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The scripts, each using those before it.
const SCRIPTS: [&str; 3] =
    [include_str!("machine.js"), include_str!("graph.js"), include_str!("page.js")];

/// Returns the page of a grammar. The title is the name of its source.
pub(super) fn page(title: &str, data: &PageData) -> serde_json::Result<String> {
    let data = serde_json::to_string(data)?.replace('<', "\\u003c");
    let (script, title) = (SCRIPTS.concat(), escaped(title));
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + script.len() + data.len());
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (place, after) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(before);
        page.push_str(match place {
            "title" => &title,
            "style" => STYLE,
            "script" => &script,
            _ => &data,
        });
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
