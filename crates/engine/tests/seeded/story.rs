//! Stories that the seeded runs play.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::{
    Fault,
    caller::Caller,
    id::PaymentId,
    money::Currency,
    payment::{Initiator, Status},
};
use engine::{Authorise, Cancel, Capture, Engine, Instrument, Once, PaymentView, Refund, Scope};
use futures_util::future::join_all;

use crate::house::{House, card};

/// Every part that the simulator's cards play.
const NUMBERS: [&str; 14] = [
    "4242424242424242",
    "5555555555554444",
    "4000000000000002",
    "4000000000009995",
    "4000000000000119",
    "4000000000007726",
    "4000000000005126",
    "4000000000000903",
    "4000000000000911",
    "4000000000000929",
    "4000000000000937",
    "4000000000000945",
    "4000002760003184",
    "4000008400001629",
];

/// The flows of the house; `None` is the default.
const FLOWS: [Option<&str>; 5] = [
    None,
    Some("capture-by-api"),
    Some("two"),
    Some("three"),
    Some("dying"),
];

/// What is left of a story: enough to tell two runs apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) payments: usize,
    pub(crate) steps: u64,
    pub(crate) digest: String,
}

pub(crate) fn request(flow: Option<&str>, instrument: Instrument, amount: i64) -> Authorise {
    Authorise {
        amount: Some(amount),
        currency: Currency::parse("EUR"),
        target: engine::Target::Flow(flow.map(str::to_owned)),
        intent: None,
        three_ds: domain::payment::ThreeDsWish::AsIssuer,
        three_ds_redirect: domain::redirect::RedirectUrl::parse("https://shop.example/done", "x")
            .ok(),
        browser: None,
        apm_redirect: None,
        instrument: Some(instrument),
        payer: None,
        order_id: None,
        transaction_id: None,
        description: None,
        statement_descriptor: None,
        metadata: None,
        fraud: None,
        initiator: Initiator::Customer,
        recurring: None,
    }
}

pub(crate) fn authorise(
    house: &House,
    caller: &Caller,
    number: &str,
    amount: i64,
    key: Option<&str>,
) -> impl Future<Output = Result<PaymentView, Fault>> + use<> {
    let (engine, caller) = (house.engine.clone(), caller.clone());
    let command = request(None, Instrument::Card(Box::new(card(number))), amount);
    let once = key.map(|key| Once {
        key: key.to_owned(),
        scope: Scope::Authorise,
        arguments: serde_json::json!({"amount": amount, "number": number}),
        number: None,
    });
    async move { engine.authorise(&caller, once, Ok(command)).await.result }
}

pub(crate) fn authorise_on(
    house: &House,
    caller: &Caller,
    flow: &str,
    number: &str,
    amount: i64,
) -> impl Future<Output = Result<PaymentView, Fault>> + use<> {
    let order = Order {
        flow,
        number,
        amount,
    };
    authorise_once(house, caller, order, None)
}

/// What is paid by a raw card, and by which flow.
#[derive(Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) flow: &'a str,
    pub(crate) number: &'a str,
    pub(crate) amount: i64,
}

pub(crate) fn authorise_once(
    house: &House,
    caller: &Caller,
    order: Order<'_>,
    key: Option<&str>,
) -> impl Future<Output = Result<PaymentView, Fault>> + use<> {
    let Order {
        flow,
        number,
        amount,
    } = order;
    let (engine, caller) = (house.engine.clone(), caller.clone());
    let command = request(Some(flow), Instrument::Card(Box::new(card(number))), amount);
    let once = key.map(|key| Once {
        key: key.to_owned(),
        scope: Scope::Authorise,
        arguments: serde_json::json!({"amount": amount, "number": number}),
        number: None,
    });
    async move { engine.authorise(&caller, once, Ok(command)).await.result }
}

pub(crate) fn refund(
    house: &House,
    caller: &Caller,
    id: PaymentId,
    amount: Option<i64>,
) -> impl Future<Output = Result<PaymentView, Fault>> + use<> {
    let (engine, caller) = (house.engine.clone(), caller.clone());
    async move {
        engine
            .refund(
                &caller,
                None,
                Ok(Refund {
                    id,
                    amount,
                    reason: None,
                }),
            )
            .await
            .result
    }
}

/// The answers that clients got, by payment.
type KnownStatuses = Arc<Mutex<BTreeMap<PaymentId, Status>>>;

/// One shopper: pays by token or raw card, then somebody captures, cancels and refunds, some of it at once.
async fn shopper(
    engine: Engine,
    world: world::World,
    caller: Caller,
    reported: KnownStatuses,
    tokens: Arc<Vec<String>>,
) {
    let pick =
        |most: usize| usize::try_from(world.random() % u64::try_from(most).unwrap()).unwrap();
    world
        .sleep(Duration::from_millis(world.random() % 500))
        .await;
    let which = pick(NUMBERS.len());
    let instrument = if pick(2) == 0 {
        Instrument::Token(tokens[which].clone())
    } else {
        Instrument::Card(Box::new(card(NUMBERS[which])))
    };
    let flow = FLOWS[pick(FLOWS.len())];
    let amount = i64::try_from(1 + pick(5000)).unwrap();
    let Ok(view) = engine
        .authorise(&caller, None, Ok(request(flow, instrument, amount)))
        .await
        .result
    else {
        return;
    };
    let id = view.payment.id();
    reported.lock().unwrap().insert(id, view.payment.status());
    for _ in 0..pick(4) {
        world
            .sleep(Duration::from_millis(world.random() % 8_000))
            .await;
        let capture = Capture {
            id,
            amount: Some(i64::try_from(1 + pick(3000)).unwrap()),
            is_final: true,
            metadata: None,
        };
        let part = Refund {
            id,
            amount: Some(i64::try_from(1 + pick(2000)).unwrap()),
            reason: None,
        };
        let results = match pick(4) {
            0 => vec![engine.capture(&caller, None, Ok(capture)).await.result],
            1 => {
                let cancel = engine.cancel(&caller, None, Ok(Cancel { id, reason: None }));
                let capture = engine.capture(&caller, None, Ok(capture));
                let (one, two) = futures_util::join!(cancel, capture);
                vec![one.result, two.result]
            }
            2 => vec![engine.refund(&caller, None, Ok(part)).await.result],
            _ => {
                let (one, two) = futures_util::join!(
                    engine.refund(&caller, None, Ok(part.clone())),
                    engine.refund(&caller, None, Ok(part))
                );
                vec![one.result, two.result]
            }
        };
        for view in results.into_iter().flatten() {
            reported.lock().unwrap().insert(id, view.payment.status());
        }
    }
}

fn tokens(house: &House, caller: &Caller) -> Arc<Vec<String>> {
    Arc::new(house.run(join_all(
        NUMBERS.iter().map(|number| house.token(caller, number)),
    )))
}

fn shoppers(
    house: &House,
    caller: &Caller,
    reported: &KnownStatuses,
    count: usize,
) -> Vec<impl Future<Output = ()> + use<>> {
    let tokens = tokens(house, caller);
    let one = |_| {
        shopper(
            house.engine.clone(),
            house.world.clone(),
            caller.clone(),
            Arc::clone(reported),
            Arc::clone(&tokens),
        )
    };
    (0..count).map(one).collect()
}

/// Plays shoppers, waits until everything unknown has been found out, and checks the books.
pub(crate) fn play(seed: u64, count: usize) -> Played {
    let house = House::build(seed);
    house.engine.start();
    let caller = house.caller();
    let reported = KnownStatuses::default();
    house.run(join_all(shoppers(&house, &caller, &reported, count)));
    house.run(house.world.sleep(Duration::from_hours(3)));
    house.assert_books_equal_payments();
    assert_settled(&house);
    let digest = format!("{:?}", house.events());
    Played {
        payments: house.payments().len(),
        steps: house.steps(),
        digest,
    }
}

/// After hours nothing is unknown any more, and nothing is still under way.
fn assert_settled(house: &House) {
    for payment in house.payments() {
        let open = payment
            .operations()
            .iter()
            .filter(|operation| operation.state.is_open())
            .count();
        assert_eq!(
            open,
            0,
            "{} in {}: {:?}",
            payment.id(),
            payment.status(),
            payment.operations()
        );
        assert!(!matches!(
            payment.status(),
            Status::Active | Status::NoAnswerFromPsp | Status::GatewayHold
        ));
    }
}

/// A refund of everything, under a key.
pub(crate) fn refund_once(
    house: &House,
    caller: &Caller,
    id: PaymentId,
    key: &str,
) -> impl Future<Output = Result<PaymentView, Fault>> + use<> {
    let (engine, caller) = (house.engine.clone(), caller.clone());
    let once = Once {
        key: key.to_owned(),
        scope: Scope::Refund(id.to_string()),
        arguments: serde_json::json!({"id": id.to_string()}),
        number: None,
    };
    let refund = Refund {
        id,
        amount: None,
        reason: None,
    };
    async move { engine.refund(&caller, Some(once), Ok(refund)).await.result }
}
