//! Dates and times: RFC 3339 section 5.6, with the restrictions of section 5.7. Months have their real lengths, leap
//! years are those of the Gregorian calendar, and leap seconds are allowed.
//!
//! A leap second ends 23:59 of Universal Time. So the offsets allowed after `:60` depend on the hour and minute. Every
//! pair of hour and minute has its own states until the offset is read. Offsets of leap seconds are whole or half
//! hours, which keeps the automaton small. With a date, a leap second ends June or December in Universal Time, as all
//! past ones did. The local date is the last day of that month west of Greenwich, and the next day east of Greenwich.

use super::abnf::{digit, digits, one, padded, set, text};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Step of the time zone offsets that may follow a leap second (`:60`), in minutes. Other offsets are rejected there.
const STEP: u32 = 30;
/// The largest offset west of Greenwich, in minutes, for a leap second with a date. No time zone ends a day later.
const WEST: u32 = 12 * 60;
/// The largest offset east of Greenwich, in minutes, for a leap second with a date. No time zone begins a day earlier.
const EAST: u32 = 14 * 60;
/// Number of minutes of a day.
const DAY: u32 = 24 * 60;
/// The minute of the day at 23:59, counted from 0:00.
const LAST_MINUTE: u32 = DAY - 1;

/// Returns the dates: `full-date = date-fullyear "-" date-month "-" date-mday`.
pub(super) fn date() -> Expr {
    let days = |months: &[u32], most: u32| {
        let month = Expr::alt(months.iter().map(|month| text(&format!("{month:02}"))));
        Expr::seq([month, text("-"), padded(1..=most, 2)])
    };
    let any_year =
        Expr::alt([days(&[1, 3, 5, 7, 8, 10, 12], 31), days(&[4, 6, 9, 11], 30), days(&[2], 28)]);
    Expr::alt([Expr::seq([year(), text("-"), any_year]), Expr::seq([leap_year(), text("-02-29")])])
}

/// Returns the times with an offset: `full-time = partial-time time-offset`.
pub(super) fn time() -> Expr {
    let offsets = (0..DAY).step_by(STEP as usize);
    let leaps = offsets.flat_map(|offset| [west(offset), east(offset)]);
    Expr::alt(std::iter::once(ordinary_time()).chain(leaps).chain([leap_second(0, zulu())]))
}

/// Returns the dates with a time: `date-time = full-date "T" full-time`.
pub(super) fn date_time() -> Expr {
    let on = |first: &str, second: &str, times: Vec<Expr>| {
        let days = Expr::alt([text(first), text(second)]);
        Expr::seq([year(), days, separator(), Expr::alt(times)])
    };
    let mut same_day: Vec<Expr> = (0..=WEST).step_by(STEP as usize).map(west).collect();
    same_day.extend([east(0), leap_second(0, zulu())]);
    let next_day = (STEP..=EAST).step_by(STEP as usize).map(east).collect();
    Expr::alt([
        Expr::seq([date(), separator(), ordinary_time()]),
        on("-06-30", "-12-31", same_day),
        on("-07-01", "-01-01", next_day),
    ])
}

/// Returns the letter `T` that separates date and time, in either case.
fn separator() -> Expr {
    one(set("Tt"))
}

/// Returns the letter `Z` that denotes Universal Time, in either case.
fn zulu() -> Expr {
    one(set("Zz"))
}

/// Returns the years of four digits: `date-fullyear`.
fn year() -> Expr {
    one(digit()).repeat(4, Some(4))
}

/// Returns the leap years: divisible by 4 and not by 100, or divisible by 400.
fn leap_year() -> Expr {
    let even = || one(set("02468"));
    let odd = || one(set("13579"));
    // Two digits divisible by 4, except 00.
    let fourth = Expr::alt([
        Expr::seq([text("0"), one(set("48"))]),
        Expr::seq([one(set("2468")), one(set("048"))]),
        Expr::seq([odd(), one(set("26"))]),
    ]);
    let century =
        Expr::alt([Expr::seq([even(), one(set("048"))]), Expr::seq([odd(), one(set("26"))])]);
    let any = || one(digit());
    Expr::alt([Expr::seq([any(), any(), fourth]), Expr::seq([century, text("00")])])
}

/// Returns the times with an offset whose second is 00 to 59.
fn ordinary_time() -> Expr {
    let offset = Expr::seq([one(set("+-")), padded(0..=23, 2), text(":"), sixty()]);
    Expr::seq([
        padded(0..=23, 2),
        text(":"),
        sixty(),
        text(":"),
        sixty(),
        secfrac(),
        Expr::alt([zulu(), offset]),
    ])
}

/// Returns the grammar expression of the numbers 00 to 59, in two digits.
fn sixty() -> Expr {
    Expr::seq([one(ByteSet::range(b'0', b'5')), one(digit())])
}

/// Returns the optional fraction of a second: `[time-secfrac]`.
fn secfrac() -> Expr {
    Expr::seq([text("."), digits()]).optional()
}

/// Returns the leap second on clocks `offset` minutes west of Greenwich, followed by that offset.
fn west(offset: u32) -> Expr {
    leap_second(DAY - offset, text(&format!("-{}", hour_minute(offset))))
}

/// Returns the leap second on clocks `offset` minutes east of Greenwich, followed by that offset.
fn east(offset: u32) -> Expr {
    leap_second(offset, text(&format!("+{}", hour_minute(offset))))
}

/// Returns the leap second on a clock that is `ahead` minutes ahead of Universal Time, followed by `offset`.
fn leap_second(ahead: u32, offset: Expr) -> Expr {
    let minute = (LAST_MINUTE + ahead) % DAY;
    Expr::seq([text(&format!("{}:60", hour_minute(minute))), secfrac(), offset])
}

/// Returns a number of minutes below one day as `HH:MM`.
fn hour_minute(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammarc_grammar::automata::{Dfa, StateBudget};
    use grammarc_grammar::ir::pass;

    fn automaton(expr: &Expr) -> Dfa {
        pass::automaton(expr, StateBudget::of(10_000)).expect("small")
    }

    #[test]
    fn months_have_their_lengths() {
        let date = automaton(&date());
        for year in 0..=9999u32 {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            // Tests all days of two years, and the end of February in the other years.
            let whole = year == 1999 || year == 2000;
            for month in if whole { 0..=13 } else { 2..=2 } {
                let length = match month {
                    0 | 13 => 0,
                    2 => 28 + u32::from(leap),
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                for day in if whole { 0..=32 } else { 28..=30 } {
                    let text = format!("{year:04}-{month:02}-{day:02}");
                    let expected = (1..=length).contains(&day);
                    assert_eq!(date.accepts(text.as_bytes()), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn leap_seconds_end_the_day_of_universal_time() {
        let time = automaton(&time());
        for minute in 0..DAY {
            for offset in (0..DAY).step_by(15) {
                let known = offset % STEP == 0;
                for (sign, utc) in [("+", minute + DAY - offset), ("-", minute + offset)] {
                    let text = format!("{}:60{sign}{}", hour_minute(minute), hour_minute(offset));
                    let expected = known && utc % DAY == LAST_MINUTE;
                    assert_eq!(time.accepts(text.as_bytes()), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn leap_seconds_end_june_and_december() {
        let date_time = automaton(&date_time());
        for (text, expected) in [
            ("2016-12-31T23:59:60Z", true),
            ("2016-12-31T23:59:60-00:00", true),
            ("2016-12-31t18:59:60.5-05:00", true),
            ("2017-01-01T05:29:60+05:30", true),
            ("2015-07-01T13:59:60+14:00", true),
            ("2015-06-30T23:59:60z", true),
            ("2015-03-31T23:59:60Z", false),
            ("2015-06-29T23:59:60Z", false),
            ("2015-06-30T05:29:60+05:30", false),
            ("2015-07-01T18:59:60-05:00", false),
            ("2015-07-01T23:59:60Z", false),
        ] {
            assert_eq!(date_time.accepts(text.as_bytes()), expected, "{text}");
        }
    }
}
