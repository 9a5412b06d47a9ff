//! What a processor knows a team by.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

/// A field of a connection's credentials, as the descriptor declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialField {
    /// Its name, such as `apiKey`.
    pub name: &'static str,
    /// Whether a connection can't do without it.
    pub is_required: bool,
    /// What it is and where the processor shows it: a clause for the merchant.
    pub about: &'static str,
}

/// The credentials of a connection, opened for one call: texts by the name of their field. They have no `Debug`, can't be
/// printed or copied, and are wiped when they are dropped.
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
    /// A field that is not declared; one that is required and missing.
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
        missing.map_or(Ok(()), |field| Err(NotCredentials::Missing(field.name)))
    }

    /// The value of a field. It must go to the processor and nowhere else.
    pub fn get(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(|value| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[CredentialField] = &[
        CredentialField {
            name: "apiKey",
            is_required: true,
            about: "the secret key",
        },
        CredentialField {
            name: "account",
            is_required: false,
            about: "the account",
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
                "it knows apiKey, account",
            ),
            (r#"{"account": "a"}"#, "must have the field apiKey"),
            (r#"{"apiKey": ""}"#, "must have the field apiKey"),
        ] {
            let refusal = checked(document).unwrap_err().to_string();
            assert!(refusal.contains(part), "{document}: {refusal}");
            assert!(!refusal.contains("secret"), "{document}: {refusal}");
        }
    }

    #[test]
    fn a_processor_without_credentials_takes_none() {
        let given =
            Credentials::read(br#"{"apiKey": "k"}"#).unwrap_or_else(|error| panic!("{error}"));
        let refusal = given.check(&[]).unwrap_err().to_string();
        assert!(refusal.contains("has no credentials"), "{refusal}");
    }
}
