//! Everything of one connection that a call may use.

use domain::{Timestamp, caller::Mode, id::ConnectionId};
use http_client::{Nowhere, ProcessorHttp, Url};

use crate::{CallError, Credentials};

/// Everything of one connection that a call may use. The engine makes it for one call; nothing of it may be kept. It has no
/// `Debug`, since it holds the credentials.
#[derive(Clone, Copy)]
pub struct Link<'a> {
    /// The connection.
    pub connection: &'a ConnectionId,
    /// Test or live.
    pub mode: Mode,
    /// The connection's settings, as its descriptor's processor reads them.
    pub settings: &'a serde_json::Value,
    /// What the processor knows the team by, when the connection has any.
    pub credentials: Option<&'a Credentials>,
    /// Where the processor is called in place of its own address. Test mode alone.
    pub base: Option<&'a Url>,
    /// Reaches the hosts of [`crate::Descriptor::hosts`] (or of `base`) and no other.
    pub http: ProcessorHttp<'a>,
    /// Where the processor sends notifications of this connection; `None` where it sends none.
    pub notification_url: Option<&'a str>,
    /// What distinguishes the connection from every other one, also those of other teams and other installations that use the same
    /// account. Sent with the reference where the processor keeps both, so that their notifications can be distinguished
    /// ([`crate::Subject::sent_by`]). `None` where the processor sends none.
    pub mark: Option<&'a str>,
    /// The time at which the call began.
    pub now: Timestamp,
}

impl<'a> Link<'a> {
    /// A link of test mode without a network or credentials: for a processor that is played in the same process.
    pub const fn offline(
        connection: &'a ConnectionId,
        settings: &'a serde_json::Value,
        now: Timestamp,
    ) -> Self {
        Self {
            connection,
            mode: Mode::Test,
            settings,
            credentials: None,
            base: None,
            http: ProcessorHttp::new(&Nowhere, &[]),
            notification_url: None,
            mark: None,
            now,
        }
    }

    /// Where the processor is to send notifications.
    ///
    /// # Errors
    /// [`CallError::NotSent`]: the connection has no address for them.
    pub fn notified_at(&self) -> Result<&'a str, CallError> {
        self.notification_url
            .ok_or_else(|| CallError::not_sent("the connection has no address for notifications"))
    }

    /// A field of the credentials.
    pub fn credential(&self, field: &str) -> Option<&'a str> {
        self.credentials?.get(field)
    }
}
