//! `startIntent`.

use domain::Fault;
use engine::StartIntent;
use serde_json::{Map, Value};

use super::{Blank, Reader, intent};

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<StartIntent, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let tracking_id = reader
        .reference("trackingId")?
        .ok_or_else(|| reader.missing("trackingId"))?;
    // What can't be a flow's id is no flow's.
    let flow = reader.raw("paymentFlowId").unwrap_or_default();
    let changes = intent::changes(&mut reader)?;
    let currency = changes
        .currency
        .ok_or_else(|| reader.missing("amount.currency"))?;
    Ok(StartIntent {
        tracking_id,
        flow,
        currency,
        changes,
    })
}

#[cfg(test)]
mod tests {
    use domain::intent::{CartItem, Customer};
    use serde_json::json;

    use super::*;
    use crate::input::sample::{arguments, told};

    fn start(changes: Value) -> Result<StartIntent, Fault> {
        let mut given = json!({"trackingId": "order-1", "paymentFlowId": "default", "amount": {"currency": "EUR"}});
        for (name, value) in arguments(changes) {
            given[name] = value;
        }
        parse(arguments(given))
    }

    fn refused(changes: Value) -> String {
        told(start(changes).map(|_| ()).unwrap_err()).0
    }

    #[test]
    fn a_tracking_id_and_a_currency_are_needed() {
        let command = start(json!({})).unwrap();
        assert_eq!(
            (command.tracking_id.as_str(), command.flow.as_str()),
            ("order-1", "default")
        );
        assert_eq!(
            (command.currency.code(), command.changes.amount),
            ("EUR", None)
        );
        assert_eq!(refused(json!({"trackingId": ""})), "trackingId");
        assert_eq!(refused(json!({"amount": {"amount": 5}})), "amount.currency");
        assert_eq!(
            refused(json!({"amount": {"amount": 5, "currency": ""}})),
            "amount.currency"
        );
        assert_eq!(
            refused(json!({"amount": {"currency": "EURO"}})),
            "amount.currency"
        );
    }

    #[test]
    fn an_amount_may_be_zero_and_not_less() {
        let amount = |amount: i64| start(json!({"amount": {"amount": amount, "currency": "EUR"}}));
        assert_eq!(amount(0).unwrap().changes.amount, Some(0));
        assert_eq!(told(amount(-1).map(|_| ()).unwrap_err()).0, "amount.amount");
    }

    #[test]
    fn countries_and_customers_are_read_and_empty_texts_are_absent() {
        let country = |code: &str| {
            start(json!({"location": {"country": code}}))
                .unwrap()
                .changes
                .country
        };
        assert_eq!(country("IRL").unwrap().alpha3(), "IRL");
        assert_eq!(country("ie").unwrap().alpha3(), "IRL");
        assert_eq!(country(""), None);
        assert_eq!(
            refused(json!({"location": {"country": "Eire"}})),
            "location.country"
        );
        let given =
            start(json!({"customer": {"id": "c", "email": "", "name": null, "isGuest": false}}))
                .unwrap();
        let expected = Customer {
            id: Some("c".to_owned()),
            is_guest: Some(false),
            ..Customer::default()
        };
        assert_eq!(given.changes.customer, Some(expected));
        assert_eq!(
            start(json!({"customer": {"email": ""}}))
                .unwrap()
                .changes
                .customer,
            None
        );
        assert_eq!(
            refused(json!({"customer": {"email": "x".repeat(321)}})),
            "customer.email"
        );
    }

    #[test]
    fn what_a_cart_does_not_say_has_a_default() {
        let cart = start(json!({"cart": {"items": [{"title": "Tea", "price": 250}, {}]}}))
            .unwrap()
            .changes
            .cart
            .unwrap();
        let items = cart.items.unwrap();
        assert_eq!(
            items[0],
            CartItem {
                title: "Tea".to_owned(),
                price: 250,
                ..CartItem::default()
            }
        );
        assert_eq!(items[1], CartItem::default());
        assert_eq!((cart.id, cart.weight, cart.item_count), (None, None, None));
        assert_eq!(
            refused(json!({"cart": {"items": [{}, {"quantity": -1}]}})),
            "cart.items.1.quantity"
        );
        assert_eq!(
            refused(json!({"cart": {"items": [{"title": "x".repeat(501)}]}})),
            "cart.items.0.title"
        );
        assert_eq!(refused(json!({"cart": {"weight": -1}})), "cart.weight");
        let many: Vec<Value> = (0..501).map(|_| json!({})).collect();
        assert_eq!(refused(json!({"cart": {"items": many}})), "cart.items");
    }
}
