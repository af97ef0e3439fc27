//! Reads the sampling fields, which all endpoints share.

use std::time::Duration;

use grammarc_generate::{
    EarlyStop, Forced, GenerateParams, Logprobs, OnLength, Penalties, ProbLimit, Reasoning,
};
use serde_json::Value;

use crate::app::App;
use crate::error::ApiError;
use crate::fields::{Fields, ids};

/// The error message for `x_grammarc.mass` at endpoints whose replies have no place for it.
pub(crate) const NO_MASS: &str = "`mass` is reported by `/v1/chat/completions` alone; ask there";

/// Reads the sampling parameters of a request, without its constraint. The boolean says whether
/// `max_tokens` is the server's default.
pub(crate) fn params(
    fields: &mut Fields,
    app: &App,
    max_tokens: Option<u64>,
) -> Result<(GenerateParams, bool), ApiError> {
    let (options, vocabulary) = (&app.options, app.backend.vocabulary());
    let mut params = GenerateParams {
        max_tokens: max_tokens.map_or(options.max_tokens, |tokens| tokens as usize),
        deadline: options.deadline,
        ..GenerateParams::default()
    };
    if let Some((open, close)) = &options.reasoning {
        let (open, close) = (open.clone(), close.clone());
        params.reasoning = Some(Reasoning { open, close, ..Reasoning::default() });
    }
    set(&mut params.temperature, fields.number("temperature")?);
    set(&mut params.top_p, fields.number("top_p")?);
    set(&mut params.min_p, fields.number("min_p")?);
    let top_k = fields.value("top_k");
    params.top_k = match top_k.as_ref().map(Value::as_i64) {
        None => 0,
        // Other servers use -1 for no restriction.
        Some(Some(-1)) => 0,
        Some(Some(count)) => {
            u32::try_from(count).map_err(|_| fields.wrong("top_k", "it is out of range"))?
        }
        Some(None) => return Err(fields.wrong("top_k", "it is no whole number")),
    };
    let penalties = Penalties {
        frequency: fields.number("frequency_penalty")?.unwrap_or(0.0),
        presence: fields.number("presence_penalty")?.unwrap_or(0.0),
        repetition: fields.number("repetition_penalty")?.unwrap_or(1.0),
    };
    params.penalties = penalties;
    params.seed = match fields.integer("seed")? {
        // Other servers use -1 for a random seed.
        None | Some(-1) => None,
        Some(seed) => {
            let bits = i64::try_from(seed).map(i64::cast_unsigned).or_else(|_| u64::try_from(seed));
            Some(bits.map_err(|_| fields.wrong("seed", "it has more than 64 bits"))?)
        }
    };
    params.stop = stop(fields)?;
    params.logit_bias = logit_bias(fields)?;
    if let Some(tokens) = fields.list("stop_token_ids")? {
        let tokens = ids(&tokens, vocabulary.artifact().token_count());
        let tokens = tokens.map_err(|reason| fields.wrong("stop_token_ids", reason))?;
        params.end_tokens = Some([vocabulary.end_tokens(), &tokens].concat());
    }
    let path = fields.path("x_grammarc");
    if let Some(value) = fields.value("x_grammarc") {
        own(Fields::of(&path, value)?, &mut params)?;
    }
    Ok((params, max_tokens.is_none()))
}

fn set(place: &mut f32, given: Option<f32>) {
    *place = given.unwrap_or(*place);
}

/// Reads the field `stop`: a text or a list of texts.
fn stop(fields: &mut Fields) -> Result<Vec<String>, ApiError> {
    let wrong =
        |fields: &Fields| fields.wrong("stop", "it is neither a string nor a list of strings");
    match fields.value("stop") {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(texts)) => {
            let texts = texts.into_iter().map(|text| match text {
                Value::String(text) => Ok(text),
                _ => Err(wrong(fields)),
            });
            texts.collect()
        }
        Some(_) => Err(wrong(fields)),
    }
}

/// Reads the field `logit_bias`, which maps token ids to numbers from -100 to 100. Returns pairs of
/// id and number.
fn logit_bias(fields: &mut Fields) -> Result<Vec<(u32, f32)>, ApiError> {
    let Some(value) = fields.value("logit_bias") else { return Ok(Vec::new()) };
    let wrong =
        || fields.wrong("logit_bias", "it is no object of numbers from -100 to 100 by token");
    let Value::Object(biases) = value else { return Err(wrong()) };
    let biases = biases.into_iter().map(|(token, bias)| {
        let token = token.parse().map_err(|_| wrong())?;
        let bias = bias.as_f64().filter(|bias| bias.abs() <= 100.0).ok_or_else(wrong)?;
        Ok((token, bias as f32))
    });
    biases.collect()
}

/// Reads the fields of `x_grammarc`, which are specific to this server. If `mass` is set, log
/// probabilities are requested from the engine.
fn own(mut fields: Fields, params: &mut GenerateParams) -> Result<(), ApiError> {
    let on_length = [("truncate", OnLength::Truncate), ("close", OnLength::Close)];
    let wrong = "it is neither `truncate` nor `close`";
    params.on_length = fields.word("on_length", &on_length, wrong)?.unwrap_or(params.on_length);
    let forced = [
        ("off", Forced::Off),
        ("exact", Forced::Exact),
        ("canonical", Forced::Canonical),
        ("draft", Forced::Draft),
    ];
    let wrong = "it is none of `off`, `exact`, `canonical` and `draft`";
    params.forced = fields.word("forced", &forced, wrong)?.unwrap_or(params.forced);
    let early_stop = [
        ("must_end", EarlyStop::MustEnd),
        ("first", EarlyStop::First),
        ("longest", EarlyStop::Longest),
    ];
    let wrong = "it is none of `must_end`, `first` and `longest`";
    params.early_stop = fields.word("early_stop", &early_stop, wrong)?.unwrap_or(params.early_stop);
    params.overshoot = fields.flag("overshoot")?.unwrap_or(false);
    params.empty_tokens_end = fields.flag("empty_tokens_end")?.unwrap_or(false);
    if fields.flag("mass")?.unwrap_or(false) {
        params.logprobs = Some(Logprobs::default());
    }
    if let Some(mut limit) = fields.object("prob_limit")? {
        let below = limit.number("below")?;
        let below = below.ok_or_else(|| limit.wrong("below", "it is missing"))?;
        let patience = limit.whole("patience")?.unwrap_or(1);
        let patience = u32::try_from(patience).unwrap_or(u32::MAX);
        limit.finish()?;
        params.prob_limit = Some(ProbLimit { below, patience });
    }
    let reasoning = fields.flag("reasoning")?;
    if reasoning == Some(false) {
        params.reasoning = None;
    } else if reasoning == Some(true) && params.reasoning.is_none() {
        params.reasoning = Some(Reasoning::default());
    }
    let most = fields.whole("reasoning_max_tokens")?;
    if let (Some(most), Some(reasoning)) = (most, &mut params.reasoning) {
        reasoning.max_tokens = Some(most as usize);
    }
    if let Some(milliseconds) = fields.whole("deadline_ms")? {
        let asked = Duration::from_millis(milliseconds);
        params.deadline = Some(params.deadline.map_or(asked, |most| most.min(asked)));
    }
    fields.finish().map(drop)
}
