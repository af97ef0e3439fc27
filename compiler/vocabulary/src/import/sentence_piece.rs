//! Reads SentencePiece models (`tokenizer.model`): protocol buffers with the pieces and the preparation of texts.
//!
//! | type of a piece | bytes | claim |
//! | --- | --- | --- |
//! | normal (1) | the piece, a space for each `▁` | learned |
//! | unknown (2), control (3) | the name | control |
//! | user-defined (4) | likewise | added |
//! | unused (5) | the piece | unused |
//! | byte (6) | the one of `<0xNN>` | learned |
//!
//! Unlike in GGUF, `▁` is a space in user-defined pieces as well: Gemma's runs of spaces are written so, and the
//! library decodes them so. The messages below have only the fields that determine the bytes of pieces; `prost` skips
//! the others. Scores and the rest decide how text becomes pieces, which a mask does not need.

use prost::Message;

use crate::decoder::{named_byte, spaced};
use crate::draft::{Draft, Role};
use crate::error::VocabularyError;
use crate::findings::{dummy_prefix, normaliser, readable};
use crate::names::is_control_piece;
use crate::options::EndToken;
use grammarc_grammar::diagnostics::Diagnostic;

use super::companions::Companions;
use super::format::TokenizerFormat;
use super::origin::Origin;

/// The message `sentencepiece.ModelProto`: a whole model.
#[derive(Clone, PartialEq, Message)]
struct Model {
    #[prost(message, repeated, tag = "1")]
    pieces: Vec<Piece>,
    #[prost(message, optional, tag = "2")]
    trainer: Option<Trainer>,
    #[prost(message, optional, tag = "3")]
    normalizer: Option<Normalizer>,
    #[prost(message, optional, tag = "5")]
    denormalizer: Option<Normalizer>,
}

/// The message `sentencepiece.ModelProto.SentencePiece`: one piece.
#[derive(Clone, PartialEq, Message)]
struct Piece {
    /// The text of the piece. Read as bytes, so that an error about invalid UTF-8 can name the piece.
    #[prost(bytes = "vec", optional, tag = "1")]
    piece: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "3", default = "1")]
    kind: Option<i32>,
}

/// The message `sentencepiece.TrainerSpec`: how the model was trained.
#[derive(Clone, PartialEq, Message)]
struct Trainer {
    #[prost(bool, optional, tag = "24", default = "false")]
    treat_whitespace_as_suffix: Option<bool>,
    #[prost(bytes = "vec", optional, tag = "47")]
    eos_piece: Option<Vec<u8>>,
}

/// The message `sentencepiece.NormalizerSpec`: how text is changed before or after it is pieces.
#[derive(Clone, PartialEq, Message)]
struct Normalizer {
    #[prost(string, optional, tag = "1")]
    name: Option<String>,
    #[prost(bytes = "vec", optional, tag = "2")]
    precompiled_charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3", default = "true")]
    add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4", default = "true")]
    remove_extra_whitespaces: Option<bool>,
}

/// Greatest size of a model in bytes, ten times the largest in use. A larger model is an error, since pieces take more
/// memory than their bytes.
const MAX_BYTES: usize = 64 << 20;

/// The end token of a model that names none.
const END: &[u8] = b"</s>";

/// Reads a SentencePiece model, and the companion files beside it. Fails if the model is damaged or too large, or
/// changes text after decoding.
pub(super) fn read(
    bytes: &[u8],
    origin: Origin,
    companions: &Companions,
) -> Result<Draft, VocabularyError> {
    let expected = TokenizerFormat::SentencePiece.usual_name();
    let damaged =
        |problem| VocabularyError::Damaged { file: origin.file.clone(), expected, problem };
    if bytes.len() > MAX_BYTES {
        return Err(damaged(format!("it has {} bytes, and {MAX_BYTES} are allowed", bytes.len())));
    }
    let model = Model::decode(bytes).map_err(|error| damaged(error.to_string()))?;
    if model.pieces.is_empty() {
        return Err(damaged("it has no pieces".to_owned()));
    }
    if model.denormalizer.as_ref().is_some_and(changes_text) {
        return Err(VocabularyError::Format {
            file: origin.file,
            format: "a SentencePiece model that changes text after decoding".to_owned(),
            help: "what its tokens spell depends on their neighbours",
        });
    }

    let mut draft = origin.draft(None);
    let trainer = model.trainer.unwrap_or_default();
    let end = trainer.eos_piece.as_deref().unwrap_or(END);
    for (id, piece) in (0..).zip(&model.pieces) {
        let name = piece.piece.as_deref().unwrap_or_default();
        let (bytes, role) = claim(name, piece.kind())
            .map_err(|problem| damaged(format!("piece {id} {problem}")))?;
        if role == Role::Control && name == end {
            draft.end_tokens.push((EndToken::Id(id), origin.file.clone()));
        }
        draft.claim(id, bytes, role)?;
    }
    companions.read(&mut draft, |content| Some(spaced(content.as_bytes())))?;

    let normalizer = model.normalizer.unwrap_or_default();
    if trainer.treat_whitespace_as_suffix() {
        draft.findings.push(Diagnostic::note(
            "vocabulary::dummy-suffix",
            "the decoder drops a space at the end of a text, so the last token may show without its trailing space; \
             masks take the space as real",
        ));
    } else if normalizer.add_dummy_prefix() || normalizer.remove_extra_whitespaces() {
        draft.findings.push(dummy_prefix());
    }
    if changes_text(&normalizer) && normalizer.name() != "identity" {
        draft.findings.push(normaliser(normalizer.name()));
    }
    Ok(draft)
}

/// Whether a normaliser has a table of characters that it replaces.
fn changes_text(normalizer: &Normalizer) -> bool {
    !normalizer.precompiled_charsmap().is_empty()
}

/// Returns the bytes and the role of a piece, by its name and type. Fails if the type is unknown, or if a byte piece
/// names no byte.
fn claim(name: &[u8], kind: i32) -> Result<(Vec<u8>, Role), String> {
    Ok(match kind {
        1 if str::from_utf8(name).is_ok_and(is_control_piece) => (name.to_vec(), Role::Added),
        1 => (spaced(name), Role::Learned),
        2 | 3 => (name.to_vec(), Role::Control),
        4 => (spaced(name), Role::Added),
        5 => (name.to_vec(), Role::Unused),
        6 => match named_byte(name) {
            Some(byte) => (vec![byte], Role::Learned),
            None => {
                return Err(format!("has the type of bytes, and {} names none", readable(name)));
            }
        },
        _ => return Err(format!("has the unknown type {kind}")),
    })
}
