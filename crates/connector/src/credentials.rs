//! What a processor knows a team by.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

/// A field of a connection's credentials, as the descriptor declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialField {
    /// Its name, such as `apiKey`.
    pub name: &'static str,
    /// Whether a connection can't do without it. A secret of notifications is never required: most processors show it only after
    /// they have our address, and the connection has an address only after it was saved.
    pub is_required: bool,
    /// Whether it must be hidden while it is typed. False for identifiers such as a merchant account.
    pub is_secret: bool,
    /// What it is used for.
    pub purpose: CredentialPurpose,
    /// How a value looks, such as `sk_test_…`; empty where there is nothing to recognise. For people;
    /// [`crate::Connector::check_credentials`] judges.
    pub form: &'static str,
    /// What it is and where the processor shows it: a clause for the merchant.
    pub about: &'static str,
}

/// What a field of the credentials is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialPurpose {
    /// Requests to the processor. A new value counts at once.
    Calls,
    /// The proof that a notification is the processor's own. When it is rotated, the value before still proves deliveries for 24
    /// hours: [`crate::Notices::prove`] is called with each of them and sees one at a time.
    Notifications,
}

impl CredentialPurpose {
    /// Its word in the interface.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Calls => "CALLS",
            Self::Notifications => "NOTIFICATIONS",
        }
    }
}

/// The credentials of a connection, opened for one call: texts by the name of their field. They have no `Debug`, can't be
/// printed or copied, and are wiped when they are dropped.
#[derive(PartialEq, Eq)]
pub struct Credentials(BTreeMap<String, Zeroizing<String>>);

/// Why a document holds no credentials: a clause for the merchant, without a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCredentials {
    /// No JSON object of texts.
    #[error("must be an object whose values are texts")]
    Form,
    /// A field that the processor does not know.
    #[error("has a field that the processor does not know; {0}")]
    UnknownField(String),
    /// A field that is needed and absent, or empty.
    #[error("must have the field {0}")]
    Missing(&'static str),
    /// White space around a value, as it comes with copying.
    #[error("has white space before or after the value of {0}")]
    Padded(&'static str),
}

impl Credentials {
    /// Reads the document in which they are stored.
    ///
    /// # Errors
    /// [`NotCredentials::Form`].
    pub fn read(document: &[u8]) -> Result<Self, NotCredentials> {
        let fields: BTreeMap<String, String> =
            serde_json::from_slice(document).map_err(|_| NotCredentials::Form)?;
        let wiped = |(name, value)| (name, Zeroizing::new(value));
        Ok(Self(fields.into_iter().map(wiped).collect()))
    }

    /// Checks them against what the processor's descriptor declares.
    ///
    /// # Errors
    /// A field that is not declared; one that is required and missing; white space around a value.
    pub fn check(&self, declared: &[CredentialField]) -> Result<(), NotCredentials> {
        let is_declared = |name: &String| declared.iter().any(|field| field.name == name);
        if !self.0.keys().all(is_declared) {
            let names: Vec<_> = declared.iter().map(|field| field.name).collect();
            let known = if names.is_empty() {
                "it has no credentials".to_owned()
            } else {
                format!("it knows {}", names.join(", "))
            };
            return Err(NotCredentials::UnknownField(known));
        }
        let missing = declared
            .iter()
            .find(|field| field.is_required && self.get(field.name).is_none_or(str::is_empty));
        if let Some(field) = missing {
            return Err(NotCredentials::Missing(field.name));
        }
        let is_padded = |value: &str| value.trim() != value;
        let mut fields = declared.iter();
        let padded = fields.find(|field| self.get(field.name).is_some_and(is_padded));
        padded.map_or(Ok(()), |field| Err(NotCredentials::Padded(field.name)))
    }

    /// The document in which they are stored.
    pub fn document(&self) -> Zeroizing<String> {
        // An object of texts can always be written.
        Zeroizing::new(serde_json::to_string(&self.texts()).unwrap_or_default())
    }

    /// The names of the fields, in their order.
    pub fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts the fields of others in the place of those of the same name.
    pub fn overlay(&mut self, newer: Self) {
        self.0.extend(newer.0);
    }

    /// The fields that are declared for a purpose.
    #[must_use]
    pub fn of_purpose(&self, declared: &[CredentialField], purpose: CredentialPurpose) -> Self {
        let is_of = |name: &str| is_of(declared, name, purpose);
        let fields = self.0.iter().filter(|(name, _)| is_of(name));
        let copied = fields.map(|(name, value)| (name.clone(), value.clone()));
        Self(copied.collect())
    }

    /// These, with the fields of a purpose as they were before.
    #[must_use]
    pub fn with_earlier(
        &self,
        earlier: &Self,
        declared: &[CredentialField],
        purpose: CredentialPurpose,
    ) -> Self {
        let is_other = |name: &str| !is_of(declared, name, purpose);
        let kept = self.0.iter().filter(|(name, _)| is_other(name));
        let copied = kept.chain(&earlier.0);
        Self(
            copied
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    fn texts(&self) -> BTreeMap<&str, &str> {
        let fields = self.0.iter();
        fields
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// The value of a field. It must go to the processor and nowhere else.
    pub fn get(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(|value| value.as_str())
    }
}

fn is_of(declared: &[CredentialField], name: &str, purpose: CredentialPurpose) -> bool {
    declared
        .iter()
        .any(|field| field.name == name && field.purpose == purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[CredentialField] = &[
        CredentialField {
            name: "apiKey",
            is_required: true,
            is_secret: true,
            purpose: CredentialPurpose::Calls,
            form: "",
            about: "the secret key",
        },
        CredentialField {
            name: "account",
            is_required: false,
            is_secret: false,
            purpose: CredentialPurpose::Calls,
            form: "",
            about: "the account",
        },
        CredentialField {
            name: "hookSecret",
            is_required: false,
            is_secret: true,
            purpose: CredentialPurpose::Notifications,
            form: "",
            about: "the secret of notifications",
        },
    ];

    fn checked(document: &str) -> Result<(), NotCredentials> {
        Credentials::read(document.as_bytes())?.check(DECLARED)
    }

    #[test]
    fn only_declared_texts_are_credentials_and_no_refusal_repeats_a_value() {
        assert_eq!(checked(r#"{"apiKey": "k"}"#), Ok(()));
        assert_eq!(checked(r#"{"apiKey": "k", "account": ""}"#), Ok(()));
        for (document, part) in [
            (r#"["secret"]"#, "texts"),
            (r#"{"apiKey": 7}"#, "texts"),
            (r#"{"apiKey": {"secret": "secret"}}"#, "texts"),
            ("secret", "texts"),
            (
                r#"{"apiKey": "k", "secret": "x"}"#,
                "it knows apiKey, account, hookSecret",
            ),
            (r#"{"account": "a"}"#, "must have the field apiKey"),
            (r#"{"apiKey": ""}"#, "must have the field apiKey"),
            (
                r#"{"apiKey": " secret"}"#,
                "white space before or after the value of apiKey",
            ),
            (
                r#"{"apiKey": "k", "account": "secret\n"}"#,
                "white space before or after the value of account",
            ),
        ] {
            let refusal = checked(document).unwrap_err().to_string();
            assert!(refusal.contains(part), "{document}: {refusal}");
            assert!(!refusal.contains("secret"), "{document}: {refusal}");
        }
    }

    fn read(document: &str) -> Credentials {
        Credentials::read(document.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_is_written_is_what_was_read() {
        let document = r#"{"account":"a \"quoted\" text","apiKey":"k"}"#;
        assert_eq!(read(document).document().as_str(), document);
    }

    #[test]
    fn an_overlay_changes_the_fields_that_it_names_alone() {
        let mut credentials = read(r#"{"apiKey": "old", "account": "a"}"#);
        credentials.overlay(read(r#"{"apiKey": "new", "hookSecret": "h"}"#));
        assert!(credentials == read(r#"{"apiKey": "new", "account": "a", "hookSecret": "h"}"#));
    }

    #[test]
    fn the_earlier_secret_of_notifications_replaces_the_present_one_and_no_key_of_calls() {
        let purpose = CredentialPurpose::Notifications;
        let before = read(r#"{"apiKey": "old", "hookSecret": "one"}"#);
        let earlier = before.of_purpose(DECLARED, purpose);
        assert!(earlier == read(r#"{"hookSecret": "one"}"#));
        let now = read(r#"{"apiKey": "new", "hookSecret": "two"}"#);
        let both = now.with_earlier(&earlier, DECLARED, purpose);
        assert!(both == read(r#"{"apiKey": "new", "hookSecret": "one"}"#));
        // There was none before.
        let none = now.with_earlier(&read("{}"), DECLARED, purpose);
        assert!(none == read(r#"{"apiKey": "new"}"#));
    }

    #[test]
    fn a_processor_without_credentials_takes_none() {
        let given =
            Credentials::read(br#"{"apiKey": "k"}"#).unwrap_or_else(|error| panic!("{error}"));
        let refusal = given.check(&[]).unwrap_err().to_string();
        assert!(refusal.contains("has no credentials"), "{refusal}");
    }
}
