//! `pointsman webhook`

use std::process::ExitCode;

use super::{
    arguments::{OneWebhook, Webhooks},
    operate,
};
use crate::admin::{Request, WebhookAct, WebhookSave, WebhookWanted};

pub(super) fn run(command: Webhooks) -> anyhow::Result<ExitCode> {
    match command {
        Webhooks::Save(flags) => {
            let save = WebhookSave {
                id: flags.id,
                url: flags.url,
                kinds: flags.kinds,
                enabled: flags.enabled,
                resume: flags.resume,
            };
            let wanted = WebhookWanted {
                team: flags.team,
                act: WebhookAct::Save(save),
            };
            operate::operate(&flags.place, &Request::Webhook(wanted))
        }
        Webhooks::List { team, place } => {
            let act = WebhookAct::List;
            operate::operate(&place, &Request::Webhook(WebhookWanted { team, act }))
        }
        Webhooks::Rotate(one) => on_one(one, |id| WebhookAct::Rotate { id }),
        Webhooks::Delete(one) => on_one(one, |id| WebhookAct::Delete { id }),
        Webhooks::Test(one) => on_one(one, |id| WebhookAct::Test { id }),
    }
}

fn on_one(one: OneWebhook, act: impl FnOnce(String) -> WebhookAct) -> anyhow::Result<ExitCode> {
    let OneWebhook { id, team, place } = one;
    let wanted = WebhookWanted { team, act: act(id) };
    operate::operate(&place, &Request::Webhook(wanted))
}
