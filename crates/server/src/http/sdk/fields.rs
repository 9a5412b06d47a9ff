//! The document of a processor's own card fields, which the form's frame shows in the place of its own.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use connector::FieldsSources;
use http::{HeaderValue, StatusCode, Uri, header};

use super::{
    super::{no_such_address, query_text, web::Web},
    documents::{NEVER, Policy, assets, embedded, mode, refused, with_policy},
    embedder::Embedders,
};

/// `GET /sdk/v1/frame/fields?processor=…&origin=…`: holds the processor's script, which draws the fields. What it may load is that
/// processor's alone; the card's form and the client token are in another document.
pub(super) async fn document(State(web): State<Arc<Web>>, uri: Uri) -> Response {
    let embedders = match Embedders::of(uri.query(), &web).await {
        Ok(embedders) => embedders,
        Err(refusal) => return embedded(refused(&refusal)),
    };
    let pairs = query_text::pairs(uri.query().unwrap_or_default()).unwrap_or_default();
    let processor = pairs.iter().find(|(name, _)| name == "processor");
    let sources = processor.and_then(|(_, name)| web.service.engine.fields_sources(name));
    let (Some((_, processor)), Some(sources)) = (processor, sources) else {
        return no_such_address();
    };
    let text = web::sdk::fields(&assets("fields.js"), mode(&web), processor, &sources.script);
    let mut response = embedded(with_policy(StatusCode::OK, text, &Policy::default()));
    let policy = policy(&sources, &embedders.listed());
    let headers = response.headers_mut();
    // Nothing that can't stand in a header is in a processor's list or in an origin.
    let header = HeaderValue::from_str(&policy)
        .unwrap_or(HeaderValue::from_static("default-src 'none'; sandbox"));
    headers.insert(header::CONTENT_SECURITY_POLICY, header);
    headers.insert(header::CACHE_CONTROL, NEVER);
    if sources.is_sandboxed {
        // Without an origin there is nothing that could be kept apart by it.
        headers.remove("origin-agent-cluster");
    }
    response
}

/// What the document may load. Scripts of processors write addresses and HTML, so there are no Trusted Types here.
fn policy(sources: &FieldsSources, around: &str) -> String {
    let listed = |first: &str, more: &[String]| {
        let all: Vec<&str> = std::iter::once(first)
            .chain(more.iter().map(String::as_str))
            .filter(|source| !source.is_empty())
            .collect();
        match all.join(" ") {
            none if none.is_empty() => "'none'".to_owned(),
            some => some,
        }
    };
    let scripts = format!("'self' {}", sources.script);
    let text = format!(
        "default-src 'none'; script-src {}; style-src {}; font-src {}; img-src 'self' data:; connect-src {}; frame-src {}; \
         form-action 'none'; base-uri 'none'; frame-ancestors 'self' {around}",
        listed(&scripts, &sources.scripts),
        listed("'self'", &sources.styles),
        listed("", &sources.fonts),
        listed("", &sources.connect),
        listed("", &sources.frames),
    );
    if sources.is_sandboxed {
        format!("{text}; sandbox allow-scripts allow-forms")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_gets_its_own_sources_and_nothing_else() {
        let square = FieldsSources {
            script: "https://web.squarecdn.com/v1/square.js".to_owned(),
            frames: vec!["https://web.squarecdn.com".to_owned()],
            connect: vec!["https://pci-connect.squareup.com".to_owned()],
            ..FieldsSources::default()
        };
        assert_eq!(
            policy(&square, "https://shop.example"),
            "default-src 'none'; script-src 'self' https://web.squarecdn.com/v1/square.js; style-src 'self'; font-src 'none'; \
             img-src 'self' data:; connect-src https://pci-connect.squareup.com; frame-src https://web.squarecdn.com; \
             form-action 'none'; base-uri 'none'; frame-ancestors 'self' https://shop.example"
        );
        let sandboxed = FieldsSources {
            is_sandboxed: true,
            ..square
        };
        assert!(policy(&sandboxed, "").ends_with("; sandbox allow-scripts allow-forms"));
    }
}
