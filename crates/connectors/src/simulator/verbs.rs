//! The verbs of the port, each under the connection's settings and credentials.

use std::future::Future;

use connector::{
    Answer, Authorise, CallError, Called, Cancel, Capture, Cause, Complete, Connector, Credentials,
    Descriptor, Disputes, Finding, HostedFields, Known, LaterAnswer, Link, LookUp, Notices, Probe,
    Reference, Refund, Stored,
};
use domain::caller::Mode;

use super::{
    BookingKind, Operation, Simulator, answers,
    descriptor::{self, API_KEY, EXPECTED_KEY},
    elsewhere::booked_as,
    fault, probe, settings,
    settings::Fault,
};

impl Simulator {
    /// Ends a call as the connection's settings want it. `asked`: under what it is known here, once it took effect.
    pub(super) async fn under<T>(
        &self,
        link: &Link<'_>,
        asked: Option<&Reference>,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let fault = fault(link.settings)?;
        if fault == Some(Fault::Down) {
            return Err(refused_connection());
        }
        check_key(link)?;
        let known = || Known {
            processor_id: asked.map(answers::processor_id),
            ..Known::default()
        };
        match fault {
            None
            | Some(Fault::Fails | Fault::Down | Fault::ReturnsRefunds | Fault::ReturnsCaptures) => {
                call.await
            }
            Some(Fault::Slow(delay)) => {
                let answer = call.await;
                self.world.sleep(delay).await;
                answer
            }
            // The head of the answer has arrived, which names what was made.
            Some(Fault::DiesAfterCharging) => {
                call.await?;
                Err(CallError::Unknown {
                    reason: "the connection broke".into(),
                    known: known(),
                })
            }
            Some(Fault::Garbage) => {
                call.await?;
                Err(CallError::unknown("the answer can't be understood"))
            }
        }
    }
}

impl Connector for Simulator {
    fn descriptor(&self) -> &Descriptor {
        &descriptor::DESCRIPTOR
    }

    fn check_settings(&self, settings: &serde_json::Value) -> Result<(), String> {
        if settings.is_object() {
            settings::read(settings).map(drop)
        } else {
            Err("must be an object".to_owned())
        }
    }

    fn check_credentials(&self, credentials: &Credentials, mode: Mode) -> Result<(), String> {
        probe::check(credentials, mode)
    }

    fn authorise<'a>(&'a self, link: &'a Link<'a>, call: &'a Authorise<'a>) -> Called<'a, Answer> {
        let played = self.play_authorise(link, call);
        Box::pin(self.under(link, Some(call.reference), played))
    }

    fn complete<'a>(&'a self, link: &'a Link<'a>, call: &'a Complete<'a>) -> Called<'a, Answer> {
        let played = self.play_complete(link, call);
        Box::pin(self.under(link, Some(call.authorisation.reference), played))
    }

    fn capture<'a>(&'a self, link: &'a Link<'a>, call: &'a Capture<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            let authorisation = booked_as(call.authorisation);
            let operation = Operation {
                kind: BookingKind::Capture,
                reference: call.reference,
                authorisation: &authorisation,
                capture: None,
                keeps_open: !call.is_final,
                money: call.money,
            };
            let played = self.play_later(link, operation);
            self.under(link, Some(call.reference), played).await
        })
    }

    fn cancel<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            let authorisation = booked_as(call.authorisation);
            let operation = Operation {
                kind: BookingKind::Cancel,
                reference: call.reference,
                authorisation: &authorisation,
                capture: None,
                keeps_open: false,
                money: call.money,
            };
            let played = self.play_later(link, operation);
            self.under(link, Some(call.reference), played).await
        })
    }

    fn refund<'a>(&'a self, link: &'a Link<'a>, call: &'a Refund<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            let authorisation = booked_as(call.authorisation);
            let operation = Operation {
                kind: BookingKind::Refund,
                reference: call.reference,
                authorisation: &authorisation,
                capture: call.capture,
                keeps_open: false,
                money: call.money,
            };
            let played = self.play_later(link, operation);
            self.under(link, Some(call.reference), played).await
        })
    }

    fn look_up<'a>(&'a self, link: &'a Link<'a>, call: &'a LookUp<'a>) -> Called<'a, Finding> {
        Box::pin(async move {
            admit_look_up(link)?;
            self.play_look_up(link, call).await
        })
    }

    fn probe(&self) -> Option<&dyn Probe> {
        Some(self)
    }

    fn stored(&self) -> Option<&dyn Stored> {
        Some(self)
    }

    fn hosted_fields(&self) -> Option<&dyn HostedFields> {
        Some(self)
    }

    fn notices(&self) -> Option<&dyn Notices> {
        Some(self)
    }

    fn disputes(&self) -> Option<&dyn Disputes> {
        Some(self)
    }
}

/// Whether a look-up reaches the processor at all: faults leave it alone, but when the processor is down.
pub(super) fn admit_look_up(link: &Link<'_>) -> Result<(), CallError> {
    if fault(link.settings)? == Some(Fault::Down) {
        return Err(refused_connection());
    }
    check_key(link)
}

/// A connection without a key is the sandbox's own, and needs none.
fn check_key(link: &Link<'_>) -> Result<(), CallError> {
    match link.credential(API_KEY) {
        None | Some(EXPECTED_KEY) => Ok(()),
        Some(_) => Err(CallError::Rejected {
            code: Some("invalid_api_key".into()),
            reason: "the API key is not that of the account".into(),
            cause: Cause::Credentials,
        }),
    }
}

fn refused_connection() -> CallError {
    CallError::not_sent("the connection was refused")
}
