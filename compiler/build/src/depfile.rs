//! Dependency files in the form that compilers write for make and ninja: `target: input input ...`.
//! Each input also has an empty rule, so that a deleted input is no error.

use std::path::{Path, PathBuf};

/// Returns the text of a dependency file that states that `target` depends on `inputs`.
pub(crate) fn text(target: &Path, inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs.iter().map(|path| escaped(path)).collect();
    let mut text = format!("{}:", escaped(target));
    for name in &names {
        text.push_str(&format!(" \\\n  {name}"));
    }
    text.push('\n');
    for name in &names {
        text.push_str(&format!("\n{name}:\n"));
    }
    text
}

/// Escapes a path as make reads it.
fn escaped(path: &Path) -> String {
    let mut escaped = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' | '#' => escaped.extend(['\\', c]),
            '$' => escaped.push_str("$$"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_and_have_rules() {
        let inputs = ["a b.json", "c$#.json"].map(PathBuf::from);
        let text = text(Path::new("out/index.json"), &inputs);
        let expected =
            "out/index.json: \\\n  a\\ b.json \\\n  c$$\\#.json\n\na\\ b.json:\n\nc$$\\#.json:\n";
        assert_eq!(text, expected);
    }
}
