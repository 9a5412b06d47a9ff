//! The root fields: each hands its parsed command and its idempotency key to the engine, and wraps what comes back.

mod connections;
mod customers;
mod flows;
mod intents;
mod lists;
mod methods;
mod payments;
mod wallets;

use domain::{Code, Fault, caller::Caller};
use engine::{Engine, Once, Scope};
use futures_util::future::BoxFuture;

use crate::{
    api::RootFields,
    execute::{Answer, Arguments, Out, Root, RootCall},
    view::Sight,
};

/// Longest idempotency key. Unit: characters. Source: specification, section 8.
const KEY_MAX: usize = 255;

/// Operations that take an idempotency key. Source: behaviour contract, section 5.
const KEYED: [&str; 8] = [
    "authorizePayment",
    "cancelPayment",
    "capturePayment",
    "createCustomer",
    "headlessAuthorizePayment",
    "refundPayment",
    "tokeniseCard",
    "tokenisePaymentMethod",
];

/// The idempotency key of a request.
enum Key {
    /// None, or none that any of the request's operations takes.
    Absent,
    /// Of the one operation that takes it.
    Good(String),
    /// Nothing is done.
    Bad(Fault),
}

/// Answers the root fields of one request.
pub(crate) struct Operations<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    key: Key,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(engine: &'a Engine, caller: &'a Caller, key: Option<String>, fields: &RootFields<'_>) -> Self {
        let keyed = fields.count(|name| KEYED.contains(&name));
        Self { engine, caller, key: judge(key, keyed) }
    }

    /// The idempotency material of an operation. `scope` gets the argument `id` as it was sent, if there is one.
    fn once(&self, scope: impl FnOnce(String) -> Scope, arguments: &Arguments<'_>) -> Option<Once> {
        let Key::Good(key) = &self.key else { return None };
        let arguments = arguments.identity();
        let id = match arguments.get("id") {
            Some(serde_json::Value::String(id)) => id.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        Some(Once { key: key.clone(), scope: scope(id), arguments })
    }

    fn sight(&self) -> Sight {
        Sight::of(self.caller)
    }

    async fn answer(&self, call: RootCall<'_>) -> Answer {
        if let Key::Bad(fault) = &self.key {
            return Err(fault.clone()).into();
        }
        let RootCall { name, arguments, look_ahead } = call;
        match name {
            "authorizePayment" => self.authorise(arguments, look_ahead).await,
            "headlessAuthorizePayment" => self.headless(arguments, look_ahead).await,
            "abandonPayment" => self.abandon(arguments, look_ahead).await.into(),
            "capturePayment" => self.capture(arguments, look_ahead).await,
            "cancelPayment" => self.cancel(arguments, look_ahead).await,
            "refundPayment" => self.refund(arguments, look_ahead).await,
            "resolvePayment" => self.resolve_payment(arguments, look_ahead).await.into(),
            "getPayment" => self.payment(arguments, look_ahead).await.into(),
            "listPayments" => self.payments(arguments, look_ahead).await.into(),
            "listFlows" => self.flows().await.into(),
            "getFlow" => self.flow(arguments).await.into(),
            "exportFlow" => self.export_flow(arguments).await.into(),
            "tryFlow" => self.try_flow(arguments).await.into(),
            "saveFlow" => self.save_flow(arguments).await.into(),
            "publishFlow" => self.publish_flow(arguments).await.into(),
            "setDefaultFlow" => self.set_default_flow(arguments).await.into(),
            "decideApproval" => self.decide_approval(arguments).await.into(),
            "listConnections" => self.connections().await.into(),
            "saveConnection" => self.save_connection(arguments).await.into(),
            "disableConnection" => self.disable_connection(arguments).await.into(),
            "createCustomer" => self.create_customer(arguments).await,
            "updateCustomer" => self.update_customer(arguments).await.into(),
            "deleteCustomer" => self.delete_customer(arguments).await.into(),
            "getCustomer" => self.customer(arguments).await.into(),
            "listCustomers" => self.customers(arguments, look_ahead).await.into(),
            "tokenisePaymentMethod" | "tokeniseCard" => self.tokenise(arguments).await,
            "getPaymentMethod" => self.method(arguments, look_ahead).await.into(),
            "getPaymentMethods" => self.methods(arguments, look_ahead, "customerId").await.into(),
            "listCustomerCards" => self.methods(arguments, look_ahead, "vaultCustomerId").await.into(),
            "deletePaymentMethod" => self.delete_method(arguments).await.into(),
            "updateDefaultPaymentMethod" => self.make_default(arguments).await.into(),
            "attachPaymentMethod" => self.attach_method(arguments).await.into(),
            "startIntent" => self.start_intent(arguments, look_ahead).await.into(),
            "updateIntent" => self.update_intent(arguments, look_ahead).await.into(),
            "completeIntent" => self.complete_intent(arguments, look_ahead).await.into(),
            "getIntent" => self.intent(arguments, look_ahead).await.into(),
            "listIntents" => self.intents(arguments, look_ahead).await.into(),
            "optimise" => self.optimise(arguments).await.into(),
            "setupWallet" => self.setup_wallet(arguments).await.into(),
            "saveWallet" => self.save_wallet(arguments).await.into(),
            "attachSecurityCode" => self.attach_code(arguments).await.into(),
            "headlessRequestPaymentProcessorToken" => self.processor_token(arguments).await.into(),
            "generateClientToken" => self.client_token(arguments).await.into(),
            // A credential that came this far is good.
            "initializeSDK" => Ok(true.into()).into(),
            other => {
                tracing::error!(field = other, "a root field of the schema has no resolver");
                Err(Fault::unknown()).into()
            }
        }
    }
}

impl Root for Operations<'_> {
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(self.answer(call))
    }
}

/// `keyed` is how many operations of the request take a key: it counts for one, and can't for several.
fn judge(key: Option<String>, keyed: usize) -> Key {
    let Some(key) = key.filter(|_| keyed > 0) else { return Key::Absent };
    let bad = |message: &str| Key::Bad(Fault::new(Code::KeyInvalid, message));
    if keyed > 1 {
        return bad("An idempotency key counts for one operation. Send one of them in a request.");
    }
    match key.chars().count() {
        1..=KEY_MAX => Key::Good(key),
        _ => bad("An idempotency key has 1 to 255 characters."),
    }
}

/// What most operations of the vault answer.
fn done(result: Result<(), Fault>) -> Result<Out<'static>, Fault> {
    result.map(|()| true.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(key: &str, keyed: usize) -> &'static str {
        match judge(Some(key.to_owned()), keyed) {
            Key::Absent => "absent",
            Key::Good(_) => "good",
            Key::Bad(fault) => fault.code.text(),
        }
    }

    #[test]
    fn a_key_has_1_to_255_characters_and_counts_for_one_operation() {
        assert_eq!(code("k", 1), "good");
        assert_eq!(code(&"é".repeat(255), 1), "good");
        assert_eq!(code(&"k".repeat(256), 1), "error.idempotency.key-invalid");
        assert_eq!(code("", 1), "error.idempotency.key-invalid");
        assert_eq!(code("k", 2), "error.idempotency.key-invalid");
    }

    #[test]
    fn a_key_is_ignored_where_nothing_takes_it() {
        assert_eq!(code("", 0), "absent");
        assert_eq!(code(&"k".repeat(256), 0), "absent");
        assert!(matches!(judge(None, 3), Key::Absent));
    }

    #[test]
    fn every_root_field_has_a_resolver() {
        let source = include_str!("mod.rs");
        let arms = source.split_once("match name {").unwrap().1.split_once("other =>").unwrap().0;
        let schema = crate::schema::ApiSchema::load().unwrap().schema;
        for root in ["Query", "Mutation"] {
            for name in schema.get_object(root).unwrap().fields.keys() {
                assert!(arms.contains(&format!("\"{name}\"")), "{root}.{name}");
            }
        }
    }

    #[test]
    fn every_operation_that_takes_a_key_is_in_the_schema_and_says_so() {
        let schema = crate::schema::ApiSchema::load().unwrap().schema;
        let mutations = &schema.get_object("Mutation").unwrap().fields;
        for (name, field) in mutations {
            let says = field.description.as_deref().unwrap().contains("X-Idempotency-Key");
            let keyed = KEYED.contains(&name.as_str());
            assert!(says == keyed || name == "tokeniseCard", "{name}");
        }
        assert!(KEYED.iter().all(|name| mutations.contains_key(*name)));
    }
}
