//! The texts of an instance, worked out apart from the compiler.

use serde_json::Value;

/// The compact texts of an instance in every order of its keys, each number in canonical form. `None` where there are
/// more than `most`.
pub fn in_every_order(value: &Value, most: usize) -> Option<Vec<String>> {
    match value {
        Value::Array(items) => {
            let items: Option<Vec<_>> =
                items.iter().map(|item| in_every_order(item, most)).collect();
            joined(&items?, '[', ']', most)
        }
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| {
                let texts = in_every_order(value, most)?;
                let key = Value::from(key.as_str());
                Some(texts.iter().map(|text| format!("{key}:{text}")).collect::<Vec<_>>())
            });
            let members = members.collect::<Option<Vec<_>>>()?;
            let mut all = Vec::new();
            for order in permutations(members.len(), most)? {
                let members: Vec<_> = order.iter().map(|&at| members[at].clone()).collect();
                all.extend(joined(&members, '{', '}', most)?);
                if all.len() > most {
                    return None;
                }
            }
            Some(all)
        }
        Value::Number(number) => Some(vec![canonical(&number.to_string())]),
        other => Some(vec![other.to_string()]),
    }
}

fn joined(parts: &[Vec<String>], open: char, close: char, most: usize) -> Option<Vec<String>> {
    let mut all = vec![String::from(open)];
    for (at, choices) in parts.iter().enumerate() {
        if all.len() * choices.len() > most {
            return None;
        }
        let comma = if at > 0 { "," } else { "" };
        let longer = |start: &String| {
            let start = start.clone();
            choices.iter().map(move |part| format!("{start}{comma}{part}")).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Some(all.iter().map(|text| format!("{text}{close}")).collect())
}

fn permutations(count: usize, most: usize) -> Option<Vec<Vec<usize>>> {
    let mut all = vec![Vec::new()];
    for item in 0..count {
        if all.len() * (item + 1) > most {
            return None;
        }
        let longer = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, item);
                longer
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    Some(all)
}

/// The canonical form of a JSON number: no exponent, no zeros at the end of a fraction, no negative zero. Exponents
/// above a thousand are left as they are.
pub fn canonical(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let Some(exponent) = exponent.parse::<i64>().ok().filter(|e| e.abs() <= 1_000) else {
        return text.to_owned();
    };
    let (sign, magnitude) = match mantissa.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", mantissa),
    };
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    // The digits, and how many of them stand before the point.
    let mut digits = format!("{whole}{fraction}");
    let mut point = whole.len() as i64 + exponent;
    if point < 0 {
        digits.insert_str(0, &"0".repeat(point.unsigned_abs() as usize));
        point = 0;
    }
    let point = point as usize;
    if digits.len() < point {
        digits.push_str(&"0".repeat(point - digits.len()));
    }
    let (whole, fraction) = digits.split_at(point);
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    match (whole, fraction) {
        ("0", "") => "0".to_owned(),
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_have_one_text() {
        let pairs = [
            ("0", "0"),
            ("-0.0", "0"),
            ("1.50", "1.5"),
            ("1e3", "1000"),
            ("-12.5E-3", "-0.0125"),
            ("100e-2", "1"),
            ("0.00e5", "0"),
            ("1e-400", &format!("0.{}1", "0".repeat(399))),
            ("1e99999", "1e99999"),
        ];
        for (text, expected) in pairs {
            assert_eq!(canonical(text), expected);
        }
    }

    #[test]
    fn keys_take_every_order() {
        let texts = in_every_order(&json!([{"a": 1, "b": {"c": 2, "d": 3}}]), 10).unwrap();
        assert_eq!(texts.len(), 4);
        assert!(texts.contains(&r#"[{"b":{"d":3,"c":2},"a":1}]"#.to_owned()));
        assert_eq!(in_every_order(&json!({"a": 1, "b": 2, "c": 3}), 5), None);
    }
}
