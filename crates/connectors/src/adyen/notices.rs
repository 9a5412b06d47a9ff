//! The facet of notices: standard webhooks. Source: docs/processors/adyen.md, "Notifications and signatures" and "Later changes and
//! disputes".
//!
//! # What is believed
//! Ids, references, amount, event and outcome are signed, and they alone move money and states. Why something was refused, and what is
//! said of a dispute besides, is not signed: it is shown to people and decides nothing. A second delivery with the same signed members is
//! a copy, whatever else it says.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use connector::{
    Answer, Approval, Booked, Booking, Delivery, LaterAnswer, Link, NotGenuine, Notice,
    NoticeContent, Notices, Reference, Subject, Unreadable,
};
use domain::{
    caller::Mode,
    decline::{Decline, DeclineCode},
    money::Money,
};
use subtle::ConstantTimeEq;

use super::{
    Adyen, amounts,
    descriptor::{HMAC_KEY, MERCHANT_ACCOUNT, NOTIFICATION_PASSWORD, NOTIFICATION_USER},
    disputed,
    item::{self, Item},
};

/// What a merchant does at Adyen.
const SET_UP: &str = "In Adyen's Customer Area, for the merchant account and not for the company: Developers, Webhooks, add a Standard webhook \
    with this address, method JSON, and all event codes of payments and disputes (among them CAPTURE_FAILED, REFUND_FAILED, \
    REFUNDED_REVERSED, TECHNICAL_CANCEL, OFFER_CLOSED and EXPIRE, which are not on by default everywhere). Generate its HMAC key and put it \
    into hmacKey; if you set basic authentication too, put it into notificationUser and notificationPassword.";

impl Notices for Adyen {
    fn set_up(&self) -> &'static str {
        SET_UP
    }

    fn prove(&self, link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine> {
        let key = link
            .credential(HMAC_KEY)
            .filter(|key| !key.is_empty())
            .and_then(|key| hex::decode(key).ok())
            .ok_or(NotGenuine::NoSecret)?;
        let sent = item::read(delivery).map_err(|_| NotGenuine::Unsigned)?;
        // Each item by itself; one that is forged spoils the delivery, since who reads it later can't tell which.
        for item in &sent.items {
            item.prove(&key)?;
        }
        knows_password(link, delivery)?;
        let account = link.credential(MERCHANT_ACCOUNT).unwrap_or_default();
        if sent
            .items
            .iter()
            .any(|item| item.merchant_account_code != account)
        {
            // A key of the company account signs for all its accounts: of the others nothing is believed here.
            return Err(NotGenuine::Forged);
        }
        if sent.is_live != (link.mode == Mode::Live) {
            return Err(NotGenuine::OtherMode);
        }
        Ok(())
    }

    fn read(&self, delivery: &Delivery<'_>) -> Result<Vec<Notice>, Unreadable> {
        let sent = item::read(delivery)?;
        sent.items.iter().map(notice).collect()
    }
}

/// Whether the sender knows the password, where the connection has one.
fn knows_password(link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine> {
    let given = |name| link.credential(name).filter(|value| !value.is_empty());
    let (Some(user), Some(password)) = (given(NOTIFICATION_USER), given(NOTIFICATION_PASSWORD))
    else {
        return Ok(());
    };
    let header = delivery.header("authorization").unwrap_or_default();
    let expected = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
    if bool::from(header.as_bytes().ct_eq(expected.as_bytes())) {
        Ok(())
    } else {
        Err(NotGenuine::Forged)
    }
}

fn notice(item: &Item) -> Result<Notice, Unreadable> {
    Ok(Notice {
        id: item.id(),
        word: item.event_code.clone(),
        subject: Subject {
            reference: Some(item.merchant_reference.clone()).filter(|text| !text.is_empty()),
            processor_id: Some(item.psp_reference.clone()),
        },
        content: NoticeContent::Other,
    })
    .and_then(|notice| with_content(notice, item))
}

/// What an event says. An event that is not in the tables says nothing.
fn with_content(notice: Notice, item: &Item) -> Result<Notice, Unreadable> {
    if let Some(standing) = disputed::standing(&item.event_code) {
        return disputed::notice(notice, item, standing);
    }
    // A system that shares the account has references of its own; so has what somebody enters by hand.
    if Reference::parse(&item.merchant_reference).is_none() {
        return Ok(notice);
    }
    let money = item
        .amount
        .as_ref()
        .and_then(|amount| amounts::from_wire(amount.value, &amount.currency));
    let content = match later(item, money) {
        Some(answer) => NoticeContent::Later(answer),
        None => authorisation(item, money),
    };
    // An offer has an id of its own.
    let is_offer = item.event_code == "OFFER_CLOSED";
    let subject = Subject {
        processor_id: notice.subject.processor_id.clone().filter(|_| !is_offer),
        ..notice.subject.clone()
    };
    Ok(Notice {
        subject,
        content,
        ..notice
    })
}

/// What an event says of an authorisation.
fn authorisation(item: &Item, money: Option<Money>) -> NoticeContent {
    match (item.event_code.as_str(), item.is_success()) {
        ("AUTHORISATION", true) => match money {
            Some(_) => NoticeContent::Approved(Approval {
                processor_id: Some(item.psp_reference.clone()),
                booked: money,
                ..Approval::default()
            }),
            // In a currency of which nothing is known: a person must look.
            None => NoticeContent::Changed,
        },
        ("AUTHORISATION", false) => NoticeContent::Authorisation(Answer::Declined {
            decline: refused(item),
            approval: Approval {
                processor_id: Some(item.psp_reference.clone()),
                ..Approval::default()
            },
        }),
        // Nobody can pay by it any more.
        ("OFFER_CLOSED", true) => NoticeContent::Authorisation(Answer::Declined {
            decline: Decline::of(DeclineCode::PaymentCancelled),
            approval: Approval::default(),
        }),
        ("EXPIRE" | "MANUAL_REVIEW_REJECT", true) => NoticeContent::Ended,
        ("AUTHORISATION_ADJUSTMENT" | "CANCEL_OR_REFUND", _) => NoticeContent::Changed,
        _ => NoticeContent::Other,
    }
}

/// Why a payment was refused. That it was is signed, why is not: the words are kept for people, and no rule goes by them.
fn refused(item: &Item) -> Decline {
    let mut decline = Decline::of(DeclineCode::Unknown);
    let words = item.hint("refusalReasonRaw").or(item.reason.as_deref());
    let words = words.filter(|words| !matches!(*words, "" | "null"));
    decline.processor_code = words.map(Into::into);
    decline
}

/// What an event says of a capture, a cancellation or a refund.
fn later(item: &Item, money: Option<Money>) -> Option<LaterAnswer> {
    let (what, is_undone) = match item.event_code.as_str() {
        "CAPTURE" => (Booking::Capture, false),
        "CAPTURE_FAILED" => (Booking::Capture, true),
        "CANCELLATION" | "TECHNICAL_CANCEL" => (Booking::Cancellation, false),
        "REFUND" => (Booking::Refund, false),
        "REFUND_FAILED" | "REFUNDED_REVERSED" => (Booking::Refund, true),
        _ => return None,
    };
    let booked = money.map(|money| Booked { what, money });
    let reason = || {
        let words = item.reason.as_deref().unwrap_or_default();
        let words = if words.is_empty() {
            "no reason given"
        } else {
            words
        };
        format!("{}: {words}", item.event_code).into()
    };
    Some(match (is_undone, item.is_success()) {
        (false, true) => LaterAnswer::Done {
            processor_id: Some(item.psp_reference.clone()),
            booked,
        },
        (false, false) => LaterAnswer::Refused {
            reason: reason(),
            booked,
        },
        (true, true) => LaterAnswer::Reversed {
            reason: reason(),
            booked,
        },
        (true, false) => return None,
    })
}

#[cfg(test)]
mod tests {
    use connector::Credentials;
    use domain::{Timestamp, id::ConnectionId, money::Currency};
    use serde_json::{Value, json};

    use super::*;

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

    fn euros(minor: i64) -> Money {
        Money::new(minor, Currency::parse("EUR").unwrap())
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
        assert_eq!(content("EXPIRE", "true"), NoticeContent::Ended);
        assert_eq!(content("CANCEL_OR_REFUND", "true"), NoticeContent::Changed);
        assert_eq!(content("A_NEW_EVENT", "true"), NoticeContent::Other);
    }

    #[test]
    fn what_is_under_a_reference_of_somebody_else_is_nobodys_here() {
        let mut body = delivered("AUTHORISATION", "true");
        body["notificationItems"][0]["NotificationRequestItem"]["merchantReference"] =
            json!("order-7");
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
}
