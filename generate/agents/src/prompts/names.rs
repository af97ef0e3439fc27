//! Finds the filters and tests that a template uses, so that unknown ones are reported when the
//! template is loaded.
//!
//! The template engine only looks names up when it executes them. So the template's text is scanned
//! here. Strings, comments and raw blocks are skipped. Within a block, `|` precedes the name of a
//! filter and `is` the name of a test.

use minijinja::{Environment, ErrorKind};

/// The name of a filter or test that a template uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named<'t> {
    Filter(&'t str),
    Test(&'t str),
}

/// Returns a message about the first filter or test that the environment lacks. `None` if it has
/// all of them.
pub(super) fn unknown(environment: &Environment<'_>, template: &str) -> Option<String> {
    names(template).into_iter().find_map(|name| {
        let (expression, kind, what) = match name {
            Named::Filter(name) => (format!("''|{name}"), ErrorKind::UnknownFilter, "filter"),
            Named::Test(name) => (format!("'' is {name}"), ErrorKind::UnknownTest, "test"),
        };
        let compiled = environment.compile_expression(&expression).ok()?;
        let error = compiled.eval(()).err().filter(|error| error.kind() == kind)?;
        let (Named::Filter(name) | Named::Test(name)) = name;
        Some(format!("there is no {what} `{name}`: {error}"))
    })
}

fn names(template: &str) -> Vec<Named<'_>> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("{#") {
            rest = comment.split_once("#}").map_or("", |(_, behind)| behind);
        } else if rest.starts_with("{{") || rest.starts_with("{%") {
            let end = if rest.starts_with("{{") { "}}" } else { "%}" };
            // A block may begin with `-` or `+`, which control white space.
            let inside = &rest[2..];
            let words = words(inside.strip_prefix(['-', '+']).unwrap_or(inside), end);
            rest = words.behind;
            words.name(&mut found);
            if words.all.first() == Some(&"raw") {
                rest = behind_raw(rest);
            }
        } else {
            rest = &rest[1..];
        }
    }
    found
}

/// Returns the text after the end of a raw block. Empty if the block has no end.
fn behind_raw(text: &str) -> &str {
    let ends = text.match_indices("endraw").map(|(at, word)| (at, at + word.len()));
    let end = ends.map(|(at, to)| (&text[..at], &text[to..])).find(|(before, behind)| {
        let before = before.trim_end().trim_end_matches(['-', '+']);
        let behind = behind.trim_start().trim_start_matches(['-', '+']);
        before.ends_with("{%") && behind.starts_with("%}")
    });
    end.map_or("", |(_, behind)| behind)
}

/// The words and symbols of a template block, without its strings, and the text after the block.
struct Words<'t> {
    all: Vec<&'t str>,
    behind: &'t str,
}

impl<'t> Words<'t> {
    /// Adds the names of filters and tests in the block to `found`.
    fn name(&self, found: &mut Vec<Named<'t>>) {
        // A block `{% filter upper %}` names a filter without a bar.
        if let [first, name, ..] = self.all[..]
            && first == "filter"
        {
            found.push(Named::Filter(name));
        }
        for pair in self.all.windows(2) {
            match *pair {
                ["|", name] if is_name(name) => found.push(Named::Filter(name)),
                ["is", name] if is_name(name) && name != "not" => found.push(Named::Test(name)),
                _ => {}
            }
        }
        for three in self.all.windows(3) {
            if let ["is", "not", name] = *three
                && is_name(name)
            {
                found.push(Named::Test(name));
            }
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn words<'t>(text: &'t str, end: &str) -> Words<'t> {
    let mut all = Vec::new();
    let mut rest = text;
    let mut braces = 0_usize;
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix(end).filter(|_| braces == 0) {
            return Words { all, behind };
        }
        let Some(first) = rest.chars().next() else { return Words { all, behind: "" } };
        match first {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            _ => {}
        }
        let length = match first {
            '"' | '\'' => {
                let mut escaped = false;
                let closes = |(_, c): &(usize, char)| {
                    let is_end = !escaped && *c == first;
                    escaped = !escaped && *c == '\\';
                    is_end
                };
                rest.char_indices().skip(1).find(closes).map_or(rest.len(), |(at, _)| at + 1)
            }
            c if c.is_alphanumeric() || c == '_' => {
                // Names of filters may contain dots.
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
                    .unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        if first != '"' && first != '\'' {
            all.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_are_and_nowhere_else() {
        let template = "a | b {{ x | upper | join(', | no') }}{% if y is not defined and z is even %}{# | no #}\
            {%- raw -%}{{ x | no }}{%- endraw -%}{% filter trim %}{{ '\\'| no' }}{% endfilter %}{{ {'a': {'b': a.is_b}} | tojson }} { | no }";
        let found = names(template);
        let filters: Vec<&str> = found
            .iter()
            .filter_map(|name| match name {
                Named::Filter(name) => Some(*name),
                Named::Test(_) => None,
            })
            .collect();
        assert_eq!(filters, ["upper", "join", "trim", "tojson"]);
        let tests = found.iter().filter(|name| matches!(name, Named::Test(_))).count();
        assert_eq!((tests, found.contains(&Named::Test("defined"))), (2, true));
    }

    #[test]
    fn what_ends_nowhere_is_read_to_its_end() {
        for template in
            ["{{ x | upper", "{{ 'x", "{% raw %}{{ x | no }}", "{#", "{", "{{ x | upper \u{e9}"]
        {
            names(template);
        }
    }
}
