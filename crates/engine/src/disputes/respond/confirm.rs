//! Responses of which nobody knows yet whether the processor has them: it is asked, and they are sent again where it has not.

use connector::{FoundResponse, Respond};
use domain::dispute::{Dispute, DisputeOccurrence, ResponseNews};

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
            return self.settle_response(&dispute, n, &news).await.map(drop);
        };
        let found = self.look_for_response(&dispute, &line, n).await?;
        let is_absent = matches!(found, ResponseNews::Absent(_));
        let dispute = self.settle_response(&dispute, n, &found).await?;
        if !is_absent || !dispute.is_still_wanted(n) {
            return Ok(());
        }
        let Some(dispute) = self.begun_again(&dispute, &line, n).await? else {
            return Ok(());
        };
        let mut news = self.send_response(&dispute, n).await?;
        if matches!(news, ResponseNews::Refused(_)) {
            // The refusal may be of a second one, since the first has arrived after all.
            let now = self.look_for_response(&dispute, &line, n).await?;
            if !matches!(now, ResponseNews::Absent(_)) {
                news = now;
            }
        }
        self.settle_response(&dispute, n, &news).await.map(drop)
    }

    /// Commits that a response is sent once more. `None`: somebody else has settled it meanwhile.
    async fn begun_again(
        &self,
        dispute: &Dispute,
        line: &Connected,
        n: u32,
    ) -> Result<Option<Dispute>, EngineError> {
        let again = |mut case: Case| async move {
            let begin = self.begin(Some(line), None, None);
            let at = begin.at;
            let occurred: Option<DisputeOccurrence> = case
                .dispute
                .as_mut()
                .filter(|dispute| dispute.is_still_wanted(n))
                .and_then(|dispute| dispute.send_response_again(n, begin));
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
        let call = Respond {
            reference: &reference,
            dispute: dispute.source_id(),
        };
        let timeout = connected.connector.descriptor().call_timeout;
        let found = facet.find_response(&link, &call);
        Ok(match self.inner.world.timeout(timeout, found).await {
            Ok(Ok(FoundResponse::Taken(report))) => ResponseNews::Taken(report),
            Ok(Ok(FoundResponse::Absent(report))) => ResponseNews::Absent(report),
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
