//! What is to be erased, and when.

use crate::samples::{EVER, at, commit, is_done, is_refused};
use db::Db;
use domain::id::{BlobId, CustomerId, PaymentId, TeamId};
use uuid::Uuid;

pub(super) async fn hidden_cards(db: &Db, own: TeamId, other: TeamId) {
    let [blob, next] = [1, 2].map(|n| BlobId::new(Uuid::from_u128(n)));
    let payment = PaymentId::new(Uuid::from_u128(5));
    let insert = |team, blob, due| store::hidden_card::insert(team, blob, payment, at(due));
    for row in [
        insert(own, blob, 10),
        insert(own, next, 20),
        insert(other, blob, 30),
    ] {
        assert!(is_done(db, [row.clone()]).await);
        assert!(is_refused(db, [row]).await);
    }
    assert!(store::hidden_card::exists(db, own, blob).await.unwrap());
    assert!(!store::hidden_card::exists(db, other, next).await.unwrap());
    let due = async |now, again| {
        store::hidden_card::claim_due(db, at(now), at(again), EVER, 9)
            .await
            .unwrap()
    };
    assert_eq!(due(9, 100).await, []);
    assert_eq!(due(19, 100).await, [(own, blob, payment)]);
    assert_eq!(
        due(20, 100).await,
        [(own, next, payment)],
        "the first one is looked at again later"
    );
    commit(db, [store::hidden_card::delete(own, blob)]).await;
    assert!(!store::hidden_card::exists(db, own, blob).await.unwrap());
    assert!(store::hidden_card::exists(db, other, blob).await.unwrap());
    let left = due(100, 200).await;
    assert_eq!(
        (left.len(), left.contains(&(own, blob, payment))),
        (2, false)
    );
}

pub(super) async fn erasures(db: &Db, own: TeamId, other: TeamId) {
    let ada = CustomerId::new(Uuid::from_u128(1));
    for team in [own, other] {
        assert!(is_done(db, [store::erasure::insert(team, ada, at(10))]).await);
        assert!(is_refused(db, [store::erasure::insert(team, ada, at(10))]).await);
    }
    let early = store::erasure::claim_due(db, at(9), at(20), EVER, 9).await;
    assert_eq!(early.unwrap(), []);
    assert_eq!(
        store::erasure::claim_due(db, at(10), at(20), EVER, 9)
            .await
            .unwrap()
            .len(),
        2
    );
    let leased = store::erasure::claim_due(db, at(19), at(40), EVER, 9).await;
    assert_eq!(leased.unwrap(), []);
    commit(db, [store::erasure::delete(own, ada)]).await;
    let behind = store::erasure::claim_due(db, at(20), at(40), at(20), 9).await;
    assert_eq!(behind.unwrap(), []);
    assert_eq!(
        store::erasure::claim_due(db, at(20), at(40), at(19), 9)
            .await
            .unwrap(),
        [(other, ada)]
    );
}
