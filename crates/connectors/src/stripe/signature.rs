//! The header `Stripe-Signature`. Source: docs/processors/stripe.md, "Events and signatures".

use std::time::Duration;

use connector::NotGenuine;
use domain::Timestamp;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// How far the time of a delivery may be from ours, in both directions.
const TOLERANCE: Duration = Duration::from_mins(5);

/// The most signatures of a delivery that are looked at.
const SIGNATURES_MAX: usize = 8;

/// What a header says.
struct Header<'a> {
    /// Seconds since the beginning of 1970, as they stand there.
    time: &'a str,
    seconds: i64,
    signatures: Vec<&'a str>,
}

impl<'a> Header<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut time = None;
        let mut signatures = Vec::new();
        for part in text.split(',') {
            match part.split_once('=') {
                // Two times: nobody may choose which one counts.
                Some(("t", _)) if time.is_some() => return None,
                Some(("t", value)) => time = Some(value),
                Some(("v1", value)) if signatures.len() < SIGNATURES_MAX => signatures.push(value),
                _ => {}
            }
        }
        let time = time?;
        let is_number =
            (1..=12).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || signatures.is_empty() {
            return None;
        }
        Some(Self {
            time,
            seconds: time.parse().ok()?,
            signatures,
        })
    }
}

/// Whether a delivery was signed with the secret, about now.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeForgedEventTaken = super::bugs::believe)
)]
pub(super) fn check(
    secret: &str,
    header: &str,
    body: &[u8],
    now: Timestamp,
) -> Result<(), NotGenuine> {
    if secret.is_empty() {
        return Err(NotGenuine::NoSecret);
    }
    let header = Header::parse(header).ok_or(NotGenuine::Unsigned)?;
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(secret.as_bytes())
        .map_err(|_| NotGenuine::NoSecret)?;
    mac.update(header.time.as_bytes());
    mac.update(b".");
    mac.update(body);
    let expected = hex::encode(mac.finalize().into_bytes());
    let fits = header
        .signatures
        .iter()
        .any(|signature| bool::from(signature.as_bytes().ct_eq(expected.as_bytes())));
    if !fits {
        return Err(NotGenuine::Forged);
    }
    let ours = now.micros() / 1_000_000;
    if ours.abs_diff(header.seconds) > TOLERANCE.as_secs() {
        return Err(NotGenuine::Untimely);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"{\"id\":\"evt_1\"}";
    const NOW: i64 = 1_800_000_000;

    fn sign(secret: &str, time: &str, body: &[u8]) -> String {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(format!("{time}.").as_bytes());
        mac.update(body);
        hex::encode(mac.finalize().into_bytes())
    }

    fn checked(header: &str, body: &[u8]) -> Result<(), NotGenuine> {
        let now = Timestamp::from_micros(NOW * 1_000_000);
        check("whsec_1", header, body, now)
    }

    #[test]
    fn any_signature_of_the_first_scheme_that_fits_is_enough() {
        let (now, good) = (NOW.to_string(), sign("whsec_1", &NOW.to_string(), BODY));
        let bad = sign("whsec_2", &now, BODY);
        for header in [
            format!("t={now},v1={good}"),
            format!("t={now},v1={bad},v1={good}"),
            format!("v1={good},t={now},v0={bad}"),
        ] {
            assert_eq!(checked(&header, BODY), Ok(()), "{header}");
        }
    }

    #[test]
    fn nothing_that_stripe_would_not_send_is_believed() {
        let (now, good) = (NOW.to_string(), sign("whsec_1", &NOW.to_string(), BODY));
        let bad = sign("whsec_2", &now, BODY);
        for (header, why) in [
            (String::new(), NotGenuine::Unsigned),
            (format!("v1={good}"), NotGenuine::Unsigned),
            (format!("t={now}"), NotGenuine::Unsigned),
            (format!("t={now},v0={good}"), NotGenuine::Unsigned),
            (format!("t={now},t={now},v1={good}"), NotGenuine::Unsigned),
            (format!("t={now}abc,v1={good}"), NotGenuine::Unsigned),
            (format!("t=-1,v1={good}"), NotGenuine::Unsigned),
            (format!("t={now}, v1={good}"), NotGenuine::Unsigned),
            (format!("t={now},v1={bad}"), NotGenuine::Forged),
            (format!("t={},v1={good}", NOW + 1), NotGenuine::Forged),
            (
                format!("t={now},v1={}", good.to_uppercase()),
                NotGenuine::Forged,
            ),
        ] {
            assert_eq!(checked(&header, BODY), Err(why), "{header}");
        }
        assert_eq!(
            checked(&format!("t={now},v1={good}"), b"{\"id\":\"evt_2\"}"),
            Err(NotGenuine::Forged)
        );
        let now = Timestamp::from_micros(NOW * 1_000_000);
        assert_eq!(check("", "t=1,v1=", BODY, now), Err(NotGenuine::NoSecret));
    }

    #[test]
    fn times_beyond_the_tolerance_are_refused_in_both_directions() {
        for (time, expected) in [
            (NOW - 300, Ok(())),
            (NOW + 300, Ok(())),
            (NOW - 301, Err(NotGenuine::Untimely)),
            (NOW + 301, Err(NotGenuine::Untimely)),
        ] {
            let time = time.to_string();
            let header = format!("t={time},v1={}", sign("whsec_1", &time, BODY));
            assert_eq!(checked(&header, BODY), expected, "{time}");
        }
    }
}
