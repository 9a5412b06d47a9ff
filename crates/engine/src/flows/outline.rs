//! What a flow does, in words.

use std::time::Duration;

use domain::{method::Method, payment::ThreeDsWish};
use flow::{Authorisation, CaptureWhen, Effect, Fallback, RefundAmount, Run};

/// What a halt asks for; `None` for the end.
pub(super) fn of(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Authorise(authorisation) => authorise(authorisation),
        Effect::Capture { when, .. } => match when {
            CaptureWhen::Now => "capture at once".to_owned(),
            CaptureWhen::After(span) => format!("capture {} later", lasting(*span)),
            CaptureWhen::Api => "capture by API".to_owned(),
            CaptureWhen::Webhook(name) => format!("capture when the webhook {name} arrives"),
        },
        Effect::Refund { amount, .. } => match amount {
            RefundAmount::All => "refund all".to_owned(),
            RefundAmount::Minor(amount) => format!("refund {amount} minor units"),
            RefundAmount::Percent(percent) => format!("refund {percent} per cent"),
        },
        Effect::Cancel { .. } => "cancel".to_owned(),
        Effect::Decline { code, .. } => format!("decline with {}", code.code()),
        Effect::Delay { span, .. } => format!("wait {}", lasting(*span)),
        Effect::Approval { title, within, .. } => {
            format!("wait for approval of \"{title}\"{}", bounded(*within))
        }
        Effect::AwaitWebhook { name, within, .. } => {
            format!("wait for the webhook {name}{}", bounded(*within))
        }
        Effect::CallWebhook { .. } => "call a webhook".to_owned(),
        Effect::End => return None,
    })
}

/// What a run asks for besides its effect.
pub(super) fn alongside(run: &Run) -> Vec<String> {
    let mut reported = Vec::new();
    if let Some(methods) = &run.offers {
        let methods: Vec<&str> = methods
            .iter()
            .map(|method: &Method| method.code())
            .collect();
        reported.push(format!("offer {}", methods.join(", ")));
    }
    match run.wish {
        Some(ThreeDsWish::Request) => reported.push("ask for 3D Secure".to_owned()),
        Some(ThreeDsWish::Avoid) => reported.push("ask to be spared 3D Secure".to_owned()),
        Some(ThreeDsWish::AsIssuer) | None => {}
    }
    reported
}

fn authorise(authorisation: &Authorisation) -> String {
    let mut names = authorisation
        .candidates
        .iter()
        .map(|candidate| candidate.connection.as_str());
    let first = format!("authorise at {}", names.next().unwrap_or("no connection"));
    let others: Vec<&str> = names.collect();
    if others.is_empty() {
        return first;
    }
    let Fallback {
        soft_decline,
        fault,
        outage,
    } = authorisation.fallback;
    let after = [
        (soft_decline, "a soft decline"),
        (fault, "a fault"),
        (outage, "an outage"),
    ];
    let after: Vec<&str> = after
        .into_iter()
        .filter_map(|(holds, word)| holds.then_some(word))
        .collect();
    format!(
        "{first} (after {} at {})",
        after.join(" or "),
        others.join(", then ")
    )
}

fn bounded(within: Option<Duration>) -> String {
    within
        .map(|span| format!(" for at most {}", lasting(span)))
        .unwrap_or_default()
}

/// The span in its largest whole units, such as `1 day 2 hours`.
fn lasting(span: Duration) -> String {
    let mut rest = span.as_secs();
    let mut reported = Vec::new();
    for (unit, seconds) in [
        ("day", 86_400),
        ("hour", 3_600),
        ("minute", 60),
        ("second", 1),
    ] {
        let count = rest / seconds;
        rest %= seconds;
        if count > 0 {
            reported.push(format!(
                "{count} {unit}{}",
                if count == 1 { "" } else { "s" }
            ));
        }
    }
    if reported.is_empty() {
        "0 seconds".to_owned()
    } else {
        reported.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_reported_in_their_largest_units() {
        let reported = |seconds| lasting(Duration::from_secs(seconds));
        assert_eq!(reported(2), "2 seconds");
        assert_eq!(reported(93_661), "1 day 2 hours 1 minute 1 second");
        assert_eq!(reported(604_800), "7 days");
        assert_eq!(reported(0), "0 seconds");
    }
}
