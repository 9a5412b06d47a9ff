//! The verbs of a checkout.

use serde_json::{Value, json};

use crate::{Answer, PATIENCE, Shop, until};

/// Everything that an intent shows.
pub const INTENT_FIELDS: &str = "id trackingId paymentFlowId date status statusDate currency \
    amount { rawAmount currency formattedAmount } location { country } customer { id isGuest email name } \
    timeline { intentStarted { status date } shipping { status date } delivery { status date } billing { status date } \
        paymentAttempts { status date } completeIntent { status date } completeCheckout { status date } } \
    linkedPayments { paymentId status time title } \
    cart { id weight itemCount items { id quantity title variantTitle weight taxable requiresShipping price sku \
        lineTotal image discountedPrice totalDiscount } }";

impl Shop {
    /// Asks for an intent of 10.00 EUR under the default flow, with some arguments replaced; whatever comes.
    #[track_caller]
    pub fn try_start_intent(&self, changes: Value) -> Answer {
        let mut variables = json!({
            "trackingId": "order-1", "paymentFlowId": "default", "amount": {"amount": 1000, "currency": "EUR"},
        });
        for (name, value) in changes.as_object().expect("arguments") {
            variables[name] = value.clone();
        }
        let query = format!(
            "mutation($trackingId: ID!, $paymentFlowId: ID!, $customer: IntentCustomerInput, $amount: IntentAmountInput!, \
             $location: IntentLocationInput, $cart: IntentCartInput) {{ startIntent(trackingId: $trackingId, \
             paymentFlowId: $paymentFlowId, customer: $customer, amount: $amount, location: $location, cart: $cart) \
             {{ {INTENT_FIELDS} }} }}"
        );
        self.gql(&query, variables)
    }

    /// Starts an intent of 10.00 EUR under the default flow, with some arguments replaced.
    #[track_caller]
    pub fn start_intent(&self, changes: Value) -> Value {
        self.try_start_intent(changes).root().clone()
    }

    /// Changes an intent; whatever comes.
    #[track_caller]
    pub fn try_update_intent(&self, id: &str, changes: Value) -> Answer {
        let mut variables = changes;
        variables["id"] = json!(id);
        let query = format!(
            "mutation($id: ID!, $trackingId: String, $customer: IntentCustomerInput, $amount: IntentAmountInput, \
             $location: IntentLocationInput, $cart: IntentCartInput, $billing: IntentShippingInput, \
             $shipping: IntentShippingInput, $delivery: IntentDeliveryInput) {{ updateIntent(id: $id, \
             trackingId: $trackingId, customer: $customer, amount: $amount, location: $location, cart: $cart, \
             billing: $billing, shipping: $shipping, delivery: $delivery) {{ {INTENT_FIELDS} }} }}"
        );
        self.gql(&query, variables)
    }

    /// Changes an intent.
    #[track_caller]
    pub fn update_intent(&self, id: &str, changes: Value) -> Value {
        self.try_update_intent(id, changes).root().clone()
    }

    /// Completes an intent with a payment, or (null) without; whatever comes.
    #[track_caller]
    pub fn try_complete_intent(&self, id: &str, reference: Value) -> Answer {
        let query = format!(
            "mutation($id: ID!, $reference: ID) {{ completeIntent(id: $id, paymentReference: $reference) \
             {{ {INTENT_FIELDS} }} }}"
        );
        self.gql(&query, json!({"id": id, "reference": reference}))
    }

    /// Asks for an intent; whatever comes.
    #[track_caller]
    pub fn try_intent(&self, id: &str) -> Answer {
        self.gql(
            &format!("query($id: ID!) {{ getIntent(id: $id) {{ {INTENT_FIELDS} }} }}"),
            json!({"id": id}),
        )
    }

    /// An intent as it is now.
    #[track_caller]
    pub fn intent(&self, id: &str) -> Value {
        self.try_intent(id).root().clone()
    }

    /// Asks for the methods of a checkout; whatever comes.
    #[track_caller]
    pub fn try_optimise(&self, id: &str) -> Answer {
        self.gql(
            "query($id: String!) { optimise(intentId: $id) }",
            json!({"id": id}),
        )
    }

    /// Reads the intent until it has this status.
    #[track_caller]
    pub fn wait_for_intent(&self, id: &str, status: &str) -> Value {
        until(PATIENCE, &format!("an intent becomes {status}"), || {
            Some(self.intent(id)).filter(|intent| intent["status"] == status)
        })
    }
}
