//! Notifications that do not say what they are about: the processor is asked.

use connector::{CallError, Delivery, Notice, NoticeContent};
use store::notification::Notification;

use crate::{Engine, faults::EngineError, payments::Connected};

impl Engine {
    /// The news of a notification, with what only its processor can say. `None`: it can't be asked now.
    pub(super) async fn with_answers(
        &self,
        line: &Connected,
        one: &Notification,
        notices: Vec<Notice>,
    ) -> Result<Option<Vec<Notice>>, EngineError> {
        let is_open = |notice: &Notice| notice.content == NoticeContent::Unresolved;
        if !notices.iter().any(is_open) {
            return Ok(Some(notices));
        }
        let (Some(facet), Some(body)) = (line.connector.notices(), one.content.bytes()) else {
            return Ok(None);
        };
        let connection = match self.open_connection(line).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(notification.id = %one.id, why, "a notification can't be asked about");
                return Ok(None);
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
        match found {
            Ok(found) if !found.iter().any(is_open) && can_be_kept(&found) => Ok(Some(found)),
            Ok(_) => {
                tracing::warn!(notification.id = %one.id, "what a processor says of its notification can't be kept");
                Ok(None)
            }
            Err(error) => {
                self.note_failure(line.connection.team, &line.connection.id, &error);
                tracing::warn!(notification.id = %one.id, error = %error, "a processor can't be asked about its notification");
                Ok(None)
            }
        }
    }
}

fn can_be_kept(notices: &[Notice]) -> bool {
    notices.iter().all(|notice| match &notice.content {
        NoticeContent::Dispute(report) => report.check().is_ok(),
        NoticeContent::Authorisation(_)
        | NoticeContent::Approved(_)
        | NoticeContent::Later(_)
        | NoticeContent::Made(_)
        | NoticeContent::Changed
        | NoticeContent::Ended
        | NoticeContent::Released
        | NoticeContent::Unresolved
        | NoticeContent::Other => true,
    })
}
