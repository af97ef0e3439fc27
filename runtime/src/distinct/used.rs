//! The items of one list as a prefix tree. A node denotes the beginning of an item, and stores the tokens that are
//! *excluded* after it.
//!
//! A node is *dead* if every item that begins with its text is in the list. Nothing below a dead node is stored. So the
//! tree of a finite set has few nodes for each item. The path of an item ends where no unused item has the same
//! beginning.
//!
//! The tree changes only by the newest item. Each change is logged, so the newest item can be undone.
//!
//! Cost: 16 bytes a node, and 28 bytes for each token at a node. An undo takes the time of the changes that it undoes.

/// Index of the root. As the index of a child, it means that there is no child.
pub(super) const ROOT: u32 = 0;

/// Value of a link after the last candidate. The entry at this index is never used.
const LAST: u32 = 0;

/// Tokens to exclude from the mask where the open item has the text of a node of the prefix tree, if a rest of a used
/// item is all that they leave. It is one token, or all tokens below a node of the vocabulary's trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Candidate {
    /// Id of a token that would repeat a used item. It is excluded from the mask if the position has one configuration.
    /// With several, the token is tried, since another one may allow it.
    Certain(u32),
    /// Id of a token that may repeat a used item. It is tried, and excluded if all configurations after it have used items.
    Doubtful(u32),
    /// The tokens below the trie node `node` that continue with a byte after the item. They are
    /// [`Certain`](Self::Certain) if `is_certain`, and [`Doubtful`](Self::Doubtful) otherwise.
    Exit { node: u32, is_certain: bool },
}

/// How many of the items that begin with a node's text are in the list: some, the text itself, or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fact {
    /// Some item of the list begins with the node's text. The text itself is no item of the list.
    #[default]
    Begun,
    /// The node's text is an item of the list. Longer items that begin with it may be unused.
    Used,
    /// Every item that begins with the node's text is in the list.
    Dead,
}

/// The result of looking up a text in the prefix tree of a list of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// No item of the list begins with the text.
    New,
    /// Some item of the list begins with the text, but other items that begin with it may be unused. The field is the
    /// index of the text's node in the tree.
    Node(u32),
    /// Every item that begins with the text is in the list.
    Dead,
}

/// A node of the prefix tree of the used items' bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Index of the first child. [`ROOT`] if there is none.
    child: u32,
    /// Index of the next child of the same parent. [`ROOT`] if there is none.
    next: u32,
    /// Index of the entry of the node's first candidate; candidates ascend. [`LAST`] if there is none.
    candidates: u32,
    /// Byte on the edge into the node.
    byte: u8,
    fact: Fact,
}

/// A candidate of a node, and the index of the entry of its next candidate.
#[derive(Clone, Copy, Debug)]
struct Entry {
    candidate: Candidate,
    next: u32,
}

/// One change of the tree, with the values that an undo restores.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Nodes were added below the node `parent`. The tree had `nodes` nodes before.
    Path { parent: u32, nodes: u32 },
    /// The fact of a node was replaced. `before` is the old fact.
    Fact { node: u32, before: Fact },
    /// The newest entry was added to the candidates of the node `node`, after the entry with the index `before`.
    Entry { node: u32, before: u32 },
}

/// An item of the tree, with the values that an undo restores.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// Id of the list whose newest item this is.
    list: u32,
    /// Exclusive end of the item in the sequence's text, in bytes.
    end: u32,
    /// Number of logged changes before the item was added.
    changes: usize,
    /// The tree's `spread` before the item was added.
    spread: Option<u32>,
}

/// The items of one list as a prefix tree.
#[derive(Clone, Debug)]
pub(crate) struct UsedItems {
    /// Index of the rule whose items these are.
    pub(super) rule: usize,
    /// Depth in bytes of the shallowest node of the tree at which two unused items diverge. `None` if fewer than two
    /// are known to be left.
    pub(super) spread: Option<u32>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    changes: Vec<Change>,
    items: Vec<Item>,
}

impl UsedItems {
    /// Returns the tree without items for the rule with the index `rule`. `spread` is the depth in bytes at which two
    /// items of the rule first diverge.
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

    /// Returns the id of the list that consists of the tree's items up to this index. `None` if there are fewer items.
    pub(super) fn list(&self, index: usize) -> Option<u32> {
        self.items.get(index).map(|item| item.list)
    }

    /// Returns the id of the list of all items of the tree. `None` if the tree is empty.
    pub(super) fn newest(&self) -> Option<u32> {
        self.items.last().map(|item| item.list)
    }

    /// Looks up whether some item of the list, no item or every possible item begins with a text. O(bytes of the text
    /// within the tree).
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

    /// Whether a text is in the list. The text must be a whole item of the rule.
    pub(super) fn has(&self, item: &[u8]) -> bool {
        match self.find(item) {
            Found::New => false,
            Found::Node(node) => self.is_used(node),
            Found::Dead => true,
        }
    }

    /// Returns the index of a node's child on a byte. `None` if there is none.
    pub(super) fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let mut child = self.nodes[node as usize].child;
        while child != ROOT && self.nodes[child as usize].byte != byte {
            child = self.nodes[child as usize].next;
        }
        (child != ROOT).then_some(child)
    }

    /// Whether every item that begins with the node's text is in the list.
    pub(super) fn is_dead(&self, node: u32) -> bool {
        self.nodes[node as usize].fact == Fact::Dead
    }

    /// Whether the node's text, if it is an item of the rule, is in the list.
    pub(super) fn is_used(&self, node: u32) -> bool {
        self.nodes[node as usize].fact != Fact::Begun
    }

    /// Returns the tokens that may have to be excluded at a node, ascending.
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

    /// Opens the undo record of a new item: changes of the tree from here on are those of this item. It ends at the
    /// offset `end` of the sequence's text in bytes, and `list` is the id of the list whose newest item it is.
    pub(super) fn begin(&mut self, list: u32, end: u32) {
        self.items.push(Item { list, end, changes: self.changes.len(), spread: self.spread });
    }

    /// Adds a node for each byte of `text` below the last node of `path`, and appends them to `path`. The last node
    /// must have no child on the first byte.
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

    /// Replaces the fact of a node, and logs the change.
    pub(super) fn set(&mut self, node: u32, fact: Fact) {
        let before = std::mem::replace(&mut self.nodes[node as usize].fact, fact);
        self.changes.push(Change::Fact { node, before });
    }

    /// Adds ascending candidates (tokens to exclude) to a node, except those that the node already has. O(old and new
    /// candidates of the node).
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

    /// Returns the link to the candidate after the entry `before`. For [`LAST`], returns the link to the node's first
    /// one.
    fn link(&mut self, node: u32, before: u32) -> &mut u32 {
        match before {
            LAST => &mut self.nodes[node as usize].candidates,
            before => &mut self.entries[before as usize].next,
        }
    }

    /// Removes the newest items until `len` items are left, and undoes their changes.
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

    /// Returns how many of the oldest items end within the first `text` bytes and belong to lists with an id below
    /// `lists`.
    pub(super) fn kept(&self, text: usize, lists: usize) -> usize {
        let gone = |item: &&Item| item.end as usize > text || item.list as usize >= lists;
        self.items.len() - self.items.iter().rev().take_while(gone).count()
    }
}
