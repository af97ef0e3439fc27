//! Reads arguments in which the values within a value are elements too, and no element states a type.
//!
//! ```text
//! ]<]minimax[>[<to>]<]minimax[>[<name>Inn]<]minimax[>[</name>]<]minimax[>[</to>   ─►   {"to": {"name": "Inn"}}
//! ```
//!
//! An element contains a text or other elements. It denotes a value in one of several ways: a text is a string or JSON,
//! and elements are members of an object or items of an array. The schema decides. Each element begins with its
//! likeliest way. The ways of elements that violate the schema are replaced, until none does.
//!
//! Cost: linear in the text, plus at most [`ROUNDS`] + 2^[`MOST`] validations for each member.

use grammarc_compiler::frontend::structural_tag::MemberStyle;
use memchr::memmem;
use serde_json::{Map, Value};

use super::types::{MOST, Types};

/// Greatest depth of elements, as of JSON in most readers. Deeper elements are left out.
const DEPTH: usize = 128;

/// Most rounds in which ways are replaced. A round replaces the ways of all violations that the validator reports, which
/// are not all in long arrays. Beyond, elements keep their ways.
const ROUNDS: usize = 1024;

/// An element that is closed.
#[derive(Debug)]
pub(super) struct Element {
    name: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Text(String),
    Elements(Vec<Element>),
}

/// The elements of the arguments of one call.
#[derive(Debug)]
pub(super) struct Elements {
    /// The open elements, with the closed elements in them.
    open: Vec<(String, Vec<Element>)>,
    /// Number of open elements that are deeper than [`DEPTH`].
    skipped: usize,
    /// Number of bytes behind the next tag's marker that contain no end of the tag.
    searched_tag: usize,
    /// The closed members, if all members are converted at the end of the call. `None` if each one is converted when
    /// its element is closed.
    kept: Option<Vec<Element>>,
}

impl Elements {
    /// Creates a reader before the first element. `together` defers the members to the end of the call.
    pub(super) fn new(together: bool) -> Self {
        Self { open: Vec::new(), skipped: 0, searched_tag: 0, kept: together.then(Vec::new) }
    }

    /// Whether all members are kept, and converted at the end of the call.
    pub(super) fn are_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Reads a text through its next tag. The first `searched` bytes contain no tag. Returns the number of bytes read,
    /// and the member that the tag closes, if it closes one. If more text is needed, returns the number of bytes that
    /// contain no tag.
    pub(super) fn step(
        &mut self,
        text: &str,
        searched: usize,
        style: &MemberStyle,
    ) -> Result<(usize, Option<Element>), usize> {
        let marker = style.close.as_bytes();
        let from = searched.saturating_sub(marker.len());
        let found = memmem::find(&text.as_bytes()[from..], marker);
        let at = from + found.ok_or(text.len())?;
        let behind_marker = &text[at + marker.len()..];
        let may_end =
            self.searched_tag == 0 || may_end_tag(behind_marker, self.searched_tag, style);
        let read = if may_end { tag(behind_marker, style) } else { None };
        let Some((is_end, name, behind)) = read else {
            self.searched_tag = behind_marker.len();
            // The marker is found again.
            return Err(at);
        };
        self.searched_tag = 0;
        let closed = match is_end {
            true => self.close(&text[..at]),
            false => {
                self.begin(name);
                None
            }
        };
        let Some(kept) = &mut self.kept else { return Ok((text.len() - behind.len(), closed)) };
        kept.extend(closed);
        Ok((text.len() - behind.len(), None))
    }

    fn begin(&mut self, name: &str) {
        match self.open.len() {
            ..DEPTH => self.open.push((name.to_owned(), Vec::new())),
            _ => self.skipped += 1,
        }
    }

    /// Closes the innermost element, after `text`. Returns the element if it is a member of the arguments.
    fn close(&mut self, text: &str) -> Option<Element> {
        if self.skipped > 0 {
            self.skipped -= 1;
            return None;
        }
        let (name, elements) = self.open.pop()?;
        let content = match elements.is_empty() {
            true => Content::Text(text.to_owned()),
            false => Content::Elements(elements),
        };
        let element = Element { name, content };
        match self.open.last_mut() {
            Some((_, elements)) => {
                elements.push(element);
                None
            }
            None => Some(element),
        }
    }

    /// Returns the object of all members that are kept.
    pub(super) fn object(self, types: &Types, style: &MemberStyle) -> Map<String, Value> {
        Reading::new(&self.kept.unwrap_or_default(), style).object(types, true)
    }
}

impl Element {
    /// Returns the key of a member and its value by the schema, whatever the other members are.
    pub(super) fn member(self, types: &Types, style: &MemberStyle) -> Map<String, Value> {
        Reading::new(&[self], style).object(types, false)
    }
}

/// Whether text behind a tag's marker, of which the first `searched` bytes do not end the tag, may end it.
fn may_end_tag(text: &str, searched: usize, style: &MemberStyle) -> bool {
    let after_end = style.key_again.as_ref().map(|[_, after]| after);
    let mut ends = [&style.member.1[0]].into_iter().chain(after_end);
    ends.any(|end| {
        let from = searched.saturating_sub(end.len());
        memmem::find(&text.as_bytes()[from..], end.as_bytes()).is_some()
    })
}

/// Reads a tag behind its marker: whether it is an end, its name, and the text behind it. `None` if more text is needed.
fn tag<'t>(text: &'t str, style: &MemberStyle) -> Option<(bool, &'t str, &'t str)> {
    let [before_end, after_end] = style.key_again.as_ref()?;
    if let Some(named) = text.strip_prefix(before_end.as_str()) {
        let (name, behind) = named.split_once(after_end.as_str())?;
        return Some((true, name, behind));
    }
    let before = style.member.0.strip_prefix(style.close.as_str())?;
    let named = text.strip_prefix(before)?;
    let (name, behind) = named.split_once(style.member.1[0].as_str())?;
    Some((false, name, behind))
}

/// A way in which an element denotes a value: as a scalar, an object or an array.
#[derive(Clone, Debug)]
enum Way {
    /// This value, which is no container with elements in it.
    Value(Value),
    Object,
    Array,
}

/// An element with the ways in which it denotes a value, the likelier first, and the current one.
struct Node<'e> {
    name: &'e str,
    ways: Vec<Way>,
    way: usize,
    /// Indices of this element's child elements in [`Reading::nodes`].
    within: Vec<usize>,
}

/// The elements of some members, each with its current way. The first node is the object of the members.
struct Reading<'e> {
    nodes: Vec<Node<'e>>,
}

impl<'e> Reading<'e> {
    fn new(members: &'e [Element], style: &MemberStyle) -> Self {
        let mut reading = Self { nodes: Vec::new() };
        let root = Node { name: "", ways: vec![Way::Object], way: 0, within: Vec::new() };
        reading.nodes.push(root);
        let item = style.item.0.strip_prefix(style.member.0.as_str());
        let item = item.and_then(|item| item.strip_suffix(style.member.1[0].as_str()));
        let within = members.iter().map(|member| reading.add(member, item)).collect();
        reading.nodes[0].within = within;
        reading
    }

    /// Adds an element and all elements within it. Returns its index.
    fn add(&mut self, element: &'e Element, item: Option<&str>) -> usize {
        let (ways, elements) = match &element.content {
            Content::Text(text) => (of_text(text), &[][..]),
            Content::Elements(elements) => {
                let are_items = elements.iter().all(|element| Some(&*element.name) == item);
                let ways = match (are_items, elements.len()) {
                    (false, _) => vec![Way::Object],
                    (true, 1) => vec![Way::Array, Way::Object],
                    (true, _) => vec![Way::Array],
                };
                (ways, &elements[..])
            }
        };
        let index = self.nodes.len();
        self.nodes.push(Node { name: &element.name, ways, way: 0, within: Vec::new() });
        let within = elements.iter().map(|element| self.add(element, item)).collect();
        self.nodes[index].within = within;
        index
    }

    /// Returns the object of the members by the schema. Unless it is `whole`, other members may be missing.
    fn object(mut self, types: &Types, whole: bool) -> Map<String, Value> {
        for _ in 0..ROUNDS {
            let wrong = self.wrong(types, whole);
            if !self.advance(&wrong) {
                break;
            }
        }
        let wrong = self.wrong(types, whole);
        if !wrong.is_empty() {
            self.try_together(&wrong, types, whole);
        }
        match self.value(0) {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }

    /// Returns the pointers to the parts that violate the schema. Unless the object is `whole`, violations of the object
    /// itself are left out.
    fn wrong(&self, types: &Types, whole: bool) -> Vec<String> {
        types.violations(&self.value(0), whole)
    }

    /// Replaces the ways of the elements that violate the schema. Returns whether there were other ways.
    fn advance(&mut self, wrong: &[String]) -> bool {
        let mut is_advanced = false;
        for (index, pointer) in self.pointers() {
            let node = &mut self.nodes[index];
            if node.way + 1 < node.ways.len() && wrong.contains(&pointer) {
                node.way += 1;
                is_advanced = true;
            }
        }
        is_advanced
    }

    /// Tries the combinations of the first two ways of elements that are within the parts that violate the schema. Keeps
    /// the current ways if the schema accepts none.
    fn try_together(&mut self, wrong: &[String], types: &Types, whole: bool) {
        let mut open = self.pointers();
        open.retain(|(index, pointer)| {
            let behind = |part: &String| pointer.strip_prefix(part.as_str());
            let is_within =
                |part| behind(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            self.nodes[*index].ways.len() > 1 && wrong.iter().any(is_within)
        });
        open.truncate(MOST as usize);
        let before: Vec<usize> = open.iter().map(|(index, _)| self.nodes[*index].way).collect();
        for choice in 0..1_usize << open.len() {
            for (bit, (index, _)) in open.iter().rev().enumerate() {
                self.nodes[*index].way = choice >> bit & 1;
            }
            if self.wrong(types, whole).is_empty() {
                return;
            }
        }
        for ((index, _), way) in open.iter().zip(before) {
            self.nodes[*index].way = way;
        }
    }

    /// Returns the value of an element by the current ways.
    fn value(&self, index: usize) -> Value {
        let node = &self.nodes[index];
        match &node.ways[node.way] {
            Way::Value(value) => value.clone(),
            Way::Array => node.within.iter().map(|&item| self.value(item)).collect(),
            Way::Object => {
                let member =
                    |&member: &usize| (self.nodes[member].name.to_owned(), self.value(member));
                Value::Object(node.within.iter().map(member).collect())
            }
        }
    }

    /// Returns each element with the JSON pointer to its value by the current ways, outer elements first.
    fn pointers(&self) -> Vec<(usize, String)> {
        let mut pointers = vec![(0, String::new())];
        let mut next = 0;
        while let Some((index, pointer)) = pointers.get(next).cloned() {
            next += 1;
            let node = &self.nodes[index];
            let is_array = matches!(node.ways[node.way], Way::Array);
            pointers.extend(node.within.iter().enumerate().map(|(at, &within)| {
                let name = self.nodes[within].name.replace('~', "~0").replace('/', "~1");
                let part = if is_array { at.to_string() } else { name };
                (within, format!("{pointer}/{part}"))
            }));
        }
        pointers
    }
}

/// Returns the ways in which a text denotes a value. A blank text may also be an empty container.
fn of_text(text: &str) -> Vec<Way> {
    let string = Way::Value(Value::from(text));
    let trimmed = text.trim();
    if trimmed.is_empty() {
        let empty = [Value::Array(Vec::new()), Value::Object(Map::new())];
        return [string].into_iter().chain(empty.map(Way::Value)).collect();
    }
    // A string is never written as JSON, so `""` is a string of two quotes.
    let parsed = grammarc_json::parse(trimmed).ok().filter(|value| !value.is_string());
    parsed.map(Way::Value).into_iter().chain([string]).collect()
}
