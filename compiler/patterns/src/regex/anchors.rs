//! Resolves anchors whose place in the pattern determines whether they hold.
//!
//! The pattern must match the whole text. So `^` at the front always holds, and `^` after a character never holds. Any
//! other anchor, inside a repetition or after a nullable part, needs an automaton. So do assertions on lines and words.
//! Cost: linear in the pattern.

use regex_syntax::hir::{Dot, Hir, HirKind, Look, Repetition};

/// What is known about the text between a place in the pattern and one end of the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// There is no text between the place and the end.
    None,
    /// There is at least one character between the place and the end.
    Some,
    /// There may or may not be text between the place and the end, depending on the match.
    Unknown,
}

impl Gap {
    /// Returns what is known if a part of the pattern is added to the text in between.
    fn beyond(self, part: &Hir) -> Self {
        let properties = part.properties();
        match self {
            Self::Some => Self::Some,
            _ if properties.minimum_len().is_some_and(|least| least > 0) => Self::Some,
            gap if properties.maximum_len() == Some(0) => gap,
            _ => Self::Unknown,
        }
    }
}

/// Resolves anchors in a pattern that must match the whole text: an anchor that always holds is removed, and one that
/// never holds matches nothing. Other anchors stay. The language is the same. Groups are dissolved.
pub(super) fn resolve(hir: &Hir) -> Hir {
    between(hir, Gap::None, Gap::None)
}

fn between(hir: &Hir, left: Gap, right: Gap) -> Hir {
    if hir.properties().look_set().is_empty() {
        return hir.clone();
    }
    match hir.kind() {
        HirKind::Look(look) => match (look, left, right) {
            (Look::Start | Look::StartLF | Look::StartCRLF, Gap::None, _)
            | (Look::End | Look::EndLF | Look::EndCRLF, _, Gap::None) => Hir::empty(),
            (Look::Start, Gap::Some, _) | (Look::End, _, Gap::Some) => Hir::fail(),
            _ => hir.clone(),
        },
        HirKind::Capture(group) => between(&group.sub, left, right),
        HirKind::Alternation(choices) => {
            Hir::alternation(choices.iter().map(|choice| between(choice, left, right)).collect())
        }
        HirKind::Concat(parts) => {
            let mut rights = Vec::with_capacity(parts.len());
            let mut gap = right;
            for part in parts.iter().rev() {
                rights.push(gap);
                gap = gap.beyond(part);
            }
            let mut gap = left;
            let resolved = parts.iter().zip(rights.into_iter().rev()).map(|(part, right)| {
                let left = gap;
                gap = gap.beyond(part);
                between(part, left, right)
            });
            Hir::concat(resolved.collect())
        }
        HirKind::Repetition(repetition) => {
            // If the body may occur more than once, other occurrences may lie between it and an end.
            let once = repetition.max == Some(1);
            let within = |gap| if once || gap == Gap::Some { gap } else { Gap::Unknown };
            let sub = between(&repetition.sub, within(left), within(right));
            Hir::repetition(Repetition { sub: Box::new(sub), ..repetition.clone() })
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

/// Turns a pattern that must match some part of the text into one that must match the whole text.
///
/// Any text may come before and after, but not outside an anchor. In `^a|b$`, each alternative gets the text only on
/// its side without an anchor, so that anchors of common patterns can be resolved.
pub(super) fn within_any_text(hir: &Hir) -> Hir {
    with_room(&with_room(hir, Look::Start), Look::End)
}

/// Adds any text before the pattern (for `Look::Start`) or after it (for `Look::End`), except where that anchor already
/// stands.
fn with_room(hir: &Hir, anchor: Look) -> Hir {
    let before = anchor == Look::Start;
    match hir.kind() {
        _ if !hir.properties().look_set().contains(anchor) => {}
        HirKind::Look(look) if *look == anchor => return hir.clone(),
        HirKind::Capture(group) => return with_room(&group.sub, anchor),
        HirKind::Alternation(choices) => {
            return Hir::alternation(choices.iter().map(|c| with_room(c, anchor)).collect());
        }
        HirKind::Concat(parts) => {
            let mut parts = parts.clone();
            let outermost = if before { parts.first_mut() } else { parts.last_mut() };
            if let Some(part) = outermost {
                *part = with_room(part, anchor);
            }
            return Hir::concat(parts);
        }
        _ => {}
    }
    let (room, hir) = (any_text(), hir.clone());
    Hir::concat(if before { vec![room, hir] } else { vec![hir, room] })
}

fn any_text() -> Hir {
    Hir::repetition(Repetition {
        min: 0,
        max: None,
        greedy: true,
        sub: Box::new(Hir::dot(Dot::AnyChar)),
    })
}
