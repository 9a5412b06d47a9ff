//! Keys and client tokens: rows, uses, ends.

use db::Db;
use domain::{
    caller::{ClientGrant, Mode},
    id::{KeyId, PaymentId, TeamId},
    rights::{Scope, Scopes},
};
use store::credential::{Credential, CredentialKind, Presented};
use uuid::Uuid;

use crate::{
    samples::{NEW_YEAR, at, commit, is_done, is_refused},
    story::swept_credential,
};

const DAY: i64 = 86_400_000;

fn credential(team: TeamId, n: u128, kind: CredentialKind) -> Credential {
    Credential {
        id: KeyId::new(Uuid::from_u128(n)),
        team,
        kind,
        mode: Mode::Test,
        hash: format!("hash-{n}"),
        name: "a key".to_owned(),
        hint: "sk_test_…abcd".to_owned(),
        grant: None,
        attempts: 0,
        live_payment: None,
        created_at: at(NEW_YEAR),
        expires_at: None,
        made_to_end_at: None,
        revoked_at: None,
        parent: None,
        last_used_at: None,
        scopes: Scopes::ALL,
    }
}

pub(crate) async fn credentials(db: &Db, own: TeamId, other: TeamId) {
    let restricted = Credential {
        made_to_end_at: Some(at(NEW_YEAR + DAY)),
        scopes: Scopes::of(&[Scope::Read, Scope::Refunds]).unwrap(),
        ..credential(own, 1, CredentialKind::Secret)
    };
    let (key, foreign) = (restricted, credential(other, 2, CredentialKind::Public));
    for row in [&key, &foreign] {
        assert!(is_done(db, [store::credential::insert(row)]).await);
    }
    let copied = Credential {
        hash: key.hash.clone(),
        ..credential(other, 3, CredentialKind::Secret)
    };
    assert!(
        is_refused(db, [store::credential::insert(&copied)]).await,
        "a hash leads to one credential"
    );
    assert_eq!(
        store::credential::by_hash(db, "hash-1").await.unwrap(),
        Some(Presented {
            credential: key.clone(),
            team_closed_at: None
        })
    );
    assert_eq!(
        store::credential::by_hash(db, "hash-9").await.unwrap(),
        None
    );
    assert_eq!(
        store::credential::of_team(db, other, key.id).await.unwrap(),
        None
    );
    assert_eq!(
        store::credential::keys_of_team(db, own).await.unwrap(),
        std::slice::from_ref(&key)
    );
    key_life(db, own, other, &key).await;
    let revoke = |team, at| store::credential::revoke(team, key.id, at);
    let now = at(NEW_YEAR + 1);
    assert!(is_refused(db, [revoke(other, now)]).await);
    assert!(is_done(db, [revoke(own, now)]).await);
    assert!(
        is_refused(db, [revoke(own, at(NEW_YEAR + 2))]).await,
        "it has ended"
    );
    let revoked = store::credential::of_team(db, own, key.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(revoked.revoked_at, Some(at(NEW_YEAR + 1)));
    assert_eq!(
        store::credential::of_team(db, other, foreign.id)
            .await
            .unwrap(),
        Some(foreign)
    );
}

/// A key's use and end, and the closing of its team.
async fn key_life(db: &Db, own: TeamId, other: TeamId, key: &Credential) {
    let used = |team, seconds, unless_after| {
        store::credential::note_use(team, key.id, at(seconds), at(unless_after))
    };
    commit(db, [used(other, NEW_YEAR + 9, NEW_YEAR)]).await;
    commit(db, [used(own, NEW_YEAR + 5, NEW_YEAR)]).await;
    commit(db, [used(own, NEW_YEAR + 6, NEW_YEAR + 1)]).await;
    let end = |team, seconds| store::credential::end_at(team, key.id, at(seconds));
    assert!(is_refused(db, [end(other, NEW_YEAR + 3)]).await);
    assert!(is_done(db, [end(own, NEW_YEAR + 3)]).await);
    assert!(is_refused(db, [end(own, NEW_YEAR + 4)]).await);
    assert!(is_done(db, [store::team::close(own, at(NEW_YEAR))]).await);
    assert!(is_refused(db, [store::team::close(own, at(NEW_YEAR + 1))]).await);
    let found = store::credential::by_hash(db, &key.hash).await.unwrap();
    let found = found.unwrap();
    assert_eq!(
        (
            found.team_closed_at,
            found.credential.last_used_at,
            found.credential.expires_at
        ),
        (
            Some(at(NEW_YEAR)),
            Some(at(NEW_YEAR + 5)),
            Some(at(NEW_YEAR + 3))
        )
    );
    let foreign = store::credential::by_hash(db, "hash-2").await.unwrap();
    assert_eq!(foreign.unwrap().team_closed_at, None);
    assert!(is_done(db, [store::team::reopen(own)]).await);
    assert!(is_refused(db, [store::team::reopen(own)]).await);
    // Neither job nor look takes an expired key for a client token.
    let late = at(NEW_YEAR + 2 * DAY);
    let swept = store::credential::sweep(db, late, at(0), 9).await.unwrap();
    assert_eq!(swept, []);
    let queue = store::overdue::Queue::ClientTokens;
    let ever = store::overdue::Stretch {
        after: at(0),
        until: late,
    };
    assert_eq!(store::overdue::oldest(db, queue, ever).await.unwrap(), None);
}

pub(crate) async fn client_tokens(db: &Db, own: TeamId, other: TeamId) {
    let grant = ClientGrant {
        amount: Some(500),
        currency: Some("EUR".to_owned()),
        customer: None,
        flow: None,
        intent: None,
        max_cards: None,
        link: None,
    };
    let ends = Some(at(NEW_YEAR + DAY));
    let token = |team, n| Credential {
        grant: Some(grant.clone()),
        expires_at: ends,
        ..credential(team, n, CredentialKind::Client)
    };
    let (token, foreign) = (token(own, 11), token(other, 12));
    for row in [&token, &foreign] {
        assert!(is_done(db, [store::credential::insert(row)]).await);
    }
    assert_eq!(
        store::credential::by_hash(db, "hash-11")
            .await
            .unwrap()
            .map(|found| found.credential),
        Some(token.clone())
    );
    assert!(
        store::credential::keys_of_team(db, own)
            .await
            .unwrap()
            .iter()
            .all(|key| key.id != token.id)
    );
    payments_of_a_token(db, own, other, &token).await;
    // Those that have ended are swept, the first ones first.
    assert_eq!(
        swept_credential(db, at(NEW_YEAR + DAY - 1), 10).await,
        Ok(0)
    );
    assert_eq!(swept_credential(db, at(NEW_YEAR + DAY), 1).await, Ok(1));
    assert_eq!(swept_credential(db, at(NEW_YEAR + DAY), 10).await, Ok(1));
    assert_eq!(
        store::credential::of_team(db, own, token.id).await.unwrap(),
        None
    );
    assert_eq!(
        store::credential::keys_of_team(db, own)
            .await
            .unwrap()
            .len(),
        1,
        "keys do not end by themselves"
    );
}

/// A token holds one live payment at a time, and makes no more attempts than it may.
async fn payments_of_a_token(db: &Db, own: TeamId, other: TeamId, token: &Credential) {
    let [one, two] = [1, 2].map(|n| PaymentId::new(Uuid::from_u128(n)));
    let claim = |team, payment| store::credential::claim_payment(team, token.id, payment, 2);
    assert!(is_refused(db, [claim(other, one)]).await);
    assert!(is_done(db, [claim(own, one)]).await);
    assert!(
        is_refused(db, [claim(own, two)]).await,
        "one live payment at a time"
    );
    let release = |team, payment| store::credential::release_payment(team, token.id, payment);
    commit(db, [release(own, two), release(other, one)]).await;
    assert!(
        is_refused(db, [claim(own, two)]).await,
        "only its own payment frees it"
    );
    commit(db, [release(own, one)]).await;
    assert!(is_done(db, [claim(own, two)]).await);
    commit(db, [release(own, two)]).await;
    assert!(
        is_refused(db, [claim(own, one)]).await,
        "it has made as many attempts as it may"
    );
    assert_eq!(
        store::credential::of_team(db, own, token.id)
            .await
            .unwrap()
            .unwrap()
            .attempts,
        2
    );
}
