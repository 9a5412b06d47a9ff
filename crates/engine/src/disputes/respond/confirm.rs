//! Responses of which nobody knows yet whether the processor has them: it is asked, and they are sent again where it has not.

use connector::{FoundResponse, Respond};
use domain::dispute::{Absence, Dispute, DisputeOccurrence, LookedFor, ResponseNews};

use super::{Case, case_key, reference};
use crate::{Engine, change::Decision, faults::EngineError, payments::Connected};

impl Engine {
    /// Finds out whether the processor has a response that is being sent, and sends it again where it has not and the dispute still
    /// waits for it.
    pub(in crate::disputes) async fn confirm_response(
        &self,
        dispute: Dispute,
        n: u32,
    ) -> Result<(), EngineError> {
        let Some(line) = self.line(dispute.team(), dispute.connection()).await? else {
            let news = ResponseNews::LookUpFailed;
            count_unconfirmed();
            return self.settle_response(&dispute, n, &news).await.map(drop);
        };
        let found = self.look_for_response(&dispute, &line, n).await?;
        if matches!(found, ResponseNews::LookUpFailed) {
            count_unconfirmed();
        }
        let ResponseNews::Absent(absence) = &found else {
            return self.settle_response(&dispute, n, &found).await.map(drop);
        };
        let is_proven = dispute.is_proven_absent(n, absence)
            || dispute.response(n).is_some_and(|one| !one.may_be_there());
        let looked_for = dispute.looked_for(n);
        let dispute = self.settle_response(&dispute, n, &found).await?;
        if !dispute.is_still_wanted(n) {
            return Ok(());
        }
        let Some(looked_for) = looked_for else {
            return Ok(());
        };
        let Some(dispute) = self.begun_again(&dispute, &line, looked_for).await? else {
            return Ok(());
        };
        let mut news = self.send_response(&dispute, n).await?;
        if let ResponseNews::Refused(reason) = &news {
            // The refusal may be of a second one, since the first has arrived after all.
            match self.look_for_response(&dispute, &line, n).await? {
                ResponseNews::Absent(_) if is_proven => {}
                ResponseNews::Absent(_) => news = ResponseNews::RefusedAgain(reason.clone()),
                now => news = now,
            }
        }
        self.settle_response(&dispute, n, &news).await.map(drop)
    }

    /// Takes it that the processor has a response without a name, where that can be the one that is being sent. Whether it was news.
    pub(crate) async fn confirm_named_by_nobody(
        &self,
        dispute: &Dispute,
    ) -> Result<bool, EngineError> {
        let Some(n) = dispute.confirmable() else {
            return Ok(false);
        };
        let news = ResponseNews::Confirmed;
        let settled = self.settle_response(dispute, n, &news).await?;
        Ok(settled.version() != dispute.version())
    }

    /// Commits that a response is sent once more. `None`: somebody else has settled it meanwhile, or has begun to send it again, which the
    /// look-up knows nothing of.
    async fn begun_again(
        &self,
        dispute: &Dispute,
        line: &Connected,
        looked_for: LookedFor,
    ) -> Result<Option<Dispute>, EngineError> {
        let again = |mut case: Case| async move {
            let begin = self.begin(Some(line), None, None);
            let at = begin.at;
            let occurred: Option<DisputeOccurrence> = case
                .dispute
                .as_mut()
                .and_then(|dispute| dispute.send_response_again(looked_for, begin));
            Ok(match occurred {
                None => Decision::Leave(case, false),
                Some(occurred) => {
                    let effects = case.changed(vec![occurred], at);
                    Decision::Write(case, effects, true)
                }
            })
        };
        let (case, is_begun) = self.change(case_key(dispute), again).await?;
        Ok(case.dispute.filter(|_| is_begun))
    }

    /// Whether the processor has a response.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(EvidenceSentTwice = crate::bugs::look_for_no_response)
    )]
    async fn look_for_response(
        &self,
        dispute: &Dispute,
        connected: &Connected,
        n: u32,
    ) -> Result<ResponseNews, EngineError> {
        let facet = connected.connector.disputes();
        let (Some(facet), Some(reference)) = (facet, reference(dispute, n)) else {
            return Ok(ResponseNews::LookUpFailed);
        };
        let connection = match self.open_connection(connected).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(dispute.id = %dispute.id(), why, "its connection can't be used to find a response");
                return Ok(ResponseNews::LookUpFailed);
            }
        };
        let link = self.link(connected, &connection);
        let stands = dispute.as_reported();
        let call = Respond {
            reference: &reference,
            dispute: dispute.source_id(),
            stands: &stands,
        };
        let descriptor = connected.connector.descriptor();
        let timeout = descriptor.call_timeout;
        let asked = self.inner.world.now();
        let found = facet.find_response(&link, &call);
        Ok(match self.inner.world.timeout(timeout, found).await {
            Ok(Ok(FoundResponse::Taken(report))) => ResponseNews::Taken(report),
            Ok(Ok(FoundResponse::Absent(report))) => ResponseNews::Absent(Absence {
                report,
                asked,
                final_after: descriptor
                    .not_found_final_after
                    .map(|span| timeout.saturating_add(span)),
            }),
            Ok(Err(error)) => {
                tracing::warn!(dispute.id = %dispute.id(), error = %error, "a response could not be looked up");
                ResponseNews::LookUpFailed
            }
            Err(world::Elapsed) => {
                tracing::warn!(dispute.id = %dispute.id(), "the look-up of a response was not answered in time");
                ResponseNews::LookUpFailed
            }
        })
    }
}

/// Counts a look-up that has found out nothing: the response stays as it is, and a person may have to look.
fn count_unconfirmed() {
    metrics::counter!("pointsman_dispute_look_ups_failed_total").increment(1);
}
