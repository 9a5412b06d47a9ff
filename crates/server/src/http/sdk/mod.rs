//! The browser SDK: its files, and the documents of its frame. The files are built by `sdk/build.mjs`, committed under
//! `assets/sdk/` and embedded; the documents are written here by templates of the crate `web`.

mod documents;
mod embedder;
mod fields;
mod files;

use std::sync::Arc;

use axum::{Router, routing::get};

use super::web::Web;

pub(super) use documents::{Policy, mode, page_assets, with_policy};
pub(crate) use files::SharingDecided;

/// The routes of the SDK.
pub(super) fn routes() -> Router<Arc<Web>> {
    Router::new()
        .route("/sdk/v1/integrity.json", get(files::integrity))
        .route("/sdk/v1/{file}", get(files::loader))
        .route("/sdk/v1/f/{file}", get(files::of_frame))
        .route("/sdk/v1/frame/card", get(documents::card))
        .route("/sdk/v1/frame/checkout", get(documents::checkout))
        .route("/sdk/v1/frame/fields", get(fields::document))
        .route("/sdk/v1/frame/challenge", get(documents::challenge))
        .route("/sdk/v1/return", get(documents::back).post(documents::back))
}
