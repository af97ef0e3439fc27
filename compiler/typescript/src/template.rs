//! String-template types as patterns: `` `user-${number}` `` is a text that a pattern matches.

use oxc_ast::ast::{TSTemplateLiteralType, TSType};

use super::declarations::range;
use super::translate::{Translator, Ty};

/// A number as JSON writes it. TypeScript takes any text that JavaScript reads as a number, `0x1F` and ` 1` among them, which
/// nobody means.
const NUMBER: &str = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";

/// Most characters of a pattern, which templates within templates multiply.
const MAX_LENGTH: usize = 1 << 16;

impl<'a> Translator<'a> {
    /// The pattern of a template's texts, with anchors; `None` after an error.
    pub(super) fn template(
        &mut self,
        template: &'a TSTemplateLiteralType<'a>,
        env: usize,
    ) -> Option<String> {
        Some(format!("^{}$", self.parts(template, env)?))
    }

    fn parts(&mut self, template: &'a TSTemplateLiteralType<'a>, env: usize) -> Option<String> {
        let mut pattern = String::new();
        for (at, quasi) in template.quasis.iter().enumerate() {
            let text = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
            escape(text, &mut pattern);
            if let Some(node) = template.types.get(at) {
                pattern.push_str(&self.hole(Ty { node, env })?);
            }
            if pattern.len() > MAX_LENGTH {
                self.unsupported(
                    range(template.span),
                    "a template of so many texts",
                    "write fewer alternatives",
                );
                return None;
            }
        }
        Some(pattern)
    }

    /// The pattern of what stands between the braces of a template.
    fn hole(&mut self, ty: Ty<'a>) -> Option<String> {
        let ty = self.resolved(ty)?;
        let span = self.span(ty);
        let entered = self.enter(&span);
        let pattern = entered.then(|| self.hole_of(ty)).flatten();
        self.leave();
        pattern
    }

    fn hole_of(&mut self, ty: Ty<'a>) -> Option<String> {
        match ty.node {
            TSType::TSStringKeyword(_) => Some("[\\s\\S]*".to_owned()),
            TSType::TSNumberKeyword(_) => Some(NUMBER.to_owned()),
            TSType::TSBigIntKeyword(_) => Some("-?(?:0|[1-9][0-9]*)".to_owned()),
            TSType::TSBooleanKeyword(_) => Some("(?:true|false)".to_owned()),
            TSType::TSUndefinedKeyword(_) => Some("undefined".to_owned()),
            TSType::TSTemplateLiteralType(template) => self.parts(template, ty.env),
            TSType::TSUnionType(union) => {
                let mut parts = Vec::new();
                for node in &union.types {
                    parts.push(self.hole(Ty { node, env: ty.env })?);
                }
                Some(format!("(?:{})", parts.join("|")))
            }
            // Any other type is a list of values: literals, enumerations, keys.
            _ => {
                let texts = self.literals(ty)?.into_iter().map(|value| {
                    let mut text = String::new();
                    match value.as_str() {
                        Some(value) => escape(value, &mut text),
                        None => escape(&value.to_string(), &mut text),
                    }
                    text
                });
                Some(format!("(?:{})", texts.collect::<Vec<_>>().join("|")))
            }
        }
    }
}

/// Adds the characters of a text, those that mean something in a pattern with a backslash.
fn escape(text: &str, pattern: &mut String) {
    for c in text.chars() {
        if "\\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
}
