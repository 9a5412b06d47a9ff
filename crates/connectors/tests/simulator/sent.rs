//! What the simulator sends by itself, and how it is proven.

use connector::{Connector, Delivery, Link, NotGenuine, NoticeContent};
use connectors::simulator::BookingKind;
use domain::{
    answer::LaterAnswer,
    dispute::{DisputeReason, DisputeStage, DisputeStatus},
};
use futures_util::future::BoxFuture;
use http_client::{Body, Http, HttpError, Recipient, Reply, Request};
use parking_lot::Mutex;

use crate::shop::Shop;

/// A post as it arrived.
#[derive(Clone)]
struct Posted {
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Keeps what is posted, and answers with the next of the statuses, then with 200.
#[derive(Default)]
struct Receiver {
    statuses: Mutex<Vec<u16>>,
    posted: Mutex<Vec<Posted>>,
}

impl Http for Receiver {
    fn send<'a>(
        &'a self,
        _: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        let body = match &request.body {
            Body::Json(bytes) => bytes.to_vec(),
            Body::Empty | Body::Form(_) | Body::File { .. } => Vec::new(),
        };
        let headers = request.headers.iter();
        self.posted.lock().push(Posted {
            url: request.url.host().to_owned(),
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            body,
        });
        let status = self.statuses.lock().pop().unwrap_or(200);
        Box::pin(std::future::ready(Ok(Reply::new(status, ""))))
    }
}

fn link(shop: &Shop) -> Link<'_> {
    Link {
        now: shop.world.now(),
        ..shop.link()
    }
}

/// What the simulator has to say after so many milliseconds.
fn sent(shop: &Shop, receiver: &Receiver, millis: u64) -> Vec<Posted> {
    shop.wait(millis);
    for _ in 0..10 {
        let send = shop.simulator.send_due(receiver, "http://127.0.0.1:1", 10);
        if shop.play(send).unwrap() == 0 {
            break;
        }
    }
    std::mem::take(&mut receiver.posted.lock())
}

fn opened(shop: &Shop, posted: &Posted) -> Result<Vec<connector::Notice>, NotGenuine> {
    let facet = shop.simulator.notices().unwrap();
    let delivery = Delivery {
        body: &posted.body,
        headers: &posted.headers,
    };
    facet.prove(&link(shop), &delivery)?;
    Ok(facet.read(&delivery).unwrap())
}

#[test]
fn a_dispute_is_sent_signed_until_it_is_taken_and_never_without_a_signature_believed() {
    let shop = Shop::open();
    let reference = shop.sold("4000000000002685");
    let receiver = Receiver::default();
    assert!(sent(&shop, &receiver, 100).is_empty(), "not yet");
    *receiver.statuses.lock() = vec![200, 503];
    let first = sent(&shop, &receiver, 3_000);
    assert_eq!(first.len(), 1, "refused, and left for later");
    let again = sent(&shop, &receiver, 60_000);
    assert!(!again.is_empty());
    let notices = opened(&shop, &again[0]).unwrap();
    assert_eq!(
        notices[0].subject.reference.as_deref(),
        Some(reference.as_str())
    );
    let NoticeContent::Dispute(report) = &notices[0].content else {
        panic!("{notices:?}")
    };
    assert_eq!(
        (report.status, report.stage, report.reason),
        (
            DisputeStatus::NeedsResponse,
            DisputeStage::Chargeback,
            Some(DisputeReason::CustomerDisputes)
        )
    );
    assert!(
        sent(&shop, &receiver, 600_000).is_empty(),
        "once it is taken"
    );
    let mut altered = again[0].clone();
    altered.body.push(b' ');
    assert_eq!(opened(&shop, &altered), Err(NotGenuine::Forged));
    let mut bare = again[0].clone();
    bare.headers.retain(|(name, _)| name != "webhook-signature");
    assert_eq!(opened(&shop, &bare), Err(NotGenuine::Unsigned));
    let mut twice = again[0].clone();
    twice.headers.extend(again[0].headers.clone());
    assert_eq!(
        opened(&shop, &twice),
        Err(NotGenuine::Unsigned),
        "which one counts?"
    );
    shop.wait(400_000);
    assert_eq!(opened(&shop, &again[0]), Err(NotGenuine::Untimely));
    assert_eq!(again[0].url, "127.0.0.1");
}

#[test]
fn refunds_that_come_late_are_reported_as_they_end() {
    let shop = Shop::open();
    let receiver = Receiver::default();
    for (number, is_done) in [("4000000000007726", true), ("4000000000005126", false)] {
        let reference = shop.sold(number);
        let refund = shop.reference();
        shop.later(BookingKind::Refund, &reference, &refund, 300)
            .unwrap()
            .unwrap();
        let posted = sent(&shop, &receiver, 3_000);
        let notices = opened(&shop, &posted[0]).unwrap();
        assert_eq!(
            notices[0].subject.reference.as_deref(),
            Some(refund.as_str())
        );
        let NoticeContent::Later(answer) = &notices[0].content else {
            panic!("{notices:?}")
        };
        assert_eq!(
            matches!(answer, LaterAnswer::Done { .. }),
            is_done,
            "{answer:?}"
        );
    }
}

#[test]
fn a_dispute_is_read_as_it_stands_and_by_its_own_connection_alone() {
    let shop = Shop::open();
    shop.sold("4000000000005423");
    let receiver = Receiver::default();
    let posted = sent(&shop, &receiver, 3_000);
    let notices = opened(&shop, &posted[0]).unwrap();
    let NoticeContent::Dispute(report) = &notices[0].content else {
        panic!("{notices:?}")
    };
    let facet = shop.simulator.disputes().unwrap();
    let own = link(&shop);
    let read = shop.play(facet.read(&own, &report.source_id)).unwrap();
    assert_eq!(read.as_ref(), Some(report));
    let other = crate::shop::connection("simulator-b");
    let foreign = Link {
        connection: &other,
        ..link(&shop)
    };
    assert_eq!(
        shop.play(facet.read(&foreign, &report.source_id)).unwrap(),
        None
    );
    assert_eq!(shop.play(facet.read(&own, "simdp_x")).unwrap(), None);
}
