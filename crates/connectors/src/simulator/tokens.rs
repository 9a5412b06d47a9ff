//! Tokens of the simulator's own, which stand for a card here.

use connector::{CallError, Called, Link, Reference, Stored, Tokenise, Tokenised};

use super::{Simulator, answers, entry::Entry, fault, rejected, settings::Fault};

impl Stored for Simulator {
    fn tokenise<'a>(&'a self, link: &'a Link<'a>, call: &'a Tokenise<'a>) -> Called<'a, Tokenised> {
        Box::pin(self.under(link, None, self.play_tokenise(link, call)))
    }
}

impl Simulator {
    async fn play_tokenise(
        &self,
        link: &Link<'_>,
        call: &Tokenise<'_>,
    ) -> Result<Tokenised, CallError> {
        let reference = Reference::other(call.reference)
            .ok_or_else(|| rejected("the reference has another form"))?;
        let mut entry = Entry::open_token(call, reference, link.connection, &self.world);
        if fault(link.settings)? == Some(Fault::Fails) {
            entry = entry.failing();
        }
        let entry = self.open(entry).await?;
        // The same call again, after the customer was authenticated, brings the token.
        let complete = |entry: &mut Entry| entry.complete(self.world.now());
        let entry = self.change(entry, complete).await?;
        let reported = answers::token(&entry, self.world.now(), self.base());
        reported.ok_or_else(|| rejected("the processor had a technical failure"))
    }
}
