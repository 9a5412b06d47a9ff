//! Notifications that do not say what they are about: the processor is asked.

use connector::{CallError, Cause, Delivery, Notice, NoticeContent};
use store::notification::Notification;

use crate::{Engine, faults::EngineError, payments::Connected};

/// What became of the question what a notification is about.
pub(super) enum Resolved {
    /// This is its news.
    Notices(Vec<Notice>),
    /// Its processor can't be asked now.
    Later,
    /// Nothing will ever be made of it. Why: a clause for people.
    Never(String),
}

impl Engine {
    /// The news of a notification, with what only its processor can say.
    pub(super) async fn with_answers(
        &self,
        line: &Connected,
        one: &Notification,
        notices: Vec<Notice>,
    ) -> Result<Resolved, EngineError> {
        let is_open = |notice: &Notice| notice.content == NoticeContent::Unresolved;
        if !notices.iter().any(is_open) {
            return Ok(Resolved::Notices(notices));
        }
        let Some(facet) = line.connector.notices() else {
            return Ok(Resolved::Never("its processor sends none".to_owned()));
        };
        let Some(body) = one.content.bytes() else {
            return Ok(Resolved::Never(
                "its body is not stored as it came".to_owned(),
            ));
        };
        let connection = match self.open_connection(line).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(notification.id = %one.id, why, "a notification can't be asked about");
                return Ok(Resolved::Later);
            }
        };
        let delivery = Delivery {
            body: &body,
            headers: &one.content.headers,
        };
        let way = self.link(line, &connection);
        let timeout = line.connector.descriptor().call_timeout;
        let asked = facet.resolve(&way, &delivery);
        let answered = self.inner.world.timeout(timeout, asked).await;
        let found = answered.unwrap_or_else(|world::Elapsed| Err(CallError::unknown("no answer")));
        Ok(match found {
            Ok(found) if found.iter().any(is_open) => Resolved::Never(
                "its processor was asked, and does not say what it is about".to_owned(),
            ),
            Ok(found) => match kept(found) {
                Ok(found) => Resolved::Notices(found),
                Err(why) => Resolved::Never(why.to_owned()),
            },
            Err(error) => {
                self.note_failure(line.connection.team, &line.connection.id, &error);
                tracing::warn!(notification.id = %one.id, error = %error, "a processor can't be asked about its notification");
                if is_final(&error) {
                    Resolved::Never(error.to_string())
                } else {
                    Resolved::Later
                }
            }
        })
    }
}

/// Whether the same question will never have another answer. Credentials can be mended.
fn is_final(error: &CallError) -> bool {
    match error {
        CallError::Rejected { cause, .. } => *cause != Cause::Credentials,
        CallError::Unsupported => true,
        CallError::NotSent { .. } | CallError::Unknown { .. } => false,
    }
}

/// News that can be kept. `Err`: why it can't, as a clause for people.
fn kept(notices: Vec<Notice>) -> Result<Vec<Notice>, &'static str> {
    for notice in &notices {
        if let NoticeContent::Dispute(report) = &notice.content {
            report.check()?;
        }
    }
    Ok(notices)
}
