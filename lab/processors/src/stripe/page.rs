//! The page on which the shopper's bank, or the page of another method, asks.

use super::{books::Books, intents::Status, money};
use crate::{
    Reply,
    form::Form,
    page::{Button, UNKNOWN_ANSWER, html, onward, question},
};

const BUTTONS: &[Button] = &[("complete", "Complete"), ("fail", "Fail")];

/// The intent and secret of an address of the page.
pub(super) struct Visit<'a> {
    intent: &'a str,
    secret: &'a str,
}

impl<'a> Visit<'a> {
    /// Reads `/3d_secure/{intent}/{secret}`.
    pub(super) fn of(path: &'a str) -> Option<Self> {
        let (intent, secret) = path.strip_prefix("/3d_secure/")?.split_once('/')?;
        Some(Self { intent, secret })
    }
}

impl Books {
    /// The page, or where the shopper goes next.
    pub(super) fn page(&mut self, visit: &Visit<'_>, answer: Option<&Form>) -> Reply {
        if visit.intent.starts_with("seti_") {
            return self.setup_page(visit, answer);
        }
        let Some(intent) = self
            .intents
            .find(visit.intent)
            .filter(|intent| intent.client_secret == visit.secret)
        else {
            return html(404, "<p>There is no such payment.</p>");
        };
        let (id, status) = (intent.id.clone(), intent.status);
        let Some(return_url) = intent.return_url.clone() else {
            return html(404, "<p>This payment has no address to return to.</p>");
        };
        if let (None, Status::RequiresAction) = (answer, status) {
            let method = intent
                .method
                .as_deref()
                .and_then(|method| self.methods.find(method));
            let title = method
                .filter(|method| method.card.is_none())
                .map_or("3D Secure", |method| method.family.as_str());
            let amount = money::written(intent.amount, &intent.currency);
            let amount = format!("Amount: {amount}");
            return question(title, &amount, BUTTONS);
        }
        let Some(passed) = passed(answer) else {
            return html(400, UNKNOWN_ANSWER);
        };
        let Ok(status) = self.finish_action(&id, passed) else {
            return html(500, "<p>The payment could not be finished.</p>");
        };
        let word = match status {
            Status::Succeeded | Status::RequiresCapture | Status::RequiresConfirmation => {
                "succeeded"
            }
            Status::Processing => "pending",
            _ => "failed",
        };
        back(
            &return_url,
            &format!(
                "payment_intent={id}&payment_intent_client_secret={}&redirect_status={word}",
                visit.secret
            ),
        )
    }

    /// The same for a card that is to be kept.
    fn setup_page(&mut self, visit: &Visit<'_>, answer: Option<&Form>) -> Reply {
        let found = self.setups.find(visit.intent);
        let Some(setup) = found.filter(|setup| setup.client_secret == visit.secret) else {
            return html(404, "<p>There is no such setup.</p>");
        };
        let (id, status) = (setup.id.clone(), setup.status);
        let Some(return_url) = setup.return_url.clone() else {
            return html(404, "<p>This setup has no address to return to.</p>");
        };
        if let (None, Status::RequiresAction) = (answer, status) {
            return question("3D Secure", "No amount", BUTTONS);
        }
        let Some(passed) = passed(answer) else {
            return html(400, UNKNOWN_ANSWER);
        };
        let Ok(status) = self.finish_setup(&id, passed) else {
            return html(500, "<p>The setup could not be finished.</p>");
        };
        let word = if status == Status::Succeeded {
            "succeeded"
        } else {
            "failed"
        };
        back(
            &return_url,
            &format!(
                "setup_intent={id}&setup_intent_client_secret={}&redirect_status={word}",
                visit.secret
            ),
        )
    }
}

/// What the shopper answered; `None`: nothing that the page offers. Who only opens the page again is sent on as one who failed.
fn passed(answer: Option<&Form>) -> Option<bool> {
    match answer.map(|answer| answer.text("result")) {
        None | Some(Some("fail")) => Some(false),
        Some(Some("complete")) => Some(true),
        Some(_) => None,
    }
}

/// Sends the shopper back to the shop.
fn back(return_url: &str, query: &str) -> Reply {
    let mark = if return_url.contains('?') { '&' } else { '?' };
    onward(format!("{return_url}{mark}{query}"))
}
