//! The SDK's built files. They are public, the same for everybody, and hold nothing of any team.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use axum::{
    body::Body,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::super::{ResponseLabels, no_such_address, web::Web};

/// A file under a name that changes with its content.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// A file under a name that stays.
const SHORTLY: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// The name under which the newest loader is.
const LOADER: &str = "pointsman.js";
/// The list of names.
const MANIFEST: &str = "manifest.json";
/// The list of loaders.
const INTEGRITY: &str = "integrity.json";

/// A file as it was built, and compressed.
struct Built {
    name: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
}

static BUILT: &[Built] = include!(concat!(env!("OUT_DIR"), "/sdk_files.rs"));

/// Marks a response whose handler has decided who may read it, whatever origins may call the API: pages of every origin read
/// loaders, since integrity checks need that; no script of another origin reads a document of ours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharingDecided;

/// The names of the built files, which change with their content.
#[derive(Debug, Deserialize)]
pub(super) struct Manifest {
    loader: Loader,
    files: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Loader {
    file: String,
}

impl Manifest {
    /// Where a file of the frame is, by the name that it has in the sources.
    pub(super) fn address(&self, name: &str) -> Option<String> {
        let file = self.files.get(name)?;
        Some(format!("/sdk/v1/f/{file}"))
    }
}

/// The manifest; `None` where the built files are not whole, which a test rules out.
pub(super) fn manifest() -> Option<&'static Manifest> {
    static READ: LazyLock<Option<Manifest>> =
        LazyLock::new(|| serde_json::from_slice(find(MANIFEST)?.plain).ok());
    READ.as_ref()
}

fn find(name: &str) -> Option<&'static Built> {
    BUILT.iter().find(|file| file.name == name)
}

/// `GET /sdk/v1/pointsman.js` and `/sdk/v1/pointsman.<hash>.js`.
pub(super) async fn loader(Path(name): Path<String>, headers: HeaderMap) -> Response {
    if name == LOADER {
        let newest = manifest().and_then(|manifest| find(&manifest.loader.file));
        return served(newest, SHORTLY, &headers);
    }
    served(
        find(&name).filter(|file| is_loader(file)),
        FOREVER,
        &headers,
    )
}

/// `GET /sdk/v1/f/<name>.<hash>.<type>`: also those that only loaders of earlier releases name.
pub(super) async fn of_frame(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let is_public = |file: &&Built| ![MANIFEST, INTEGRITY].contains(&file.name) && !is_loader(file);
    served(find(&name).filter(is_public), FOREVER, &headers)
}

/// `GET /sdk/v1/integrity.json`: every loader that was ever released and the newest, each with its hash and the tag to paste.
pub(super) async fn integrity(State(web): State<Arc<Web>>) -> Response {
    let base = web.service.engine.public_url();
    let newest = manifest().map(|manifest| manifest.loader.file.as_str());
    let mut loaders = released();
    for loader in &mut loaders {
        let file = loader
            .get("file")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let hash = loader
            .get("integrity")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let address = format!("{base}/sdk/v1/{file}");
        let tag = format!(
            "<script src=\"{address}\" integrity=\"{hash}\" crossorigin=\"anonymous\"></script>"
        );
        let is_newest = Some(file) == newest;
        loader.insert("address".to_owned(), address.into());
        loader.insert("newest".to_owned(), is_newest.into());
        loader.insert("scriptTag".to_owned(), tag.into());
    }
    let text = json!({ "loaders": loaders }).to_string();
    let mut response = Body::from(text).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, SHORTLY);
    headers.insert(header::CONTENT_TYPE, media(INTEGRITY));
    for_everybody(response)
}

/// The loaders as the build has listed them: file, integrity, bytes, and since when.
fn released() -> Vec<Map<String, Value>> {
    #[derive(Deserialize)]
    struct List {
        loaders: Vec<Map<String, Value>>,
    }
    let list = find(INTEGRITY).and_then(|file| serde_json::from_slice::<List>(file.plain).ok());
    list.map(|list| list.loaders).unwrap_or_default()
}

/// The file, or what the request's copy of it allows in its place.
fn served(file: Option<&Built>, keep: HeaderValue, request: &HeaderMap) -> Response {
    let Some(file) = file else {
        return no_such_address();
    };
    let zipped = takes_gzip(request);
    let tag = tag(file, zipped);
    let is_known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| is_same(known.trim(), &tag));
    let body = if zipped { file.gzip } else { file.plain };
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Body::from(body).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, keep);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    if !is_known {
        headers.insert(header::CONTENT_TYPE, media(file.name));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        if zipped {
            let gzip = HeaderValue::from_static("gzip");
            headers.insert(header::CONTENT_ENCODING, gzip);
        }
    }
    for_everybody(response)
}

fn for_everybody(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let any = HeaderValue::from_static("*");
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
    let cross = HeaderValue::from_static("cross-origin");
    headers.insert("cross-origin-resource-policy", cross);
    response.extensions_mut().insert(SharingDecided);
    labelled(response)
}

/// Counted under one name, whichever file it is.
pub(super) fn labelled(mut response: Response) -> Response {
    let code = if response.status().is_client_error() {
        "refused"
    } else {
        "ok"
    };
    response.extensions_mut().insert(ResponseLabels {
        operation: "sdk",
        code,
    });
    response
}

fn is_loader(file: &Built) -> bool {
    file.name.starts_with("pointsman.") && media_type(file.name) == SCRIPT
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("js") => SCRIPT,
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn media(name: &str) -> HeaderValue {
    HeaderValue::from_static(media_type(name))
}

/// The tag of a file's content, which the compressed one has with an ending.
fn tag(file: &Built, zipped: bool) -> String {
    static TAGS: LazyLock<BTreeMap<&'static str, String>> = LazyLock::new(|| {
        let tags = BUILT.iter().map(|file| {
            let digest = hex::encode(Sha256::digest(file.plain));
            (file.name, digest.chars().take(16).collect())
        });
        tags.collect()
    });
    let hash = TAGS.get(file.name).map_or("", String::as_str);
    let ending = if zipped { "-gzip" } else { "" };
    format!("\"{hash}{ending}\"")
}

/// Whether a tag that the client knows is this one. A weak one counts as its strong one: source RFC 9110, section 13.1.2.
fn is_same(known: &str, tag: &str) -> bool {
    known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
}

/// Whether the client takes an answer that is compressed with gzip.
pub(super) fn takes_gzip(request: &HeaderMap) -> bool {
    request
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let weight = weight.trim().strip_prefix("q=").map(str::trim);
            let is_refused = weight.is_some_and(|weight| weight.parse() == Ok(0.0_f32));
            name.trim().eq_ignore_ascii_case("gzip") && !is_refused
        })
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use sha2::Sha384;

    use super::*;

    fn headers(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    const FILE: Built = Built {
        name: "card.1a2b.js",
        plain: b"let x = 1;",
        gzip: b"(compressed)",
    };

    #[test]
    fn a_client_gets_the_compressed_file_only_when_it_takes_it() {
        for (accepted, zipped) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("br", false),
            ("x-gzip", false),
        ] {
            let response = served(
                Some(&FILE),
                FOREVER,
                &headers(header::ACCEPT_ENCODING, accepted),
            );
            let encoding = response.headers().get(header::CONTENT_ENCODING);
            assert_eq!(encoding.is_some(), zipped, "{accepted}");
            assert_eq!(response.headers()[header::VARY], "accept-encoding");
        }
    }

    #[test]
    fn a_file_that_the_client_has_is_not_sent_again() {
        let known = |tags: &'static str| {
            served(Some(&FILE), FOREVER, &headers(header::IF_NONE_MATCH, tags)).status()
        };
        let tag = tag(&FILE, false);
        for (tags, status) in [
            (format!("\"other\", {tag}"), StatusCode::NOT_MODIFIED),
            (format!("W/{tag}"), StatusCode::NOT_MODIFIED),
            ("*".to_owned(), StatusCode::NOT_MODIFIED),
            ("\"other\"".to_owned(), StatusCode::OK),
        ] {
            assert_eq!(known(Box::leak(tags.into_boxed_str())), status);
        }
    }

    #[test]
    fn the_manifest_names_files_that_are_there() {
        let manifest = manifest().unwrap();
        let loader = find(&manifest.loader.file).unwrap();
        assert!(is_loader(loader));
        for file in manifest.files.values() {
            assert!(find(file).is_some(), "{file}");
        }
        for loader in released() {
            let file = find(loader["file"].as_str().unwrap()).unwrap();
            let hash = base64::engine::general_purpose::STANDARD.encode(Sha384::digest(file.plain));
            // What a page's script tag says, so that the browser runs no other. Source: W3C Subresource Integrity.
            assert_eq!(loader["integrity"], format!("sha384-{hash}"));
            assert!(is_loader(file));
        }
        for name in [
            "card.js",
            "checkout.js",
            "challenge.js",
            "hosted.css",
            "hosted.js",
            "message.js",
            "return.js",
            "frame.css",
        ] {
            assert!(manifest.address(name).is_some(), "{name}");
        }
    }
}
