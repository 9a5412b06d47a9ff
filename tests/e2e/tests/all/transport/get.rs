//! `GET /api/graphql`: queries only.

use testkit::{Answer, cards};

use crate::shared;

#[test]
fn a_query_is_answered() {
    let answer = Answer::of(shared::shop().get("/api/graphql?query=%7B__typename%7D"));
    assert_eq!(answer.data()["__typename"], "Query");
}

#[test]
fn variables_and_operation_names_are_read() {
    let path = "/api/graphql?query=query%20A%7B__typename%7Dquery%20B(%24n%3AInt)%7BlistPayments(first%3A%24n)%7B__typename%7D%7D\
        &operationName=B&variables=%7B%22n%22%3A1%7D";
    assert_eq!(
        Answer::of(shared::shop().get(path)).root()["__typename"],
        "PaymentsWithFilter"
    );
}

#[test]
fn a_mutation_is_refused_and_does_nothing() {
    let shop = shared::shop();
    let payment = shop.authorise_later(cards::VISA);
    let path = format!(
        "/api/graphql?query=mutation%7BcapturePayment(id%3A%22{}%22)%7Bid%7D%7D",
        payment.id().replace(':', "%3A")
    );
    let reply = shop.get(&path);
    assert_eq!(reply.status, 405, "{}", reply.text());
    shop.payment(&payment.id()).assert_status("AUTHORISED");
}

#[test]
fn a_credential_is_needed_here_too() {
    assert_eq!(
        shared::server()
            .stranger()
            .get("/api/graphql?query=%7B__typename%7D")
            .status,
        401
    );
}

#[test]
fn a_request_without_a_query_is_refused() {
    assert_eq!(shared::shop().get("/api/graphql").status, 400);
}
