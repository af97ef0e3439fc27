//! Names of formats in other systems, and the JSON Schema formats that they probably mean.
//!
//! By the specification, an unknown format constrains nothing: `"format": "datetime"` accepts any string. Names of
//! other concepts, such as `int32` of OpenAPI, correspond to no format and are not in the table.

use grammarc_grammar::suggest::nearest_within;

use super::all;

/// Maps names of other systems, in lower case with letters and digits only, to the format that is meant; sorted.
const OTHER_NAMES: [(&str, &str); 18] = [
    ("cidrv4", "ipv4"),
    ("domain", "hostname"),
    ("domainname", "hostname"),
    ("emailaddress", "email"),
    ("fqdn", "hostname"),
    ("guid", "uuid"),
    ("ip4", "ipv4"),
    ("ip6", "ipv6"),
    ("iso8601", "date-time"),
    ("isodate", "date"),
    ("isodatetime", "date-time"),
    ("isoduration", "duration"),
    ("link", "uri"),
    ("rfc3339", "date-time"),
    ("timestamp", "date-time"),
    ("uriref", "uri-reference"),
    ("url", "uri"),
    ("uuidv4", "uuid"),
];

/// Format names that denote an IP address of either version.
const ADDRESSES: [&str; 5] = ["inet", "ip", "ipaddr", "ipaddress", "ipany"];

/// The prefix of format names that denote Base64, an encoding of bytes as text.
const BASE64: &str = "base64";

/// The least length of a format name, in bytes, for which two typing errors are corrected. In a shorter name, only one
/// is.
const LONG: usize = 8;

/// Returns advice on an unknown name of a format. Returns `None` if no format is similar.
pub(crate) fn meant(name: &str) -> Option<String> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    if ADDRESSES.contains(&&*plain) {
        return Some("did you mean `ipv4` or `ipv6`? `anyOf` takes both".to_owned());
    }
    if plain.starts_with(BASE64) {
        return Some(
            "write a pattern: `\"pattern\": \"^[A-Za-z0-9+/]*={0,2}$\"`; `contentEncoding` tells readers and constrains \
             nothing"
                .to_owned(),
        );
    }
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == plain).map(|(_, format)| *format);
    let same =
        || all().iter().map(|format| format.name).find(|known| known.replace('-', "") == plain);
    let slips = if name.len() < LONG { 1 } else { 2 };
    let near = || nearest_within(name, slips, all().iter().map(|format| format.name));
    Some(format!("did you mean `{}`?", other.or_else(same).or_else(near)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_mean_formats() {
        assert!(OTHER_NAMES.is_sorted());
        for (_, format) in OTHER_NAMES {
            assert!(crate::values::formats::format(format).is_some(), "{format}");
        }
    }

    #[test]
    fn names_of_other_systems() {
        for (name, format) in [
            ("datetime", Some("`date-time`")),
            ("DateTime", Some("`date-time`")),
            ("date_time", Some("`date-time`")),
            ("timestamp", Some("`date-time`")),
            ("uuid4", Some("`uuid`")),
            ("UUID", Some("`uuid`")),
            ("url", Some("`uri`")),
            ("ip", Some("`ipv4` or `ipv6`")),
            ("ip-address", Some("`ipv4` or `ipv6`")),
            ("base64", Some("pattern")),
            ("base64url", Some("pattern")),
            ("e-mail", Some("`email`")),
            ("regexp", Some("`regex`")),
            ("int32", None),
            ("int64", None),
            ("float", None),
            ("byte", None),
            ("binary", None),
            ("password", None),
            ("color", None),
            ("phone", None),
            ("name", None),
        ] {
            let found = meant(name);
            assert_eq!(found.is_some(), format.is_some(), "{name}: {found:?}");
            let words = format.unwrap_or_default();
            assert!(found.unwrap_or_default().contains(words), "{name}");
        }
    }
}
