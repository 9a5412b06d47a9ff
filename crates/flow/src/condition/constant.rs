//! Constants that a fact can never be: a currency that does not exist, an amount with decimals.

use domain::{method::Method, money::Currency, payment::Status};

use crate::{
    facts::shortened,
    problem::{did_you_mean, listed},
};

use super::{Expr, FactRef};

/// Whether a fact and a constant may meet, in this order or the other. Errors: why they never do, as a clause.
pub(super) fn fits(left: &Expr, right: &Expr) -> Result<(), String> {
    match (left, right) {
        (Expr::Fact(fact), constant) | (constant, Expr::Fact(fact)) => judge(*fact, constant),
        _ => Ok(()),
    }
}

fn judge(fact: FactRef, constant: &Expr) -> Result<(), String> {
    match constant {
        Expr::Double(_) if matches!(fact.field.name, "amount" | "captured" | "refunded") => Err(
            format!("`{fact:?}` counts minor units in whole numbers: 100.00 EUR is 10000"),
        ),
        Expr::Text(text) => match never(fact, text) {
            Some(why) => Err(format!(
                "`{fact:?}` can never be \"{}\": {why}",
                shortened(text)
            )),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Why a text is no value of a fact whose values are known.
fn never(fact: FactRef, text: &str) -> Option<String> {
    match (fact.group, fact.field.name) {
        (_, "currency") if Currency::parse(text).is_none() => {
            let near = Currency::parse(&text.to_uppercase());
            let near = near.map(|near| format!(" (did you mean `{}`?)", near.code()));
            Some(format!(
                "there is no such currency{}; write a code of ISO 4217 such as `EUR`",
                near.unwrap_or_default()
            ))
        }
        // Of two names of one method a payment has the one that is kept.
        ("payment", "method") => match Method::parse(text).map(Method::canonical) {
            None => {
                let known = Method::ALL.iter().map(|method| method.canonical().code());
                let near = did_you_mean(&text.to_uppercase(), known);
                Some(format!("there is no such payment method{near}"))
            }
            Some(kept) if kept.code() == text => None,
            Some(kept) => Some(format!("write `{}`, which means the same", kept.code())),
        },
        ("payment", "status") if Status::parse(text).is_none() => {
            let known = || Status::ALL.iter().map(|status| status.text());
            let near = did_you_mean(&text.to_uppercase(), known());
            Some(format!(
                "there is no such status{near}; there are {}",
                listed(known())
            ))
        }
        _ => None,
    }
}
