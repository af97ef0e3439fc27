//! The items of one list as a prefix tree. A node is the beginning of an item, and knows the tokens that are *excluded*
//! there.
//!
//! A node is *dead* if every item that begins with its text is in the list. Nothing below a dead node is stored. So the
//! tree of a finite set has few nodes for each item. They end where the item diverges from all items that are left.
//!
//! The tree changes only by the newest item. Each change is logged, so the newest item can be undone.
//!
//! Cost: 16 bytes a node, and 28 bytes for each token at a node. An undo takes the time of the changes that it undoes.

/// Index of the root, and value of a link that leads to no node.
pub(super) const ROOT: u32 = 0;

/// Value of a link that leads to no candidate. The first entry is never used.
const LAST: u32 = 0;

/// A token that may be excluded at a node, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Candidate {
    /// A token that is excluded if one configuration has read the node's text.
    Certain(u32),
    /// A token that is excluded if a trial fails.
    Doubtful(u32),
    /// The tokens below a trie node whose next byte comes after the item. They are as certain as the flag.
    Exit { node: u32, is_certain: bool },
}

/// The state of a node, beside its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fact {
    /// Items begin with the node's text, and no item is known to end there.
    #[default]
    Begun,
    /// The node's text is an item of the list. Longer items may be left.
    Used,
    /// Every item that begins with the node's text is in the list.
    Dead,
}

/// What a tree knows of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// No item begins with the text.
    New,
    /// Some item begins with the text, which has this node.
    Node(u32),
    /// Every item that begins with the text is in the list.
    Dead,
}

/// A node of the tree.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// First child, or [`ROOT`].
    child: u32,
    /// Next child of the same parent, or [`ROOT`].
    next: u32,
    /// First of the node's candidates in ascending order, or [`LAST`].
    candidates: u32,
    /// Byte on the edge into the node.
    byte: u8,
    fact: Fact,
}

/// A candidate of a node, and the link to the next.
#[derive(Clone, Copy, Debug)]
struct Entry {
    candidate: Candidate,
    next: u32,
}

/// One change of the tree.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A path was added below this node, when the tree had so many nodes.
    Path { parent: u32, nodes: u32 },
    /// The fact of a node was replaced.
    Fact { node: u32, before: Fact },
    /// The newest entry was added to this node, after the entry `before`.
    Entry { node: u32, before: u32 },
}

/// An item of the tree.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// Number of the list whose newest item this is.
    list: u32,
    /// Exclusive end of the item in the sequence's text.
    end: u32,
    /// Number of changes before the item.
    changes: usize,
    /// Spread before the item.
    spread: Option<u32>,
}

/// The items of one list as a prefix tree.
#[derive(Clone, Debug)]
pub(crate) struct UsedItems {
    /// Index of the distinct rule whose items these are.
    pub(super) rule: usize,
    /// Depth of the first node at which two unused items diverge. `None` if there are no two.
    pub(super) spread: Option<u32>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    changes: Vec<Change>,
    items: Vec<Item>,
}

impl UsedItems {
    /// Returns the tree of the empty list of a rule, with its spread.
    pub(super) fn new(rule: usize, spread: Option<u32>) -> Self {
        let unused = Entry { candidate: Candidate::Doubtful(0), next: LAST };
        Self {
            rule,
            spread,
            nodes: vec![Node::default()],
            entries: vec![unused],
            changes: Vec::new(),
            items: Vec::new(),
        }
    }

    /// Returns the number of items.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the number of the list that has the items up to this index, or `None` if there are fewer.
    pub(super) fn list(&self, index: usize) -> Option<u32> {
        self.items.get(index).map(|item| item.list)
    }

    /// Returns the number of the list of all items. `None` if the tree is empty.
    pub(super) fn newest(&self) -> Option<u32> {
        self.items.last().map(|item| item.list)
    }

    /// Returns what the tree knows of a text. O(bytes of the text within the tree).
    pub(super) fn find(&self, text: &[u8]) -> Found {
        let mut node = ROOT;
        for &byte in text {
            if self.is_dead(node) {
                return Found::Dead;
            }
            let Some(child) = self.child(node, byte) else { return Found::New };
            node = child;
        }
        if self.is_dead(node) { Found::Dead } else { Found::Node(node) }
    }

    /// Whether a text, which is a whole item of the rule, is in the list.
    pub(super) fn has(&self, item: &[u8]) -> bool {
        match self.find(item) {
            Found::New => false,
            Found::Node(node) => self.is_used(node),
            Found::Dead => true,
        }
    }

    /// Returns the child of a node on a byte.
    pub(super) fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let mut child = self.nodes[node as usize].child;
        while child != ROOT && self.nodes[child as usize].byte != byte {
            child = self.nodes[child as usize].next;
        }
        (child != ROOT).then_some(child)
    }

    /// Whether every item that begins with a node's text is in the list.
    pub(super) fn is_dead(&self, node: u32) -> bool {
        self.nodes[node as usize].fact == Fact::Dead
    }

    /// Whether a node's text is an item of the list.
    pub(super) fn is_used(&self, node: u32) -> bool {
        self.nodes[node as usize].fact != Fact::Begun
    }

    /// Returns the candidates of a node, ascending.
    pub(super) fn candidates(&self, node: u32) -> impl Iterator<Item = Candidate> {
        let mut at = self.nodes[node as usize].candidates;
        std::iter::from_fn(move || {
            let entry = self.entries[at as usize];
            (at != LAST).then(|| {
                at = entry.next;
                entry.candidate
            })
        })
    }

    /// Begins the changes of a new item: the newest of the list `list`, which ends at `end` of the sequence's text.
    pub(super) fn begin(&mut self, list: u32, end: u32) {
        self.items.push(Item { list, end, changes: self.changes.len(), spread: self.spread });
    }

    /// Adds nodes for a text below the last node of a path, and appends them to the path. No child of that node may be
    /// entered on the first byte.
    pub(super) fn add_path(&mut self, path: &mut Vec<u32>, text: &[u8]) {
        let Some(&parent) = path.last() else { return };
        let nodes = self.nodes.len();
        let mut above = parent;
        for &byte in text {
            let child = self.nodes.len() as u32;
            let next = std::mem::replace(&mut self.nodes[above as usize].child, child);
            self.nodes.push(Node { next, byte, ..Node::default() });
            path.push(child);
            above = child;
        }
        if !text.is_empty() {
            self.changes.push(Change::Path { parent, nodes: nodes as u32 });
        }
    }

    /// Replaces the fact of a node.
    pub(super) fn set(&mut self, node: u32, fact: Fact) {
        let before = std::mem::replace(&mut self.nodes[node as usize].fact, fact);
        self.changes.push(Change::Fact { node, before });
    }

    /// Adds ascending candidates to a node, except those that the node has. O(candidates of the node and new ones).
    pub(super) fn add_candidates(&mut self, node: u32, new: impl IntoIterator<Item = Candidate>) {
        let (mut before, mut at) = (LAST, self.nodes[node as usize].candidates);
        for candidate in new {
            while at != LAST && self.entries[at as usize].candidate < candidate {
                (before, at) = (at, self.entries[at as usize].next);
            }
            if at != LAST && self.entries[at as usize].candidate == candidate {
                continue;
            }
            let entry = self.entries.len() as u32;
            self.entries.push(Entry { candidate, next: at });
            *self.link(node, before) = entry;
            self.changes.push(Change::Entry { node, before });
            before = entry;
        }
    }

    /// Returns the link to the candidate after `before`, or to the first of the node.
    fn link(&mut self, node: u32, before: u32) -> &mut u32 {
        match before {
            LAST => &mut self.nodes[node as usize].candidates,
            before => &mut self.entries[before as usize].next,
        }
    }

    /// Undoes items, the newest first, down to `len` items.
    pub(super) fn undo_to(&mut self, len: usize) {
        while self.items.len() > len {
            let Some(item) = self.items.pop() else { return };
            self.spread = item.spread;
            while self.changes.len() > item.changes {
                let Some(change) = self.changes.pop() else { break };
                match change {
                    Change::Path { parent, nodes } => {
                        self.nodes[parent as usize].child = self.nodes[nodes as usize].next;
                        self.nodes.truncate(nodes as usize);
                    }
                    Change::Fact { node, before } => self.nodes[node as usize].fact = before,
                    Change::Entry { node, before } => {
                        let next = self.entries.pop().map_or(LAST, |entry| entry.next);
                        *self.link(node, before) = next;
                    }
                }
            }
        }
    }

    /// Returns the number of items that end within the first `text` bytes and belong to one of the first `lists` lists.
    pub(super) fn kept(&self, text: usize, lists: usize) -> usize {
        let gone = |item: &&Item| item.end as usize > text || item.list as usize >= lists;
        self.items.len() - self.items.iter().rev().take_while(gone).count()
    }
}
