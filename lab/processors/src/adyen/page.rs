//! The page on which the shopper's bank, or the page of another method, asks.

use super::{
    books::Books,
    instrument::Flow,
    payments::{Pressed, Status, redirect_result},
};
use crate::{
    Reply,
    form::Form,
    page::{Button, UNKNOWN_ANSWER, html, onward, question},
};

const BANK: &[Button] = &[("complete", "Complete"), ("fail", "Fail")];
const METHOD: &[Button] = &[
    ("complete", "Complete"),
    ("fail", "Fail"),
    ("cancel", "Cancel"),
    ("pending", "Pending"),
];

/// The secret of an address of the page.
pub(super) fn secret(path: &str) -> Option<&str> {
    path.strip_prefix("/checkoutshopper/")
}

impl Books {
    /// The page, or where the shopper goes next. `form` is what was posted: the form of the action, or a button.
    pub(super) fn page(&mut self, secret: &str, form: Option<&Form>) -> Reply {
        let found = self
            .payments
            .values()
            .find(|payment| payment.secret == secret);
        let Some(payment) = found else {
            return html(404, "<p>There is no such payment.</p>");
        };
        let answer = form.and_then(|form| form.text("result"));
        let pressed = answer.and_then(Pressed::of);
        if answer.is_some() && pressed.is_none() {
            return html(400, UNKNOWN_ANSWER);
        }
        let (psp, is_page) = (payment.psp.clone(), payment.instrument.flow == Flow::Page);
        if let (None, Status::Open) = (pressed, &payment.status) {
            let (title, buttons) = if is_page {
                (payment.instrument.class.as_str(), METHOD)
            } else {
                ("3D Secure", BANK)
            };
            return question(
                title,
                &format!("Amount: {}", payment.amount.written()),
                buttons,
            );
        }
        let return_url = payment.return_url.clone();
        // Who opens the page again later is sent on as one who failed.
        let pressed = pressed.unwrap_or(Pressed::Fail);
        if is_page {
            self.press(&psp, pressed);
        }
        let mark = if return_url.contains('?') { '&' } else { '?' };
        let result = redirect_result(secret, pressed);
        onward(format!(
            "{return_url}{mark}redirectResult={}",
            result.replace('!', "%21")
        ))
    }
}
