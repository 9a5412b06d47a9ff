//! Idempotent requests and what they are answered.

use crate::samples::{NEW_YEAR, at, commit, is_done, is_refused};
use db::Db;
use domain::{
    Timestamp,
    id::{CustomerId, TeamId, VaultToken},
    payment::OnceRef,
};
use std::time::Duration;
use store::once::{Answer, Claim, Record};
use uuid::Uuid;

use super::{DAY, swept_once};

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is compared with what may be absent"
)]
fn record(fingerprint: &str, stream: &str, answer: Option<&str>) -> Option<Record> {
    Some(Record {
        fingerprint: fingerprint.to_owned(),
        stream: Some(stream.to_owned()),
        answer: answer.map(|text| Answer::Document(text.to_owned())),
        taken_by: None,
    })
}

pub(super) async fn idempotency(db: &Db, own: TeamId, other: TeamId) {
    let once = OnceRef {
        scope: "authorise".to_owned(),
        key: "k".to_owned(),
    };
    let claim = |team, fingerprint: &str| Claim {
        team,
        once: once.clone(),
        fingerprint: fingerprint.to_owned(),
        taken_by: None,
    };
    let take = |claim: &Claim, stream: &str, now: i64| {
        store::once::claim(
            claim,
            Some(stream),
            None,
            at(NEW_YEAR + now),
            Duration::from_hours(24),
        )
    };
    let find = async |team, forgotten: Timestamp| {
        store::once::find(db, team, &once, forgotten).await.unwrap()
    };
    let answer = |team, stream: &str| store::once::answer(team, &once, stream, "reported");
    let never = at(0);
    assert!(is_done(db, [take(&claim(own, "f"), "payment-1", 0)]).await);
    assert!(
        is_refused(db, [take(&claim(own, "g"), "payment-2", DAY - 1)]).await,
        "the key is taken"
    );
    assert!(
        is_done(db, [take(&claim(other, "f"), "payment-3", 0)]).await,
        "by one team"
    );
    assert_eq!(find(own, never).await, record("f", "payment-1", None));
    for (stream, team, written) in [
        ("payment-2", own, None),
        ("payment-1", own, Some("reported")),
    ] {
        commit(db, [answer(team, stream)]).await;
        assert_eq!(
            find(own, never).await,
            record("f", "payment-1", written),
            "only its own payment answers"
        );
    }
    assert_eq!(find(other, never).await, record("f", "payment-3", None));
    names_a_version(db, own, &once).await;
    // After a day the key is forgotten, and free.
    assert_eq!(find(own, at(NEW_YEAR)).await, None);
    assert!(is_done(db, [take(&claim(own, "g"), "payment-2", DAY)]).await);
    assert_eq!(
        find(own, never).await,
        record("g", "payment-2", None),
        "nothing of the old record is left"
    );
    // One whose request has no answer yet is not forgotten, however long it takes.
    assert_eq!(
        find(own, at(NEW_YEAR + 9 * DAY)).await,
        record("g", "payment-2", None)
    );
    assert!(is_refused(db, [take(&claim(own, "h"), "payment-4", 9 * DAY)]).await);
    assert_eq!(swept_once(db, at(NEW_YEAR + 9 * DAY), 9).await, Ok(0));
    commit(db, [answer(other, "payment-3")]).await;
    assert_eq!(swept_once(db, at(NEW_YEAR - 1), 9).await, Ok(0));
    assert_eq!(swept_once(db, at(NEW_YEAR), 9).await, Ok(1));
    assert_eq!(find(other, never).await, None);
    commit(db, [answer(own, "payment-2")]).await;
    assert_eq!(swept_once(db, at(NEW_YEAR + DAY), 9).await, Ok(1));
}

/// The record of `payment-1` names a version, until its document is kept.
async fn names_a_version(db: &Db, team: TeamId, once: &OnceRef) {
    let found = async || store::once::find(db, team, once, at(0)).await.unwrap();
    let named = store::once::answer_by_version(team, once, "payment-1", 3);
    commit(db, [named]).await;
    let version = found().await.unwrap();
    assert_eq!(version.answer, Some(Answer::Version(3)));
    for (stream, other) in [("payment-1", 2), ("payment-2", 3)] {
        let keep = store::once::keep_version(team, once, stream, other, "another");
        commit(db, [keep]).await;
        assert_eq!(found().await.as_ref(), Some(&version), "{stream} {other}");
    }
    let keep = |document| store::once::keep_version(team, once, "payment-1", 3, document);
    commit(db, [keep("third")]).await;
    assert_eq!(found().await, record("f", "payment-1", Some("third")));
    commit(db, [keep("fourth")]).await;
    assert_eq!(found().await, record("f", "payment-1", Some("third")));
}

pub(super) async fn answers_that_name_tokens(db: &Db, own: TeamId, other: TeamId) {
    let ada = CustomerId::new(Uuid::from_u128(1));
    let token = VaultToken::parse("token0000000000000009").unwrap();
    let reference = |scope: &str| OnceRef {
        scope: scope.to_owned(),
        key: format!("key of {scope}"),
    };
    for (team, scope) in [(own, "tokenise"), (own, "authorise"), (other, "tokenise")] {
        let claim = Claim {
            team,
            once: reference(scope),
            fingerprint: "f".to_owned(),
            taken_by: None,
        };
        let answered = store::once::claim(
            &claim,
            Some(token.as_str()),
            Some("reported"),
            at(NEW_YEAR),
            Duration::MAX,
        );
        assert!(is_done(db, [answered]).await);
    }
    assert_eq!(store::once::of_customer(db, own, ada).await.unwrap(), []);
    commit(db, [store::once::follow_token(own, &token, ada)]).await;
    let answered = vec![(reference("tokenise"), "reported".to_owned())];
    assert_eq!(
        store::once::of_customer(db, own, ada).await.unwrap(),
        answered
    );
    assert_eq!(store::once::of_customer(db, other, ada).await.unwrap(), []);
}
