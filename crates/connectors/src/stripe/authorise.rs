//! Authorising: an intent is made without a card, then it is confirmed.
//!
//! # Why in two steps
//! What can charge names an intent whose id is known before. Making an intent moves no money and holds no card, so a lost answer to it
//! means that nothing was charged; a lost answer to the confirmation is looked up by the id. A card by number takes a
//! request of its own before (`POST /v1/payment_methods`), which moves no money either.

use connector::{Answer, Authorise, CallError, Complete, FundingSource, Known, Reference};
use domain::{method::Method, payment::ThreeDsWish};

use super::{
    amounts,
    answers::{self, Standing},
    api::{Api, Form, Outcome, Refusal},
    declines::Said,
    descriptor::NETWORK_IDS,
    look_up,
    methods::Page,
    prepare::{Prepared, prepare},
    requests::{expanded, intent_key, marked},
    wire::Intent,
};

/// The step of the call that can charge, for the look-up.
const CONFIRM: &str = "confirm";

/// The longest text on a statement. Source: docstring of `statement_descriptor_suffix`, npm `stripe` 23.1.0.
const DESCRIPTOR_MAX: usize = 22;

/// Asks for an authorisation.
pub(super) async fn authorise(api: Api<'_>, call: &Authorise<'_>) -> Result<Answer, CallError> {
    let asked = Asked::of(api, call)?;
    let (intent, pays) = match prepare(api, &asked).await? {
        Prepared::Intent(intent, pays) => (intent, pays),
        Prepared::Declined(answer) => return Ok(*answer),
    };
    let form = asked
        .confirmation()
        .with_some("payment_method", pays.method.as_deref())
        .with_some(
            "payment_method_options[card][cvc_token]",
            pays.code.as_deref(),
        );
    let path = format!("/v1/payment_intents/{}/confirm", intent.id);
    let confirmed = api
        .post::<Intent>(&path, call.reference.as_str(), &form)
        .await;
    if let Ok(Ok(asking)) = &confirmed
        && answers::asks_in_vain(asking)
    {
        give_up(api, call.reference, &intent).await?;
    }
    answer(confirmed, &intent)
}

/// Cancels an intent that waits for what its customer can't do, so that nothing comes of it later. Unless that is certain, its outcome is
/// unknown.
async fn give_up(api: Api<'_>, reference: &Reference, intent: &Intent) -> Result<(), CallError> {
    let path = format!("/v1/payment_intents/{}/cancel", intent.id);
    let key = format!("{}-give-up", reference.as_str());
    let cancelled = api.post::<Intent>(&path, &key, &Form::default()).await;
    match cancelled {
        Ok(Ok(cancelled)) if cancelled.id == intent.id && cancelled.status == "canceled" => Ok(()),
        _ => Err(unknown(
            intent,
            "the intent waits for nobody and could not be cancelled",
        )),
    }
}

/// Completes an authorisation whose customer was authenticated: confirms it again.
pub(super) async fn complete(api: Api<'_>, call: &Complete<'_>) -> Result<Answer, CallError> {
    let intent = look_up::intent(api, call.authorisation, look_up::until(api.now())).await?;
    let intent = intent.ok_or_else(|| CallError::rejected("there is no such intent"))?;
    if intent.status != "requires_confirmation" {
        return standing(&intent);
    }
    if amounts::from_wire(intent.amount, &intent.currency) != Some(call.money) {
        return Err(unknown(
            &intent,
            "the intent's amount was changed at Stripe",
        ));
    }
    // A key for each round, since a challenge may be followed by another. That nothing is charged twice is the intent's own rule: it is
    // confirmed in this state alone.
    let key = format!(
        "{}-complete-{}",
        call.authorisation.reference.as_str(),
        api.now().micros()
    );
    let path = format!("/v1/payment_intents/{}/confirm", intent.id);
    let form = expanded(Form::default());
    let confirmed = api.post::<Intent>(&path, &key, &form).await;
    answer(confirmed, &intent).map_err(|error| in_doubt(error, &intent))
}

/// An earlier round of the completion may have no answer yet: that this one was not carried out proves nothing of that one. The intent is
/// looked up, and confirmed again where it still waits for that.
fn in_doubt(error: CallError, intent: &Intent) -> CallError {
    match error {
        CallError::NotSent {
            reason,
            again_after,
        } => CallError::Unknown {
            reason,
            known: Known {
                processor_id: Some(intent.id.clone()),
                phase: Some(CONFIRM.to_owned()),
                again_after,
            },
        },
        other => other,
    }
}

/// What a confirmation brought.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(
        StripeAnswerOfAnotherIntent = super::bugs::take_any_intent,
        StripeConflictIsDecline = super::bugs::decline_conflicts,
        StripeDeclineOfAnotherIntent = super::bugs::take_any_decline,
        StripeServerErrorIsDecline = super::bugs::decline_server_errors,
        StripeSilenceIsNotSent = super::bugs::take_silence_for_not_sent,
    )
)]
fn answer(
    confirmed: Result<Outcome<Intent>, CallError>,
    intent: &Intent,
) -> Result<Answer, CallError> {
    match confirmed {
        Ok(Ok(confirmed)) if confirmed.id == intent.id => standing(&confirmed),
        Ok(Ok(_)) => Err(unknown(intent, "the answer is about another intent")),
        Ok(Err(Refusal::Declined(error))) => {
            let decline = Said::by_error(&error).decline();
            let about = error.payment_intent.as_deref();
            let about = about
                .filter(|about| about.id == intent.id)
                .unwrap_or(intent);
            Ok(Answer::Declined {
                decline,
                approval: answers::approval(about),
            })
        }
        // It was confirmed before, in a way that this answer does not tell.
        Ok(Err(Refusal::Impossible(error)))
            if error.code.as_deref() == Some("payment_intent_unexpected_state") =>
        {
            Err(unknown(intent, "the intent is in another state"))
        }
        Ok(Err(Refusal::Running)) => Err(unknown(intent, "the confirmation is under way")),
        Ok(Err(refusal)) => Err(refusal.rejected()),
        Err(CallError::Unknown { reason, known }) => Err(CallError::Unknown {
            reason,
            known: Known {
                processor_id: Some(intent.id.clone()),
                phase: Some(CONFIRM.to_owned()),
                ..known
            },
        }),
        Err(other) => Err(other),
    }
}

fn unknown(intent: &Intent, why: &str) -> CallError {
    CallError::Unknown {
        reason: why.into(),
        known: Known {
            processor_id: Some(intent.id.clone()),
            phase: Some(CONFIRM.to_owned()),
            again_after: None,
        },
    }
}

/// How an intent stands that was confirmed.
pub(super) fn standing(intent: &Intent) -> Result<Answer, CallError> {
    match answers::standing(intent) {
        Standing::Stands(answer) => Ok(*answer),
        Standing::Unconfirmed => Err(CallError::rejected("the intent was never confirmed")),
        Standing::Unclear => Err(unknown(intent, "the intent stands in an unknown way")),
    }
}

/// A request for an authorisation that Stripe can be asked for.
pub(super) struct Asked<'a> {
    pub(super) call: &'a Authorise<'a>,
    amount: i64,
    page: Option<Page>,
    /// The account may name the scheme's transactions of others.
    names_network: bool,
}

impl<'a> Asked<'a> {
    fn of(api: Api<'_>, call: &'a Authorise<'a>) -> Result<Self, CallError> {
        let amount = amounts::to_wire(call.money)
            .map_err(|why| CallError::rejected(format!("the amount {why}")))?;
        let page = match call.funding_source {
            FundingSource::Card(_) | FundingSource::StoredCard(_) => None,
            FundingSource::Page | FundingSource::Account(_) => Some(page_of(call)?),
            // Not published: docs/processors/stripe.md, "Stored credentials and wallets".
            FundingSource::NetworkToken { .. } | FundingSource::Token(_) => {
                return Err(CallError::Unsupported);
            }
        };
        Ok(Self {
            call,
            amount,
            page,
            names_network: api.setting(NETWORK_IDS),
        })
    }

    /// Whether Stripe is to store the card.
    pub(super) fn stores(&self) -> bool {
        self.page.is_none() && self.call.stored.is_some_and(|stored| stored.first)
    }

    /// Makes the intent, without a card.
    pub(super) async fn make_intent(
        &self,
        api: Api<'_>,
        customer: Option<&str>,
    ) -> Result<Outcome<Intent>, CallError> {
        let call = self.call;
        let capture = if call.capture { "automatic" } else { "manual" };
        let mut form = Form::default()
            .with("amount", self.amount.to_string())
            .with(
                "currency",
                call.money.currency().code().to_ascii_lowercase(),
            )
            .with("capture_method", capture);
        form = marked(form, api, call.reference);
        form = match self.page {
            None => form
                .with("confirmation_method", "manual")
                .with("payment_method_types[0]", "card")
                .with_some("customer", customer)
                .with_some("setup_future_usage", self.stores().then_some("off_session"))
                .with_some(
                    "statement_descriptor_suffix",
                    call.statement_descriptor.and_then(suffix).as_deref(),
                ),
            Some(page) => form.with("payment_method_types[0]", page.word()),
        };
        let key = intent_key(call.reference);
        api.post::<Intent>("/v1/payment_intents", &key, &form).await
    }

    /// What confirms it, without the method of a card.
    fn confirmation(&self) -> Form {
        let call = self.call;
        let form = expanded(Form::default());
        let form = match self.page {
            None => self.card_options(form),
            Some(page) => page.method_data(form, call),
        };
        form.with_some("return_url", call.three_ds.return_url)
    }

    fn card_options(&self, form: Form) -> Form {
        let call = self.call;
        let form = match call.three_ds.wish {
            ThreeDsWish::Request => form.with(
                "payment_method_options[card][request_three_d_secure]",
                "any",
            ),
            ThreeDsWish::Avoid | ThreeDsWish::AsIssuer => form,
        };
        let form = if call.capture {
            form
        } else {
            form.with(
                "payment_method_options[card][request_multicapture]",
                "if_available",
            )
        };
        if call.merchant_initiated {
            form.with("off_session", "true").with_some(
                "payment_method_options[card][mit_exemption][network_transaction_id]",
                self.network_id(),
            )
        } else if call.three_ds.return_url.is_none() {
            form.with("error_on_requires_action", "true")
        } else {
            form
        }
    }
}

impl Asked<'_> {
    /// The scheme's transaction, where Stripe has agreed to be given it.
    fn network_id(&self) -> Option<&str> {
        let stored = self.call.stored.filter(|_| self.names_network);
        stored.and_then(|stored| stored.network_id)
    }
}

fn page_of(call: &Authorise<'_>) -> Result<Page, CallError> {
    let page = Page::of(call.method).ok_or(CallError::Unsupported)?;
    let is_debit = call.method == Method::SepaDirectDebit;
    if is_debit != matches!(call.funding_source, FundingSource::Account(_)) {
        return Err(CallError::rejected(
            "the method does not fit what it is paid with",
        ));
    }
    if call.three_ds.return_url.is_none() && !is_debit {
        return Err(CallError::rejected(
            "the method needs an address to return to",
        ));
    }
    Ok(page)
}

/// The text as Stripe takes it: no more than it shows, without what it refuses, with a letter.
/// Source: docs.stripe.com/get-started/account/statement-descriptors (`< > \ ' " *` are refused).
fn suffix(text: &str) -> Option<String> {
    let kept = text
        .chars()
        .filter(|letter| letter.is_ascii_graphic() || *letter == ' ')
        .filter(|letter| !matches!(letter, '<' | '>' | '\\' | '\'' | '"' | '*'));
    let kept: String = kept.take(DESCRIPTOR_MAX).collect();
    let kept = kept.trim();
    kept.chars()
        .any(|letter| letter.is_ascii_alphabetic())
        .then(|| kept.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_only_what_stripe_takes() {
        assert_eq!(suffix("BOOKS & TOYS"), Some("BOOKS & TOYS".to_owned()));
        assert_eq!(suffix("<b>\"Zoë's\" *shop*"), Some("bZos shop".to_owned()));
        assert_eq!(suffix("12345"), None);
        assert_eq!(
            suffix("A very long name of shops").map(|text| text.len()),
            Some(22)
        );
    }
}
