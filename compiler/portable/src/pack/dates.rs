//! Dates as numbers of days.

/// Returns the number of days from a fixed day to a date `YYYY-MM-DD`. `None` if the text is not a date.
pub(super) fn day(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let mut next = |digits: usize| -> Option<i64> {
        let part = parts.next().filter(|part| part.len() == digits)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let (year, month, day) = (next(4)?, next(2)?, next(2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // March is the first month of the count, so that the leap day is the last of a year.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leaps + (month * 306 + 5) / 10 + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted() {
        let between = |from, to| day(to).unwrap() - day(from).unwrap();
        assert_eq!(between("2026-02-28", "2026-03-01"), 1);
        assert_eq!(between("2024-02-28", "2024-03-01"), 2);
        assert_eq!(between("2025-11-29", "2026-11-29"), 365);
        assert_eq!(day("2026-13-01"), None);
        assert_eq!(day("26-1-1"), None);
    }
}
