//! What becomes of a call.

use std::time::Duration;

use connector::CallError;

use super::{kind::BankKind, request::Request};
use crate::chance::Chance;

/// How much goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Nothing, and every call takes the same time.
    Well,
    /// Nothing, but every call takes nearly as long as it may.
    Slow,
    /// No call is answered; whether each takes effect all the same. Look-ups are answered.
    Silent { effect: bool },
    /// One call in so many.
    Ill(u64),
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The connection broke: it may have happened.
    Broke,
    /// The answer can't be understood.
    Garbage,
    /// The connection was refused: nothing was sent.
    Refused,
    /// The processor did not take the request.
    Rejected,
}

/// What the caller gets once the request has taken effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Back {
    /// The answer, after this time.
    Answer(Duration),
    /// An error, after this time.
    Error(Duration, Failure),
    /// Nothing at all.
    Silence,
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// The caller gets this error so long after it has called, whatever happens then.
    pub(super) early: Option<(Duration, Failure)>,
    /// The request arrives after this time; and once more, so long after the first time.
    pub(super) arrivals: [Option<Duration>; 2],
    /// What then comes back.
    pub(super) back: Back,
    /// How old the books are in which a look-up looks.
    pub(super) lag: Duration,
}

impl Failure {
    pub(super) fn error(self) -> CallError {
        match self {
            Self::Broke => CallError::unknown("the connection broke"),
            Self::Garbage => CallError::unknown("the answer can't be understood"),
            Self::Refused => CallError::not_sent("the connection was refused"),
            Self::Rejected => CallError::rejected("the processor did not take the request"),
        }
    }
}

impl Plan {
    /// A call that goes well.
    fn well(there: Duration, back: Duration) -> Self {
        Self {
            early: None,
            arrivals: [Some(there), None],
            back: Back::Answer(back),
            lag: Duration::ZERO,
        }
    }

    /// A call that can't be sent.
    pub(super) fn refused() -> Self {
        let early = Some((Duration::from_millis(1), Failure::Refused));
        Self {
            early,
            arrivals: [None, None],
            back: Back::Silence,
            lag: Duration::ZERO,
        }
    }

    /// Draws what becomes of a call, with the name of what goes wrong.
    pub(super) fn draw(
        chance: &mut Chance,
        mood: Mood,
        kind: &BankKind,
        request: &Request,
    ) -> (Self, Option<&'static str>) {
        let one_in = match mood {
            Mood::Well => {
                return (
                    Self::well(Duration::from_millis(20), Duration::from_millis(20)),
                    None,
                );
            }
            Mood::Slow => {
                return (
                    Self::well(Duration::from_millis(20), Duration::from_millis(1_500)),
                    None,
                );
            }
            Mood::Silent { effect } => {
                let well = Self::well(Duration::from_millis(20), Duration::from_millis(20));
                let plan = match (request.is_look_up(), effect) {
                    (true, _) => well,
                    (false, true) => well.answered(Back::Silence),
                    (false, false) => well.lost().answered(Back::Silence),
                };
                return (plan, None);
            }
            Mood::Ill(one_in) => one_in,
        };
        let well = Self::well(chance.millis(1, 40), chance.millis(1, 40));
        if !chance.one_in(one_in) {
            return (well, None);
        }
        if request.is_look_up() {
            return Self::ill_look_up(chance, kind, well);
        }
        // Of what a mute processor was never asked it can't prove that it was not: nobody settles a capture by hand.
        let must_arrive = kind.final_after.is_none() && request.is_later();
        Self::ill_call(chance, kind, well, must_arrive)
    }

    fn ill_look_up(
        chance: &mut Chance,
        kind: &BankKind,
        well: Self,
    ) -> (Self, Option<&'static str>) {
        let lag = kind.lag.min(chance.millis(500, 30_000));
        let (plan, name) = match chance.below(4) {
            0 | 1 if !lag.is_zero() => (Self { lag, ..well }, "look-up: behind the books"),
            0 => (well.answered(Back::Silence), "look-up: no answer"),
            1 => (
                well.answered(Back::Error(Duration::ZERO, Failure::Broke)),
                "look-up: error",
            ),
            2 => (
                well.answered(Back::Answer(chance.millis(500, 2_500))),
                "look-up: late answer",
            ),
            _ => (
                well.answered(Back::Error(Duration::ZERO, Failure::Garbage)),
                "look-up: garbage",
            ),
        };
        (plan, Some(name))
    }

    fn ill_call(
        chance: &mut Chance,
        kind: &BankKind,
        well: Self,
        must_arrive: bool,
    ) -> (Self, Option<&'static str>) {
        let soon = chance.millis(1, 40);
        let most = i64::try_from(kind.call_timeout.as_millis()).unwrap_or(0);
        let failed = |failure| Back::Error(soon, failure);
        let (plan, name) = match chance.below(11) {
            0 if !must_arrive => (
                well.lost().answered(Back::Silence),
                "no answer, without effect",
            ),
            1 if !must_arrive => (
                well.lost().failing(soon, Failure::Broke),
                "error before the effect",
            ),
            0..=2 => (well.answered(Back::Silence), "no answer, with effect"),
            3 => (
                well.answered(failed(Failure::Broke)),
                "error after the effect",
            ),
            4 => (
                well.answered(failed(Failure::Garbage)),
                "garbage for an answer",
            ),
            5 => (
                well.lost().failing(soon, Failure::Refused),
                "connection refused",
            ),
            6 => (
                well.lost().failing(soon, Failure::Rejected),
                "request rejected",
            ),
            7 => (
                well.answered(Back::Answer(chance.millis(500, most - 100))),
                "late answer",
            ),
            8 => (
                well.answered(Back::Answer(chance.millis(most + 1, most + 7_000))),
                "answer after the caller gave up",
            ),
            9 if !kind.latest.is_zero() => (
                well.delayed(chance, soon, kind.latest),
                "effect after the caller gave up",
            ),
            _ => (well.delivered_twice(chance), "request delivered twice"),
        };
        (plan, Some(name))
    }

    /// The same call with another answer.
    const fn answered(self, back: Back) -> Self {
        Self { back, ..self }
    }

    /// The same call whose request never arrives.
    const fn lost(self) -> Self {
        Self {
            arrivals: [None, None],
            ..self
        }
    }

    /// The same call of which the caller gets this error, whatever happens then.
    const fn failing(self, after: Duration, failure: Failure) -> Self {
        Self {
            early: Some((after, failure)),
            ..self
        }
    }

    /// The request arrives at most `latest` after the call has ended, which is at once or after its time.
    fn delayed(self, chance: &mut Chance, soon: Duration, latest: Duration) -> Self {
        let early = chance.one_in(2).then_some((soon, Failure::Broke));
        let most = i64::try_from(latest.as_millis()).unwrap_or(0);
        Self {
            early,
            arrivals: [Some(chance.millis(100, most)), None],
            back: Back::Silence,
            ..self
        }
    }

    /// The request arrives twice; the answer that counts is the second one's.
    fn delivered_twice(self, chance: &mut Chance) -> Self {
        let [first, _] = self.arrivals;
        Self {
            arrivals: [first, Some(chance.millis(0, 900))],
            ..self
        }
    }
}
