//! The facet of processors that take card data by fields of their own in the browser alone.

use std::time::Duration;

use domain::{caller::Mode, id::ConnectionId};
use serde_json::Value;

/// Card fields of the processor's own: its script draws them in the customer's browser, and gives a token in the place of the card.
/// Some processors take no numbers from others (Mollie Components, Square). A payment with such a token stays at its connection.
pub trait HostedFields: Send + Sync {
    /// What the document of the fields may load: the same for every connection. `service` is the service's own origin, for fields
    /// that are played in the sandbox.
    fn sources(&self, mode: Mode, service: &str) -> FieldsSources;

    /// The fields of an account; `None`: it takes numbers of our vault, and these fields are not shown.
    fn fields(&self, account: &FieldsAccount<'_>) -> Option<BrowserFields>;
}

/// The account whose fields are shown.
#[derive(Debug, Clone, Copy)]
pub struct FieldsAccount<'a> {
    /// The connection.
    pub connection: &'a ConnectionId,
    /// The connection's settings. Public identifiers of the processor's script (an application, a profile) stand here.
    pub settings: &'a Value,
}

/// What the document of a processor's fields may load. Each list holds sources of a content security policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldsSources {
    /// The processor's script, an absolute address.
    pub script: String,
    /// Where more scripts come from.
    pub scripts: Vec<String>,
    /// Where its frames come from.
    pub frames: Vec<String>,
    /// Where its script sends requests.
    pub connect: Vec<String>,
    /// Where its style sheets come from; `'unsafe-inline'` where it writes styles into the document.
    pub styles: Vec<String>,
    /// Where fonts come from.
    pub fonts: Vec<String>,
    /// The script runs in a document without an origin, from which nothing of the service can be reached. False for scripts that
    /// need an origin; the document has the service's then.
    pub is_sandboxed: bool,
}

/// What the browser needs to show a processor's own fields. All of it is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserFields {
    /// What the script is given: an object with the account's public key or profile, never a secret.
    pub parameters: Value,
    /// Whether the fields ask for the cardholder's name too, so that the form does not.
    pub asks_for_name: bool,
    /// For how long the processor takes a token after the customer got it.
    pub token_lifetime: Duration,
    /// How the customer is authenticated.
    pub authentication: FieldsAuthentication,
}

/// How a customer is authenticated (3D Secure) who has paid by a processor's own fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldsAuthentication {
    /// The authorisation answers with an address of the processor's, to which the customer goes: as with numbers of the vault.
    Redirect,
    /// The fields' script authenticates before it gives the token, and needs the amount and the customer's details for it.
    WithToken,
}

impl FieldsAuthentication {
    /// Its word in the interface.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Redirect => "redirect",
            Self::WithToken => "token",
        }
    }
}
