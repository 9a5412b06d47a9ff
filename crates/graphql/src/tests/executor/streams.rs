use futures_util::FutureExt as _;

use super::*;
use crate::{Frame, Sink};

/// Keeps what is sent, and takes no more than so many.
#[derive(Default)]
struct Kept {
    operation: Option<&'static str>,
    frames: Vec<(Option<String>, Value)>,
    most: usize,
}

impl Sink for Kept {
    fn begin(&mut self, operation: &'static str) {
        assert!(self.operation.replace(operation).is_none());
    }

    fn send(&mut self, frame: Frame) -> BoxFuture<'_, bool> {
        let body = frame
            .body
            .map(|body| serde_json::from_slice(&body).unwrap());
        let body = body.unwrap_or_default();
        self.frames.push((frame.place, body));
        let goes_on = self.frames.len() < self.most;
        async move { goes_on }.boxed()
    }
}

fn streamed(document: &str, most: usize) -> (Option<Response>, Kept) {
    let toy = Toy::default();
    let executor = Executor::new(
        product(MethodNames::Specified),
        Limits::default(),
        Introspection::On,
    )
    .unwrap();
    let request = Request {
        query: document.to_owned(),
        operation_name: None,
        variables: Map::new(),
        answer_by: None,
    };
    let mut kept = Kept {
        most,
        ..Kept::default()
    };
    let refusal = executor
        .stream(&request, Method::Post, |_| Borrowed(&toy), &mut kept)
        .now_or_never()
        .unwrap();
    (refusal, kept)
}

#[test]
fn each_value_of_a_subscription_is_an_answer_with_its_place() {
    let document = "subscription { again: paymentTimeline(id: 1) { id } }";
    let (refusal, kept) = streamed(document, 10);
    assert!(refusal.is_none());
    assert_eq!(kept.operation, Some("paymentTimeline"));
    let data = json!({"data": {"again": {"id": "payments:1"}}});
    assert_eq!(
        kept.frames,
        [
            (Some("place-1".to_owned()), data.clone()),
            (Some("place-2".to_owned()), data)
        ]
    );
    // Nobody takes the second one.
    assert_eq!(streamed(document, 1).1.frames.len(), 1);
}

#[test]
fn a_source_that_does_not_open_is_one_answer_with_its_error() {
    let (refusal, kept) = streamed("subscription { events { id } }", 10);
    assert!(refusal.is_none());
    assert_eq!(kept.frames.len(), 1);
    let (place, body) = &kept.frames[0];
    assert!(place.is_none() && body["data"]["events"].is_null());
    assert_eq!(body["errors"][0]["extensions"]["code"], "error.unavailable");
}

#[test]
fn what_is_no_subscription_is_answered_once() {
    let (refusal, kept) = streamed("{ getPayment(id: 1) { id } }", 10);
    assert!(refusal.is_none());
    let data = json!({"data": {"getPayment": {"id": "payments:1"}}});
    assert_eq!(kept.frames, [(None, data)]);
}

#[test]
fn what_can_t_run_is_refused_before_it_begins() {
    for document in [
        "subscription {",
        "subscription { event { id } }",
        "subscription { __typename }",
        "subscription ($a: Boolean) { events @skip(if: $a) { id } }",
    ] {
        let (refusal, kept) = streamed(document, 10);
        assert!(refusal.is_some(), "{document}");
        assert!(
            kept.operation.is_none() && kept.frames.is_empty(),
            "{document}"
        );
    }
}

/// A root whose sources take their time to open.
struct Slow<'t>(Borrowed<'t>);

impl Root for Slow<'_> {
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer> {
        self.0.resolve(call)
    }

    fn subscribe<'a>(&'a self, _: RootCall<'a>) -> BoxFuture<'a, Result<Items<'a>, Fault>> {
        std::future::pending().boxed()
    }
}

#[test]
fn nobody_learns_that_a_stream_is_open_before_its_source_is() {
    let toy = Toy::default();
    let executor = Executor::new(
        product(MethodNames::Specified),
        Limits::default(),
        Introspection::On,
    )
    .unwrap();
    let request = Request {
        query: "subscription { paymentTimeline(id: 1) { id } }".to_owned(),
        operation_name: None,
        variables: Map::new(),
        answer_by: None,
    };
    let mut kept = Kept::default();

    let streaming = executor.stream(&request, Method::Post, |_| Slow(Borrowed(&toy)), &mut kept);
    assert!(streaming.now_or_never().is_none());
    assert_eq!(kept.operation, None);
}
