//! Deliveries to webhook endpoints.

use db::Db;
use domain::{
    id::{DeliveryId, EndpointId, TeamId},
    webhook::{Attempts, Delivery, DeliveryState},
};
use store::{
    webhook_delivery::{self as table, EndpointKey},
    webhook_endpoint::Turn,
};
use uuid::Uuid;

use crate::samples::{at, is_done};

const STREAM: &str = "a-payment";

fn delivery(key: EndpointKey, sequence: u64, tries: u32) -> Delivery {
    Delivery {
        id: DeliveryId::new(Uuid::from_u128(u128::from(sequence))),
        team: key.team,
        endpoint: key.endpoint,
        event_id: format!("{STREAM}:{sequence}:0"),
        kind: "payment.captured".to_owned(),
        stream: STREAM.to_owned(),
        sequence,
        state: DeliveryState::Pending,
        tries,
        next_at: Some(at(1)),
        created_at: at(1),
        log: Attempts::default(),
    }
}

async fn due(db: &Db, key: EndpointKey, now: i64, limit: u32) -> Vec<u64> {
    let found = table::due(db, key, at(now), limit).await.unwrap();
    found.iter().map(|delivery| delivery.sequence).collect()
}

/// When everything that waits becomes due at once, a stream's events stay in their sequence: also those that wait behind one that was tried,
/// and also where not all that is due is read at once.
pub(super) async fn sequence_after_a_revival(db: &Db, own: TeamId, other: TeamId) {
    let endpoint = EndpointId::new(Uuid::from_u128(70));
    let [key, foreign] = [own, other].map(|team| EndpointKey { team, endpoint });
    for (sequence, tries) in [(1, 3), (2, 0), (3, 0)] {
        let rows = [key, foreign].map(|key| table::insert(&delivery(key, sequence, tries)));
        assert!(is_done(db, rows).await);
    }
    let held = [key, foreign].map(|key| table::hold_back(key, STREAM, at(30)));
    assert!(is_done(db, held).await);
    let revived = table::turn(db, key, Turn::Revive(at(40)), 500).await;
    assert_eq!(revived.unwrap(), 3);
    let again = table::turn(db, key, Turn::Revive(at(40)), 500).await;
    assert_eq!(again.unwrap(), 0, "done once");
    assert_eq!(due(db, key, 40, 1).await, [1]);
    assert_eq!(due(db, key, 40, 10).await, [1, 2, 3]);
    assert_eq!(due(db, foreign, 29, 10).await, [0; 0]);
    assert_eq!(due(db, foreign, 30, 10).await, [1, 2, 3]);
}
