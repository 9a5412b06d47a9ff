//! The port: what the engine asks of a processor, and what can come back.
//!
//! A connector is stateless code; what it needs of a connection comes with each call. Verbs that most processors lack
//! default to [`CallError::Unsupported`], so that a new verb touches no connector.

mod call;
mod call_error;
mod descriptor;
#[cfg(feature = "scenarios")]
pub mod scenarios;

pub use call::{
    AccountData, Authorise, CardData, Complete, Cryptogram, Follow, LookUp, Reference, ThreeDsCall,
    Tokenise, Tokenised,
};
pub use call_error::CallError;
pub use descriptor::{Capabilities, Descriptor};
pub use domain::answer::{
    Action, ActionKind, Answer, Approval, Booked, Booking, Finding, LaterAnswer, ThreeDs,
};

use std::future::ready;

use futures_util::future::BoxFuture;

/// One processor, spoken to by our code.
///
/// The engine bounds each call by [`Descriptor::call_timeout`] and drops the future when that ends; a connector must
/// therefore treat every point of waiting as the place where it may end. No verb may send its request twice by itself.
/// Each answer and each finding tells what the processor has under the reference, and how much, where the processor tells it
/// ([`Approval::booked`], [`Booked`]): the engine compares it with what was asked for.
pub trait Connector: Send + Sync + 'static {
    /// The facts about this processor.
    fn descriptor(&self) -> &Descriptor;

    /// Asks for an authorisation, or for authorisation and capture in one when `call.capture` is set.
    fn authorise<'a>(&'a self, call: &'a Authorise<'a>)
    -> BoxFuture<'a, Result<Answer, CallError>>;

    /// Captures an authorisation, whole or in part.
    fn capture<'a>(&'a self, call: &'a Follow<'a>)
    -> BoxFuture<'a, Result<LaterAnswer, CallError>>;

    /// Cancels (voids) an authorisation.
    fn cancel<'a>(&'a self, call: &'a Follow<'a>) -> BoxFuture<'a, Result<LaterAnswer, CallError>>;

    /// Refunds captured money, whole or in part.
    fn refund<'a>(&'a self, call: &'a Follow<'a>) -> BoxFuture<'a, Result<LaterAnswer, CallError>>;

    /// Finds out what became of an earlier call, by our reference. Reads only; never opens the vault.
    fn look_up<'a>(&'a self, call: &'a LookUp<'a>) -> BoxFuture<'a, Result<Finding, CallError>>;

    /// Completes an authorisation for which the customer has done what was asked ([`Action::ready`]). The same call
    /// repeated has no second effect.
    fn complete<'a>(&'a self, _: &'a Complete<'a>) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(ready(Err(CallError::Unsupported)))
    }

    /// Asks for a token of the processor's own for a card.
    fn tokenise<'a>(&'a self, _: &'a Tokenise<'a>) -> BoxFuture<'a, Result<Tokenised, CallError>> {
        Box::pin(ready(Err(CallError::Unsupported)))
    }

    /// Checks the settings of a connection before they are kept. The error is a clause for the merchant.
    fn check_settings(&self, settings: &serde_json::Value) -> Result<(), String>;
}
