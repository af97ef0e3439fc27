//! Formats: the strings that each value of the keyword `format` denotes, as automata.
//!
//! A format is the minimal automaton of the UTF-8 bytes of its strings, before JSON escapes. Each format is an
//! expression that follows the grammar of its RFC, rule by rule. Its automaton is built on first use and shared.
//!
//! Every format is sound: it accepts nothing that its specification rejects. If the specification needs a large
//! automaton, the format accepts less, and its entry in the table says what is rejected.
//!
//! Tests: `tests/` compares with the official suite, and with the `jsonschema` crate on random walks.

mod abnf;
mod date_time;
mod duration;
mod email;
mod hostname;
mod idn_hostname;
mod ip;
mod json_pointer;
mod names;
mod regex;
#[cfg(test)]
mod tests;
mod uri;
mod uri_template;
mod uuid;

use std::sync::{Arc, OnceLock};

use grammarc_grammar::automata::{Dfa, StateBudget};
use grammarc_grammar::ir::Expr;
use grammarc_grammar::ir::pass;

use super::strings::StringSet;
use abnf::STATE_LIMIT;
pub(crate) use names::meant;

/// How the strings that a format accepts compare with its specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// The format accepts exactly the strings of the specification.
    Exact,
    /// The format accepts only strings of the specification, but not all. The text names the rejected ones.
    Narrower(&'static str),
}

/// A format of the keyword `format`: its name, its grammar, and its automaton.
#[derive(Debug)]
pub(crate) struct Format {
    /// The value of the keyword `format`, such as `date-time`.
    pub(crate) name: &'static str,
    /// Whether the format accepts all strings of its specification, or only some.
    pub(crate) exactness: Exactness,
    /// Returns the grammar expression of the format's strings.
    grammar: fn() -> Expr,
    /// The minimal automaton of the format's strings, once it is built.
    automaton: OnceLock<Arc<Dfa>>,
    /// The format's strings as a set, once it is built.
    strings: OnceLock<StringSet>,
}

impl Format {
    const fn new(name: &'static str, exactness: Exactness, grammar: fn() -> Expr) -> Self {
        Self { name, exactness, grammar, automaton: OnceLock::new(), strings: OnceLock::new() }
    }

    /// Returns the minimal automaton of the format's strings, over their UTF-8 bytes. Built on the first call and kept
    /// for the life of the process.
    pub(crate) fn automaton(&self) -> Arc<Dfa> {
        Arc::clone(self.automaton.get_or_init(|| Arc::new(self.build())))
    }

    /// Returns the format's strings as a set. Built on the first call and kept for the life of the process.
    pub(crate) fn strings(&self) -> StringSet {
        let build = || {
            let automaton = Dfa::clone(&self.automaton());
            StringSet::format(self.name, automaton, StateBudget::of(STATE_LIMIT))
                .expect("a test builds it within the limit")
        };
        self.strings.get_or_init(build).clone()
    }

    fn build(&self) -> Dfa {
        pass::automaton(&(self.grammar)(), StateBudget::of(STATE_LIMIT))
            .expect("the grammar is fixed, of bytes alone, and a test builds it within the limit")
    }
}

use Exactness::{Exact, Narrower};

/// The strings that `date-time` rejects although RFC 3339 allows them.
const LEAP_SECOND: &str = "a leap second anywhere but at the end of June or December, or with an offset that is not of \
     whole or half hours from -12:00 to +14:00";

/// The strings that `time` rejects although RFC 3339 allows them.
const LEAP_SECOND_OF_TIME: &str = "a leap second with an offset that is not of whole or half hours";

/// Returns whether a format may read a JSON text otherwise than its specification does, for the reason why the format is
/// narrower. A leap second is the text `:60`.
pub(crate) fn may_misread(reason: &str, text: &str) -> bool {
    ![LEAP_SECOND, LEAP_SECOND_OF_TIME].contains(&reason) || text.contains(":60")
}

/// All formats that the keyword `format` may name, sorted by name.
static FORMATS: [Format; 19] = [
    Format::new("date", Exact, date_time::date),
    Format::new("date-time", Narrower(LEAP_SECOND), date_time::date_time),
    Format::new("duration", Exact, duration::duration),
    Format::new(
        "email",
        Narrower(
            "a domain with more than 61 characters after its first label, or a double hyphen there; a label that \
             begins with `xn--`; decimal parts of an address that begin with 0",
        ),
        email::email,
    ),
    Format::new(
        "hostname",
        Narrower(
            "a name with more than 61 characters after its third label, or a double hyphen there; a label that \
             begins with `xn--`",
        ),
        hostname::hostname,
    ),
    Format::new(
        "idn-email",
        Narrower(
            "a domain that `idn-hostname` refuses, has more than 61 characters after its second label or has \
             Unicode there; decimal parts of an address that begin with 0",
        ),
        email::idn_email,
    ),
    Format::new(
        "idn-hostname",
        Narrower(
            "labels in Unicode of over 14 characters, of other characters than the common ones of the Basic \
             Multilingual Plane, or after the third label; right-to-left names that begin with another label; \
             what `hostname` refuses",
        ),
        idn_hostname::idn_hostname,
    ),
    Format::new("ipv4", Exact, ip::ipv4),
    Format::new("ipv6", Exact, ip::ipv6),
    Format::new("iri", Exact, uri::iri),
    Format::new("iri-reference", Exact, uri::iri_reference),
    Format::new("json-pointer", Exact, json_pointer::json_pointer),
    Format::new(
        "regex",
        Narrower(
            "references, `\\0`, named groups but one at the start, groups nested over three deep, lookarounds in \
             groups, groups nested in lookarounds, class ranges but those of digits and those from `a` or `A`, \
             bounds of over one digit with as many digits each, properties but the short names of general \
             categories",
        ),
        regex::regex,
    ),
    Format::new(
        "relative-json-pointer",
        Narrower("the index manipulation (`0+1`) of draft 2020-12, which draft 7 does not have"),
        json_pointer::relative_json_pointer,
    ),
    Format::new("time", Narrower(LEAP_SECOND_OF_TIME), date_time::time),
    Format::new("uri", Exact, uri::uri),
    Format::new("uri-reference", Exact, uri::uri_reference),
    Format::new("uri-template", Exact, uri_template::uri_template),
    Format::new("uuid", Exact, uuid::uuid),
];

/// The formats that many schemas use, for which the prelude has rules. The other formats are rare, or their rules would
/// cost more than they save.
const COMMON: [&str; 11] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uri",
    "uri-reference",
    "uuid",
];

/// Returns the formats (of the keyword `format`) that many schemas use.
pub(crate) fn common() -> impl Iterator<Item = &'static Format> {
    COMMON.iter().filter_map(|name| format(name))
}

/// Returns all formats that the keyword `format` may name, sorted by name.
pub(crate) fn all() -> &'static [Format] {
    &FORMATS
}

/// Returns the format of this name, or `None` if no draft defines it.
pub(crate) fn format(name: &str) -> Option<&'static Format> {
    let at = FORMATS.binary_search_by(|format| format.name.cmp(name)).ok()?;
    Some(&FORMATS[at])
}
