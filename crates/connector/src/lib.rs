//! The port: what the engine asks of a processor, and what can come back.
//!
//! A connector is stateless code; what it needs of a connection comes with each call, in a [`Link`]. The trait [`Connector`]
//! has the verbs of money, which every processor has. What only some processors can do is a *facet*: a trait of its own that
//! a connector hands out or not. A capability is the presence of its facet, so that it can't disagree with behaviour, and a
//! new facet changes no connector.

mod call;
mod call_error;
mod certainty;
mod credentials;
mod descriptor;
mod disputes;
mod fact;
mod finding;
mod hosted;
mod link;
mod notices;
mod probe;
mod reference;
mod registers;
#[cfg(feature = "scenarios")]
pub mod scenarios;
mod stored;

pub use call::{
    AccountData, Authorise, Cancel, Capture, CardData, Complete, Cryptogram, Earlier,
    FundingSource, LookUp, Refund, SentBetween, StoredCardData, StoredCredential, ThreeDsCall,
    TokenData,
};
pub use call_error::{CallError, Cause};
pub use certainty::Certainty;
pub use credentials::{CredentialField, CredentialPurpose, Credentials, NotCredentials};
pub use descriptor::{Capabilities, Descriptor};
pub use disputes::{Disputes, EvidenceFile, FoundResponse, Respond, SubmitEvidence};
pub use domain::answer::{
    Action, ActionKind, Answer, Approval, Booked, Booking, Check, Checks, Costs, Known,
    LaterAnswer, ThreeDs,
};
pub use domain::{
    payment::{Payer, RecurringReason},
    processor_token::OwnToken,
    returned::Returned,
};
pub use fact::Fact;
pub use finding::{Finding, Found};
pub use hosted::{BrowserFields, FieldsAccount, FieldsAuthentication, FieldsSources, HostedFields};
pub use link::Link;
pub use notices::{
    Delivery, NotGenuine, Notice, NoticeContent, Notices, RefundMade, Subject, Unreadable,
};
pub use probe::{AccountFacts, Probe};
pub use reference::Reference;
pub use registers::{Registered, Registers};
pub use stored::{Stored, Tokenise, Tokenised};

use domain::{caller::Mode, money::Money};
use futures_util::future::BoxFuture;

/// What a verb returns: the processor's answer, or why there is none.
pub type Called<'a, T> = BoxFuture<'a, Result<T, CallError>>;

/// One processor, spoken to by our code.
///
/// The engine bounds each call by [`Descriptor::call_timeout`] and drops the future when that ends; a connector must
/// therefore treat every point of waiting as the place where it may end. No verb may send its request twice by itself.
/// Each answer and each finding says what the processor has under the reference, and how much, where the processor says it
/// ([`Approval::booked`], [`Booked`]): the engine compares it with what was asked for.
pub trait Connector: Send + Sync + 'static {
    /// The facts about this processor.
    fn descriptor(&self) -> &Descriptor;

    /// Checks the settings of a connection before they are kept. The error is a clause for the merchant.
    fn check_settings(&self, settings: &serde_json::Value) -> Result<(), String>;

    /// Checks the values of a connection's credentials before they are kept, as far as their text alone tells: above all that a
    /// key of live mode never gets into test mode, and the reverse (a prefix such as `sk_test_`). Their names were checked
    /// before ([`Credentials::check`]). Reaches nobody. The error is a clause for the merchant that names the field and
    /// never repeats a value.
    fn check_credentials(&self, _: &Credentials, _: Mode) -> Result<(), String> {
        Ok(())
    }

    /// Whether the processor can be asked for an amount, to authorise, capture or refund it. Asked before anything is stored or sent.
    /// The error is a clause about the amount, for the merchant.
    fn check_amount(&self, _money: Money) -> Result<(), &'static str> {
        Ok(())
    }

    /// Asks for an authorisation, or for authorisation and capture in one when `call.capture` is set.
    fn authorise<'a>(&'a self, link: &'a Link<'a>, call: &'a Authorise<'a>) -> Called<'a, Answer>;

    /// Completes an authorisation for which the customer has done what was asked ([`Action::ready`]). The same call
    /// repeated has no second effect. [`CallError::Unsupported`] where the processor never asks anything of the customer.
    fn complete<'a>(&'a self, link: &'a Link<'a>, call: &'a Complete<'a>) -> Called<'a, Answer>;

    /// Captures an authorisation, whole or in part.
    fn capture<'a>(&'a self, link: &'a Link<'a>, call: &'a Capture<'a>) -> Called<'a, LaterAnswer>;

    /// Cancels (voids) an authorisation, or releases what captures that were not final have left of it. One that waits for the
    /// customer is given up.
    fn cancel<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer>;

    /// Refunds captured money, whole or in part.
    fn refund<'a>(&'a self, link: &'a Link<'a>, call: &'a Refund<'a>) -> Called<'a, LaterAnswer>;

    /// Finds out what became of an earlier call, and of all others of the same authorisation that the processor mentions in the
    /// same answer. Reads only; the vault is not opened for it.
    fn look_up<'a>(&'a self, link: &'a Link<'a>, call: &'a LookUp<'a>) -> Called<'a, Finding>;

    /// Asks the processor what an account is and can do. `None`: it can't be asked without an effect.
    fn probe(&self) -> Option<&dyn Probe> {
        None
    }

    /// How an outcome is made sure of at a processor that can't be read. `None`: it can be read.
    fn certainty(&self) -> Option<&dyn Certainty> {
        None
    }

    /// What the processor stores for later payments. `None`: nothing.
    fn stored(&self) -> Option<&dyn Stored> {
        None
    }

    /// What the processor sends by itself. `None`: nothing.
    fn notices(&self) -> Option<&dyn Notices> {
        None
    }

    /// How an address for notifications is registered by the processor's API. `None`: by hand alone.
    fn registers(&self) -> Option<&dyn Registers> {
        None
    }

    /// Card fields of the processor's own. `None`: it takes numbers.
    fn hosted_fields(&self) -> Option<&dyn HostedFields> {
        None
    }

    /// Disputes at the processor. `None`: it can't be asked about them.
    fn disputes(&self) -> Option<&dyn Disputes> {
        None
    }
}
