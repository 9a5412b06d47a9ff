//! When something last happened to a payment, as far as it knows itself.

use super::{OperationState, Payment};
use crate::Timestamp;

impl Payment {
    /// The latest time at which something happened to it. What happens next is not dated before, even where a clock was set
    /// back.
    pub fn latest_moment(&self) -> Timestamp {
        self.operations
            .iter()
            .flat_map(|operation| {
                let since = match &operation.state {
                    // An unknown outcome is counted from when the call can be under way no more, which may be yet to come.
                    OperationState::Sent | OperationState::Unknown { .. } => operation.started_at,
                    OperationState::Waiting { since } | OperationState::Pending { since } => *since,
                    OperationState::Done { at }
                    | OperationState::Refused { at, .. }
                    | OperationState::Failed { at, .. } => *at,
                };
                [operation.started_at, since]
            })
            .fold(self.created_at, Timestamp::max)
    }
}
