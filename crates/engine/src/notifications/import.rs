//! Payments that somebody else made at a processor: kept as payments where the connection says so.

use std::time::Duration;

use connector::{Reference, Subject};
use domain::{
    id::{MethodId, PaymentId, RefundId},
    notification::NotificationStatus,
    payment::{Gateway, ImportMode, MadeElsewhere, NewImport, Payment},
    processor_text::one_line,
};
use store::{
    imported_payment::{self, Reported},
    notification::Notification,
};

use super::{
    Outcome,
    apply::{About, Found},
};
use crate::{
    Engine,
    change::{Decision, Key},
    commit::{CommitParts, Ended},
    faults::EngineError,
    payments::{Connected, Effects, OutcomesBefore},
};

/// So long news about a payment of which nothing is known waits for the report that brings it: processors do not keep an order.
const MAY_COME: Duration = Duration::from_hours(1);

/// How often an import is tried again because somebody else imports the same payment.
const TRIES: u32 = 4;

impl Engine {
    /// The charge of an import, by the processor's id of it.
    pub(super) async fn find_import(
        &self,
        line: &Connected,
        subject: &Subject,
    ) -> Result<Found, EngineError> {
        let connection = &line.connection;
        let nowhere = if has_reference(subject) {
            foreign()
        } else {
            // Of the service's own payments none is found by the processor's id (decision 0100).
            Outcome::of(NotificationStatus::UnknownPayment).because(
                "it has no reference, so that nobody can tell whether the payment was made here",
            )
        };
        // One with a control character is nobody's, and no database is asked for it.
        let storable = |id: &&str| one_line(id) == **id;
        let Some(processor_id) = subject.processor_id.as_deref().filter(storable) else {
            return Ok(Found::Not(nowhere));
        };
        let reported = Reported {
            team: connection.team,
            connection: &connection.id,
            processor_id,
        };
        let store = &self.inner.store;
        let payment = match imported_payment::find(store, reported).await? {
            Some(id) => store::payment::of_team(store, connection.team, id).await?,
            None => None,
        };
        let Some(payment) = payment else {
            return Ok(Found::Not(Outcome {
                may_come: connection.imports != ImportMode::Off,
                ..nowhere
            }));
        };
        crate::commit::note_payment(payment.id());
        let n = payment.authorisation().map_or(1, |charge| charge.n);
        Ok(Found::Operation(Box::new(About { payment, n })))
    }

    /// What is foreign and may be imported yet waits for some time.
    pub(super) fn or_waits(&self, outcome: Outcome, one: &Notification) -> Outcome {
        let is_early = self.inner.world.now() < one.received_at.after(MAY_COME);
        if !outcome.may_come || !is_early {
            return outcome;
        }
        let mut waits = Outcome::of(NotificationStatus::Waiting)
            .because("it is about a payment that its processor has not reported yet");
        waits.due_at = Some(self.next_try(one));
        waits
    }

    /// Takes the report of a payment that was made elsewhere.
    pub(super) async fn take_made(
        &self,
        line: &Connected,
        subject: &Subject,
        made: MadeElsewhere,
    ) -> Result<Outcome, EngineError> {
        let choice = line.connection.imports;
        for _ in 0..TRIES {
            let foreign = match self.find_about(line, subject).await? {
                Found::Operation(about) if about.payment.imported().is_some() => {
                    return self.take_report(about.payment, &made, choice).await;
                }
                Found::Operation(about) => {
                    let outcome = Outcome::of(NotificationStatus::Unchanged);
                    return Ok(outcome.about(about.payment.id()));
                }
                // One with a reference of ours is never imported: its loss is an alarm.
                Found::Not(outcome) if is_ours(subject) => return Ok(outcome),
                Found::Not(_) => foreign(),
            };
            if choice == ImportMode::Off {
                return Ok(foreign);
            }
            if let Err(why) = made.check(self.inner.world.now()) {
                return Ok(Outcome::of(NotificationStatus::Foreign).because(why));
            }
            if let Some(imported) = Box::pin(self.import(line, &made)).await? {
                let id = imported.id();
                let outcome = self.goes_on(imported, 0, id).await;
                return Ok(outcome.because("the payment was imported"));
            }
        }
        Err(domain::Fault::unavailable().into())
    }

    /// Keeps a payment that was made elsewhere. `None`: somebody else has just done so.
    async fn import(
        &self,
        line: &Connected,
        made: &MadeElsewhere,
    ) -> Result<Option<Payment>, EngineError> {
        let (connection, world) = (&line.connection, &self.inner.world);
        // Nothing is dated ahead of our clock, also where the processor's is.
        let id = PaymentId::new(world.uuid_at(made.made_at.min(world.now())));
        let is_announced = announces(connection.imports);
        let made = MadeElsewhere {
            made_at: domain::dated::date_of(id.uuid()).unwrap_or(made.made_at),
            ..made.clone()
        };
        let new = NewImport {
            team: connection.team,
            id,
            connection: connection.id.clone(),
            gateway: Gateway {
                processor: connection.processor.clone(),
                name: connection.name.clone(),
                logo: line.connector.descriptor().logo.map(str::to_owned),
            },
            method: MethodId::new(world.uuid_v7()),
            refund: RefundId::new(world.uuid_v7()),
            is_announced,
            at: world.now(),
        };
        let (mut payment, mut lines) = Payment::import(&made, new);
        if is_announced {
            let before = OutcomesBefore::nothing();
            self.trigger(&mut payment, &before, None, &mut lines)
                .await?;
        }
        payment.count_public_events(&lines);
        let reported = Reported {
            team: connection.team,
            connection: &connection.id,
            processor_id: &made.processor_id,
        };
        let parts = CommitParts {
            statements: vec![imported_payment::note(reported, id)],
            is_services: true,
            ..CommitParts::default()
        };
        let ended = self.commit_payment(&payment, &lines, parts).await?;
        Ok((ended == Ended::Done).then_some(payment))
    }

    /// Takes what others captured and gave back of an import since.
    async fn take_report(
        &self,
        payment: Payment,
        made: &MadeElsewhere,
        choice: ImportMode,
    ) -> Result<Outcome, EngineError> {
        let (id, before) = (payment.id(), payment.version());
        let key = Key {
            team: payment.team(),
            id,
        };
        let world = &self.inner.world;
        let refund = RefundId::new(world.uuid_v7());
        let is_announced = announces(choice);
        let decide = |mut payment: Payment| async move {
            Ok(
                match payment.take_report(made, refund, is_announced, world.now()) {
                    Err(why) => Decision::Leave(payment, Err(why)),
                    Ok(lines) if lines.is_empty() => Decision::Leave(payment, Ok(())),
                    Ok(lines) => {
                        let effects = Effects {
                            starts_no_flow: !is_announced,
                            ..Effects::of(lines)
                        };
                        Decision::Write(payment, effects, Ok(()))
                    }
                },
            )
        };
        let (payment, taken) = self.change(key, decide).await?;
        if let Err(why) = taken {
            tracing::error!(payment.id = %id, why, "a report about an import does not fit it: a person must look");
            let outcome = Outcome::of(NotificationStatus::Failed).about(id);
            return Ok(outcome.because(why));
        }
        Ok(self.goes_on(payment, before, id).await)
    }
}

/// Whether merchants get events of imports, and flows start of them.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(ImportSendsEvents = crate::bugs::announce_any)
)]
fn announces(choice: ImportMode) -> bool {
    choice == ImportMode::Announced
}

/// It is about somebody else's payment.
fn foreign() -> Outcome {
    Outcome::of(NotificationStatus::Foreign).because("it has no reference of ours")
}

fn has_reference(subject: &Subject) -> bool {
    let reference = subject.reference.as_deref();
    reference.is_some_and(|reference| !reference.is_empty())
}

fn is_ours(subject: &Subject) -> bool {
    let reference = subject.reference.as_deref();
    reference.and_then(Reference::parse).is_some()
}
