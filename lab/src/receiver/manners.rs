//! How a merchant's server behaves.

use std::time::Duration;

use domain::Timestamp;

use crate::chance::Chance;

/// Longer than anybody waits for an answer. Unit: milliseconds.
const TOO_LONG: (i64, i64) = (15_001, 25_000);

/// How a server behaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Temper {
    /// Of so many messages one goes wrong.
    one_in: u64,
    /// From when to when it is down.
    down: Option<(Timestamp, Timestamp)>,
}

/// What becomes of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    /// The server takes it after this time, whatever it answers.
    pub(super) takes_after: Option<Duration>,
    /// The sender has its answer after this time.
    pub(super) answers_after: Duration,
    pub(super) ending: Ending,
}

/// How a message is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// With this status.
    Status(u16),
    /// No connection.
    Refused,
    /// The connection breaks.
    Broken,
    /// With 200 at once, and the connection is closed before the message was read.
    Unread,
}

impl Temper {
    /// A server of which one message in so many goes wrong.
    pub(crate) const fn of(one_in: u64) -> Self {
        Self { one_in, down: None }
    }

    /// The same, and down for that time.
    pub(crate) const fn down(self, from: Timestamp, until: Timestamp) -> Self {
        Self {
            down: Some((from, until)),
            ..self
        }
    }

    /// When it is back.
    pub(super) fn back_at(&self) -> Option<Timestamp> {
        self.down.map(|down| down.1)
    }

    /// Draws what becomes of a message, with the name of what goes wrong.
    pub(super) fn turn(
        &self,
        chance: &mut Chance,
        now: Timestamp,
        calm: bool,
    ) -> (Turn, Option<&'static str>) {
        let well = Turn {
            takes_after: Some(chance.millis(1, 20)),
            answers_after: chance.millis(21, 60),
            ending: Ending::Status(200),
        };
        if self.down.is_some_and(|(from, to)| from <= now && now < to) {
            return (Turn::away(chance), Some("receiver: down"));
        }
        if calm || !chance.one_in(self.one_in) {
            return (well, None);
        }
        let (turn, name) = match chance.below(11) {
            0 => (
                well.answering(Ending::Status(500)),
                "receiver: 500 after it was taken",
            ),
            1 => (
                well.answering(Ending::Broken),
                "receiver: broke after it was taken",
            ),
            2 => (
                well.not_taking(Ending::Broken),
                "receiver: broke before it was taken",
            ),
            3 => (well.not_taking(Ending::Status(503)), "receiver: 503"),
            4 => (well.not_taking(Ending::Status(307)), "receiver: redirects"),
            5 => (
                well.not_taking(Ending::Refused),
                "receiver: connection refused",
            ),
            6 => (
                Turn {
                    answers_after: chance.millis(1_000, 14_000),
                    ..well
                },
                "receiver: slow",
            ),
            7 => {
                let (low, high) = TOO_LONG;
                let slow = Turn {
                    answers_after: chance.millis(low, high),
                    ..well
                };
                (slow, "receiver: too slow, and it was taken")
            }
            8 => (
                well.not_taking(Ending::Unread),
                "receiver: 200 and closed, unread",
            ),
            9 => (
                // What was sent and not read resets the connection, and the answer is lost with it.
                well.not_taking(Ending::Broken),
                "receiver: 200 and closed, the answer lost",
            ),
            _ => {
                let (low, high) = TOO_LONG;
                let late = chance.millis(low, high);
                let slow = Turn {
                    takes_after: Some(late),
                    answers_after: late,
                    ..well
                };
                (slow, "receiver: taken after the sender gave up")
            }
        };
        (turn, Some(name))
    }
}

impl Turn {
    /// Nobody is there.
    pub(super) const fn refused() -> Self {
        Self {
            takes_after: None,
            answers_after: Duration::from_millis(1),
            ending: Ending::Refused,
        }
    }

    /// The server is down: nobody listens, its proxy says so, or nothing comes back.
    fn away(chance: &mut Chance) -> Self {
        let (answers_after, ending) = match chance.below(3) {
            0 => (chance.millis(1, 5), Ending::Refused),
            1 => (chance.millis(1, 50), Ending::Status(502)),
            _ => (Duration::from_mins(1), Ending::Broken),
        };
        Self {
            takes_after: None,
            answers_after,
            ending,
        }
    }

    const fn answering(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }

    const fn not_taking(self, ending: Ending) -> Self {
        Self {
            takes_after: None,
            ending,
            ..self
        }
    }
}
