//! What flows do in the story: going on at another connection, and capturing later by themselves.

use super::{
    client::Reply,
    narrator::Narrator,
    story::{Step, Story, check, in_short, timeline},
};

impl Story<'_> {
    pub(super) async fn go_on_elsewhere(&self, narrator: &mut Narrator) {
        narrator.step("A processor that can't be reached");
        narrator.asked(
            "authorizePayment",
            "35.00 EUR with the token, flow `fallback`",
        );
        let order = self.by_token(3_500, "fallback");
        let outcome = match self.authorise(narrator, &order, None).await {
            Ok(reply) => self.show_the_way(narrator, &reply).await,
            Err(why) => Err(why),
        };
        narrator
            .shown("The flow went on at another connection, which is safe: the first never got the request.", outcome);
    }

    async fn show_the_way(&self, narrator: &mut Narrator, paid: &Reply) -> Step {
        check(
            "the status",
            &paid.text("/data/authorizePayment/status"),
            "SUCCEEDED",
        )?;
        check(
            "the connection",
            &paid.text("/data/authorizePayment/connectionId"),
            "simulator-b",
        )?;
        narrator.asked("getPayment", "its timeline");
        let reply = self.read(&paid.text("/data/authorizePayment/id")).await?;
        let lines = timeline(&reply);
        for (title, message) in &lines {
            narrator.answered(&format!("{title}: {message}"));
        }
        let fell_back = lines.iter().any(|(title, _)| title == "Falling back");
        if fell_back {
            Ok(())
        } else {
            Err("the timeline does not tell of the fallback".to_owned())
        }
    }

    pub(super) async fn capture_after_a_delay(&self, narrator: &mut Narrator) {
        narrator.step("A capture that comes by itself");
        narrator.asked(
            "authorizePayment",
            "42.00 EUR with the token, flow `capture-after-delay`",
        );
        let order = self.by_token(4_200, "capture-after-delay");
        let outcome = match self.authorise(narrator, &order, None).await {
            Ok(reply) => self.await_the_capture(narrator, &reply).await,
            Err(why) => Err(why),
        };
        narrator.shown(
            "The flow captures two seconds later, also when the service was restarted meanwhile.",
            outcome,
        );
    }

    async fn await_the_capture(&self, narrator: &mut Narrator, reserved: &Reply) -> Step {
        check(
            "the status",
            &reserved.text("/data/authorizePayment/status"),
            "AUTHORISED",
        )?;
        narrator.asked("getPayment", "that payment, until it is captured");
        let reply = self
            .wait(&reserved.text("/data/authorizePayment/id"), "AUTHORISED")
            .await?;
        narrator.answered(&in_short(&reply, "getPayment"));
        check(
            "the status",
            &reply.text("/data/getPayment/status"),
            "SUCCEEDED",
        )?;
        check(
            "the captured amount",
            &reply.text("/data/getPayment/capturedAmount"),
            "4200",
        )
    }
}
