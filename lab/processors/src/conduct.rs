//! What befalls an answer, the same for every machine.

use std::time::Duration;

use crate::{Answer, Conduct, Fault, Reply};

/// The fault that one request meets, if any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met(Option<Fault>);

impl Met {
    pub(crate) const fn new(fault: Option<Fault>) -> Self {
        Self(fault)
    }

    /// The answer to a request that has no effect; `error` makes the reply of a status.
    pub(crate) fn before(self, error: impl FnOnce(u16) -> Reply) -> Option<Answer> {
        match self.0 {
            Some(Fault::LostBefore) => Some(lost()),
            Some(Fault::ErrorBefore) => Some(whole(error(500))),
            Some(Fault::RateLimit) => Some(whole(error(429))),
            _ => None,
        }
    }

    /// When the answer is given. Until then the request runs.
    pub(crate) fn answered_at(self, now: Duration) -> Duration {
        match self.0 {
            Some(Fault::Slow(slow)) => now.saturating_add(slow),
            _ => now,
        }
    }

    /// Whether the request ends with 500 after its effect.
    pub(crate) fn fails(self) -> bool {
        self.0 == Some(Fault::ErrorAfter)
    }

    /// How the answer to a request that had its effect arrives.
    pub(crate) fn convey(self, reply: Reply) -> Answer {
        let conduct = match self.0 {
            Some(Fault::LostAfter) => return lost(),
            Some(Fault::Html) => return whole(bad_gateway()),
            Some(Fault::Cut(bytes)) => Conduct::CutAt(bytes),
            Some(Fault::Slow(slow)) => Conduct::After(slow),
            _ => Conduct::Whole,
        };
        Answer { reply, conduct }
    }
}

/// An answer that arrives.
pub(crate) const fn whole(reply: Reply) -> Answer {
    Answer {
        reply,
        conduct: Conduct::Whole,
    }
}

fn lost() -> Answer {
    Answer {
        reply: Reply::default(),
        conduct: Conduct::Lost,
    }
}

fn bad_gateway() -> Reply {
    let headers = [("content-type".to_owned(), "text/html".to_owned())].into();
    Reply {
        status: 502,
        headers,
        body: b"<html><body><h1>502 Bad Gateway</h1></body></html>".to_vec(),
    }
}
