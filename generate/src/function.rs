//! A backend that calls a function from text to text. For models with an interface of their own,
//! and for tests.

use crate::backend::{Capabilities, Generation, LlmBackend, Prompt};
use crate::error::GenerateError;
use crate::local::Received;
use crate::output::{Event, Finish, Finished, Usage};
use crate::params::GenerateParams;

/// A backend that calls a function. It has no logits, so JSON mode only validates the finished
/// outputs.
///
/// ```
/// use grammarc_generate::{FunctionBackend, GenerateParams, LlmBackend};
///
/// let backend = FunctionBackend::new(|prompt: &str, _: &GenerateParams| {
///     assert!(prompt.ends_with("as JSON."));
///     Ok(r#"Sure: {"name": "Ada"}"#.to_owned())
/// });
/// let value = backend.generate_json("A person, as JSON.", None, GenerateParams::default())?;
/// assert_eq!(value["name"], "Ada");
/// # Ok::<(), grammarc_generate::GenerateError>(())
/// ```
#[derive(Debug)]
pub struct FunctionBackend<F> {
    function: F,
}

/// The error that the function of a [`FunctionBackend`] returns.
pub type FunctionError = Box<dyn std::error::Error + Send + Sync>;

impl<F> FunctionBackend<F>
where
    F: Fn(&str, &GenerateParams) -> Result<String, FunctionError> + Send + Sync,
{
    /// Creates a backend that calls the function with the prompt and the parameters. The function's
    /// result is the output.
    pub fn new(function: F) -> Self {
        Self { function }
    }
}

impl<F> LlmBackend for FunctionBackend<F>
where
    F: Fn(&str, &GenerateParams) -> Result<String, FunctionError> + Send + Sync,
{
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn start(
        &self,
        prompt: Prompt,
        params: GenerateParams,
    ) -> Result<Box<dyn Generation>, GenerateError> {
        let (Prompt::Text(prompt) | Prompt::Template(prompt)) = prompt else {
            let why = "takes a text; it has no chat template and no tokens";
            return Err(GenerateError::Unsupported { what: "prompt", why });
        };
        let text = (self.function)(&prompt, &params).map_err(GenerateError::Backend)?;
        let (finish, usage) = (Finish::Stop, Usage::default());
        let finished = Event::Finished(Finished { finish, cut_call: None, usage });
        let (sender, receiver) = async_channel::bounded(2);
        for event in [Event::Text(text), finished] {
            sender
                .try_send(Ok(event))
                .expect("the channel holds two events and its reader is here");
        }
        Ok(Box::new(Received::new(receiver)))
    }
}
