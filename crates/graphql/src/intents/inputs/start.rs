//! `startIntent`.

use domain::{Fault, Faults};
use engine::StartIntent;
use serde_json::{Map, Value};

use super::fields;
use crate::shared::{Blank, Reader};

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<StartIntent, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let tracking_id = reader.reference("trackingId");
    let tracking_id = faults.or_default(reader.needed("trackingId", tracking_id));
    // What can't be a flow's id is no flow's.
    let flow = reader.raw("paymentFlowId").unwrap_or_default();
    let changes = faults.good(fields::changes(&mut reader));
    let started = changes.and_then(|changes| {
        let currency = reader.needed("amount.currency", Ok(changes.currency));
        faults.good(currency).map(|currency| (currency, changes))
    });
    faults.end(started.map(|(currency, changes)| StartIntent {
        tracking_id,
        flow,
        currency,
        changes,
    }))
}

#[cfg(test)]
mod tests {
    use domain::intent::{CartItem, Customer};
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    fn start(changes: Value) -> Result<StartIntent, Fault> {
        let mut given = json!({"trackingId": "order-1", "paymentFlowId": "default", "amount": {"currency": "EUR"}});
        for (name, value) in arguments(changes) {
            given[name] = value;
        }
        parse(arguments(given))
    }

    fn refused(changes: Value) -> String {
        refusal(start(changes).map(|_| ()).unwrap_err()).0
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
    fn all_mistakes_are_reported_in_one_round() {
        let given = json!({"trackingId": "", "amount": {"amount": -1, "currency": "EURO"}, "location": {"country": "Eire"},
            "cart": {"items": [{"quantity": -1, "sku": "x".repeat(501)}]}});
        let fault = start(given).map(|_| ()).unwrap_err();
        let listed: Vec<&str> = fault.faults.iter().map(|one| one.field.as_str()).collect();
        assert_eq!(
            listed,
            [
                "trackingId",
                "amount.amount",
                "amount.currency",
                "location.country",
                "cart.items.0.quantity",
                "cart.items.0.sku",
            ]
        );
    }

    #[test]
    fn an_amount_may_be_zero_and_not_less() {
        let amount = |amount: i64| start(json!({"amount": {"amount": amount, "currency": "EUR"}}));
        assert_eq!(amount(0).unwrap().changes.amount, Some(0));
        assert_eq!(
            refusal(amount(-1).map(|_| ()).unwrap_err()).0,
            "amount.amount"
        );
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
