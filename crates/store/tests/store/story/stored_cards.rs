//! What is kept with a stored card for later payments: the scheme's transaction, and processors' own tokens.

use db::Db;
use domain::{
    customer::StoredMethod,
    id::{ConnectionId, CustomerId, PaymentId, TeamId},
    payment::{ConsentWeight, NetworkReference},
    processor_token::{OwnToken, ProcessorToken},
};
use uuid::Uuid;

use crate::samples::{self, NEW_YEAR, at, commit, is_done};

fn reference(weight: ConsentWeight, payment: u128) -> NetworkReference {
    NetworkReference {
        id: format!("network-{payment}"),
        connection: ConnectionId::parse("bank-a").unwrap(),
        processor: "bank".to_owned(),
        payment: PaymentId::new(Uuid::from_u128(payment)),
        weight,
        at: at(NEW_YEAR),
    }
}

/// Keeps a reference with a card, and returns what is kept then.
async fn kept(db: &Db, card: &StoredMethod, new: &NetworkReference) -> Option<NetworkReference> {
    let keep = store::method::keep_network_reference(card.team, &card.token, new);
    assert!(is_done(db, [keep]).await);
    let found = store::method::of_team(db, card.team, &card.token).await;
    found.unwrap().and_then(|card| card.network)
}

/// A reference is replaced by one that says more of the consent; consents by later ones, in whatever order they are kept.
pub(super) async fn network_references(db: &Db, own: TeamId, other: TeamId) {
    use ConsentWeight::{Consent, Customer, Merchant};
    let owner = CustomerId::new(Uuid::from_u128(41));
    let card = samples::method(own, 41, Some(owner));
    let foreign = samples::method(other, 41, Some(owner));
    assert!(is_done(db, [&card, &foreign].map(store::method::insert)).await);
    for (new, stays) in [
        (reference(Merchant, 5), reference(Merchant, 5)),
        (reference(Merchant, 6), reference(Merchant, 5)),
        (reference(Customer, 3), reference(Customer, 3)),
        (reference(Customer, 7), reference(Customer, 3)),
        (reference(Merchant, 8), reference(Customer, 3)),
        (reference(Consent, 4), reference(Consent, 4)),
        (reference(Customer, 9), reference(Consent, 4)),
        (reference(Consent, 6), reference(Consent, 6)),
        (reference(Consent, 5), reference(Consent, 6)),
    ] {
        assert_eq!(kept(db, &card, &new).await, Some(stays), "{new:?}");
    }
    let read = store::method::of_team(db, other, &foreign.token).await;
    assert_eq!(
        read.unwrap(),
        Some(foreign),
        "the other team's is as it was"
    );
    assert!(is_done(db, [store::method::delete(&card, at(5))]).await);
    assert_eq!(kept(db, &card, &reference(Consent, 10)).await, None);
    commit(db, [store::method::forget(own, &card.token)]).await;
}

fn own_token(card: &StoredMethod, connection: &str, value: &str) -> ProcessorToken {
    ProcessorToken {
        team: card.team,
        token: card.token.clone(),
        connection: ConnectionId::parse(connection).unwrap(),
        own: OwnToken {
            value: value.to_owned(),
            customer: Some(format!("owner of {value}")),
            reusable: true,
        },
        created_at: at(1),
        updated_at: at(1),
    }
}

async fn tokens_of(db: &Db, card: &StoredMethod) -> Vec<String> {
    let found = store::processor_token::of_method(db, card.team, &card.token).await;
    let found = found.unwrap();
    found.into_iter().map(|found| found.own.value).collect()
}

/// A card has one token at a connection, which ends with the card and when its processor doesn't know it any more.
pub(super) async fn own_tokens(db: &Db, own: TeamId, other: TeamId) {
    let owner = CustomerId::new(Uuid::from_u128(42));
    let card = samples::method(own, 42, Some(owner));
    let foreign = samples::method(other, 42, Some(owner));
    assert!(is_done(db, [&card, &foreign].map(store::method::insert)).await);
    let first = own_token(&card, "bank-a", "one");
    let replaced = own_token(&card, "bank-a", "two");
    let elsewhere = own_token(&card, "bank-b", "three");
    let of_others = own_token(&foreign, "bank-a", "four");
    for token in [&first, &replaced, &elsewhere, &of_others] {
        assert!(is_done(db, [store::processor_token::put(token)]).await);
    }
    assert_eq!(tokens_of(db, &card).await, ["two", "three"]);
    let found = store::processor_token::find(db, own, &card.token, &replaced.connection).await;
    assert!(found.unwrap() == Some(replaced.clone()));
    commit(db, [store::processor_token::delete_gone(&first)]).await;
    assert_eq!(
        tokens_of(db, &card).await,
        ["two", "three"],
        "another has taken its place"
    );
    commit(db, [store::processor_token::delete_gone(&replaced)]).await;
    assert_eq!(tokens_of(db, &card).await, ["three"]);
    let deleted = [
        store::method::delete(&card, at(5)),
        store::processor_token::delete(own, &card.token),
    ];
    assert!(is_done(db, deleted).await);
    assert!(is_done(db, [store::processor_token::put(&first)]).await);
    assert_eq!(
        tokens_of(db, &card).await,
        [] as [&str; 0],
        "its card is deleted"
    );
    assert_eq!(tokens_of(db, &foreign).await, ["four"]);
    commit(db, [store::method::forget(own, &card.token)]).await;
}
