//! Rows to store.

use std::time::Duration;

use db::{Change, ChangeId, Committed, Db, Statement};
use domain::{
    Timestamp,
    answer::{Answer, Approval},
    customer::{Customer, Instrument, StoredMethod},
    expiry::Expiry,
    id::{
        BlobId, ConnectionId, CustomerId, FlowId, IntentId, MethodId, PaymentId, TeamId, VaultToken,
    },
    intent::{self, Intent},
    method::{CardFunding, Method},
    money::{Currency, Money},
    payment::{Begin, FlowRun, Gateway, NewPayment, PaidWith, Payer, Payment},
    processor_token::FieldsToken,
};
use uuid::Uuid;

/// 2026-01-01T00:00:00Z in milliseconds.
pub(crate) const NEW_YEAR: i64 = 1_767_225_600_000;

/// Before everything.
pub(crate) const EVER: Timestamp = Timestamp::from_micros(i64::MIN);

pub(crate) fn at(milli: i64) -> Timestamp {
    Timestamp::from_micros(milli * 1000)
}

pub(crate) fn team(n: u128) -> TeamId {
    TeamId::new(Uuid::from_u128(n))
}

/// An id of version 7 made at the time; `n` tells ids of one millisecond apart.
pub(crate) fn uuid_at(milli: i64, n: u64) -> Uuid {
    let mut random = [0; 10];
    random[..8].copy_from_slice(&n.to_be_bytes());
    uuid::Builder::from_unix_timestamp_millis(u64::try_from(milli).unwrap(), &random).into_uuid()
}

pub(crate) fn begin(milli: i64) -> Begin {
    let (send_within, answer_within) = (Duration::from_secs(5), Duration::from_secs(10));
    Begin {
        at: at(milli),
        send_within,
        answer_within,
        once: None,
        return_key: None,
    }
}

/// A payment of 10.00 EUR made at the time, with one attempt that waits for its answer.
pub(crate) fn payment(team: TeamId, milli: i64, n: u64) -> Payment {
    let run = FlowRun {
        id: FlowId::parse("default").unwrap(),
        name: "Default".to_owned(),
        version: 1,
        instance: Uuid::from_u128(1),
        started_at: at(milli),
        dispute: None,
        pause: None,
    };
    let money = Money::new(1000, Currency::parse("EUR").unwrap());
    let asked = NewPayment::of(team, money, paid_with());
    let id = PaymentId::new(uuid_at(milli, n));
    let mut payment = Payment::new(asked, id, at(milli), Some(run));
    payment.go_through(Gateway {
        processor: "bank".to_owned(),
        name: "Bank".to_owned(),
        logo: None,
    });
    payment.begin_authorise(ConnectionId::parse("bank-a").unwrap(), true, begin(milli));
    payment
}

/// The payment as its stored document would be with these members.
pub(crate) fn with(payment: &Payment, members: &serde_json::Value) -> Payment {
    let mut document = serde_json::to_value(payment).unwrap();
    let members = members.as_object().unwrap().clone();
    document.as_object_mut().unwrap().extend(members);
    serde_json::from_value(document).unwrap()
}

fn paid_with() -> PaidWith {
    PaidWith {
        method: Method::Visa,
        token: None,
        id: MethodId::new(Uuid::from_u128(2)),
        blob: Some(BlobId::new(Uuid::from_u128(3))),
        hidden: false,
        masked: Some("************4242".to_owned()),
        bin: Some("424242".to_owned()),
        expiry: Some(Expiry::parse(11, 2033).unwrap()),
        brand: Some("VISA".to_owned()),
        account: None,
        wallet: None,
        holder: None,
        address: None,
        fingerprint: Some("f".to_owned()),
        funding: CardFunding::Undefined,
        card_country: Some("FR".to_owned()),
        fields_token: Some(FieldsToken {
            connection: ConnectionId::parse("bank-a").unwrap(),
            expires_at: Timestamp::from_micros(1_767_225_600_000_000),
        }),
        product: None,
        network: None,
        network_weight: None,
    }
}

/// The payment with a card from the country.
pub(crate) fn from_country(payment: &Payment, country: Option<&str>) -> Payment {
    let approval = Approval {
        card_country: country.map(Into::into),
        ..Approval::default()
    };
    let mut operations = payment.operations().to_vec();
    operations[0].answer = Some(Answer::Approved {
        captured: true,
        approval,
    });
    with(payment, &serde_json::json!({ "operations": operations }))
}

pub(crate) fn payer(customer: CustomerId) -> Payer {
    Payer {
        id: Some(customer),
        ..Payer::default()
    }
}

pub(crate) fn customer(team: TeamId, milli: i64, name: &str, email: Option<&str>) -> Customer {
    Customer {
        id: CustomerId::new(uuid_at(milli, 0)),
        team,
        version: 1,
        name: name.to_owned(),
        email: email.map(str::to_owned),
        phone: None,
        description: None,
        billing: None,
        shipping: None,
        company: None,
        default_method: None,
        created_at: at(milli),
        updated_at: at(milli),
        made_by: None,
    }
}

/// An intent that is active for five minutes from the time on.
pub(crate) fn intent(team: TeamId, milli: i64, n: u64) -> Intent {
    let start = intent::Start {
        id: IntentId::new(uuid_at(milli, n)),
        team,
        tracking_id: "order".to_owned(),
        currency: Currency::parse("EUR").unwrap(),
        flow: (FlowId::parse("default").unwrap(), 1),
        instance: Uuid::from_u128(1),
        started_by: None,
    };
    Intent::start(
        start,
        intent::Changes::default(),
        at(milli),
        Duration::from_mins(5),
    )
}

/// A stored card; `n` makes its token and its blob.
pub(crate) fn method(team: TeamId, n: u128, customer: Option<CustomerId>) -> StoredMethod {
    StoredMethod {
        id: MethodId::new(Uuid::from_u128(n)),
        team,
        token: VaultToken::parse(&format!("token{n:016}")).unwrap(),
        customer,
        blob: BlobId::new(Uuid::from_u128(n)),
        instrument: Instrument::Card {
            expiry: Expiry::parse(11, 2033).unwrap(),
            brand: "VISA".to_owned(),
            bin: "424242".to_owned(),
        },
        masked: "************4242".to_owned(),
        holder: None,
        funding: CardFunding::Undefined,
        card_country: Some("FR".to_owned()),
        product: None,
        fingerprint: "f".to_owned(),
        external_id: None,
        metadata: None,
        address: None,
        created_at: at(NEW_YEAR),
        updated_at: at(NEW_YEAR),
        is_default: false,
        network: None,
    }
}

/// Commits statements as one change.
pub(crate) async fn commit(db: &Db, statements: impl IntoIterator<Item = Statement>) -> Committed {
    let change = statements
        .into_iter()
        .fold(Change::new(ChangeId(1), "test"), Change::with);
    db.commit(change).await.unwrap()
}

/// Whether statements are committed as one change.
pub(crate) async fn is_done(db: &Db, statements: impl IntoIterator<Item = Statement>) -> bool {
    commit(db, statements).await == Committed::Done
}

/// Whether the first of the statements is refused.
pub(crate) async fn is_refused(db: &Db, statements: impl IntoIterator<Item = Statement>) -> bool {
    commit(db, statements).await == Committed::Conflict { statement: 0 }
}
