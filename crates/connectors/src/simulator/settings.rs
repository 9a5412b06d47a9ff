//! The settings of a connection to the simulator: how it misbehaves.

use std::time::Duration;

use serde_json::Value;

use super::later::BookingKind;

/// How long a slow processor takes when the settings do not say.
const SLOW: Duration = Duration::from_secs(3);
/// The longest delay.
const SLOWEST: Duration = Duration::from_mins(10);

/// How the processor behind a connection misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It refuses connections: nothing is sent.
    Down,
    /// It answers after this time; what was asked takes effect at once.
    Slow(Duration),
    /// What was asked takes effect, then the connection breaks.
    DiesAfterCharging,
    /// What was asked takes effect; the answer can't be read.
    Garbage,
    /// Each authorisation ends with a technical failure.
    Fails,
    /// Each refund takes effect, and is returned by the customer's bank two seconds later.
    ReturnsRefunds,
    /// Each capture that is called for takes effect, and fails two seconds later.
    ReturnsCaptures,
}

impl Fault {
    /// What takes effect, and is undone later.
    pub(super) const fn undoes(self) -> Option<BookingKind> {
        match self {
            Self::ReturnsRefunds => Some(BookingKind::Refund),
            Self::ReturnsCaptures => Some(BookingKind::Capture),
            Self::Down | Self::Slow(_) | Self::DiesAfterCharging | Self::Garbage | Self::Fails => {
                None
            }
        }
    }
}

/// The setting that names the account at the stand-in of card fields of the processor's own: such an account takes no numbers.
const FIELDS: &str = "fields";
/// Longest name of such an account. Unit: characters.
const ACCOUNT_MAX: usize = 32;

/// The account at the stand-in, where the processor behind a connection takes cards by fields of its own alone.
pub(super) fn fields_account(settings: &Value) -> Option<&str> {
    settings.get(FIELDS).and_then(Value::as_str)
}

/// The setting that says for how long a token of such fields can be used.
const TOKEN_LIFETIME: &str = "tokenLifetime";
/// For how long otherwise.
const USUAL_LIFETIME: Duration = Duration::from_mins(15);

/// For how long a token of the stand-in's fields can be used.
pub(super) fn token_lifetime(settings: &Value) -> Duration {
    let given = settings.get(TOKEN_LIFETIME);
    given
        .and_then(|given| duration(given).ok())
        .unwrap_or(USUAL_LIFETIME)
}

/// Whether a text can name such an account: it stands in an address.
pub(super) fn is_account(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=ACCOUNT_MAX).contains(&name.len()) && name.bytes().all(fits)
}

/// Reads the settings. The error is a clause for the merchant, and repeats no value.
pub(super) fn read(settings: &Value) -> Result<Option<Fault>, String> {
    let Value::Object(settings) = settings else {
        return if settings.is_null() {
            Ok(None)
        } else {
            Err("must be an object".to_owned())
        };
    };
    let is_known =
        |key: &String| ["fault", "delay", FIELDS, TOKEN_LIFETIME].contains(&key.as_str());
    if !settings.keys().all(is_known) {
        return Err(
            "has a key that the simulator does not know; it knows fault, delay, fields and tokenLifetime"
                .to_owned(),
        );
    }
    let fields = settings.get(FIELDS);
    if fields.is_some_and(|fields| !fields.as_str().is_some_and(is_account)) {
        return Err(
            "has a key fields that names no account: use up to 32 small letters, digits and hyphens".to_owned(),
        );
    }
    if let Some(lifetime) = settings.get(TOKEN_LIFETIME) {
        let read = duration(lifetime);
        read.map_err(|error| error.replace("a delay", "a tokenLifetime"))?;
    }
    let delay = settings.get("delay").map(duration).transpose()?;
    let Some(fault) = settings.get("fault") else {
        return if delay.is_none() {
            Ok(None)
        } else {
            Err("has a delay, which needs the fault slow".to_owned())
        };
    };
    let fault = match fault.as_str() {
        Some("down") => Fault::Down,
        Some("slow") => return Ok(Some(Fault::Slow(delay.unwrap_or(SLOW)))),
        Some("dies_after_charging") => Fault::DiesAfterCharging,
        Some("garbage") => Fault::Garbage,
        Some("fails") => Fault::Fails,
        Some("returns_refunds") => Fault::ReturnsRefunds,
        Some("returns_captures") => Fault::ReturnsCaptures,
        _ => {
            return Err(
                "has a fault that is none of down, slow, dies_after_charging, garbage, fails, returns_refunds, returns_captures"
                    .to_owned(),
            );
        }
    };
    if delay.is_some() {
        return Err("has a delay, which only the fault slow takes".to_owned());
    }
    Ok(Some(fault))
}

/// `500ms`, `3s` or `2m`.
fn duration(value: &Value) -> Result<Duration, String> {
    let read = |text: &str| {
        let end = text.find(|letter: char| !letter.is_ascii_digit())?;
        let (number, unit) = text.split_at_checked(end)?;
        let number: u32 = number.parse().ok()?;
        match unit {
            "ms" => Some(Duration::from_millis(number.into())),
            "s" => Some(Duration::from_secs(number.into())),
            "m" => Some(Duration::from_secs(u64::from(number).saturating_mul(60))),
            _ => None,
        }
    };
    let read = value
        .as_str()
        .and_then(read)
        .filter(|span| (Duration::from_millis(1)..=SLOWEST).contains(span));
    read.ok_or_else(|| {
        "has a delay that is no duration like 500ms, 3s or 2m, of at most 10m".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_fault_is_read() {
        for (settings, fault) in [
            (json!({}), None),
            (json!({"fault": "down"}), Some(Fault::Down)),
            (
                json!({"fault": "slow"}),
                Some(Fault::Slow(Duration::from_secs(3))),
            ),
            (
                json!({"fault": "slow", "delay": "500ms"}),
                Some(Fault::Slow(Duration::from_millis(500))),
            ),
            (
                json!({"fault": "slow", "delay": "2m"}),
                Some(Fault::Slow(Duration::from_mins(2))),
            ),
            (
                json!({"fault": "dies_after_charging"}),
                Some(Fault::DiesAfterCharging),
            ),
            (json!({"fault": "garbage"}), Some(Fault::Garbage)),
            (json!({"fault": "fails"}), Some(Fault::Fails)),
            (
                json!({"fault": "returns_refunds"}),
                Some(Fault::ReturnsRefunds),
            ),
            (
                json!({"fault": "returns_captures"}),
                Some(Fault::ReturnsCaptures),
            ),
        ] {
            assert_eq!(read(&settings), Ok(fault), "{settings}");
        }
    }

    #[test]
    fn what_is_wrong_is_reported_without_the_value() {
        for (settings, part) in [
            (json!([]), "object"),
            (json!("down"), "object"),
            (json!({"secret": 1}), "key"),
            (json!({"fields": "Secret"}), "no account"),
            (json!({"fields": 1}), "no account"),
            (
                json!({"fields": "own", "tokenLifetime": "long"}),
                "tokenLifetime that is no duration",
            ),
            (json!({"fault": "secret"}), "none of"),
            (json!({"fault": null}), "none of"),
            (json!({"delay": "3s"}), "needs the fault slow"),
            (
                json!({"fault": "down", "delay": "3s"}),
                "only the fault slow",
            ),
            (json!({"fault": "slow", "delay": "secret"}), "no duration"),
            (json!({"fault": "slow", "delay": 3}), "no duration"),
            (json!({"fault": "slow", "delay": "0s"}), "no duration"),
            (json!({"fault": "slow", "delay": "11m"}), "no duration"),
            (
                json!({"fault": "slow", "delay": "99999999999s"}),
                "no duration",
            ),
            (json!({"fault": "slow", "delay": "3é"}), "no duration"),
        ] {
            let error = read(&settings).unwrap_err();
            assert!(
                error.contains(part) && !error.contains("secret"),
                "{settings}: {error}"
            );
        }
    }
}
