//! The pages that show a frame of ours: named in its address, and allowed by a setting or not at all.

use super::super::{query_text, web::Web};
use crate::pages::Frames;

/// A page within more pages than this is not served: nobody needs it, and the header would grow.
const DEEPEST: usize = 8;

/// The origins of the pages around a frame: the merchant's page first, the outermost last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Embedders(Vec<String>);

/// Why a frame is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The address names no origin.
    Missing,
    /// What it names is no origin.
    Malformed,
    /// Nobody has allowed this origin.
    NotAllowed(String),
    /// It could not be found out.
    Unknown,
}

impl Embedders {
    /// Who shows the frame: `origin` is the merchant's page, each `ancestor` a page around it. All must be allowed: by
    /// `server.allowed_origins` or by the list of any team, since a document that is loaded has no credential yet. The
    /// frame asks for its own team's word with its first request (`sdkConfiguration`).
    pub(super) async fn of(query: Option<&str>, web: &Web) -> Result<Self, Refusal> {
        let named = named(query)?;
        for origin in &named {
            if !is_allowed(origin, web).await? {
                return Err(Refusal::NotAllowed(origin.clone()));
            }
        }
        Ok(Self(named))
    }

    /// The merchant's page.
    pub(super) fn shop(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// All of them, with a blank between.
    pub(super) fn listed(&self) -> String {
        self.0.join(" ")
    }
}

async fn is_allowed(origin: &str, web: &Web) -> Result<bool, Refusal> {
    let listed = match &web.rules.frames {
        Frames::Any => return Ok(true),
        Frames::Listed(listed) => listed.iter().any(|one| one == origin),
    };
    // Its hosted page shows the dialog's inside.
    if listed || web.service.engine.own_origin() == origin {
        return Ok(true);
    }
    let known = web.service.engine.is_an_origin(origin).await;
    known.map_err(|_| Refusal::Unknown)
}

fn named(query: Option<&str>) -> Result<Vec<String>, Refusal> {
    let pairs = query_text::pairs(query.unwrap_or_default()).ok_or(Refusal::Malformed)?;
    let of = |wanted: &str| -> Vec<String> {
        let matching = pairs.iter().filter(|(name, _)| name == wanted);
        matching.map(|(_, value)| value.clone()).collect()
    };
    let mut origins = of("origin");
    match origins.len() {
        0 => return Err(Refusal::Missing),
        1 => origins.extend(of("ancestor")),
        _ => return Err(Refusal::Malformed),
    }
    let are_origins = origins
        .iter()
        .all(|origin| domain::team::origin(origin).as_ref() == Some(origin));
    if !are_origins || origins.len() > DEEPEST {
        return Err(Refusal::Malformed);
    }
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_origin_is_named_and_nothing_else_can_stand_in_a_header() {
        let shop = "https://shop.example".to_owned();
        let around = "http://localhost:3000".to_owned();
        assert_eq!(
            named(Some("origin=https%3A%2F%2Fshop.example")),
            Ok(vec![shop.clone()])
        );
        assert_eq!(
            named(Some(
                "origin=https://shop.example&ancestor=http://localhost:3000&x=1"
            )),
            Ok(vec![shop, around])
        );
        assert_eq!(named(None), Err(Refusal::Missing));
        assert_eq!(
            named(Some("ancestor=https://shop.example")),
            Err(Refusal::Missing)
        );
        for malformed in [
            "origin=null",
            "origin=*",
            "origin=https:",
            "origin='self'",
            "origin=https://shop.example/",
            "origin=https://shop.example;%20script-src%20*",
            "origin=https://shop.example%20https://evil.example",
            "origin=https://shop.example%0d%0aset-cookie:%20a=b",
            "origin=https://a.example&origin=https://b.example",
            "origin=https://shop.example&ancestor=*",
            "origin=%zz",
        ] {
            assert_eq!(
                named(Some(malformed)),
                Err(Refusal::Malformed),
                "{malformed}"
            );
        }
    }
}
