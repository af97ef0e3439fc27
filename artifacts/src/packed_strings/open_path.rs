//! The open nodes of an acyclic automaton that is built from ascending texts. An open node may still get transitions.
//!
//! J. Daciuk, S. Mihov, B. W. Watson, R. E. Watson, "Incremental Construction of Minimal Acyclic Finite-State
//! Automata", Computational Linguistics 26(1), 2000. Only the nodes along the newest text may still change. Nodes that
//! the next text does not share are closed, children first. The caller stores closed nodes, and replaces a node by an
//! equal one that it has.
//!
//! Cost: O(bytes of the texts), besides the closing of nodes. Tests: those of the users, [`build`](super::build) and
//! `compiler/json-schema/src/values/strings/literals.rs`.

/// The open nodes: those along the newest text, from the root on.
#[derive(Debug)]
pub struct OpenPath<N> {
    /// One node for each prefix of the newest text. Further nodes are cleared, and keep their allocations.
    nodes: Vec<N>,
    text: Vec<u8>,
}

impl<N: Default> Default for OpenPath<N> {
    fn default() -> Self {
        Self { nodes: vec![N::default()], text: Vec::new() }
    }
}

impl<N: Default> OpenPath<N> {
    /// Moves to the next text, and returns the node at its end. Texts must ascend by their bytes.
    ///
    /// `close` is called for each node of the last text that the next does not share, deepest first. It gets the node's
    /// parent, the byte that leads to the node, and the node. It must add the transition to the parent and clear the
    /// node.
    ///
    /// # Errors
    ///
    /// The first error that `close` returns.
    pub fn enter<E>(
        &mut self,
        text: &[u8],
        close: impl FnMut(&mut N, u8, &mut N) -> Result<(), E>,
    ) -> Result<&mut N, E> {
        debug_assert!(self.text.as_slice() <= text, "texts ascend");
        let shared = self.text.iter().zip(text).take_while(|(a, b)| a == b).count();
        self.close(shared, close)?;
        self.text.extend_from_slice(&text[shared..]);
        if self.nodes.len() <= text.len() {
            self.nodes.resize_with(text.len() + 1, N::default);
        }
        Ok(&mut self.nodes[text.len()])
    }

    /// Closes all nodes but the root, and returns the root. `close` is that of [`enter`](Self::enter).
    ///
    /// # Errors
    ///
    /// The first error that `close` returns.
    pub fn finish<E>(
        &mut self,
        close: impl FnMut(&mut N, u8, &mut N) -> Result<(), E>,
    ) -> Result<&mut N, E> {
        self.close(0, close)?;
        Ok(&mut self.nodes[0])
    }

    fn close<E>(
        &mut self,
        length: usize,
        mut close: impl FnMut(&mut N, u8, &mut N) -> Result<(), E>,
    ) -> Result<(), E> {
        for depth in (length..self.text.len()).rev() {
            let [parent, child] = &mut self.nodes[depth..depth + 2] else { break };
            close(parent, self.text[depth], child)?;
        }
        self.text.truncate(length);
        Ok(())
    }
}
