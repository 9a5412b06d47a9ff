//! The simulated processor's own books, and the check that they and the payments agree.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Payment, Shop};

/// Look-ups of unknown outcomes have their schedule: after 5 s, 30 s, and on every read.
const SETTLED_WITHIN: Duration = Duration::from_secs(90);

/// What the simulator did for one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The authorise call's reference: `<payment uuid>-<n>`.
    pub reference: String,
    /// The connection that was asked.
    pub connection: String,
    /// The currency's code.
    pub currency: String,
    /// In minor units; zero for a decline.
    pub authorised: i64,
    /// In minor units.
    pub captured: i64,
    /// In minor units.
    pub refunded: i64,
    /// Was the authorisation cancelled?
    pub cancelled: bool,
    /// Can more be captured? Not after a final capture, nor after a release.
    pub is_open: bool,
    /// The amounts of refunds that took effect, by the reference of the capture that they name.
    pub refunds: BTreeMap<String, i64>,
    /// What was said of an agreement on a stored card; null where nothing was.
    pub agreement: Value,
    /// The order of another system of the merchant's, which made it.
    pub elsewhere: Option<String>,
}

impl Entry {
    fn of(json: &Value) -> Self {
        let number = |name: &str| {
            json[name]
                .as_i64()
                .unwrap_or_else(|| panic!("no {name}: {json}"))
        };
        let list = |name: &str| json[name].as_array().map_or(&[][..], Vec::as_slice);
        let is_final = |capture: &Value| capture["status"] == "done" && capture["final"].is_null();
        let text = |name: &str| {
            json[name]
                .as_str()
                .unwrap_or_else(|| panic!("no {name}: {json}"))
                .to_owned()
        };
        let cancelled = json["cancelled"] == Value::Bool(true);
        Self {
            reference: text("reference"),
            connection: text("connection"),
            currency: text("currency"),
            authorised: number("authorised"),
            captured: number("captured"),
            refunded: number("refunded"),
            cancelled,
            is_open: !cancelled
                && json["released"].is_null()
                && number("captured") < number("authorised")
                && !list("captures").iter().any(is_final),
            refunds: refunds_of(list("refunds")),
            agreement: json["agreement"].clone(),
            elsewhere: json["elsewhere"].as_str().map(str::to_owned),
        }
    }

    /// Does it hold, or has it taken, the shopper's money?
    pub fn is_charge(&self) -> bool {
        self.authorised > 0 && !self.cancelled
    }

    /// The UUID of the payment that it belongs to.
    pub fn payment(&self) -> &str {
        self.reference
            .rsplit_once('-')
            .map_or("", |(payment, _)| payment)
    }
}

/// What was refunded of each capture that a refund named.
fn refunds_of(refunds: &[Value]) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    for refund in refunds.iter().filter(|one| one["status"] == "done") {
        if let (Some(capture), Some(amount)) =
            (refund["capture"].as_str(), refund["amount"].as_i64())
        {
            *sums.entry(capture.to_owned()).or_default() += amount;
        }
    }
    sums
}

/// The whole books.
#[derive(Clone, Debug)]
pub struct Books {
    /// One for each authorise call that reached the simulator.
    pub entries: Vec<Entry>,
}

impl Books {
    /// The entries of one payment.
    pub fn of(&self, payment: &Payment) -> Vec<Entry> {
        let uuid = payment.uuid();
        let order = payment.0["orderId"].as_str();
        let is_its = |entry: &&Entry| match &entry.elsewhere {
            Some(made_for) => Some(made_for.as_str()) == order,
            None => entry.payment() == uuid,
        };
        self.entries.iter().filter(is_its).cloned().collect()
    }

    /// The only entry of one payment that is a charge; fails the test when there is none or another.
    #[track_caller]
    pub fn charge(&self, payment: &Payment) -> Entry {
        let charges: Vec<Entry> = self
            .of(payment)
            .into_iter()
            .filter(Entry::is_charge)
            .collect();
        assert_eq!(charges.len(), 1, "{charges:?}");
        charges[0].clone()
    }

    /// How many charges there are in all.
    pub fn charges(&self) -> usize {
        self.entries
            .iter()
            .filter(|entry| entry.is_charge())
            .count()
    }
}

impl Shop {
    /// Reads the simulator's books.
    #[track_caller]
    pub fn books(&self) -> Books {
        let reply = self.get("/sandbox/books");
        assert_eq!(reply.status, 200, "{}", reply.text());
        let json: Value = serde_json::from_slice(&reply.body).expect("the books are JSON");
        Books {
            entries: json["entries"]
                .as_array()
                .expect("entries")
                .iter()
                .map(Entry::of)
                .collect(),
        }
    }

    /// At the end of a story of the server's only team: every charge in the books belongs to exactly one
    /// payment, and what was authorised, captured, cancelled and refunded is the same on both sides.
    /// What is still unsettled is read until it is settled.
    #[track_caller]
    pub fn assert_books_equal_payments(&self) {
        self.assert_books_equal_payments_of(&[]);
    }

    /// The books and this payment agree, whatever else goes on at the server.
    #[track_caller]
    pub fn assert_books_agree_on(&self, id: &str) {
        let start = Instant::now();
        loop {
            let payment = self.payment(id);
            let Some(difference) = difference(&payment, &self.books().of(&payment)) else {
                return;
            };
            assert!(start.elapsed() < SETTLED_WITHIN, "{difference}");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Like [`Self::assert_books_equal_payments`], where other teams have payments too.
    #[track_caller]
    pub fn assert_books_equal_payments_of(&self, others: &[&Self]) {
        let start = Instant::now();
        loop {
            let shops: Vec<&Self> = std::iter::once(self)
                .chain(others.iter().copied())
                .collect();
            // Each team sees what is its own, and what no payment explains.
            let of_each = shops.iter().map(|shop| differences(&shop.books(), &[shop]));
            let differences: Vec<String> = of_each.flatten().collect();
            if differences.is_empty() {
                return;
            }
            assert!(
                start.elapsed() < SETTLED_WITHIN,
                "the books and the payments differ:\n{}",
                differences.join("\n")
            );
            thread::sleep(Duration::from_millis(250));
        }
    }
}

fn differences(books: &Books, shops: &[&Shop]) -> Vec<String> {
    let mut payments = BTreeMap::new();
    for shop in shops {
        for listed in shop.every_payment() {
            // A read looks up what is unknown; the list does not.
            let payment = if is_settled(&listed) {
                listed
            } else {
                shop.payment(&listed.id())
            };
            payments.insert(payment.uuid(), payment);
        }
    }
    let orphans = books
        .entries
        .iter()
        // What another system made is imported where the connection says so.
        .filter(|entry| entry.elsewhere.is_none() && !payments.contains_key(entry.payment()))
        .map(|entry| format!("nobody's entry: {entry:?}"));
    let unequal = payments
        .values()
        .filter_map(|payment| difference(payment, &books.of(payment)));
    orphans.chain(unequal).collect()
}

fn is_settled(payment: &Payment) -> bool {
    !matches!(
        payment.status(),
        "NO_ANSWER_FROM_PSP" | "GATEWAY_HOLD" | "REFUND_PENDING"
    )
}

fn difference(payment: &Payment, entries: &[Entry]) -> Option<String> {
    let charges: Vec<&Entry> = entries.iter().filter(|entry| entry.is_charge()).collect();
    let expected = match payment.status() {
        "AUTHORISED" | "SUCCEEDED" | "PARTIAL_REFUNDED" | "REFUNDED" | "REFUND_FAILED" => 1,
        // Nothing is charged before the customer has come back.
        "DECLINED" | "FAILED" | "CANCELLED" | "NEEDS_3D_SECURE" | "NEEDS_APM_AUTHORIZATION" => 0,
        unsettled => return Some(format!("{} is still {unsettled}", payment.id())),
    };
    let complain = |what: &str| {
        Some(format!(
            "{} ({}): {what}: {entries:?} {}",
            payment.id(),
            payment.status(),
            payment.0
        ))
    };
    if charges.len() != expected {
        return complain("another number of charges");
    }
    let charge = charges.first()?;
    if charge.authorised != payment.number("/amount/rawAmount")
        || Some(charge.currency.as_str()) != payment.0["currency"].as_str()
    {
        return complain("another amount was authorised");
    }
    if charge.is_open != (payment.status() == "AUTHORISED") {
        return complain("one of them says that more can be captured");
    }
    if charge.captured != payment.number("/capturedAmount") {
        return complain("another amount was captured");
    }
    if charge.refunded != payment.number("/refundedAmount") {
        return complain("another amount was refunded");
    }
    None
}
