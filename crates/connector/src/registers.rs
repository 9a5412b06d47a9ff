//! The facet of processors whose API registers an address for notifications.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

use crate::{Called, Link};

/// Has a processor send its notifications. The two calls are apart, since the secret of the new registration is kept between them: those
/// before stand until it is.
pub trait Registers: Send + Sync {
    /// Makes one more registration that sends notifications to [`Link::notification_url`], signed with a secret of its own.
    fn register<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, Registered>;

    /// Removes registrations. One that is not there any more is no error, so that the same call may be repeated.
    fn retire<'a>(&'a self, link: &'a Link<'a>, ids: &'a [String]) -> Called<'a, ()>;
}

/// A new registration. Can't be printed.
pub struct Registered {
    id: String,
    earlier: Vec<String>,
    fields: BTreeMap<&'static str, Zeroizing<String>>,
}

impl Registered {
    /// A registration with the processor's id of it. `earlier`: those of the same address that stood before it was made; one that was made
    /// by another caller meanwhile must not be among them, else two callers remove each other's.
    #[must_use]
    pub const fn new(id: String, earlier: Vec<String>) -> Self {
        Self {
            id,
            earlier,
            fields: BTreeMap::new(),
        }
    }

    /// The processor's id of it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The processor's ids of those that stood before it.
    pub fn earlier(&self) -> &[String] {
        &self.earlier
    }

    /// With one more field.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.fields.insert(name, Zeroizing::new(value));
        self
    }

    /// What proves its notifications, as an object in JSON: fields of the connection's credentials by their names
    /// ([`crate::CredentialPurpose::Notifications`]).
    pub fn document(&self) -> Zeroizing<String> {
        let fields = self.fields.iter();
        let object: serde_json::Map<_, _> = fields
            .map(|(name, value)| ((*name).to_owned(), value.as_str().into()))
            .collect();
        Zeroizing::new(serde_json::Value::Object(object).to_string())
    }
}
