//! The stories.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, future::join};
use serde_json::{Value, json};

use super::{Story, actor::Actor};
use crate::{bank::Mood, house::Got, shop::raw};

pub(super) const GOOD: &str = "4242424242424242";

/// What is bought with it is disputed; evidence wins.
pub(super) const DISPUTED: &str = "4000000000000259";

/// An order by a flow with a raw card.
pub(super) fn card(flow: &str, number: &str) -> Value {
    json!({ "amount": 1200, "currencyCode": "EUR", "orderId": "one", "flowId": flow, "paymentMethod": raw(number) })
}

/// The same with the address of the return.
pub(super) fn with_return(mut order: Value) -> Value {
    if let Some(fields) = order.as_object_mut() {
        fields.insert(
            "perform3DSecure".to_owned(),
            json!({ "redirectUrl": "https://shop.example/back" }),
        );
        fields.insert(
            "apmRedirectUrl".to_owned(),
            "https://shop.example/back".into(),
        );
    }
    order
}

/// The same with other fields.
fn with(mut order: Value, name: &str, value: impl Into<Value>) -> Value {
    if let Some(fields) = order.as_object_mut() {
        fields.insert(name.to_owned(), value.into());
    }
    order
}

pub(super) fn id_of(got: Option<&Got>) -> String {
    got.and_then(Got::id).unwrap_or_default()
}

macro_rules! story {
    ($name:literal, $ends:expr, $actor:ident, $work:block) => {
        story!($name, $ends, stops: false, subscribes: false, $actor, $work)
    };
    ($name:literal, $ends:expr, stops: $stops:literal, $actor:ident, $work:block) => {
        story!($name, $ends, stops: $stops, subscribes: false, $actor, $work)
    };
    ($name:literal, $ends:expr, stops: $stops:literal, subscribes: $subscribes:literal, $actor:ident, $work:block) => {
        Story {
            name: $name,
            ends: &$ends,
            stops: $stops,
            subscribes: $subscribes,
            by_wire: false,
            report_to: |actor| {
                async move {
                    #[allow(unused_mut, reason = "some stories make no keys")]
                    let mut $actor: Actor = actor;
                    $work
                }
                .boxed()
            },
        }
    };
}

/// All of them.
pub(super) static STORIES: &[Story] = &[
    story!("sale by token", ["SUCCEEDED"], stops: true, actor, {
        let token = actor.shop.tokens.first().cloned().unwrap_or_default();
        let method = json!({ "type": "CARD", "token": token });
        actor.order(&with(card("default", GOOD), "paymentMethod", method)).await;
    }),
    story!(
        "events that are sent to an endpoint",
        ["REFUNDED"],
        stops: true,
        subscribes: true,
        actor,
        {
            let id = id_of(actor.order(&card("by-api", GOOD)).await.as_ref());
            actor.capture(&id, None).await;
            actor.refund(&id, None).await;
        }
    ),
    story!("captured and refunded in parts", ["REFUNDED"], actor, {
        let id = id_of(actor.order(&card("by-api", GOOD)).await.as_ref());
        actor.capture(&id, Some(1000)).await;
        actor.refund(&id, Some(300)).await;
        actor.refund(&id, None).await;
    }),
    story!(
        "captured in three parts, and refunded",
        ["REFUNDED"],
        actor,
        {
            let id = id_of(actor.order(&card("by-api", GOOD)).await.as_ref());
            actor.capture_part(&id, 500).await;
            actor.capture_part(&id, 300).await;
            actor.capture(&id, None).await;
            actor.refund(&id, Some(700)).await;
            actor.refund(&id, None).await;
        }
    ),
    story!(
        "the rest is released after a part",
        ["PARTIAL_REFUNDED"],
        actor,
        {
            let id = id_of(actor.order(&card("tardy-by-api", GOOD)).await.as_ref());
            actor.capture_part(&id, 500).await;
            actor.cancel(&id).await;
            actor.refund(&id, Some(200)).await;
        }
    ),
    story!(
        "parts that race with each other and with the release of the rest",
        ["AUTHORISED|SUCCEEDED|CANCELLED"],
        actor,
        {
            let id = id_of(actor.order(&card("by-api", GOOD)).await.as_ref());
            let (other, mut third) = (
                Actor::new(actor.shop.clone()),
                Actor::new(actor.shop.clone()),
            );
            let parts = join(
                actor.capture_part(&id, 700),
                other.capture_part_as(&id, 600, "rival-part"),
            );
            join(parts, third.cancel_as(&id, "rival")).await;
            actor.get(&id).await;
        }
    ),
    story!("cancelled", ["CANCELLED"], actor, {
        let id = id_of(actor.order(&card("tardy-by-api", GOOD)).await.as_ref());
        actor.cancel(&id).await;
    }),
    story!("capture against cancel", ["SUCCEEDED|CANCELLED"], actor, {
        let id = id_of(actor.order(&card("by-api", GOOD)).await.as_ref());
        let mut other = Actor::new(actor.shop.clone());
        join(actor.capture(&id, None), other.cancel_as(&id, "rival")).await;
    }),
    story!("sale without a sale call", ["SUCCEEDED"], actor, {
        actor.order(&card("tardy", GOOD)).await;
    }),
    story!("fallback after a failure", ["SUCCEEDED"], actor, {
        let id = id_of(actor.order(&card("failing", GOOD)).await.as_ref());
        actor.capture(&id, None).await;
    }),
    story!("fallback after an outage", ["SUCCEEDED"], actor, {
        actor.order(&card("down", GOOD)).await;
    }),
    story!("declined everywhere", ["DECLINED"], actor, {
        actor.order(&card("fallback", "4000000000009995")).await;
    }),
    story!("3D Secure", ["SUCCEEDED"], actor, {
        let got = actor
            .order(&with_return(card("default", "4000002760003184")))
            .await;
        actor.detour(got.as_ref(), true).await;
    }),
    story!("3D Secure without a sale call", ["SUCCEEDED"], actor, {
        let got = actor
            .order(&with_return(card("tardy", "4000002760003184")))
            .await;
        actor.detour(got.as_ref(), true).await;
    }),
    story!("3D Secure that fails", ["DECLINED"], actor, {
        let got = actor
            .order(&with_return(card("default", "4000002760003184")))
            .await;
        actor.detour(got.as_ref(), false).await;
    }),
    story!(
        "3D Secure that is given up",
        ["DECLINED|SUCCEEDED"],
        actor,
        {
            let got = actor
                .order(&with_return(card("default", "4000002760003184")))
                .await;
            let id = id_of(got.as_ref());
            let back = match got.as_ref().and_then(Got::url) {
                Some(url) => actor.decide(url, true).await,
                None => None,
            };
            join(
                actor.abandon(&id),
                actor.come_back(&back.unwrap_or_default()),
            )
            .await;
        }
    ),
    story!(
        "3D Secure that nobody comes back from",
        ["DECLINED"],
        actor,
        {
            actor
                .order(&with_return(card("default", "4000002760003184")))
                .await;
            actor.pause(Duration::from_mins(22)).await;
        }
    ),
    story!("a method with a page", ["SUCCEEDED"], actor, {
        let order = with_return(with(
            card("default", GOOD),
            "paymentMethod",
            json!({ "type": "WALLETC" }),
        ));
        let got = actor.order(&order).await;
        actor.detour(got.as_ref(), true).await;
    }),
    story!("charged without an answer", ["SUCCEEDED"], actor, {
        let id = id_of(
            actor
                .order(&card("default", "4000000000000903"))
                .await
                .as_ref(),
        );
        actor.get(&id).await;
    }),
    story!("not charged and no answer", ["FAILED"], actor, {
        let id = id_of(
            actor
                .order(&card("tardy", "4000000000000911"))
                .await
                .as_ref(),
        );
        actor.get(&id).await;
    }),
    story!("unknown until a person settles it", ["FAILED"], actor, {
        actor.order(&card("mute", "4000000000000911")).await;
    }),
    story!(
        "a checkout that is free again after a person settled it",
        ["FAILED", "SUCCEEDED"],
        actor,
        {
            let Some(intent) = actor.checkout(1200).await else {
                return;
            };
            let order = with(
                with(
                    card("default", "4000000000000911"),
                    "intentId",
                    intent.clone(),
                ),
                "flowId",
                Value::Null,
            );
            let first = actor.ordering(&with(order, "orderId", "one"), Some(intent.clone()));
            actor.send(&first).await;
            actor.pause(Duration::from_mins(1)).await;
            let again = with(
                with(card("default", GOOD), "intentId", intent.clone()),
                "orderId",
                "two",
            );
            let again = actor.ordering(&again, Some(intent.clone()));
            actor.send(&again).await;
            actor.complete_checkout(&intent).await;
        }
    ),
    story!("held for review", ["SUCCEEDED"], actor, {
        let id = id_of(
            actor
                .order(&card("default", "4000000000000929"))
                .await
                .as_ref(),
        );
        actor.pause(Duration::from_secs(3)).await;
        actor.get(&id).await;
    }),
    story!("a slow refund", ["PARTIAL_REFUNDED"], actor, {
        let id = id_of(
            actor
                .order(&card("default", "4000000000007726"))
                .await
                .as_ref(),
        );
        actor.refund(&id, Some(500)).await;
    }),
    story!("a refund that fails", ["REFUND_FAILED"], actor, {
        let id = id_of(
            actor
                .order(&card("default", "4000000000005126"))
                .await
                .as_ref(),
        );
        actor.refund(&id, Some(500)).await;
    }),
    story!("captures and refunds without an answer", ["PARTIAL_REFUNDED"], stops: true, actor, {
        let id = id_of(actor.order(&card("by-api", "4000000000000945")).await.as_ref());
        actor.capture(&id, None).await;
        actor.pause(Duration::from_secs(10)).await;
        actor.refund_twice(&id, 100).await;
    }),
    story!(
        "two refunds at once, one without an answer",
        ["PARTIAL_REFUNDED"],
        actor,
        {
            let id = id_of(
                actor
                    .order(&card("default", "4000000000000945"))
                    .await
                    .as_ref(),
            );
            let mut other = Actor::new(actor.shop.clone());
            join(
                actor.refund(&id, Some(100)),
                other.refund_as(&id, 200, "rival"),
            )
            .await;
        }
    ),
    story!("looked after by one node", ["FAILED"], actor, {
        actor.shop.house.bank.only_recovery_looks();
        actor.shop.house.bank.set_mood(Mood::Slow);
        actor.order(&card("tardy", "4000000000000911")).await;
        actor.pause(Duration::from_mins(3)).await;
    }),
    story!("asked until the time is over", ["SUCCEEDED"], actor, {
        let house = Arc::clone(&actor.shop.house);
        let order = card("slow", "4000000000000903");
        let slow_disk = async {
            house.world.sleep(Duration::from_secs(15)).await;
            house.slow_disk(Duration::from_secs(10), Duration::from_secs(6));
        };
        join(actor.order(&order), slow_disk).await;
    }),
    story!(
        "a capture that is refused, and the end of the life time",
        ["AUTHORISED"],
        actor,
        {
            let id = id_of(
                actor
                    .order(&card("by-api", "4000000000000937"))
                    .await
                    .as_ref(),
            );
            actor.capture(&id, None).await;
            actor.pause(Duration::from_mins(52)).await;
        }
    ),
    story!("nobody captures", ["CANCELLED"], actor, {
        actor.order(&card("by-api", GOOD)).await;
        actor.pause(Duration::from_mins(52)).await;
    }),
    story!("captured after a delay", ["SUCCEEDED"], actor, {
        actor.order(&card("later", GOOD)).await;
    }),
    story!("captured when the parcel leaves", ["SUCCEEDED"], actor, {
        let id = id_of(actor.order(&card("shipped", GOOD)).await.as_ref());
        actor.ship(&id).await;
    }),
    story!("approved first", ["SUCCEEDED"], actor, {
        let got = actor.order(&card("approved-first", GOOD)).await;
        let instance = got
            .as_ref()
            .and_then(|got| got.text("flowInstanceId"))
            .unwrap_or_default();
        actor.approve(instance, true).await;
    }),
    story!("not approved later", ["AUTHORISED"], actor, {
        let got = actor.order(&card("approved-later", GOOD)).await;
        let instance = got
            .as_ref()
            .and_then(|got| got.text("flowInstanceId"))
            .unwrap_or_default();
        actor.approve(instance, false).await;
    }),
    story!("refunded by its flow", ["PARTIAL_REFUNDED"], actor, {
        actor.order(&card("half-back", GOOD)).await;
    }),
    story!("cancelled by its flow", ["CANCELLED"], actor, {
        actor.order(&card("cancelled", GOOD)).await;
    }),
    story!(
        "two tabs of a checkout",
        ["DECLINED", "SUCCEEDED"],
        actor,
        {
            let Some(intent) = actor.checkout(1200).await else {
                return;
            };
            let order = |name: &str, number: &str| {
                with(
                    with(
                        with_return(card("default", number)),
                        "intentId",
                        intent.clone(),
                    ),
                    "orderId",
                    name,
                )
            };
            let first = actor.ordering(&order("one", "4000002760003184"), Some(intent.clone()));
            let second = actor.ordering(&order("two", GOOD), Some(intent.clone()));
            let got = actor.send(&first).await;
            let url = got
                .as_ref()
                .and_then(Got::url)
                .unwrap_or_default()
                .to_owned();
            let back = actor.decide(&url, true).await.unwrap_or_default();
            join(actor.come_back(&back), actor.send(&second)).await;
            actor.complete_checkout(&intent).await;
        }
    ),
    story!("evidence for a dispute", ["SUCCEEDED"], actor, {
        actor.order(&card("default", DISPUTED)).await;
        let dispute = actor.dispute().await.unwrap_or_default();
        actor.evidence(&dispute, false).await;
        actor.evidence(&dispute, true).await;
    }),
    story!("evidence that got no answer", ["SUCCEEDED"], stops: true, actor, {
        actor.order(&card("default", DISPUTED)).await;
        let dispute = actor.dispute().await.unwrap_or_default();
        actor.unanswered(&dispute, true).await;
    }),
    story!("evidence that never arrived", ["SUCCEEDED"], actor, {
        actor.order(&card("default", DISPUTED)).await;
        let dispute = actor.dispute().await.unwrap_or_default();
        actor.unanswered(&dispute, false).await;
    }),
    story!("a dispute that is accepted", ["DISPUTED"], actor, {
        actor.order(&card("default", DISPUTED)).await;
        let dispute = actor.dispute().await.unwrap_or_default();
        actor.accept(&dispute, "accepting").await;
    }),
    story!(
        "evidence against acceptance",
        ["SUCCEEDED|DISPUTED"],
        actor,
        {
            actor.order(&card("default", DISPUTED)).await;
            let dispute = actor.dispute().await.unwrap_or_default();
            actor.shop.house.bank.set_mood(Mood::Slow);
            let other = Actor::new(actor.shop.clone());
            let later = async {
                other.pause(Duration::from_millis(500)).await;
                other.accept(&dispute, "rival").await;
            };
            join(actor.evidence(&dispute, true), later).await;
            actor.shop.house.bank.set_mood(Mood::Well);
        }
    ),
    story!("a client token used twice", ["SUCCEEDED"], actor, {
        let Some(token) = actor.token(1200).await else {
            return;
        };
        let mut tab = |name: &str| {
            let wish = actor.ordering(
                &with(card("default", GOOD), "orderId", name),
                Some(token.clone()),
            );
            crate::shop::Wish {
                bearer: Some(token.clone()),
                ..wish
            }
        };
        let (first, second) = (tab("one"), tab("two"));
        join(actor.send(&first), actor.send(&second)).await;
    }),
];
