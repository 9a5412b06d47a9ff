//! Which parameters an address takes. What isn't named is refused, as Stripe refuses it.

use super::refusal::Refusal;
use crate::form::Form;

/// How a value must look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    /// A text that may be empty, which clears it.
    Clearable,
    Integer,
    Flag,
    OneOf(&'static [&'static str]),
}

/// A parameter: `*` stands for any name, `#` for the index of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    name: &'static str,
    format: Format,
    is_required: bool,
}

impl Rule {
    const fn new(name: &'static str, format: Format) -> Self {
        Self {
            name,
            format,
            is_required: false,
        }
    }

    pub(super) const fn text(name: &'static str) -> Self {
        Self::new(name, Format::Text)
    }

    pub(super) const fn clearable(name: &'static str) -> Self {
        Self::new(name, Format::Clearable)
    }

    pub(super) const fn integer(name: &'static str) -> Self {
        Self::new(name, Format::Integer)
    }

    pub(super) const fn flag(name: &'static str) -> Self {
        Self::new(name, Format::Flag)
    }

    pub(super) const fn one_of(name: &'static str, words: &'static [&'static str]) -> Self {
        Self::new(name, Format::OneOf(words))
    }

    pub(super) const fn required(self) -> Self {
        Self {
            is_required: true,
            ..self
        }
    }

    fn fits(&self, name: &str) -> bool {
        let mut wanted = segments(self.name);
        let mut given = segments(name);
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return true,
                (Some("*"), Some(_)) => {}
                (Some("#"), Some(index)) if index.bytes().all(|byte| byte.is_ascii_digit()) => {}
                (Some(wanted), Some(given)) if wanted == given => {}
                _ => return false,
            }
        }
    }

    fn check(&self, name: &str, value: &str) -> Result<(), Refusal> {
        let refuse = |code: &str, message: String| Err(Refusal::parameter(name, code, &message));
        if value.is_empty() && self.format != Format::Clearable {
            let message = format!(
                "You passed an empty string for '{name}'. We assume empty values are an attempt to unset a parameter; however '{name}' cannot \
                 be unset. You should remove '{name}' from your request or supply a non-empty value."
            );
            return refuse("parameter_invalid_empty", message);
        }
        match self.format {
            Format::Text | Format::Clearable => Ok(()),
            Format::Integer if is_integer(value) => Ok(()),
            Format::Integer => refuse(
                "parameter_invalid_integer",
                format!("Invalid integer: {value}"),
            ),
            Format::Flag if matches!(value, "true" | "false") => Ok(()),
            Format::Flag => {
                Err(Refusal::malformed(&format!("Invalid boolean: {value}")).param(name))
            }
            Format::OneOf(words) if words.contains(&value) => Ok(()),
            Format::OneOf(words) => {
                let message = format!("Invalid {name}: must be one of {}", words.join(", "));
                Err(Refusal::malformed(&message).param(name))
            }
        }
    }
}

/// Digits only, with a sign at most, within 64 bits: no point, no exponent, no blank.
fn is_integer(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && value.parse::<i64>().is_ok()
}

fn segments(name: &str) -> impl Iterator<Item = &str> {
    name.split('[').map(|part| part.trim_end_matches(']'))
}

/// Refuses what `rules` don't allow, and what they demand and isn't there.
pub(super) fn check(form: &Form, rules: &[&[Rule]]) -> Result<(), Refusal> {
    for name in form.names() {
        let rule = rules
            .iter()
            .flat_map(|rules| rules.iter())
            .find(|rule| rule.fits(name));
        let Some(rule) = rule else {
            return Err(Refusal::parameter(
                name,
                "parameter_unknown",
                &format!("Received unknown parameter: {name}"),
            ));
        };
        rule.check(name, form.raw(name).unwrap_or_default())?;
    }
    for rule in rules
        .iter()
        .flat_map(|rules| rules.iter())
        .filter(|rule| rule.is_required)
    {
        if form.text(rule.name).is_none() {
            let message = format!("Missing required param: {}.", rule.name);
            return Err(Refusal::parameter(rule.name, "parameter_missing", &message));
        }
    }
    Ok(())
}

/// What every address takes.
pub(super) const COMMON: &[Rule] = &[Rule::text("expand[#]")];

/// What lists take.
pub(super) const LIST: &[Rule] = &[
    Rule::integer("limit"),
    Rule::text("starting_after"),
    Rule::text("ending_before"),
    Rule::integer("created"),
    Rule::integer("created[gt]"),
    Rule::integer("created[gte]"),
    Rule::integer("created[lt]"),
    Rule::integer("created[lte]"),
];

/// An address of a person.
pub(super) const BILLING: &[Rule] = &[
    Rule::clearable("payment_method_data[billing_details][*]"),
    Rule::clearable("payment_method_data[billing_details][address][*]"),
    Rule::clearable("billing_details[*]"),
    Rule::clearable("billing_details[address][*]"),
    Rule::text("shipping[*]"),
    Rule::text("shipping[address][*]"),
];

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[Rule] = &[
        Rule::integer("amount").required(),
        Rule::text("metadata[*]"),
        Rule::flag("confirm"),
        Rule::one_of("capture_method", &["automatic", "manual"]),
    ];

    fn code(text: &str) -> String {
        let form = Form::parse(text).unwrap();
        match check(&form, &[RULES, COMMON]) {
            Ok(()) => "fine".to_owned(),
            Err(refusal) => {
                assert!(!refusal.has_begun, "nothing is kept under the key");
                let error = refusal.error();
                error["code"]
                    .as_str()
                    .or(error["message"].as_str())
                    .unwrap()
                    .to_owned()
            }
        }
    }

    #[test]
    fn parameters_are_taken_as_stripe_takes_them() {
        assert_eq!(
            code("amount=5&metadata[a]=1&confirm=true&expand[]=latest_charge"),
            "fine"
        );
        assert_eq!(code("amount=5&amout=6"), "parameter_unknown");
        assert_eq!(code("amount=5&metadata[a][b]=1"), "parameter_unknown");
        assert_eq!(code("amount=5&expand[x]=1"), "parameter_unknown");
        assert_eq!(code("confirm=true"), "parameter_missing");
        for wrong in ["5.0", "5e2", "+5", " 5", "0x5", "99999999999999999999"] {
            let text = format!("amount={}", wrong.replace('+', "%2B"));
            assert_eq!(code(&text), "parameter_invalid_integer", "{wrong}");
        }
        assert_eq!(code("amount="), "parameter_invalid_empty");
        assert_eq!(code("amount=5&confirm=1"), "Invalid boolean: 1");
        assert!(code("amount=5&capture_method=later").starts_with("Invalid capture_method"));
    }
}
