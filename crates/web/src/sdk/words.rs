//! The texts of a form in the customer's language, as its script would write them: what is written from the start does not move when
//! the script comes.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use serde_json::Value;

use crate::Language;

/// The texts by language and key. `sdk/build.mjs` writes them, from what the scripts have.
static TEXTS: LazyLock<HashMap<String, HashMap<String, String>>> = LazyLock::new(|| {
    let text = include_str!("../../../server/assets/sdk/texts.json");
    serde_json::from_str(text).unwrap_or_default()
});

/// The longest text of a merchant's own. Unit: characters.
const OWN_MAX: usize = 500;
/// How deeply a merchant's texts may be nested.
const DEPTH_MAX: usize = 6;

/// The texts of a form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    language: Language,
    /// The code of the language, which may be another one where the texts are the merchant's.
    code: String,
    is_from_right: bool,
    own: BTreeMap<String, String>,
    /// The option, as it was given.
    given: Option<Value>,
}

impl Words {
    /// Those of a language.
    pub fn of(language: Language) -> Self {
        Self {
            language,
            code: language.code().to_owned(),
            ..Self::default()
        }
    }

    /// Those of the option `language`: a code, or the merchant's own texts over English ones. Without it those of `accepted`.
    pub fn chosen(option: Option<&Value>, accepted: Language) -> Self {
        match option {
            None => Self::of(accepted),
            Some(Value::Object(texts)) => {
                let mut own = BTreeMap::new();
                for (name, text) in texts {
                    flatten(text, name.clone(), &mut own, 0);
                }
                let code = own.get("language").map(String::as_str);
                Self {
                    code: primary(code.unwrap_or_default()),
                    is_from_right: own.get("direction").is_some_and(|way| way == "rtl"),
                    own,
                    given: option.cloned(),
                    ..Self::of(Language::English)
                }
            }
            Some(given) => {
                let code = primary(given.as_str().unwrap_or_default());
                let known = Language::ALL.into_iter().find(|one| one.code() == code);
                // One that is not here is English, also where the browser asks for another.
                Self::of(known.unwrap_or_default())
            }
        }
    }

    /// The option from which the form's script makes the same texts.
    pub fn option(&self) -> Value {
        let given = self.given.clone();
        given.unwrap_or_else(|| self.language.code().into())
    }

    /// The language of texts that are not the merchant's.
    pub fn language(&self) -> Language {
        self.language
    }

    pub(super) fn code(&self) -> &str {
        &self.code
    }

    pub(super) fn is_in(&self, code: &str) -> bool {
        self.code == code
    }

    pub(super) fn direction(&self) -> &'static str {
        if self.is_from_right { "rtl" } else { "ltr" }
    }

    /// The text of a key; empty for one that there is not.
    pub(super) fn get(&self, key: &str) -> &str {
        let base = || TEXTS.get(self.language.code())?.get(key);
        self.own.get(key).or_else(base).map_or("", String::as_str)
    }

    /// The same, with `{name}` replaced.
    pub(super) fn fill(&self, key: &str, name: &str, value: &str) -> String {
        filled(self.get(key), name, value)
    }
}

/// A brand's name for people.
pub(super) fn brand_name(code: &str) -> Option<&'static str> {
    TEXTS.get("brands")?.get(code).map(String::as_str)
}

/// A text with `{name}` replaced.
pub(super) fn filled(text: &str, name: &str, value: &str) -> String {
    text.replace(&format!("{{{name}}}"), value)
}

/// `fr` of `fr-CA`; English for what is no language.
fn primary(code: &str) -> String {
    let code = code.split(['-', '_']).next().unwrap_or_default();
    let is_code =
        matches!(code.len(), 2 | 3) && code.bytes().all(|byte| byte.is_ascii_alphabetic());
    let code = if is_code { code } else { "en" };
    code.to_ascii_lowercase()
}

/// `{card: {number: {placeholder: "…"}}}` and `{"card.number.placeholder": "…"}` are the same.
fn flatten(value: &Value, key: String, texts: &mut BTreeMap<String, String>, depth: usize) {
    match value {
        Value::String(text) => {
            texts.insert(key, text.chars().take(OWN_MAX).collect());
        }
        Value::Object(members) if depth < DEPTH_MAX => {
            for (name, member) in members {
                let name = format!("{key}.{name}");
                flatten(member, name, texts, depth.saturating_add(1));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_language_has_every_text() {
        let english = &TEXTS["en"];
        for language in Language::ALL {
            let texts = &TEXTS[language.code()];
            assert_eq!(texts.len(), english.len(), "{language:?}");
            assert!(
                english.keys().all(|key| texts.contains_key(key)),
                "{language:?}"
            );
        }
        assert_eq!(
            Words::of(Language::German).get("card.expiry.aria-label"),
            "Gültig bis"
        );
        assert_eq!(Words::of(Language::German).get("made-up"), "");
    }

    #[test]
    fn the_option_counts_before_what_the_browser_asks_for() {
        let code = |option: Value| Words::chosen(Some(&option), Language::French).code;
        assert_eq!(Words::chosen(None, Language::French).code, "fr");
        assert_eq!(code(json!("DE_at")), "de");
        for unknown in [json!("ar"), json!(""), json!("\"><script>"), json!(7)] {
            assert_eq!(code(unknown), "en");
        }
        let own = json!({"language": "ar", "direction": "rtl", "pay-button": {"label": "ادفع {amount}"}, "card.cvc.hint": "x"});
        let own = Words::chosen(Some(&own), Language::French);
        assert_eq!((own.code(), own.direction()), ("ar", "rtl"));
        assert_eq!(own.fill("pay-button.label", "amount", "7"), "ادفع 7");
        assert_eq!(own.get("card.cvc.hint"), "x");
        assert_eq!(own.get("card.number.aria-label"), "Card number");
    }
}
