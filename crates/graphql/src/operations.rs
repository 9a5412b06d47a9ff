//! The root fields: one table, made of the areas' own. A row says under which name the operation stands in the schema,
//! whether it takes an idempotency key, what a browser may do through it that is counted, and what answers it.
//!
//! Who may do it stands in `domain::rights`; a test holds the two tables and the schema together.

mod key;

use std::future::Future;

use domain::{Code, Fault, caller::Caller};
use engine::{Act, Engine, Once, Scope};
use futures_util::{FutureExt, future::BoxFuture};

use self::key::Key;
use crate::{
    attachments, connections, customers, disputes, events,
    executor::{Answer, Arguments, Items, LookAhead, Out, Root, RootCall, RootFields},
    flows, intents, node, notifications, page_guard, payment_links, payments,
    shared::Sight,
    teams_and_keys, tokens, wallets, webhooks,
};

/// The operations of each area.
const AREAS: [&[Operation]; 16] = [
    payments::OPERATIONS,
    payment_links::OPERATIONS,
    intents::OPERATIONS,
    disputes::OPERATIONS,
    notifications::OPERATIONS,
    customers::OPERATIONS,
    tokens::OPERATIONS,
    flows::OPERATIONS,
    connections::OPERATIONS,
    attachments::OPERATIONS,
    wallets::OPERATIONS,
    events::OPERATIONS,
    webhooks::OPERATIONS,
    page_guard::OPERATIONS,
    teams_and_keys::OPERATIONS,
    node::OPERATIONS,
];

/// What a row takes with its event and its index entries besides what was sent. Unit: bytes.
const ROW_BYTES: u64 = 2_048;

/// Answers an operation.
type Resolver = for<'a> fn(Call<'a>, Arguments<'a>) -> BoxFuture<'a, Answer>;

/// Opens the source of a subscription.
type Opener = for<'a> fn(Call<'a>, Arguments<'a>) -> BoxFuture<'a, Result<Items<'a>, Fault>>;

/// How an operation is answered.
enum Answering {
    /// Once.
    Once(Resolver),
    /// Again and again.
    Stream(Opener),
}

/// An operation of the API: one root field.
pub struct Operation {
    /// The name of the root field.
    pub name: &'static str,
    /// Whether it takes an idempotency key. Source: behaviour contract, section 5.
    pub takes_key: bool,
    counted: Counted,
    answering: Answering,
}

/// What of an operation is counted when a browser's credential does it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// That it was done.
    Done,
    /// What it stores as well.
    Stored,
    /// What it stores, and that it is an authorisation.
    Paid,
}

impl Operation {
    /// One that takes no key.
    pub(crate) const fn plain(name: &'static str, resolve: Resolver) -> Self {
        Self {
            name,
            takes_key: false,
            counted: Counted::Done,
            answering: Answering::Once(resolve),
        }
    }

    /// A subscription.
    pub(crate) const fn stream(name: &'static str, open: Opener) -> Self {
        Self {
            name,
            takes_key: false,
            counted: Counted::Done,
            answering: Answering::Stream(open),
        }
    }

    /// One that takes an idempotency key.
    pub(crate) const fn keyed(name: &'static str, resolve: Resolver) -> Self {
        Self {
            takes_key: true,
            ..Self::plain(name, resolve)
        }
    }

    /// The same, when a browser's credential may do it and something is stored.
    pub(crate) const fn storing(mut self) -> Self {
        self.counted = Counted::Stored;
        self
    }

    /// The same for an authorisation.
    pub(crate) const fn paying(mut self) -> Self {
        self.counted = Counted::Paid;
        self
    }

    /// What a browser's credential is about to do.
    fn act(&self, arguments: &Arguments<'_>) -> Act {
        let stores = match self.counted {
            Counted::Done => 0,
            Counted::Stored | Counted::Paid => {
                ROW_BYTES.saturating_add(length(&arguments.identity()))
            }
        };
        Act {
            stores,
            pays: self.counted == Counted::Paid,
        }
    }
}

/// All operations, area by area.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    AREAS.into_iter().flatten()
}

/// The operation of this name.
pub(crate) fn operation(name: &str) -> Option<&'static Operation> {
    operations().find(|operation| operation.name == name)
}

/// What an operation has besides its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The use cases.
    pub(crate) engine: &'a Engine,
    /// Who asks.
    pub(crate) caller: &'a Caller,
    /// What is selected of the answer.
    pub(crate) look: LookAhead<'a>,
    key: &'a Key,
    /// The place of the last answer of a stream that the client has had.
    pub(crate) last_place: Option<&'a str>,
}

impl Call<'_> {
    /// What the credential may see.
    pub(crate) fn sight(self) -> Sight {
        Sight::of(self.caller)
    }

    /// The idempotency material of the operation. `scope` gets the argument `id` as it was sent, if there is one.
    pub(crate) fn once(
        self,
        scope: impl FnOnce(String) -> Scope,
        arguments: &Arguments<'_>,
    ) -> Option<Once> {
        let Key::Good(key) = self.key else {
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
            number: None,
        })
    }
}

/// Answers the root fields of one request.
pub(crate) struct Operations<'a> {
    engine: Engine,
    caller: &'a Caller,
    key: Key,
    last_place: Option<String>,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(
        engine: Engine,
        caller: &'a Caller,
        key: Option<String>,
        fields: &RootFields<'_>,
    ) -> Self {
        let keyed = fields.count(|name| operation(name).is_some_and(|known| known.takes_key));
        Self {
            engine,
            caller,
            key: key::judge(key, keyed),
            last_place: None,
        }
    }

    /// For a client that has had a stream's answers up to a place.
    pub(crate) fn going_on_from(self, last_place: Option<String>) -> Self {
        Self { last_place, ..self }
    }

    /// Whether the operation may be done; nothing of its arguments was looked at so far.
    fn permitted(&self, call: &RootCall<'_>) -> Result<&'static Operation, Fault> {
        if let Key::Bad(fault) = &self.key {
            return Err(fault.clone());
        }
        let Some(operation) = operation(call.name) else {
            tracing::error!(
                field = call.name,
                "a root field of the schema has no resolver"
            );
            return Err(Fault::unknown());
        };
        self.engine.permit(self.caller, operation.name)?;
        if !self.caller.is_server() {
            self.engine
                .admit(self.caller, operation.act(&call.arguments))?;
        }
        Ok(operation)
    }

    fn answer<'b>(&'b self, call: RootCall<'b>) -> BoxFuture<'b, Answer> {
        match self.permitted(&call) {
            Ok(operation) => {
                let with = Call {
                    engine: &self.engine,
                    caller: self.caller,
                    look: call.look_ahead,
                    key: &self.key,
                    last_place: None,
                };
                match operation.answering {
                    Answering::Once(resolve) => resolve(with, call.arguments),
                    Answering::Stream(_) => ready(Err(Fault::unknown())),
                }
            }
            Err(fault) => ready(Err(fault)),
        }
    }

    async fn source<'b>(&'b self, call: RootCall<'b>) -> Result<Items<'b>, Fault> {
        let operation = self.permitted(&call)?;
        let with = Call {
            engine: &self.engine,
            caller: self.caller,
            look: call.look_ahead,
            key: &self.key,
            last_place: self.last_place.as_deref(),
        };
        match operation.answering {
            Answering::Stream(open) => open(with, call.arguments).await,
            Answering::Once(_) => Err(Fault::unknown()),
        }
    }
}

impl Root for Operations<'_> {
    /// Each root field has its own answer, also when the document's time is over. Source: behaviour contract, section 5.
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer> {
        if self.engine.is_too_late() {
            return ready(Err(not_begun()));
        }
        let work = self.answer(call);
        Box::pin(async move {
            match self.engine.in_request_time(work).await {
                Ok(answer) => answer,
                Err(fault) => Err(fault).into(),
            }
        })
    }

    fn subscribe<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Result<Items<'a>, Fault>> {
        self.source(call).boxed()
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

/// The answer of an operation that takes no key. Each has a box of its own size: one future for all would have the size of
/// the largest.
pub(crate) fn plain<'b>(
    result: impl Future<Output = Result<Out<'static>, Fault>> + Send + 'b,
) -> BoxFuture<'b, Answer> {
    Box::pin(result.map(Answer::from))
}

/// An answer that is there already.
pub(crate) fn ready<'b>(result: Result<Out<'static>, Fault>) -> BoxFuture<'b, Answer> {
    Box::pin(std::future::ready(result.into()))
}

/// What operations answer that have nothing to show.
pub(crate) fn done(result: Result<(), Fault>) -> Result<Out<'static>, Fault> {
    result.map(|()| true.into())
}

#[cfg(test)]
mod tests;
