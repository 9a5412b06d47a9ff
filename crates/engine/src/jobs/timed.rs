//! What jobs have in common that remove rows by their time.

use std::time::Duration;

use domain::Timestamp;

use super::{
    floor::{Floor, Look},
    job::{Batch, Round},
};

/// Behind which time a batch looks.
pub(super) fn behind(look: Look, round: &Round) -> Timestamp {
    round
        .after
        .map_or(look.after, |after| after.max(look.after))
}

/// Where the next batch goes on, after rows of these times are gone.
pub(super) fn swept(floor: &Floor, look: Look, gone: &[Timestamp], round: &mut Round) -> Batch {
    round.after = gone.iter().max().map(|last| before(*last)).or(round.after);
    let batch = Batch::whole(gone.len(), round.rows);
    if !batch.goes_on() {
        floor.exhausted(look);
    }
    batch
}

/// Just before a time: others of the same time may be left.
pub(super) fn before(last: Timestamp) -> Timestamp {
    last.before(Duration::from_micros(1))
}
