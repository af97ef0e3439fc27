//! An Earley chart over bytes and tokens.
//!
//! A column holds the items after so many bytes or tokens. Items that end where they began are never waited for:
//! nonterminals with the empty string are stepped over when they are predicted (J. Aycock and R. N. Horspool,
//! "Practical Earley parsing", 2002). A token adds a column for each of its bytes; its last column also takes what
//! consumed the token as a whole from the column in which it began. Columns are shared between charts.
//!
//! An item that is met a second time while a column is closed was put together in two ways, other than by prediction.
//! Everything predicted can be reached and everything there can be finished, so some text of the grammar then has two
//! parses: the converse of what cannot be decided from the grammar alone.

use std::rc::Rc;

use super::productions::{Dot, Place, Productions, Symbol};

/// A place in a right-hand side and the column in which it began.
type Item = (Dot, u32);

/// The items after some input.
#[derive(Debug)]
struct Column {
    items: Vec<Item>,
    /// Items that wait for a nonterminal, sorted by it.
    waiting: Vec<(Symbol, Item)>,
    /// Whether an item was put together in two ways.
    ambiguous: bool,
}

impl Column {
    fn waiting_for(&self, symbol: Symbol) -> impl Iterator<Item = Item> + '_ {
        let from = self.waiting.partition_point(|(other, _)| *other < symbol);
        let of = self.waiting[from..].iter().take_while(move |(other, _)| *other == symbol);
        of.map(|(_, item)| *item)
    }
}

/// The parses of a sequence of tokens, all at once.
#[derive(Clone, Debug)]
pub struct Chart {
    columns: Vec<Rc<Column>>,
}

impl Chart {
    /// The chart before any token.
    pub(super) fn start(productions: &Productions) -> Self {
        let first = productions.of[productions.start as usize].iter().map(|&dot| (dot, 0));
        let column = close(productions, &[], first.collect());
        Self { columns: vec![Rc::new(column)] }
    }

    /// Whether the last token brought something that can be read in two ways.
    pub(super) fn ambiguous(&self) -> bool {
        self.columns.last().is_some_and(|column| column.ambiguous)
    }

    /// The chart after a token with these bytes, or `None` where it has no items.
    pub(super) fn after(
        &self,
        productions: &Productions,
        token: u32,
        bytes: &[u8],
    ) -> Option<Self> {
        let mut columns = self.columns.clone();
        let began = Rc::clone(columns.last()?);
        let mut next: Vec<Item> = Vec::new();
        for (index, &byte) in bytes.iter().enumerate() {
            let last = Rc::clone(columns.last()?);
            let moved = last.items.iter().filter(|(dot, _)| {
                matches!(&productions.places[*dot as usize], Place::Bytes(set) if set.contains(byte))
            });
            next = moved.map(|&(dot, origin)| (dot + 1, origin)).collect();
            if next.is_empty() {
                break;
            }
            if index + 1 < bytes.len() {
                let column = close(productions, &columns, std::mem::take(&mut next));
                columns.push(Rc::new(column));
            }
        }
        next.extend(began.items.iter().filter_map(|&(dot, origin)| {
            let whole =
                matches!(&productions.places[dot as usize], Place::Tokens(ids) if ids.contains(&token));
            whole.then_some((dot + 1, origin))
        }));
        if next.is_empty() {
            return None;
        }
        let column = close(productions, &columns, next);
        columns.push(Rc::new(column));
        Some(Self { columns })
    }

    /// Whether the input so far is a whole text.
    pub(super) fn complete(&self, productions: &Productions) -> bool {
        let start = productions.start;
        if self.columns.len() == 1 {
            return productions.nullable[start as usize];
        }
        let ended = |&(dot, origin): &Item| {
            origin == 0 && productions.places[dot as usize] == Place::End(start)
        };
        self.columns.last().is_some_and(|column| column.items.iter().any(ended))
    }

    /// The chart with only those readings of the input that single-byte tokens and token references can finish, or
    /// `None` where there are none.
    pub(super) fn spelled(mut self, productions: &Productions) -> Option<Self> {
        // Which nonterminals, by the column in which they began, may end and be gone on from.
        let mut open = vec![(productions.start, 0)];
        let mut at = 0;
        while let Some(&(symbol, origin)) = open.get(at) {
            at += 1;
            // Items on their way to this column that wait for another with a spelled rest.
            for (column, items) in (0..).zip(&self.columns) {
                for &(wanted, (dot, began)) in &items.waiting {
                    let leads = began == origin
                        && productions.owner(dot) == symbol
                        && productions.spelled[dot as usize + 1];
                    if leads && !open.contains(&(wanted, column)) {
                        open.push((wanted, column));
                    }
                }
            }
        }
        let last = self.columns.pop()?;
        let alive = |&(dot, origin): &Item| {
            productions.spelled[dot as usize] && open.contains(&(productions.owner(dot), origin))
        };
        let items: Vec<Item> = last.items.iter().copied().filter(alive).collect();
        let waiting = last.waiting.iter().copied().filter(|(_, item)| alive(item)).collect();
        if items.is_empty() {
            return None;
        }
        self.columns.push(Rc::new(Column { items, waiting, ambiguous: last.ambiguous }));
        Some(self)
    }
}

/// The column that these items begin, with all that they predict and complete.
fn close(productions: &Productions, columns: &[Rc<Column>], first: Vec<Item>) -> Column {
    let here = columns.len() as u32;
    let width = productions.places.len();
    let mut seen = vec![0u64; (width * (columns.len() + 1)).div_ceil(64)];
    let mut items: Vec<Item> = Vec::with_capacity(first.len() * 2);
    // Whether the item is new.
    let mut add = |items: &mut Vec<Item>, (dot, origin): Item| {
        let bit = origin as usize * width + dot as usize;
        let new = seen[bit / 64] >> (bit % 64) & 1 == 0;
        if new {
            seen[bit / 64] |= 1 << (bit % 64);
            items.push((dot, origin));
        }
        new
    };
    for item in first {
        add(&mut items, item);
    }
    let (mut waiting, mut ambiguous) = (Vec::new(), false);
    let mut at = 0;
    while let Some(&(dot, origin)) = items.get(at) {
        at += 1;
        match productions.places[dot as usize] {
            Place::Call(symbol) => {
                waiting.push((symbol, (dot, origin)));
                for &first in &productions.of[symbol as usize] {
                    add(&mut items, (first, here));
                }
                if productions.nullable[symbol as usize] {
                    ambiguous |= !add(&mut items, (dot + 1, origin));
                }
            }
            Place::End(symbol) if origin != here => {
                for (dot, began) in columns[origin as usize].waiting_for(symbol) {
                    ambiguous |= !add(&mut items, (dot + 1, began));
                }
            }
            _ => {}
        }
    }
    waiting.sort_unstable();
    Column { items, waiting, ambiguous }
}
