//! Arrays: items with schemas of their own, and then any number of equal ones within bounds.

use crate::ir::Expr;

use super::lower::Emitter;
use super::shape::ArrayShape;

/// Optional items nested one in the other after which the expression goes on in a rule of its own.
const LEVELS: usize = 32;

/// The arrays of a shape.
pub(crate) fn array(emitter: &mut Emitter<'_>, shape: &ArrayShape) -> Expr {
    let space = emitter.whitespace();
    let written = items(emitter, shape);
    let written = Expr::seq([written, space.clone()]);
    let written = if shape.count.min == 0 { written.optional() } else { written };
    Expr::seq([Expr::byte(b'['), space, written, Expr::byte(b']')])
}

/// One item or more.
fn items(emitter: &mut Emitter<'_>, shape: &ArrayShape) -> Expr {
    let comma = emitter.spaced(b',');
    // An item that no value satisfies ends every array before it.
    let fit = shape.prefix.iter().take_while(|item| emitter.holds(**item)).count();
    let prefix: Vec<Expr> = shape.prefix[..fit].iter().map(|item| emitter.refer(*item)).collect();
    let open = fit == shape.prefix.len() && emitter.holds(shape.items);
    let rest = if open { Some(emitter.refer(shape.items)) } else { None };
    let min = shape.count.min as usize;
    let max = shape.count.max.map_or(usize::MAX, |max| max as usize);
    if max == 0 {
        return Expr::Never;
    }
    let more = |written: u32, rest: &Expr| {
        let most = shape.count.max.map(|max| max.saturating_sub(written));
        let least = shape.count.min.saturating_sub(written);
        Expr::seq([comma.clone(), rest.clone()]).repeat(least, most)
    };
    if prefix.is_empty() {
        return rest.map_or(Expr::Never, |rest| Expr::seq([rest.clone(), more(1, &rest)]));
    }
    let count = u32::try_from(prefix.len()).unwrap_or(u32::MAX);
    let mut tail = rest.map_or(Expr::Empty, |rest| more(count, &rest));
    let mut levels = 0;
    for (index, item) in prefix.into_iter().enumerate().rev() {
        if index == 0 {
            return Expr::seq([item, tail]);
        }
        tail = if index >= max {
            Expr::Empty
        } else if index < min {
            Expr::seq([comma.clone(), item, tail])
        } else {
            levels += 1;
            Expr::seq([comma.clone(), item, tail]).optional()
        };
        if levels == LEVELS {
            tail = emitter.helper("items", tail);
            levels = 0;
        }
    }
    tail
}
