//! Methods other than cards. Source: docs/processors/adyen.md, "Methods".

use connector::{AccountData, Authorise, CallError, FundingSource};
use domain::{bank_account::AccountKind, method::Method};
use serde_json::{Value, json};

/// A method other than a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    Klarna,
    Ideal,
    Bancontact,
    Sepa,
}

impl Page {
    /// The method of ours.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are not taken here"
    )]
    pub(super) fn of(method: Method) -> Option<Self> {
        Some(match method.canonical() {
            Method::Bnpla => Self::Klarna,
            Method::Ideal => Self::Ideal,
            Method::BanContact => Self::Bancontact,
            Method::SepaDirectDebit => Self::Sepa,
            _ => return None,
        })
    }

    /// Adyen's word for it.
    const fn word(self) -> &'static str {
        match self {
            Self::Klarna => "klarna",
            Self::Ideal => "ideal",
            Self::Bancontact => "bcmc_mobile",
            Self::Sepa => "sepadirectdebit",
        }
    }

    /// Whether the money can be held before it is taken.
    const fn can_be_held(self) -> bool {
        matches!(self, Self::Klarna | Self::Sepa)
    }

    /// The method of a call, and what stands for it in the request.
    pub(super) fn asked(call: &Authorise<'_>) -> Result<(Self, Value), CallError> {
        let page = Self::of(call.method).ok_or(CallError::Unsupported)?;
        if !call.capture && !page.can_be_held() {
            return Err(CallError::rejected(
                "the method takes the money at once: it can't be authorised alone",
            ));
        }
        let value = match (page, call.funding_source) {
            (Self::Sepa, FundingSource::Account(account)) => collected(account)?,
            (Self::Sepa, _) | (_, FundingSource::Account(_)) => {
                return Err(CallError::rejected(
                    "the method does not fit what it is paid with",
                ));
            }
            _ if call.three_ds.return_url.is_none() => {
                return Err(CallError::rejected(
                    "the method needs an address to return to",
                ));
            }
            (page, _) => json!({ "type": page.word() }),
        };
        Ok((page, value))
    }

    /// Whether it wants to know what is bought.
    pub(super) const fn wants_lines(self) -> bool {
        matches!(self, Self::Klarna)
    }
}

/// A bank account from which the money is collected.
fn collected(account: &AccountData) -> Result<Value, CallError> {
    let holder = account.holder.as_deref().filter(|name| !name.is_empty());
    match (&account.kind, holder) {
        (AccountKind::Iban, Some(holder)) => Ok(json!({
            "type": Page::Sepa.word(),
            "iban": account.number.expose(),
            "ownerName": holder,
        })),
        (AccountKind::Iban, None) => {
            Err(CallError::rejected("the account needs its holder's name"))
        }
        _ => Err(CallError::rejected("the account has no IBAN")),
    }
}

/// All that is bought, as one line: for methods that want to know, although no more is known of the order.
pub(super) fn one_line(amount: i64, description: &str) -> Value {
    json!([{
        "id": "1",
        "description": description,
        "quantity": 1,
        "amountIncludingTax": amount,
    }])
}
