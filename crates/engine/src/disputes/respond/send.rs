//! Asking the processor to take a response, and settling what came of it. No transaction is open during the call.

use connector::{CallError, Cause, Disputes, EvidenceFile, Link, Respond, SubmitEvidence};
use db::Statement;
use domain::dispute::{
    Dispute, DisputeReport, DisputeResponse, Evidence, ResponseKind, ResponseNews, ResponseState,
};

use super::{Case, CaseParts, answer, case_key, evidence_key, reference};
use crate::{
    Engine,
    change::Decision,
    faults::EngineError,
    payments::{Connected, refusal},
};

/// A response with all that is sent.
struct Whole<'a> {
    response: &'a DisputeResponse,
    evidence: Evidence,
    files: Vec<EvidenceFile>,
}

/// What was learnt of a response.
struct Learnt<'a> {
    n: u32,
    news: &'a ResponseNews,
    /// What takes its document away, where that is to be erased with its outcome.
    forgotten: Vec<Statement>,
}

impl Engine {
    /// Sends a committed response, if its time to be sent is not over.
    pub(super) async fn send_response(
        &self,
        dispute: &Dispute,
        n: u32,
    ) -> Result<ResponseNews, EngineError> {
        let Some(connected) = self.line(dispute.team(), dispute.connection()).await? else {
            return Ok(not_sent("the connection does not exist any more"));
        };
        let whole = match self.whole_response(dispute, n).await? {
            Ok(whole) => whole,
            Err(news) => return Ok(news),
        };
        let connection = match self.open_connection(&connected).await? {
            Ok(connection) => connection,
            Err(why) => return Ok(not_sent(why)),
        };
        // The socket can't be fenced, so time is: the processor is asked for it only when this can't be sent any more.
        if is_past_sending(whole.response, self.inner.world.now()) {
            return Ok(not_sent("it could not be sent in time"));
        }
        let link = self.link(&connected, &connection);
        let news = self.call_with(dispute, &connected, &link, &whole).await;
        Ok(news)
    }

    async fn call_with(
        &self,
        dispute: &Dispute,
        connected: &Connected,
        link: &Link<'_>,
        whole: &Whole<'_>,
    ) -> ResponseNews {
        let Some(facet) = connected.connector.disputes() else {
            return ResponseNews::Refused(NO_SUCH_VERB.to_owned());
        };
        let descriptor = connected.connector.descriptor();
        let watch = world::Stopwatch::start();
        let called = whole.through(facet, link, dispute);
        let answered = self
            .inner
            .world
            .timeout(descriptor.call_timeout, called)
            .await;
        let verb = verb(whole.response.kind);
        let news = match answered {
            Ok(Ok(report)) => ResponseNews::Taken(report),
            Ok(Err(error)) => {
                tracing::warn!(dispute.id = %dispute.id(), verb, error = %error, "a call failed");
                self.note_failure(dispute.team(), dispute.connection(), &error);
                of_error(&error)
            }
            Err(world::Elapsed) => {
                tracing::warn!(dispute.id = %dispute.id(), verb, "a call was not answered in time: its outcome is unknown");
                ResponseNews::NoAnswer
            }
        };
        let labels = [
            ("processor", descriptor.processor.to_owned()),
            (
                "connection",
                self.connection_label(dispute.team(), dispute.connection()),
            ),
            ("verb", verb.to_owned()),
            ("outcome", outcome_word(&news).to_owned()),
        ];
        metrics::histogram!("pointsman_attempt_call_duration_seconds", &labels)
            .record(watch.elapsed().as_secs_f64());
        news
    }

    /// The response with its texts and files; the news that it can't be sent.
    async fn whole_response<'a>(
        &self,
        dispute: &'a Dispute,
        n: u32,
    ) -> Result<Result<Whole<'a>, ResponseNews>, EngineError> {
        let Some(response) = dispute.response(n) else {
            return Ok(Err(ResponseNews::LookUpFailed));
        };
        let mut whole = Whole {
            response,
            evidence: Evidence::default(),
            files: Vec::new(),
        };
        if response.kind == ResponseKind::Acceptance {
            return Ok(Ok(whole));
        }
        let key = evidence_key(dispute, n);
        let kept = store::dispute_evidence::find(&self.inner.store, key).await?;
        let Some(evidence) = kept else {
            return Ok(Err(ResponseNews::Refused(
                "its texts are not kept any more".to_owned(),
            )));
        };
        whole.evidence = evidence;
        match self
            .contents_of(dispute.team(), &response.attachments)
            .await?
        {
            Ok(files) => whole.files = files,
            Err(news) => return Ok(Err(news)),
        }
        Ok(Ok(whole))
    }

    /// Takes what was learnt of a response. Returns the dispute as it is then.
    pub(super) async fn settle_response(
        &self,
        dispute: &Dispute,
        n: u32,
        news: &ResponseNews,
    ) -> Result<Dispute, EngineError> {
        let settle = |case: Case| async move {
            let forgotten = self.document_to_forget(&case, n).await?;
            Ok(self.with_response_news(case, Learnt { n, news, forgotten }))
        };
        let (case, changed) = self.change(case_key(dispute), settle).await?;
        let settled = case.dispute.unwrap_or_else(|| dispute.clone());
        if changed && settled.status() != dispute.status() {
            let status = settled.status().code();
            metrics::counter!("pointsman_disputes_total", "status" => status).increment(1);
        }
        Ok(settled)
    }

    /// What takes the document of a response away whose personal data are to be erased when it has an outcome.
    async fn document_to_forget(&self, case: &Case, n: u32) -> Result<Vec<Statement>, EngineError> {
        let response = case.dispute.as_ref().and_then(|one| one.response(n));
        let document = response
            .filter(|one| one.forget)
            .and_then(|one| one.document);
        let (Some(dispute), Some(id)) = (&case.dispute, document) else {
            return Ok(Vec::new());
        };
        self.document_deletion(dispute.team(), id).await
    }

    fn with_response_news(&self, mut case: Case, learnt: Learnt<'_>) -> Decision<Case, bool> {
        let Learnt { n, news, forgotten } = learnt;
        let at = self.inner.world.now();
        let Some(dispute) = &mut case.dispute else {
            return Decision::Leave(case, false);
        };
        let before = dispute.response(n).cloned();
        let news = news.clone().cleaned(case.payment.method().own_card());
        let occurred = dispute.settle_response(n, news, at);
        if occurred.is_empty() {
            return Decision::Leave(case, false);
        }
        let mut statements: Vec<Statement> = Vec::new();
        let has_ended = dispute.response(n).is_some_and(|one| !one.is_open());
        if let Some(before) = before.filter(|_| has_ended) {
            if let Some(once) = &before.once {
                let answer = answer::outcome(dispute, n, &occurred);
                let stream = dispute.id().key();
                statements.push(store::once::answer(dispute.team(), once, &stream, &answer));
            }
            if before.forget {
                statements.push(store::dispute_evidence::delete(evidence_key(dispute, n)));
                statements.extend(forgotten);
            }
        }
        let parts = CaseParts {
            statements,
            ..CaseParts::default()
        };
        let effects = case.changed(occurred, at).with(parts);
        Decision::Write(case, effects, true)
    }
}

impl Whole<'_> {
    /// Asks the connector to take it.
    async fn through(
        &self,
        facet: &dyn Disputes,
        link: &Link<'_>,
        dispute: &Dispute,
    ) -> Result<DisputeReport, CallError> {
        let Some(reference) = reference(dispute, self.response.n) else {
            return Err(CallError::not_sent("it has no reference"));
        };
        let stands = dispute.as_reported();
        let respond = Respond {
            reference: &reference,
            dispute: dispute.source_id(),
            stands: &stands,
        };
        match self.response.kind {
            ResponseKind::Acceptance => facet.accept(link, &respond).await,
            ResponseKind::Evidence => {
                let call = SubmitEvidence {
                    respond,
                    texts: &self.evidence.texts,
                    files: &self.files,
                };
                facet.submit(link, &call).await
            }
        }
    }
}

/// Why a processor can't be asked.
const NO_SUCH_VERB: &str = "the processor has no such operation";

fn not_sent(why: &str) -> ResponseNews {
    ResponseNews::NotSent(why.to_owned())
}

fn is_past_sending(response: &DisputeResponse, now: domain::Timestamp) -> bool {
    match response.state {
        ResponseState::Sending { send_by, .. } => now > send_by,
        _ => true,
    }
}

/// What a failed call means. Its words are for the operator: a processor's text may quote what it was sent.
fn of_error(error: &CallError) -> ResponseNews {
    match error {
        CallError::NotSent { .. } => not_sent("the processor could not be reached"),
        // Another request under our reference may have been this one.
        CallError::Unknown { .. }
        | CallError::Rejected {
            cause: Cause::KeyReused,
            ..
        } => ResponseNews::NoAnswer,
        CallError::Rejected { cause, .. } => ResponseNews::Refused(refusal(*cause).to_owned()),
        CallError::Unsupported => ResponseNews::Refused(NO_SUCH_VERB.to_owned()),
    }
}

const fn verb(kind: ResponseKind) -> &'static str {
    match kind {
        ResponseKind::Evidence => "submit_evidence",
        ResponseKind::Acceptance => "accept_dispute",
    }
}

const fn outcome_word(news: &ResponseNews) -> &'static str {
    match news {
        ResponseNews::Taken(_) | ResponseNews::Confirmed => "done",
        ResponseNews::NotSent(_) => "not_sent",
        ResponseNews::NoAnswer | ResponseNews::RefusedAgain(_) | ResponseNews::LookUpFailed => {
            "no_answer"
        }
        ResponseNews::Refused(_) | ResponseNews::Absent(_) => "failed",
    }
}
