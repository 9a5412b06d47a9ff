//! Applying news: every piece goes to the function that takes all news of its sort.

use std::time::Duration;

use connector::{Notice, NoticeContent, Reference, Subject};
use db::Change;
use domain::{
    Timestamp,
    answer::{Answer, LaterAnswer},
    dispute::DisputeReport,
    id::PaymentId,
    notification::NotificationStatus,
    payment::{News, OperationState, Payment, Source, Status},
};
use store::{connection::Connection, notification::Notification};
use uuid::Uuid;

use super::{
    Outcome, mark_of,
    meant::{Reported, open_cancellation, operation_meant},
    receive::count,
    resolve::Resolved,
};
use crate::{
    Engine,
    change::Key,
    disputes::{DisputeNews, Taken, dispute_id},
    faults::EngineError,
    payments::{Connected, Report},
};

/// The longest pause before something that could not be applied is tried again.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// A person is called when a processor could not be asked so often: about three hours after the notification came.
const TRIES_BEFORE_ALARM: u32 = 11;

/// A payment's operation that news is about.
pub(super) struct About {
    pub(super) payment: Payment,
    pub(super) n: u32,
}

/// Where news leads.
pub(super) enum Found {
    /// To an operation of a payment.
    Operation(Box<About>),
    /// Nowhere.
    Not(Outcome),
}

impl Engine {
    /// Applies a notification and stores what became of it. `before`: what had become of it when it came before.
    pub(super) async fn apply_notification(
        &self,
        mut one: Notification,
        line: &Connected,
        notices: Vec<Notice>,
        before: Option<NotificationStatus>,
    ) -> Result<(), EngineError> {
        let notices = match Box::pin(self.with_answers(line, &one, notices)).await? {
            Resolved::Notices(notices) => notices,
            Resolved::Later => return self.ask_later(one).await,
            Resolved::Never(why) => {
                return self.end_failed(one, &line.connection.processor, &why).await;
            }
        };
        let mut outcomes = Vec::with_capacity(notices.len());
        for notice in notices {
            outcomes.push(Box::pin(self.apply_notice(line, notice, one.id)).await?);
        }
        let outcomes = outcomes
            .into_iter()
            .map(|one_of| self.or_waits(one_of, &one));
        let last = Outcome::of_all(outcomes.collect());
        one.status = last.status;
        one.message = last.message;
        one.payment = last.payment.or(one.payment);
        one.due_at = last.due_at;
        let was_unknown = before == Some(NotificationStatus::UnknownPayment);
        if one.status == NotificationStatus::UnknownPayment && was_unknown {
            // A person was called when it came first. Processors send again for days what nobody could use.
            count(&line.connection.processor, "copy");
            return self.store_outcome(&one).await;
        }
        if one.status == NotificationStatus::UnknownPayment {
            tracing::error!(
                notification.id = %one.id,
                connection = %one.connection,
                team.id = %one.team,
                why = one.message.as_deref(),
                "nobody knows the payment that a notification is about: a person must look"
            );
        }
        count(&line.connection.processor, word(one.status));
        self.store_outcome(&one).await
    }

    /// Its processor can't be asked now.
    async fn ask_later(&self, mut one: Notification) -> Result<(), EngineError> {
        if one.tries == TRIES_BEFORE_ALARM {
            tracing::error!(
                notification.id = %one.id,
                connection = %one.connection,
                team.id = %one.team,
                "a notification has waited for long, since its processor can't be asked what it is about: a person must look"
            );
        }
        one.status = NotificationStatus::Waiting;
        one.message = Some("its processor could not be asked what it is about".to_owned());
        one.due_at = Some(self.next_try(&one));
        self.store_outcome(&one).await
    }

    /// Stores what became of a notification.
    pub(super) async fn store_outcome(&self, one: &Notification) -> Result<(), EngineError> {
        let change =
            Change::new(self.change_id(), &one.mark).with(store::notification::set_outcome(one));
        self.commit_plain(change).await.map(|_| ())
    }

    /// When a notification that could not be applied is tried again.
    pub(super) fn next_try(&self, one: &Notification) -> Timestamp {
        let pause = Duration::from_secs(10).saturating_mul(1 << one.tries.min(12));
        self.inner.world.now().after(pause.min(LONGEST_PAUSE))
    }

    async fn apply_notice(
        &self,
        line: &Connected,
        notice: Notice,
        by: Uuid,
    ) -> Result<Outcome, EngineError> {
        match notice.content {
            NoticeContent::Other | NoticeContent::Unresolved => {
                Ok(Outcome::of(NotificationStatus::Ignored))
            }
            NoticeContent::Dispute(report) => {
                self.apply_dispute(line, &notice.subject, report, by).await
            }
            NoticeContent::Authorisation(answer) => {
                let reported = Reported::As(Box::new(News::Answer(answer)));
                self.apply_news(line, &notice.subject, reported, by).await
            }
            NoticeContent::Approved(approval) => {
                let reported = Reported::AsAsked(Box::new(approval));
                self.apply_news(line, &notice.subject, reported, by).await
            }
            NoticeContent::Later(answer) => {
                let reported = Reported::As(Box::new(News::Later(answer)));
                self.apply_news(line, &notice.subject, reported, by).await
            }
            NoticeContent::RefundMade(made) => {
                self.take_refund_made(line, &notice.subject, made, by).await
            }
            NoticeContent::Responded(dispute) => self.confirm_by_notice(line, &dispute).await,
            NoticeContent::Changed => self.look_because_of(line, &notice.subject).await,
            NoticeContent::Ended => self.end_authorisation(line, &notice.subject).await,
            NoticeContent::Released => self.release_authorisation(line, &notice.subject, by).await,
            NoticeContent::Made(made) => self.take_made(line, &notice.subject, *made).await,
        }
    }

    /// The operation under a reference of ours, made at this connection; else the charge of an import, by the processor's id.
    pub(super) async fn find_about(
        &self,
        line: &Connected,
        subject: &Subject,
    ) -> Result<Found, EngineError> {
        let Some((id, n)) = subject.reference.as_deref().and_then(Reference::parse) else {
            return self.find_import(line, subject).await;
        };
        let connection = &line.connection;
        let found = store::payment::of_team(&self.inner.store, connection.team, id).await?;
        let foreign = || {
            let outcome = Outcome::of(NotificationStatus::Foreign);
            Found::Not(
                outcome
                    .because("another connection that uses the same account sent what it is about"),
            )
        };
        let unknown = |message: &str| {
            if is_sent_by_another(connection, subject) {
                return foreign();
            }
            let outcome = Outcome::of(NotificationStatus::UnknownPayment);
            Found::Not(outcome.because(message))
        };
        let Some(payment) = found else {
            return Ok(unknown("there is no payment under its reference"));
        };
        match payment.operation(n) {
            Some(operation) if operation.connection == connection.id => {}
            Some(operation) => {
                // Only an account of the same processor can be shared.
                let other = self.line(connection.team, &operation.connection).await?;
                let shares =
                    other.is_some_and(|other| other.connection.processor == connection.processor);
                return Ok(if shares {
                    foreign()
                } else {
                    unknown("the payment's operation was sent at another processor")
                });
            }
            None => return Ok(unknown("the payment has no such operation")),
        }
        crate::commit::note_payment(id);
        Ok(Found::Operation(Box::new(About { payment, n })))
    }

    /// Takes how an operation stands.
    async fn apply_news(
        &self,
        line: &Connected,
        subject: &Subject,
        reported: Reported,
        by: Uuid,
    ) -> Result<Outcome, EngineError> {
        let about = match self.find_about(line, subject).await? {
            Found::Operation(about) => *about,
            Found::Not(outcome) => return Ok(outcome),
        };
        let id = about.payment.id();
        let news = reported.about(&about.payment, about.n);
        let Some(n) = operation_meant(&about.payment, about.n, &news, subject) else {
            let outcome = Outcome::of(NotificationStatus::UnknownPayment);
            let why = "it is about a capture, cancellation or refund that nobody here asked for";
            return Ok(outcome.because(why).about(id));
        };
        let about = About { n, ..about };
        if is_of_another(&about.payment, about.n, subject) {
            let outcome = Outcome::of(NotificationStatus::UnknownPayment);
            let why = "it is about something else at the processor than what was made under its reference";
            return Ok(outcome.because(why).about(about.payment.id()));
        }
        self.settle_news(line, about, news, by).await
    }

    /// Takes how an operation stands that was found.
    pub(super) async fn settle_news(
        &self,
        line: &Connected,
        about: About,
        news: News,
        by: Uuid,
    ) -> Result<Outcome, EngineError> {
        let About { payment, n } = about;
        let id = payment.id();
        if let Some(until) = self.waits_until(&payment, n, &news, line) {
            let mut outcome = Outcome::of(NotificationStatus::Waiting)
                .because("the call that it is about has not ended")
                .about(id);
            outcome.due_at = Some(until);
            return Ok(outcome);
        }
        let version = payment.version();
        let report = Report {
            n,
            news,
            source: Source::Notification(by),
            fall_back: None,
            quiet: true,
        };
        let key = Key {
            team: payment.team(),
            id,
        };
        let settled = Box::pin(self.settle(key, None, report)).await?;
        Ok(self.goes_on(settled, version, id).await)
    }

    /// Until when news waits that could end an operation whose call may still be answered: the request goes on elsewhere after
    /// a refusal, and its own answer says more.
    fn waits_until(
        &self,
        payment: &Payment,
        n: u32,
        news: &News,
        line: &Connected,
    ) -> Option<Timestamp> {
        let operation = payment.operation(n)?;
        let is_good = matches!(
            news,
            News::Answer(Answer::Approved { .. }) | News::Later(LaterAnswer::Done { .. })
        );
        if is_good || operation.state != OperationState::Sent {
            return None;
        }
        let until = operation
            .send_by
            .after(line.connector.descriptor().call_timeout);
        (until > self.inner.world.now()).then_some(until)
    }

    /// Does what is due at once after news, and says whether that changed anything.
    pub(super) async fn goes_on(&self, settled: Payment, before: u64, id: PaymentId) -> Outcome {
        let status = if settled.version() > before {
            NotificationStatus::Applied
        } else {
            NotificationStatus::Unchanged
        };
        let gone = match settled.completion_owed() {
            Some(n) => Box::pin(self.complete(settled, n, None)).await,
            None => Ok(settled),
        };
        let gone = match gone {
            Ok(payment) => Box::pin(self.onward(payment)).await.map(|_| ()),
            Err(stop) => Err(stop),
        };
        if let Err(stop) = gone {
            let (code, why) = stop.words();
            tracing::warn!(payment.id = %id, code, why, "what follows from a notification is done later");
        }
        Outcome::of(status).about(id)
    }

    /// Takes a report about a dispute.
    async fn apply_dispute(
        &self,
        line: &Connected,
        subject: &Subject,
        report: DisputeReport,
        by: Uuid,
    ) -> Result<Outcome, EngineError> {
        let connection = &line.connection;
        let known = dispute_id(connection.team, &connection.id, &report.source_id);
        let known = store::dispute::of_team(&self.inner.store, connection.team, known).await?;
        let payment = match known {
            Some(dispute) => dispute.payment(),
            None => match self.find_about(line, subject).await? {
                Found::Operation(about) => about.payment.id(),
                Found::Not(outcome) => return Ok(outcome),
            },
        };
        let news = DisputeNews {
            team: connection.team,
            connection: connection.id.clone(),
            payment,
            report,
            notification: Some(by),
        };
        let (_, taken) = self.take_dispute(&news).await?;
        let status = match taken {
            Taken::Changed => NotificationStatus::Applied,
            Taken::Unchanged => NotificationStatus::Unchanged,
        };
        Ok(Outcome::of(status).about(payment))
    }

    /// Takes it that a processor has the response to a dispute that is being sent, where nobody could say so yet.
    async fn confirm_by_notice(
        &self,
        line: &Connected,
        source_id: &str,
    ) -> Result<Outcome, EngineError> {
        let connection = &line.connection;
        let known = dispute_id(connection.team, &connection.id, source_id);
        let known = store::dispute::of_team(&self.inner.store, connection.team, known).await?;
        // Somebody else has responded to a dispute that is not known here: its own notification tells of it.
        let Some(dispute) = known else {
            return Ok(Outcome::of(NotificationStatus::Ignored));
        };
        let is_news = self.confirm_named_by_nobody(&dispute).await?;
        let status = if is_news {
            NotificationStatus::Applied
        } else {
            NotificationStatus::Unchanged
        };
        Ok(Outcome::of(status).about(dispute.payment()))
    }

    /// Cancels what was authorised and can't be captured any more. The processor's answer decides; of what is not authorised it is asked.
    async fn end_authorisation(
        &self,
        line: &Connected,
        subject: &Subject,
    ) -> Result<Outcome, EngineError> {
        let About { payment, n } = match self.find_about(line, subject).await? {
            Found::Operation(about) => *about,
            Found::Not(outcome) => return Ok(outcome),
        };
        let (id, before) = (payment.id(), payment.version());
        // The processor's answer may bring the authorisation to light.
        let payment = if holds(&payment, n) {
            payment
        } else {
            Box::pin(self.look_up(payment, n, true)).await?
        };
        // Another attempt of the payment has nothing to do with this one.
        let ended = if holds(&payment, n) {
            Box::pin(self.end_at_processor(payment)).await?
        } else {
            payment
        };
        Ok(self.goes_on(ended, before, id).await)
    }

    /// Settles that the processor has released what was authorised: a cancellation, which is not sent.
    async fn release_authorisation(
        &self,
        line: &Connected,
        subject: &Subject,
        by: Uuid,
    ) -> Result<Outcome, EngineError> {
        let About { payment, n } = match self.find_about(line, subject).await? {
            Found::Operation(about) => *about,
            Found::Not(outcome) => return Ok(outcome),
        };
        let (id, before) = (payment.id(), payment.version());
        if !holds(&payment, n) {
            return Ok(self.goes_on(payment, before, id).await);
        }
        let key = Key {
            team: payment.team(),
            id,
        };
        let (payment, begun) = Box::pin(self.begin_released(payment)).await?;
        // One that is under way already has succeeded by it.
        let Some(cancellation) = begun.or_else(|| open_cancellation(&payment)) else {
            return Ok(self.goes_on(payment, before, id).await);
        };
        let report = Report {
            n: cancellation,
            news: News::Later(LaterAnswer::Done {
                processor_id: None,
                booked: None,
            }),
            source: Source::Notification(by),
            fall_back: None,
            quiet: true,
        };
        let settled = Box::pin(self.settle(key, None, report)).await?;
        Ok(self.goes_on(settled, before, id).await)
    }

    /// Asks the processor, since something has changed that the notification does not prove.
    async fn look_because_of(
        &self,
        line: &Connected,
        subject: &Subject,
    ) -> Result<Outcome, EngineError> {
        let About { payment, n } = match self.find_about(line, subject).await? {
            Found::Operation(about) => *about,
            Found::Not(outcome) => return Ok(outcome),
        };
        let (id, before) = (payment.id(), payment.version());
        let looked = Box::pin(self.look_up(payment, n, true)).await?;
        Ok(self.goes_on(looked, before, id).await)
    }
}

/// Whether the processor says that it was sent by another connection than the one to which it is reported: several may use one
/// account, and each of them gets the news of all.
fn is_sent_by_another(connection: &Connection, subject: &Subject) -> bool {
    match (subject.sent_by.as_deref(), mark_of(connection)) {
        (Some(theirs), Some(own)) => theirs != own,
        _ => false,
    }
}

/// Whether the payment is authorised, by attempt `n`.
fn holds(payment: &Payment, n: u32) -> bool {
    payment.status() == Status::Authorised
        && payment
            .authorisation()
            .is_some_and(|authorisation| authorisation.n == n)
}

/// Whether news about an operation has the id of another thing at the processor than the one that is known.
fn is_of_another(payment: &Payment, n: u32, subject: &Subject) -> bool {
    let known = payment
        .operation(n)
        .and_then(|operation| operation.processor_id.as_deref());
    match (known, subject.processor_id.as_deref()) {
        (Some(known), Some(reported)) => known != reported,
        _ => false,
    }
}

fn word(status: NotificationStatus) -> &'static str {
    match status {
        NotificationStatus::Ignored => "ignored",
        NotificationStatus::Unchanged => "unchanged",
        NotificationStatus::Foreign => "foreign",
        NotificationStatus::Applied => "applied",
        NotificationStatus::Waiting => "waiting",
        NotificationStatus::Received => "received",
        NotificationStatus::UnknownPayment => "unknown_payment",
        NotificationStatus::Failed => "failed",
    }
}
