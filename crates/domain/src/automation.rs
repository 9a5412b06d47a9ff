//! Instances of flows that began without a payment: with a webhook, or with an intent that became inactive.

use serde::{Deserialize, Serialize};

use crate::{
    id::{IntentId, TeamId},
    payment::FlowRun,
};

/// An instance as it is stored. It has ended when its run rests nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Whose it is.
    pub team: TeamId,
    /// Counts its commits.
    pub version: u64,
    /// What runs, and where it rests.
    pub run: FlowRun,
    /// The intent that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<IntentId>,
}
