//! `saveWebhookEndpoint`, `listWebhookDeliveries`, `resendEvents`, and ids of endpoints.

use domain::{
    Fault, Faults, event::KindFilter, id::EndpointId, page::Page, webhook::DeliveryState,
};
use engine::{ListDeliveries, Resend, Resume, SaveEndpoint};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader};

/// Errors: `error.validation`.
pub(crate) fn save(arguments: Map<String, Value>) -> Result<SaveEndpoint, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let id = match reader.raw("id") {
        Some(id) => faults.good(endpoint(&id, "id")),
        None => None,
    };
    let url = reader.raw("url").ok_or_else(|| reader.missing("url"));
    let url = faults.or_default(url);
    let kinds = reader
        .texts("kinds")
        .map(|kinds| KindFilter::parse(kinds, "kinds"));
    let kinds = faults.or_default(kinds.transpose());
    let enabled = faults.or_default(reader.flag_if_given("enabled"));
    let resume = faults.or_default(reader.choice("resume", resume));
    faults.end(SaveEndpoint {
        id,
        url,
        kinds,
        enabled,
        resume,
    })
}

fn resume(text: &str) -> Option<Resume> {
    match text {
        "WHERE_IT_STOPPED" => Some(Resume::WhereItStopped),
        "FROM_NOW" => Some(Resume::FromNow),
        _ => None,
    }
}

/// Errors: `error.validation`.
pub(crate) fn deliveries(arguments: Map<String, Value>) -> Result<ListDeliveries, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let id = reader.raw("endpointId").unwrap_or_default();
    let endpoint = faults.good(endpoint(&id, "endpointId"));
    let first = faults.or_default(reader.int("first"));
    let page = faults.good(Page::parse(first, reader.raw("after"), None, None));
    let state = faults.or_default(reader.choice("state", DeliveryState::parse));
    faults.end(endpoint.zip(page).map(|(endpoint, page)| ListDeliveries {
        endpoint,
        state,
        page,
    }))
}

/// Errors: `error.validation`.
pub(crate) fn resend(arguments: Map<String, Value>) -> Result<Resend, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let id = reader.raw("endpointId").unwrap_or_default();
    Ok(Resend {
        endpoint: endpoint(&id, "endpointId")?,
        from: reader.raw("from"),
        to: reader.raw("to"),
        event_ids: reader.texts("eventIds").unwrap_or_default(),
    })
}

/// An endpoint's id. Errors: `error.validation`.
pub(crate) fn endpoint(text: &str, field: &str) -> Result<EndpointId, Fault> {
    EndpointId::parse(text).ok_or_else(|| engine::no_such_endpoint(field))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn what_is_not_given_stays_and_mistakes_are_named() {
        let saved = save(arguments(
            json!({"url": "https://shop.example", "kinds": []}),
        ))
        .unwrap();
        assert_eq!((saved.id, saved.enabled, saved.resume), (None, None, None));
        assert_eq!(saved.kinds.unwrap().entries().len(), 0);
        let refused = |given: Value| refusal(save(arguments(given)).map(|_| ()).unwrap_err()).0;
        assert_eq!(
            refused(json!({"url": "https://a.example", "id": "x"})),
            "id"
        );
        assert_eq!(
            refused(json!({"url": "https://a.example", "kinds": ["x"]})),
            "kinds.0"
        );
        assert_eq!(refused(json!({"url": ""})), "url");
        let listed = deliveries(arguments(json!({"endpointId": "x"})));
        assert_eq!(refusal(listed.map(|_| ()).unwrap_err()).0, "endpointId");
        let sent = resend(arguments(json!({"endpointId": "x"})));
        assert_eq!(refusal(sent.map(|_| ()).unwrap_err()).0, "endpointId");
    }
}
