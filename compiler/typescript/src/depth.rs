//! Bounds the recursion depth that a TypeScript parser needs for a text, without recursion.
//!
//! The parser of oxc has no limit. It descends a level for each bracket, and for each prefix operator. So one pass over
//! the characters bounds its depth first. The depth is the number of open brackets, plus the tokens in each bracket
//! that may nest without one (`?`, `=>`, `keyof`, `!`, `else`, ...). These are counted from the last end of a member or
//! statement. The bound is never below the real depth.
//!
//! A slash outside comments is an error. It would be a division or a regular expression, and where strings begin
//! depends on which. Types contain neither. Cost: one pass.

use std::ops::Range;

/// The reason why a source is refused, with the place in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The source is nested deeper than the limit; the place is where the first level too many begins.
    Deep(Range<usize>),
    /// There is a slash outside comments and strings.
    Slash(Range<usize>),
}

/// The words after which a type or expression may nest without a bracket.
const WORDS: [&str; 40] = [
    "abstract",
    "as",
    "asserts",
    "async",
    "await",
    "case",
    "class",
    "declare",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "for",
    "function",
    "get",
    "if",
    "implements",
    "import",
    "in",
    "infer",
    "instanceof",
    "is",
    "keyof",
    "module",
    "namespace",
    "new",
    "of",
    "readonly",
    "return",
    "satisfies",
    "set",
    "static",
    "throw",
    "typeof",
    "unique",
    "void",
    "while",
    "with",
];

/// An open bracket, with the number of tokens in it that may nest. They are counted from the last end of a member or
/// statement.
#[derive(Debug)]
struct Level {
    open: u8,
    count: usize,
}

/// Checks that no place of a text is nested more than `most` levels deep, and that no slash is outside comments and
/// strings.
pub(super) fn check(text: &str, most: usize) -> Result<(), Refused> {
    let mut scan =
        Scan { text, levels: vec![Level { open: 0, count: 0 }], total: 0, last: Last::Operator };
    let mut at = 0;
    while at < text.len() {
        let next = scan.step(at)?;
        if scan.levels.len() + scan.total > most {
            return Err(Refused::Deep(at..next));
        }
        at = next;
    }
    Ok(())
}

/// The kind of the previous token, which decides whether a line end ends a member or statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// An operand. If another operand begins the next line, a new member or statement begins.
    Operand,
    /// Any other token, after which the member or statement continues.
    Operator,
}

struct Scan<'t> {
    text: &'t str,
    levels: Vec<Level>,
    /// The number of tokens that may nest, summed over all open brackets.
    total: usize,
    last: Last,
}

impl Scan<'_> {
    /// Reads the token at byte offset `at`, and returns its end. Fails at a slash outside comments.
    fn step(&mut self, at: usize) -> Result<usize, Refused> {
        let rest = &self.text[at..];
        let bytes = rest.as_bytes();
        let Some(first) = rest.chars().next() else { return Ok(at) };
        let next = at + first.len_utf8();
        match first {
            '/' if rest.starts_with("//") => {
                return Ok(at + rest.find(['\n', '\r']).unwrap_or(rest.len()));
            }
            '/' if rest.starts_with("/*") => {
                return Ok(at + rest.find("*/").map_or(rest.len(), |end| end + 2));
            }
            '/' => return Err(Refused::Slash(at..next)),
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                let follows = rest.trim_start();
                let goes_on = !follows
                    .starts_with(|c: char| c.is_alphanumeric() || "_$\"'[#".contains(c))
                    || follows.starts_with("else");
                if self.last == Last::Operand && !goes_on {
                    self.over();
                }
            }
            c if c.is_whitespace() => {}
            '"' | '\'' => {
                self.last = Last::Operand;
                return Ok(string(self.text, at));
            }
            '`' => return Ok(self.template(next)),
            '(' | '[' | '{' | '<' => {
                self.levels.push(Level { open: first as u8, count: 0 });
                self.last = Last::Operator;
            }
            '=' if rest.starts_with("=>") => {
                self.count();
                return Ok(at + 2);
            }
            '>' => {
                // The `>` may also be a comparison, so the tokens that nest in the bracket still count.
                if self.levels.last().is_some_and(|level| level.open == b'<') {
                    let count = self.levels.pop().map_or(0, |level| level.count);
                    self.levels.last_mut().expect("the outermost is never closed").count += count;
                }
                self.last = Last::Operand;
            }
            ')' | ']' | '}' => return Ok(self.bracket(first as u8, next)),
            ';' | ',' => {
                // A comma between type arguments ends one of them. A semicolon cannot be between them, so it ends all.
                while first == ';' && self.levels.last().is_some_and(|level| level.open == b'<') {
                    self.close();
                }
                if !self.text[next..].trim_start().starts_with("else") {
                    self.over();
                }
                self.last = Last::Operator;
            }
            '|' | '&' | '.' => self.last = Last::Operator,
            c if c.is_alphanumeric() || c == '_' || c == '$' => {
                let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                match WORDS.contains(&&rest[..length]) {
                    true => self.count(),
                    false => self.last = Last::Operand,
                }
                return Ok(at + length);
            }
            // A backslash may begin an escaped word.
            _ => self.count(),
        }
        debug_assert!(!bytes.is_empty(), "something stood there");
        Ok(next)
    }

    fn count(&mut self) {
        self.levels.last_mut().expect("the outermost is never closed").count += 1;
        self.total += 1;
        self.last = Last::Operator;
    }

    /// Ends a member or statement of the current bracket: its tokens no longer count.
    fn over(&mut self) {
        let level = self.levels.last_mut().expect("the outermost is never closed");
        self.total -= std::mem::take(&mut level.count);
    }

    fn close(&mut self) {
        if self.levels.len() > 1 {
            let closed = self.levels.pop().map_or(0, |level| level.count);
            self.total -= closed;
        }
    }

    /// Closes a bracket. If it ends a type within a template, continues in the template. Returns the end of the token.
    fn bracket(&mut self, sign: u8, next: usize) -> usize {
        while self.levels.last().is_some_and(|level| level.open == b'<') {
            self.close();
        }
        let is_template = self.levels.last().is_some_and(|level| level.open == b'`');
        self.close();
        // The statement after the condition of an `if` or a loop nests in it.
        match sign {
            b')' => self.count(),
            _ => self.last = Last::Operand,
        }
        if is_template { self.template(next) } else { next }
    }

    /// Skips the text of a template from byte offset `from`. Returns the offset after its end, or after the `${` of its
    /// next type.
    fn template(&mut self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1,
                b'`' => {
                    self.last = Last::Operand;
                    return at + 1;
                }
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    self.levels.push(Level { open: b'`', count: 0 });
                    self.last = Last::Operator;
                    return at + 2;
                }
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }
}

/// Returns the end of the string at byte offset `from`: after its closing quote, or at the end of its line.
fn string(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' | b'\r' => return at,
            byte if byte == bytes[from] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    // A backslash may have skipped past the end of the text, or into a character.
    let mut end = at.min(bytes.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_bounded_and_length_is_not() {
        let deep = |text: &str| matches!(check(text, 100), Err(Refused::Deep(_)));
        let members: String =
            (0..500).map(|at| format!("  m{at}?: Map<string, string[]>\n")).collect();
        for text in [
            format!("interface A {{\n{members}}}"),
            format!("type A = {}\"z\";", "\"a\" | ".repeat(500)),
            format!("type A = [{}];", "string, ".repeat(500)),
            "type A = B<C>;\n".repeat(500),
            "export interface A { readonly a: B }\n".repeat(500),
            format!("type A = `{}`;", "${string}-".repeat(500)),
        ] {
            assert_eq!(check(&text, 100), Ok(()), "{}", &text[..60]);
        }
        for part in [
            "(",
            "[",
            "{ a: ",
            "A<",
            "A<string, ",
            "keyof ",
            "keyof\n",
            "!",
            "-",
            "a ? b | c : ",
            "x => ",
            "a\n=> ",
            "new ",
            "`${",
            "if (a)\n",
            "if (a) {} else ",
            "a: ",
            "a = ",
            "a ** ",
            "a extends b ? c : ",
            "{ a: b; c: ",
            "if (a) b; else ",
            "\\u006beyof ",
            "readonly\n",
            "(a, ",
            "f(a) < (",
            "a < b ? c ? d > ",
        ] {
            assert!(deep(&format!("type A = {}", part.repeat(200))), "{part}");
        }
    }

    #[test]
    fn strings_and_comments_hide_brackets_and_slashes_do_not() {
        let deep = "(".repeat(200);
        for text in [
            format!("// {deep}\ntype A = 1"),
            format!("/* {deep}\n */ type A = 1"),
            format!("type A = \"\\\"{deep}\" | '{deep}' | `\\`\\${deep}`"),
        ] {
            assert_eq!(check(&text, 100), Ok(()), "{text}");
        }
        assert_eq!(check("const a = /\"/", 100), Err(Refused::Slash(10..11)));
        assert!(check(&format!("type A = \"a\n{deep}"), 100).is_err());
        assert!(check(&format!("type A = `${{\"}}\"}}` | {deep}"), 100).is_err());
        for text in ["\"\\", "\"\\é", "`\\", "`${", "/*", "'"] {
            assert_eq!(check(text, 100), Ok(()), "{text}");
        }
    }
}
