//! `grammarc debug`: shows the stages between a source and a mask, each as text or data.

pub(crate) mod ir;
pub(crate) mod mask;
pub(crate) mod network;
pub(crate) mod trie;

use clap::Subcommand;

use crate::failure::Failure;
use crate::output::Output;

/// The stage to show.
#[derive(Debug, Subcommand)]
pub(crate) enum DebugCommand {
    /// The grammar as the front end leaves it
    Ir(ir::IrArgs),
    /// The network: every rule's automaton
    Network(network::NetworkArgs),
    /// The token trie of a vocabulary
    Trie(trie::TrieArgs),
    /// The mask after a text
    Mask(mask::MaskArgs),
}

pub(crate) fn run(command: DebugCommand, output: &mut Output) -> Result<u8, Failure> {
    match command {
        DebugCommand::Ir(args) => ir::run(args, output),
        DebugCommand::Network(args) => network::run(args, output),
        DebugCommand::Trie(args) => trie::run(args, output),
        DebugCommand::Mask(args) => mask::run(args, output),
    }
}
