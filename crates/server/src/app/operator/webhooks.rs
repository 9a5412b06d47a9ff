//! `pointsman webhook`.

use domain::{Fault, caller::Caller, event::KindFilter, id::EndpointId, webhook::DeliveryState};
use engine::{EndpointView, Resume, SaveEndpoint};

use super::Local;
use crate::admin::{ResumeWord, Say, WebhookAct, WebhookSave, WebhookWanted};

impl Local {
    pub(super) async fn webhook(&self, wanted: WebhookWanted, say: Say<'_>) -> Result<(), String> {
        let caller = self.caller(wanted.team).await?;
        match wanted.act {
            WebhookAct::Save(save) => self.save_webhook(&caller, save, say).await,
            WebhookAct::List => self.list_webhooks(&caller, say).await,
            WebhookAct::Rotate { id } => self.rotate_webhook(&caller, &id, say).await,
            WebhookAct::Delete { id } => {
                let endpoint = endpoint_id(&id)?;
                let deleted = self.engine.delete_endpoint(&caller, endpoint).await;
                deleted.map_err(words)?;
                say(format!("The endpoint {id} is removed."));
                Ok(())
            }
            WebhookAct::Test { id } => self.test_webhook(&caller, &id, say).await,
        }
    }

    async fn save_webhook(
        &self,
        caller: &Caller,
        save: WebhookSave,
        say: Say<'_>,
    ) -> Result<(), String> {
        let id = save.id.as_deref().map(endpoint_id).transpose()?;
        let kinds = (!save.kinds.is_empty()).then(|| KindFilter::parse(save.kinds, "--kind"));
        let command = SaveEndpoint {
            id,
            url: save.url,
            kinds: kinds.transpose().map_err(words)?,
            enabled: save.enabled,
            resume: save.resume.map(|word| match word {
                ResumeWord::WhereItStopped => Resume::WhereItStopped,
                ResumeWord::FromNow => Resume::FromNow,
            }),
        };
        let saved = self.engine.save_endpoint(caller, command).await;
        let saved = saved.map_err(words)?;
        say(in_a_line(&saved));
        show_secret(saved, say);
        Ok(())
    }

    async fn list_webhooks(&self, caller: &Caller, say: Say<'_>) -> Result<(), String> {
        let endpoints = self.engine.endpoints(caller).await.map_err(words)?;
        if endpoints.is_empty() {
            say("There are no webhook endpoints.".to_owned());
        }
        endpoints.iter().map(in_a_line).for_each(say);
        Ok(())
    }

    async fn rotate_webhook(&self, caller: &Caller, id: &str, say: Say<'_>) -> Result<(), String> {
        let rotated = self.engine.rotate_endpoint_secret(caller, endpoint_id(id)?);
        let rotated = rotated.await.map_err(words)?;
        say(format!(
            "The secret before of {id} signs as well for 24 hours."
        ));
        show_secret(rotated, say);
        Ok(())
    }

    async fn test_webhook(&self, caller: &Caller, id: &str, say: Say<'_>) -> Result<(), String> {
        let sent = self.engine.send_test_event(caller, endpoint_id(id)?).await;
        let sent = sent.map_err(words)?;
        let attempt = sent.log.attempts.last();
        let how = attempt.map_or_else(String::new, |attempt| {
            let answer = attempt.status.map(|status| format!("it answered {status}"));
            let why = answer.or_else(|| attempt.error.clone()).unwrap_or_default();
            format!("{why}, in {} ms", attempt.duration_ms)
        });
        if sent.state == DeliveryState::Delivered {
            say(format!("The endpoint took the test: {how}."));
            return Ok(());
        }
        Err(format!("the endpoint did not take the test: {how}"))
    }
}

/// The signing secret comes last, where scripts read it.
fn show_secret(endpoint: EndpointView, say: Say<'_>) {
    if let Some(secret) = endpoint.incoming_secret {
        say(format!(
            "Its server signs webhooks for {}{{name}} with:",
            endpoint.incoming_url
        ));
        say(secret);
    }
    if let Some(secret) = endpoint.secret {
        say(format!(
            "The signing secret of {}. It is not shown again:",
            endpoint.id
        ));
        say(secret);
    }
}

fn endpoint_id(text: &str) -> Result<EndpointId, String> {
    let unknown = || words(engine::no_such_endpoint("id"));
    EndpointId::parse(text).ok_or_else(unknown)
}

fn in_a_line(endpoint: &EndpointView) -> String {
    let kinds = if endpoint.kinds.is_empty() {
        "all events".to_owned()
    } else {
        endpoint.kinds.join(" ")
    };
    let state = match (endpoint.is_enabled, endpoint.failing_since) {
        (false, _) => "disabled".to_owned(),
        (true, None) => "enabled".to_owned(),
        (true, Some(at)) => format!("enabled, takes nothing since {}", at.rfc3339_seconds()),
    };
    format!("{}  {}  {kinds}  {state}", endpoint.id, endpoint.url)
}

/// Why something can't be done, for the person at the terminal.
fn words(fault: Fault) -> String {
    fault.message
}
