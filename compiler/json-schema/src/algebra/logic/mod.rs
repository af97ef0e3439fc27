//! Formulas over schemas, and the steps that keep them from multiplying.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`formula`] | boolean formulas over literals, hash-consed |
//! | [`rebuild`] | formulas made anew from other ones |
//! | [`domain`] | how keywords combine, whatever their sets are |
//! | [`derivatives`] | the formula that remains after one value, for each set of facts that the value may satisfy |
//! | [`unit_propagation`] | alternatives decided by the facts that hold beside them |
//! | [`quick_emptiness`] | formulas that obviously hold for no value |
//! | [`discriminator`] | alternatives that the next value distinguishes |
//! | [`by_key_set`] | alternatives grouped by the keys that they allow |

pub(crate) mod by_key_set;
pub(crate) mod derivatives;
pub(crate) mod discriminator;
pub(crate) mod domain;
pub(crate) mod formula;
pub(crate) mod quick_emptiness;
pub(crate) mod rebuild;
pub(crate) mod unit_propagation;
