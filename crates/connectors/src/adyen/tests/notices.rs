//! Notifications: what is genuine, and what it says.

use connector::{
    Answer, Approval, Booked, Booking, Credentials, Delivery, LaterAnswer, Link, NotGenuine,
    Notice, NoticeContent, Notices,
};
use domain::{Timestamp, decline::DeclineCode, id::ConnectionId};
use serde_json::{Value, json};

use super::euros;
use crate::adyen::{Adyen, registration::EVENTS};

const REFERENCE: &str = "01890000-0000-7000-8000-000000000001-2";

fn delivered(event: &str, success: &str) -> Value {
    json!({"live": "false", "notificationItems": [{"NotificationRequestItem": {
        "pspReference": "QFQTPCQ8HXSKGK82",
        "originalReference": "9913140798220028",
        "merchantAccountCode": "ShopECOM",
        "merchantReference": REFERENCE,
        "amount": {"value": 1000, "currency": "EUR"},
        "eventCode": event,
        "success": success,
        "eventDate": "2026-01-01T01:00:00+01:00",
        "reason": "some words",
    }}]})
}

fn read(body: &Value) -> Notice {
    let body = body.to_string();
    let delivery = Delivery {
        body: body.as_bytes(),
        headers: &[],
    };
    let mut notices = Adyen.read(&delivery).unwrap();
    assert_eq!(notices.len(), 1);
    notices.remove(0)
}

fn content(event: &str, success: &str) -> NoticeContent {
    read(&delivered(event, success)).content
}

#[test]
fn changes_are_read_as_what_they_say() {
    for (event, what) in [
        ("CAPTURE", Booking::Capture),
        ("CANCELLATION", Booking::Cancellation),
        ("TECHNICAL_CANCEL", Booking::Cancellation),
        ("REFUND", Booking::Refund),
    ] {
        let booked = Some(Booked {
            what,
            money: euros(1000),
        });
        let done = LaterAnswer::Done {
            processor_id: Some("QFQTPCQ8HXSKGK82".to_owned()),
            booked,
        };
        assert_eq!(
            content(event, "true"),
            NoticeContent::Later(done),
            "{event}"
        );
        let refused = LaterAnswer::Refused {
            reason: format!("{event}: some words").into(),
            booked,
        };
        assert_eq!(
            content(event, "false"),
            NoticeContent::Later(refused),
            "{event}"
        );
    }
    for (event, what) in [
        ("CAPTURE_FAILED", Booking::Capture),
        ("REFUND_FAILED", Booking::Refund),
        ("REFUNDED_REVERSED", Booking::Refund),
    ] {
        let reversed = LaterAnswer::Reversed {
            reason: format!("{event}: some words").into(),
            booked: Some(Booked {
                what,
                money: euros(1000),
            }),
        };
        assert_eq!(
            content(event, "true"),
            NoticeContent::Later(reversed),
            "{event}"
        );
        assert_eq!(content(event, "false"), NoticeContent::Other, "{event}");
    }
}

#[test]
fn an_authorisation_is_believed_as_far_as_it_is_signed() {
    let NoticeContent::Approved(approval) = content("AUTHORISATION", "true") else {
        panic!("an approval");
    };
    assert_eq!(
        approval,
        Approval {
            processor_id: Some("QFQTPCQ8HXSKGK82".to_owned()),
            booked: Some(euros(1000)),
            ..Approval::default()
        }
    );
    let mut refused = delivered("AUTHORISATION", "false");
    let item = &mut refused["notificationItems"][0]["NotificationRequestItem"];
    item["additionalData"] =
        json!({"refusalReasonRaw": "51 : Insufficient funds", "networkTxReference": "X"});
    let NoticeContent::Authorisation(Answer::Declined { decline, approval }) =
        read(&refused).content
    else {
        panic!("a decline");
    };
    assert_eq!(decline.code, DeclineCode::Unknown);
    assert_eq!(
        decline.processor_code.as_deref(),
        Some("51 : Insufficient funds")
    );
    assert_eq!(approval.scheme_transaction_id, None);
    let closed = read(&delivered("OFFER_CLOSED", "true"));
    assert!(matches!(
        closed.content,
        NoticeContent::Authorisation(Answer::Declined { .. })
    ));
    assert_eq!(closed.subject.processor_id, None);
    assert_eq!(content("EXPIRE", "true"), NoticeContent::Released);
    assert_eq!(content("CANCEL_OR_REFUND", "true"), NoticeContent::Changed);
    assert_eq!(content("A_NEW_EVENT", "true"), NoticeContent::Other);
    let has_response = NoticeContent::Responded("QFQTPCQ8HXSKGK82".to_owned());
    assert_eq!(content("INFORMATION_SUPPLIED", "true"), has_response);
    let refused = content("INFORMATION_SUPPLIED", "false");
    assert_eq!(refused, NoticeContent::Other);
}

#[test]
fn what_is_under_a_reference_of_somebody_else_is_nobodys_here() {
    let mut body = delivered("AUTHORISATION", "true");
    body["notificationItems"][0]["NotificationRequestItem"]["merchantReference"] = json!("order-7");
    assert_eq!(read(&body).content, NoticeContent::Other);
}

#[test]
fn copies_have_the_same_id_whatever_they_say_besides() {
    let one = delivered("CAPTURE", "true");
    let mut copy = one.clone();
    let item = &mut copy["notificationItems"][0]["NotificationRequestItem"];
    item["eventDate"] = json!("2026-02-02T01:00:00+01:00");
    item["reason"] = json!("others");
    assert_eq!(read(&one).id, read(&copy).id);
    for other in [
        delivered("CAPTURE", "false"),
        delivered("CAPTURE_FAILED", "true"),
    ] {
        assert_ne!(read(&one).id, read(&other).id);
    }
}

const KEY: &str = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

fn proven(
    change: impl FnOnce(&mut Value),
    credentials: &Value,
    headers: &[(String, String)],
) -> Result<(), NotGenuine> {
    let mut body = delivered("CAPTURE", "true");
    let item = &mut body["notificationItems"][0]["NotificationRequestItem"];
    // Made with `hmacValidator.js` of npm `@adyen/api-library` 32.1.0.
    item["additionalData"] =
        json!({"hmacSignature": "w3+8dKYIuwMvrVAUIQUG3Kvub2aJ9XPOHwRK/YXOB10="});
    change(&mut body);
    let body = body.to_string();
    let delivery = Delivery {
        body: body.as_bytes(),
        headers,
    };
    let connection = ConnectionId::parse("adyen").unwrap();
    let credentials = Credentials::read(credentials.to_string().as_bytes()).unwrap();
    let settings = Value::Null;
    let link = Link {
        credentials: Some(&credentials),
        ..Link::offline(&connection, &settings, Timestamp::from_micros(0))
    };
    Adyen.prove(&link, &delivery)
}

#[test]
fn only_what_is_signed_for_this_account_and_mode_is_genuine() {
    let account = json!({"merchantAccount": "ShopECOM", "hmacKey": KEY});
    assert_eq!(proven(|_| {}, &account, &[]), Ok(()));
    assert_eq!(
        proven(|body| body["live"] = json!("true"), &account, &[]),
        Err(NotGenuine::OtherMode)
    );
    let other = json!({"merchantAccount": "OtherECOM", "hmacKey": KEY});
    assert_eq!(proven(|_| {}, &other, &[]), Err(NotGenuine::Forged));
    for none in [
        json!({"merchantAccount": "ShopECOM"}),
        json!({"merchantAccount": "ShopECOM", "hmacKey": ""}),
    ] {
        assert_eq!(proven(|_| {}, &none, &[]), Err(NotGenuine::NoSecret));
    }
    let two = |body: &mut Value| {
        let mut second = body["notificationItems"][0].clone();
        second["NotificationRequestItem"]["success"] = json!("false");
        body["notificationItems"]
            .as_array_mut()
            .unwrap()
            .push(second);
    };
    assert_eq!(proven(two, &account, &[]), Err(NotGenuine::Forged));
    let no_json = |body: &mut Value| *body = json!("<xml>");
    assert_eq!(proven(no_json, &account, &[]), Err(NotGenuine::Unsigned));
}

#[test]
fn a_password_is_asked_for_where_the_connection_has_one() {
    let account = json!({"merchantAccount": "ShopECOM", "hmacKey": KEY, "notificationUser": "u", "notificationPassword": "p"});
    let header = |value: &str| [("authorization".to_owned(), value.to_owned())];
    assert_eq!(proven(|_| {}, &account, &header("Basic dTpw")), Ok(()));
    for wrong in ["Basic dTpx", "Bearer dTpw", ""] {
        assert_eq!(
            proven(|_| {}, &account, &header(wrong)),
            Err(NotGenuine::Forged),
            "{wrong}"
        );
    }
    assert_eq!(proven(|_| {}, &account, &[]), Err(NotGenuine::Forged));
}

#[test]
fn what_is_registered_for_is_what_is_read() {
    let published = [
        "INFORMATION_SUPPLIED",
        "ISSUER_COMMENTS",
        "MANUAL_REVIEW_ACCEPT",
        "ORDER_CLOSED",
        "PENDING",
        "RECURRING_CONTRACT",
        "REPORT_AVAILABLE",
    ];
    for event in EVENTS.into_iter().chain(published) {
        let says = ["true", "false"].map(|success| content(event, success));
        let is_read = says.iter().any(|one| *one != NoticeContent::Other);
        assert_eq!(EVENTS.contains(&event), is_read, "{event}: {says:?}");
    }
}
