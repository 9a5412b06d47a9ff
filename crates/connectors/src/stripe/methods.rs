//! Methods other than cards. Source: docs/processors/stripe.md, "Calls", and the parameters of npm `stripe` 23.1.0.

use connector::{Authorise, FundingSource};
use domain::{
    bank_account::{AccountKind, Mandate},
    method::Method,
    person::Address,
};

use super::api::Form;

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

    /// Stripe's word for it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Klarna => "klarna",
            Self::Ideal => "ideal",
            Self::Bancontact => "bancontact",
            Self::Sepa => "sepa_debit",
        }
    }

    /// The method within the confirmation.
    pub(super) fn method_data(self, form: Form, call: &Authorise<'_>) -> Form {
        let form = form.with("payment_method_data[type]", self.word());
        let form = billing(form, call);
        match call.funding_source {
            FundingSource::Account(account) => {
                let mut form = form;
                if let Some(mandate) = &account.mandate {
                    form = accepted(form, mandate, call);
                }
                if matches!(account.kind, AccountKind::Iban) {
                    form = form.with(
                        "payment_method_data[sepa_debit][iban]",
                        account.number.expose(),
                    );
                }
                form
            }
            FundingSource::Card(_)
            | FundingSource::NetworkToken { .. }
            | FundingSource::Token(_)
            | FundingSource::StoredCard(_)
            | FundingSource::Page => form,
        }
    }
}

/// Who pays. Stripe asks for the name with Bancontact, for name and e-mail address with a debit, and recommends all of it with Klarna.
/// Source: docs/processors/stripe.md, "Methods other than cards".
fn billing(form: Form, call: &Authorise<'_>) -> Form {
    const AT: &str = "payment_method_data[billing_details]";
    let holder = call
        .funding_source
        .account()
        .and_then(|account| account.holder.as_deref());
    let (mut name, mut form) = (holder, form);
    if let Some(payer) = call.payer {
        name = name.or(payer.name.as_deref());
        form = form
            .with_some(&format!("{AT}[email]"), payer.email.as_deref())
            .with_some(&format!("{AT}[phone]"), payer.phone.as_deref());
        if let Some(billing) = &payer.billing {
            form = address(form, AT, billing);
        }
    }
    form.with_some(&format!("{AT}[name]"), name)
}

/// The customer's consent. Source: `MandateData` of `PaymentIntents.d.ts`, npm `stripe` 23.1.0.
fn accepted(form: Form, mandate: &Mandate, call: &Authorise<'_>) -> Form {
    const AT: &str = "mandate_data[customer_acceptance]";
    let agent = call
        .three_ds
        .browser
        .and_then(|browser| browser.user_agent.as_deref());
    let (Some(address), Some(agent)) = (mandate.ip_address, agent) else {
        return form.with(format!("{AT}[type]"), "offline");
    };
    form.with(format!("{AT}[type]"), "online")
        .with(format!("{AT}[online][ip_address]"), address.to_string())
        .with(format!("{AT}[online][user_agent]"), agent)
}

/// An address as billing details.
pub(super) fn address(form: Form, at: &str, address: &Address) -> Form {
    let parts = [
        ("line1", &address.line1),
        ("line2", &address.line2),
        ("city", &address.city),
        ("postal_code", &address.postal_code),
        ("state", &address.state),
        ("country", &address.country),
    ];
    parts.into_iter().fold(form, |form, (name, value)| {
        form.with_some(&format!("{at}[address][{name}]"), value.as_deref())
    })
}
