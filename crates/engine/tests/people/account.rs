//! What the processor of these stories says of an account, and how it proves what it sends.

use std::time::Duration;

use connector::{
    AccountFacts, Answer, Approval, CallError, Called, Cause, CredentialField, CredentialPurpose,
    Credentials, Delivery, Link, NotGenuine, Notice, NoticeContent, Notices, OwnToken, Probe,
    Subject, Unreadable,
};
use domain::caller::Mode;

use crate::processor::Approves;

pub(crate) const CREDENTIALS: &[CredentialField] = &[
    CredentialField {
        name: "key",
        is_required: false,
        is_secret: true,
        purpose: CredentialPurpose::Calls,
        form: "",
        about: "any text; how the account is: refused, away, cut, silent, live",
    },
    CredentialField {
        name: "hook",
        is_required: false,
        is_secret: true,
        purpose: CredentialPurpose::Notifications,
        form: "",
        about: "what a delivery names",
    },
];

pub(crate) fn check(credentials: &Credentials, mode: Mode) -> Result<(), String> {
    let is_live = |key: &str| key.starts_with("live_");
    if mode == Mode::Test && credentials.get("key").is_some_and(is_live) {
        return Err("has a key of live mode".to_owned());
    }
    Ok(())
}

impl Probe for Approves {
    fn account<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, AccountFacts> {
        Box::pin(async move {
            match link.credential("key") {
                Some("refused") => Err(CallError::Rejected {
                    code: None,
                    reason: "who is that?".into(),
                    cause: Cause::Credentials,
                }),
                Some("away") => Err(CallError::not_sent("nobody is there")),
                Some("cut") => Err(CallError::unknown("the connection broke")),
                Some("silent") => {
                    self.world.sleep(Duration::from_hours(1)).await;
                    Err(CallError::unknown("silence"))
                }
                key => Ok(AccountFacts {
                    id: Some("acct_1".into()),
                    is_live: Some(key == Some("live")),
                    ..AccountFacts::default()
                }),
            }
        })
    }
}

/// A delivery bears the secret itself, so that a story needs no signatures.
impl Notices for Approves {
    fn prove(&self, link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine> {
        let secret = link.credential("hook").ok_or(NotGenuine::NoSecret)?;
        let named = delivery.header("secret").ok_or(NotGenuine::Unsigned)?;
        match (named == secret, delivery.header("late")) {
            (false, _) => Err(NotGenuine::Forged),
            (true, Some(_)) => Err(NotGenuine::Untimely),
            (true, None) => Ok(()),
        }
    }

    fn read(&self, delivery: &Delivery<'_>) -> Result<Vec<Notice>, Unreadable> {
        let text = String::from_utf8_lossy(delivery.body).into_owned();
        // `stored <reference> …`: the card of an authorisation is stored by now.
        let reference = text
            .strip_prefix("stored ")
            .and_then(|rest| rest.split(' ').next());
        let content = match reference {
            Some(_) => NoticeContent::Authorisation(Answer::Approved {
                captured: true,
                approval: Approval {
                    scheme_transaction_id: Some("LATE1".to_owned()),
                    stored_card: Some(OwnToken {
                        value: "late_token".to_owned(),
                        customer: None,
                        reusable: true,
                    }),
                    ..Approval::default()
                },
            }),
            None => NoticeContent::Other,
        };
        let subject = Subject {
            reference: reference.map(str::to_owned),
            processor_id: None,
            sent_by: None,
        };
        Ok(vec![Notice {
            id: text,
            word: "news".to_owned(),
            subject,
            content,
        }])
    }
}
