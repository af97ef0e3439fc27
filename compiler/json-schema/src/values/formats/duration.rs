//! Durations: RFC 3339 appendix A. The designators are capital letters, as in ISO 8601.

use super::abnf::{digits, text};
use grammarc_grammar::ir::Expr;

/// Returns the durations: `duration = "P" (dur-date / dur-time / dur-week)`.
pub(super) fn duration() -> Expr {
    let amount = |unit| Expr::seq([digits(), text(unit)]);
    let then = |first: Expr, rest: Expr| Expr::seq([first, rest.optional()]);

    let dur_second = amount("S");
    let dur_minute = then(amount("M"), dur_second.clone());
    let dur_hour = then(amount("H"), dur_minute.clone());
    let dur_time = Expr::seq([text("T"), Expr::alt([dur_hour, dur_minute, dur_second])]);

    let dur_day = amount("D");
    let dur_month = then(amount("M"), dur_day.clone());
    let dur_year = then(amount("Y"), dur_month.clone());
    let dur_date = then(Expr::alt([dur_day, dur_month, dur_year]), dur_time.clone());

    Expr::seq([text("P"), Expr::alt([dur_date, dur_time, amount("W")])])
}
