//! The verbs of the vault: customers and stored methods.

use serde_json::{Value, json};

use crate::{Answer, Shop};

/// Everything that a stored method shows.
const METHOD_FIELDS: &str = "id token number expMonth expYear name isDefault brand type bankName country bin externalId \
    fingerprint vaultCustomerId metadata systemCreated systemUpdated \
    billingAddress { line1 line2 city postalCode state country } linkedPaymentGateways { id name token }";

/// Everything that a customer shows.
const CUSTOMER_FIELDS: &str = "id name email phone description \
    billingAddress { line1 line2 city postalCode state country } \
    shippingAddress { name phone address { line1 line2 city postalCode state country } } \
    company { name number taxId vatId } systemCreated systemUpdated defaultPaymentMethod";

impl Shop {
    /// A card that can be tokenised, as `PaymentCardInput`.
    pub fn card(number: &str) -> Value {
        json!({"number": number, "expMonth": 11, "expYear": 2033, "cvc": if number.starts_with("37") { "7373" } else { "737" },
            "name": "Ada Byron"})
    }

    /// Asks for a token with a whole `TokenInput`; whatever comes.
    #[track_caller]
    pub fn try_tokenise(&self, data: Value, key: Option<&str>) -> Answer {
        let query = format!(
            "mutation($data: TokenInput!) {{ tokenisePaymentMethod(data: $data) {{ id token createdDate \
             customer {{ {CUSTOMER_FIELDS} }} card {{ {METHOD_FIELDS} }} }} }}"
        );
        self.gql_once(&query, json!({"data": data}), key)
    }

    /// Tokenises a card for nobody; its token.
    #[track_caller]
    pub fn tokenise(&self, number: &str) -> String {
        token_of(&self.try_tokenise(json!({"paymentMethod": {"card": Self::card(number)}}), None))
    }

    /// Tokenises a card for a customer; its token.
    #[track_caller]
    pub fn tokenise_for(&self, customer: &str, number: &str) -> String {
        let data =
            json!({"paymentMethod": {"card": Self::card(number)}, "customer": {"id": customer}});
        token_of(&self.try_tokenise(data, None))
    }

    /// Asks for a customer with a whole `CustomerInput`; whatever comes.
    #[track_caller]
    pub fn try_create_customer(&self, data: Value, key: Option<&str>) -> Answer {
        self.gql_once(
            "mutation($data: CustomerInput!) { createCustomer(data: $data) }",
            json!({"data": data}),
            key,
        )
    }

    /// Creates a customer without a method; the id.
    #[track_caller]
    pub fn create_customer(&self, name: &str) -> String {
        let answer = self.try_create_customer(json!({"customer": {"name": name}}), None);
        answer.root().as_str().expect("an id").to_owned()
    }

    /// Changes a customer; whatever comes.
    #[track_caller]
    pub fn try_update_customer(&self, id: &str, customer: Value) -> Answer {
        self.gql(
            "mutation($id: ID!, $customer: VaultCustomerInput!) { updateCustomer(id: $id, customer: $customer) }",
            json!({"id": id, "customer": customer}),
        )
    }

    /// Asks for a customer; whatever comes.
    #[track_caller]
    pub fn try_customer(&self, id: &str) -> Answer {
        self.gql(
            &format!("query($id: String!) {{ getCustomer(id: $id) {{ {CUSTOMER_FIELDS} }} }}"),
            json!({"id": id}),
        )
    }

    /// A customer as it is now.
    #[track_caller]
    pub fn customer(&self, id: &str) -> Value {
        self.try_customer(id).root().clone()
    }

    /// Asks for a stored method; whatever comes.
    #[track_caller]
    pub fn try_method(&self, token: &str) -> Answer {
        self.gql(
            &format!(
                "query($token: String!) {{ getPaymentMethod(token: $token) {{ {METHOD_FIELDS} }} }}"
            ),
            json!({"token": token}),
        )
    }

    /// A stored method as it is now.
    #[track_caller]
    pub fn method(&self, token: &str) -> Value {
        self.try_method(token).root().clone()
    }

    /// Asks for a customer's methods; whatever comes.
    #[track_caller]
    pub fn try_methods(&self, customer: &str) -> Answer {
        self.gql(
            &format!(
                "query($id: String!) {{ getPaymentMethods(customerId: $id) {{ {METHOD_FIELDS} }} }}"
            ),
            json!({"id": customer}),
        )
    }

    /// A customer's methods.
    #[track_caller]
    pub fn methods(&self, customer: &str) -> Vec<Value> {
        self.try_methods(customer)
            .root()
            .as_array()
            .expect("a list")
            .clone()
    }

    /// Deletes a stored method; whatever comes.
    #[track_caller]
    pub fn try_delete_method(&self, token: &str) -> Answer {
        self.gql(
            "mutation($token: String!) { deletePaymentMethod(token: $token) }",
            json!({"token": token}),
        )
    }

    /// Makes a method its customer's default; whatever comes.
    #[track_caller]
    pub fn try_make_default(&self, token: &str) -> Answer {
        self.gql(
            "mutation($token: String!) { updateDefaultPaymentMethod(token: $token) }",
            json!({"token": token}),
        )
    }

    /// Erases a customer; whatever comes.
    #[track_caller]
    pub fn try_delete_customer(&self, id: &str) -> Answer {
        self.gql(
            "mutation($id: ID!) { deleteCustomer(id: $id) }",
            json!({"id": id}),
        )
    }

    /// Asks for a processor's token with a whole `HeadlessPaymentProcessorTokenRequest`; whatever comes.
    #[track_caller]
    pub fn try_processor_token(&self, request: Value) -> Answer {
        self.gql(
            "mutation($request: HeadlessPaymentProcessorTokenRequest!) { \
             headlessRequestPaymentProcessorToken(tokenRequest: $request) { token } }",
            json!({"request": request}),
        )
    }

    /// Gives a stored card a security code; whatever comes.
    #[track_caller]
    pub fn try_attach_code(&self, token: &str, cvc: &str) -> Answer {
        self.gql(
            "mutation($token: String!, $cvc: String!) { attachSecurityCode(token: $token, cvc: $cvc) }",
            json!({"token": token, "cvc": cvc}),
        )
    }

    /// Gives a token of nobody to a customer; whatever comes.
    #[track_caller]
    pub fn try_attach(&self, token: &str, customer: &str) -> Answer {
        self.gql(
            "mutation($token: String!, $id: ID!) { attachPaymentMethod(token: $token, customerId: $id) }",
            json!({"token": token, "id": customer}),
        )
    }

    /// A client token made with these arguments (`amount`, `currency`, `customerId`, `flowId`); its shop.
    #[track_caller]
    #[must_use]
    pub fn client(&self, arguments: Value) -> Self {
        let answer = self.gql(
            "mutation($amount: Long, $currency: String, $customerId: String, $intentId: String, $flowId: String) { \
             generateClientToken(amount: $amount, currency: $currency, customerId: $customerId, intentId: $intentId, \
             flowId: $flowId) { token ttl } }",
            arguments,
        );
        Self::new(self.address(), answer.root()["token"].as_str())
    }
}

#[track_caller]
fn token_of(answer: &Answer) -> String {
    answer.root()["token"].as_str().expect("a token").to_owned()
}
