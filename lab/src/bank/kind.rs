//! The sorts of processors that there are.

use std::time::Duration;

use connector::{Capabilities, Descriptor};

/// How long the calls of most processors may take.
const SHORT: Duration = Duration::from_secs(2);

/// A sort of processor, by what it declares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BankKind {
    /// Its identifier.
    pub(crate) name: &'static str,
    /// Whether it authorises and captures in one call.
    pub(crate) sale: bool,
    /// How long a call may take.
    pub(crate) call_timeout: Duration,
    /// After what time "not found" proves that nothing happened.
    pub(crate) final_after: Option<Duration>,
    /// So long after its call has ended a request may still take effect.
    pub(crate) latest: Duration,
    /// So far may a look-up be behind.
    pub(crate) lag: Duration,
}

/// `prompt` knows at once what it did, `tardy` only after a minute, and the look-ups of `mute` never prove that nothing
/// happened. The calls of `slow` take nearly as long as requests have.
pub(crate) const KINDS: [BankKind; 4] = [
    BankKind {
        name: "prompt",
        sale: true,
        call_timeout: SHORT,
        final_after: Some(Duration::ZERO),
        latest: Duration::ZERO,
        lag: Duration::ZERO,
    },
    BankKind {
        name: "tardy",
        sale: false,
        call_timeout: SHORT,
        final_after: Some(Duration::from_mins(1)),
        latest: Duration::from_secs(25),
        lag: Duration::from_secs(30),
    },
    BankKind {
        name: "mute",
        sale: true,
        call_timeout: SHORT,
        final_after: None,
        latest: Duration::from_secs(90),
        lag: Duration::from_secs(30),
    },
    BankKind {
        name: "slow",
        sale: true,
        call_timeout: Duration::from_secs(20),
        final_after: Some(Duration::ZERO),
        latest: Duration::ZERO,
        lag: Duration::ZERO,
    },
];

impl BankKind {
    /// What it declares, for the rest like the simulator.
    pub(crate) fn descriptor(&self, simulator: &Descriptor) -> Descriptor {
        Descriptor {
            processor: self.name,
            name: self.name,
            capabilities: Capabilities {
                sale: self.sale,
                ..simulator.capabilities
            },
            call_timeout: self.call_timeout,
            not_found_final_after: self.final_after,
            ..simulator.clone()
        }
    }
}
