//! The official suite's optional cases on formats, of drafts 7 and 2020-12. All verdicts must agree but those in
//! [`REFUSED`].

use std::path::Path;

use grammarc_test_data::{data, files};

use crate::values::formats::format;

/// Valid strings that a format rejects: the format, the reason, and the strings. No format may accept an invalid
/// string.
const REFUSED: &[(&str, &str, &[&str])] = &[
    (
        "hostname",
        "the validity of an A-label is a matter of decoding it",
        &[
            "xn--9n2bp8q.xn--9t4b11yi5a",
            "xn--zca29lwxobi7a",
            "xn--qmbc",
            "xn--ll-0ea",
            "xn--wva3je",
            "xn--4dbc5h",
            "xn--4dbc8h",
            "xn--k8j5u",
            "xn--bck0j",
            "xn--vek778f",
            "xn--ngba1o",
            "xn--0-gyc",
            "xn--11b2ezcw70k",
            "xn--11b2ezcs70k",
            "xn--ngba5hb2804a",
        ],
    ),
    ("idn-email", "the domain is not in Normalization Form C", &["user@cafe\u{301}.com"]),
    ("idn-hostname", "an A-label, as above", &["xn--ihqwcrb4cv8a8dqg056pqjye"]),
    (
        "idn-hostname",
        "the longest ASCII form of 52 characters would be too long, though this one is not",
        &[
            "παράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπα.com",
            "παράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπα。com",
            "παράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπα．com",
            "παράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπαράδειγμαπα｡com",
        ],
    ),
    ("regex", "a reference needs the group that it names", &["(?<n>a)\\k<n>"]),
];

/// Smallest share of cases of one draft on which the verdicts must agree.
const FEWEST_RIGHT: f64 = 0.96;

/// Returns every case on a string: the format, the string, and whether it is valid.
fn cases(folder: &Path) -> Vec<(String, String, bool)> {
    let mut cases = Vec::new();
    for (_, groups) in files(folder) {
        for group in groups.as_array().into_iter().flatten() {
            let name = group["schema"]["format"].as_str().unwrap_or_default();
            for test in group["tests"].as_array().into_iter().flatten() {
                if let Some(data) = test["data"].as_str() {
                    cases.push((name.to_owned(), data.to_owned(), test["valid"] == true));
                }
            }
        }
    }
    cases
}

#[test]
#[expect(clippy::print_stderr, reason = "figures, and a skipped test says so")]
fn official_suite() {
    let Some(root) = data("json-schema-test-suite") else {
        eprintln!("SKIPPED: no JSON Schema test suite; set GRAMMARC_DATA");
        return;
    };
    for draft in ["draft7", "draft2020-12"] {
        let cases = cases(&root.join(draft).join("optional/format"));
        let mut wrong = 0;
        for (name, data, valid) in &cases {
            // A format that no draft defines is an annotation.
            let accepted = format(name).is_none_or(|f| f.automaton().accepts(data.as_bytes()));
            let listed = REFUSED.iter().any(|(format, _, strings)| {
                format == name && strings.contains(&data.as_str()) && *valid
            });
            assert_eq!(accepted != *valid, listed, "{draft}: {name} {data:?}, valid: {valid}");
            wrong += usize::from(listed);
        }
        let right = (cases.len() - wrong) as f64 / cases.len() as f64;
        eprintln!("{draft}: {wrong} of {} cases wrong", cases.len());
        assert!(right >= FEWEST_RIGHT, "{draft}: {right} of the cases are right");
    }
}
