//! The server's protocol over a model that writes what the request says: every endpoint, on machines without a model.
//!
//! | file | what it tests |
//! | --- | --- |
//! | `cases` | requests and what their replies hold, as data; each chat and response streamed too, with the same result |
//! | `access` | keys, limits, and the JSON of errors |
//! | `grammars` | grammars by id, repair, tokens, metrics |
//! | `prompts`, `log` | prompts by name; the line of a request |
//! | `kept` | compiled grammars in a folder: from one server to the next, as many as fit, none that is damaged |
//! | `loading` | a server whose model is not there yet |
//! | `network` | connections: half-sent requests, their bounds, the end of a server |
//! | `turns` | requests beside compilations that take long |
//! | `readers` | clients that leave, read slowly or ask for too much at once |
//! | `model`, `client` | the model, and a client without a network |

mod access;
mod cases;
mod client;
mod grammars;
mod kept;
mod loading;
mod log;
mod model;
mod network;
mod prompts;
mod readers;
mod turns;
