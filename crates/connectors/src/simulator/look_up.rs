//! What the simulator says of an authorisation: all that the books have.

use connector::{CallError, Earlier, Finding, Link, LookUp};

use super::{Simulator, answers, elsewhere::booked_as, entry::Entry, of_a_read};

impl Simulator {
    pub(super) async fn play_look_up(
        &self,
        link: &Link<'_>,
        call: &LookUp<'_>,
    ) -> Result<Finding, CallError> {
        let finding = self.find(link, call).await?;
        let is_found = if call.is_of_authorisation() {
            finding.authorisation.is_some()
        } else {
            finding.operation(call.asked).is_some()
        };
        if is_found {
            return Ok(finding);
        }
        // The write of a call whose caller has gone may still be under way.
        self.books
            .catch_up(booked_as(call.authorisation).as_str())
            .await
            .map_err(of_a_read)?;
        self.find(link, call).await
    }

    async fn find(&self, link: &Link<'_>, call: &LookUp<'_>) -> Result<Finding, CallError> {
        let entry = self.entry_of(call.authorisation).await?;
        let entry = entry.filter(|entry| entry.is_of(link));
        Ok(entry.map_or_else(Finding::nothing, |entry| {
            answers::finding(&entry, self.world.now(), self.base())
        }))
    }

    /// The entry of an authorisation, by the simulator's own id where that is known.
    async fn entry_of(&self, authorisation: Earlier<'_>) -> Result<Option<Entry>, CallError> {
        let key = match authorisation.processor_id {
            Some(id) => answers::reference_in(id),
            None => Some(authorisation.reference.as_str()),
        };
        match key {
            Some(key) => self.books.load(key).await.map_err(of_a_read),
            None => Ok(None),
        }
    }
}
