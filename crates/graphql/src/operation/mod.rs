//! The root fields: each hands its parsed command and its idempotency key to the engine, and wraps what comes back.

mod connections;
mod customers;
mod flows;
mod intents;
mod lists;
mod methods;
mod node;
mod payments;
mod team;
mod wallets;

use std::future::Future;

use domain::{Code, Fault, caller::Caller, rights};
use engine::{Act, Engine, Once, Scope};
use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    api::RootFields,
    execute::{Answer, Arguments, Out, Root, RootCall},
    view::Sight,
};

/// Longest idempotency key. Unit: characters. Source: specification, section 8.
const KEY_MAX: usize = 255;

/// Operations that take an idempotency key. Source: behaviour contract, section 5.
pub const KEYED: [&str; 8] = [
    "authorizePayment",
    "cancelPayment",
    "capturePayment",
    "createCustomer",
    "headlessAuthorizePayment",
    "refundPayment",
    "tokeniseCard",
    "tokenisePaymentMethod",
];

/// Operations that a browser's credential may do and that store something.
const STORING: [&str; 6] = [
    "authorizePayment",
    "createCustomer",
    "startIntent",
    "tokeniseCard",
    "tokenisePaymentMethod",
    "updateIntent",
];

/// What a row takes with its event and its index entries besides what was sent. Unit: bytes.
const ROW_BYTES: u64 = 2_048;

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
    engine: Engine,
    caller: &'a Caller,
    key: Key,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(
        engine: Engine,
        caller: &'a Caller,
        key: Option<String>,
        fields: &RootFields<'_>,
    ) -> Self {
        let keyed = fields.count(|name| KEYED.contains(&name));
        Self {
            engine,
            caller,
            key: judge(key, keyed),
        }
    }

    /// The idempotency material of an operation. `scope` gets the argument `id` as it was sent, if there is one.
    fn once(&self, scope: impl FnOnce(String) -> Scope, arguments: &Arguments<'_>) -> Option<Once> {
        let Key::Good(key) = &self.key else {
            return None;
        };
        let arguments = arguments.identity();
        let id = match arguments.get("id") {
            Some(serde_json::Value::String(id)) => id.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        Some(Once {
            key: key.clone(),
            scope: scope(id),
            arguments,
        })
    }

    /// Counts what a browser's credential is about to do.
    fn admitted(&self, name: &str, arguments: &Arguments<'_>) -> Result<(), Fault> {
        if self.caller.is_server() {
            return Ok(());
        }
        let stores = if STORING.contains(&name) {
            ROW_BYTES.saturating_add(length(&arguments.identity()))
        } else {
            0
        };
        let pays = name == "authorizePayment";
        self.engine.admit(self.caller, Act { stores, pays })
    }

    fn sight(&self) -> Sight {
        Sight::of(self.caller)
    }

    /// Each in a box of its own size: one future for all would have the size of the largest.
    fn answer<'b>(&'b self, call: RootCall<'b>) -> BoxFuture<'b, Answer> {
        if let Key::Bad(fault) = &self.key {
            return told(Err(fault.clone()));
        }
        let RootCall {
            name,
            arguments,
            look_ahead,
        } = call;
        if let Err(fault) = rights::permit(self.caller, name) {
            return told(Err(fault));
        }
        if let Err(fault) = self.admitted(name, &arguments) {
            return told(Err(fault));
        }
        match name {
            "authorizePayment" => Box::pin(self.authorise(arguments, look_ahead)),
            "headlessAuthorizePayment" => Box::pin(self.headless(arguments, look_ahead)),
            "abandonPayment" => plain(self.abandon(arguments, look_ahead)),
            "capturePayment" => Box::pin(self.capture(arguments, look_ahead)),
            "cancelPayment" => Box::pin(self.cancel(arguments, look_ahead)),
            "refundPayment" => Box::pin(self.refund(arguments, look_ahead)),
            "resolvePayment" => plain(self.resolve_payment(arguments, look_ahead)),
            "getPayment" => plain(self.payment(arguments, look_ahead)),
            "node" => plain(self.node(arguments, look_ahead)),
            "listPayments" => plain(self.payments(arguments, look_ahead)),
            "listFlows" => plain(self.flows()),
            "getFlow" => plain(self.flow(arguments)),
            "exportFlow" => plain(self.export_flow(arguments)),
            "tryFlow" => plain(self.try_flow(arguments)),
            "saveFlow" => plain(self.save_flow(arguments)),
            "publishFlow" => plain(self.publish_flow(arguments)),
            "setDefaultFlow" => plain(self.set_default_flow(arguments)),
            "decideApproval" => plain(self.decide_approval(arguments)),
            "listConnections" => plain(self.connections()),
            "saveConnection" => plain(self.save_connection(arguments)),
            "disableConnection" => plain(self.disable_connection(arguments)),
            "enableConnection" => plain(self.enable_connection(arguments)),
            "deleteConnection" => plain(self.delete_connection(arguments)),
            "deleteFlow" => plain(self.delete_flow(arguments)),
            "createCustomer" => Box::pin(self.create_customer(arguments)),
            "updateCustomer" => plain(self.update_customer(arguments)),
            "deleteCustomer" => plain(self.delete_customer(arguments)),
            "getCustomer" => plain(self.customer(arguments)),
            "listCustomers" => plain(self.customers(arguments, look_ahead)),
            "tokenisePaymentMethod" | "tokeniseCard" => Box::pin(self.tokenise(arguments)),
            "getPaymentMethod" => plain(self.method(arguments, look_ahead)),
            "getPaymentMethods" => plain(self.methods(arguments, look_ahead, "customerId")),
            "listCustomerCards" => plain(self.methods(arguments, look_ahead, "vaultCustomerId")),
            "deletePaymentMethod" => plain(self.delete_method(arguments)),
            "updateDefaultPaymentMethod" => plain(self.make_default(arguments)),
            "attachPaymentMethod" => plain(self.attach_method(arguments)),
            "startIntent" => plain(self.start_intent(arguments, look_ahead)),
            "updateIntent" => plain(self.update_intent(arguments, look_ahead)),
            "completeIntent" => plain(self.complete_intent(arguments, look_ahead)),
            "getIntent" => plain(self.intent(arguments, look_ahead)),
            "listIntents" => plain(self.intents(arguments, look_ahead)),
            "optimise" => plain(self.optimise(arguments)),
            "setupWallet" => plain(self.setup_wallet(arguments)),
            "saveWallet" => plain(self.save_wallet(arguments)),
            "attachSecurityCode" => plain(self.attach_code(arguments)),
            "headlessRequestPaymentProcessorToken" => plain(self.processor_token(arguments)),
            "getTeam" => plain(self.team()),
            "updateTeam" => plain(self.update_team(arguments)),
            "listClientTokens" => plain(self.client_tokens(arguments)),
            "revokeClientToken" => plain(self.revoke_client_token(arguments)),
            "generateClientToken" => plain(self.client_token(arguments)),
            // A credential that came this far is good.
            "initializeSDK" => told(Ok(true.into())),
            other => {
                tracing::error!(field = other, "a root field of the schema has no resolver");
                told(Err(Fault::unknown()))
            }
        }
    }
}

impl Root for Operations<'_> {
    /// Each root field has its own answer, also when the document's time is over. Source: behaviour contract, section 5.
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer> {
        if self.engine.is_too_late() {
            return told(Err(not_begun()));
        }
        let work = self.answer(call);
        Box::pin(async move {
            match self.engine.in_request_time(work).await {
                Ok(answer) => answer,
                Err(fault) => Err(fault).into(),
            }
        })
    }
}

/// How long a value is as JSON, without making the text: it may hold a card's number.
fn length(value: &serde_json::Value) -> u64 {
    struct Counter(u64);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len() as u64);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Counting can't fail.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// The document's time was over before this field's turn came.
fn not_begun() -> Fault {
    let message = "The fields before this one took all of the document's time. Nothing was done for it: send it in a document \
                   of its own.";
    Fault::new(Code::Unavailable, message)
}

/// An answer that takes no idempotency key.
fn plain<'b>(
    result: impl Future<Output = Result<Out<'static>, Fault>> + Send + 'b,
) -> BoxFuture<'b, Answer> {
    Box::pin(result.map(Answer::from))
}

/// An answer that is there already.
fn told<'b>(result: Result<Out<'static>, Fault>) -> BoxFuture<'b, Answer> {
    Box::pin(std::future::ready(result.into()))
}

/// `keyed` is how many operations of the request take a key: it counts for one, and can't for several.
fn judge(key: Option<String>, keyed: usize) -> Key {
    let Some(key) = key.filter(|_| keyed > 0) else {
        return Key::Absent;
    };
    let bad = |message: &str| Key::Bad(Fault::new(Code::KeyInvalid, message));
    if keyed > 1 {
        return bad("An idempotency key counts for one operation. Send one of them in a request.");
    }
    match key.chars().count() {
        1..=KEY_MAX => Key::Good(key),
        _ => bad(
            "An idempotency key is one header X-Idempotency-Key, or Idempotency-Key, of 1 to 255 ASCII characters; where both are sent \
                 they must say the same.",
        ),
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
        let arms = source
            .split_once("match name {")
            .unwrap()
            .1
            .split_once("other =>")
            .unwrap()
            .0;
        let schema = crate::schema::ApiSchema::load().unwrap().schema;
        for root in ["Query", "Mutation"] {
            for name in schema.get_object(root).unwrap().fields.keys() {
                assert!(arms.contains(&format!("\"{name}\"")), "{root}.{name}");
            }
        }
    }

    #[test]
    fn every_root_field_has_a_row_in_the_table_of_rights_and_nothing_else_has() {
        let schema = crate::schema::ApiSchema::load().unwrap().schema;
        let fields: std::collections::BTreeSet<&str> = ["Query", "Mutation"]
            .into_iter()
            .flat_map(|root| schema.get_object(root).unwrap().fields.keys())
            .map(apollo_compiler::Name::as_str)
            .collect();
        let rows = rights::OPERATIONS.iter().map(|operation| operation.name);
        let rows = rows.filter(|name| !name.starts_with('/')).collect();
        assert_eq!(fields, rows);
    }

    #[test]
    fn every_operation_that_takes_a_key_is_in_the_schema_and_says_so() {
        let schema = crate::schema::ApiSchema::load().unwrap().schema;
        let mutations = &schema.get_object("Mutation").unwrap().fields;
        for (name, field) in mutations {
            let says = field
                .description
                .as_deref()
                .unwrap()
                .contains("X-Idempotency-Key");
            let keyed = KEYED.contains(&name.as_str());
            assert!(says == keyed || name == "tokeniseCard", "{name}");
        }
        assert!(KEYED.iter().all(|name| mutations.contains_key(*name)));
    }
}
