//! The signed addresses of attachments: what they permit stands in them, and a keyed hash behind it shows that we wrote it.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{
    attachment::{Attachment, DownloadGrant, UploadGrant},
    dispute::{Dispute, evidence::PreviewGrant},
};
use serde::{Serialize, de::DeserializeOwned};
use subtle::ConstantTimeEq as _;

use super::DOWNLOAD_WITHIN;
use crate::Engine;

/// What keeps the kinds apart.
const UPLOAD: &str = "upload of an attachment";
const DOWNLOAD: &str = "download of an attachment";
const PREVIEW: &str = "preview of a document of evidence";

/// Where uploads go to.
const UPLOAD_PATH: &str = "/attachments/upload/";
/// Where downloads come from.
const DOWNLOAD_PATH: &str = "/attachments/";

impl Engine {
    /// The address to which a file can be uploaded.
    pub(super) fn upload_url(&self, grant: &UploadGrant) -> String {
        let token = self.signed(UPLOAD, grant);
        format!("{}{UPLOAD_PATH}{token}", self.public_url())
    }

    /// An address from which the file can be downloaded, from now on for a while.
    pub(super) fn download_url(&self, attachment: &Attachment) -> String {
        let grant = DownloadGrant {
            team: attachment.team,
            id: attachment.id,
            until: self.inner.world.now().after(DOWNLOAD_WITHIN),
        };
        let token = self.signed(DOWNLOAD, &grant);
        format!("{}{DOWNLOAD_PATH}{token}", self.public_url())
    }

    /// An address at which the document of a dispute's evidence can be seen as it would be made then, from now on for a while.
    pub(crate) fn preview_url(&self, dispute: &Dispute) -> String {
        let grant = PreviewGrant {
            team: dispute.team(),
            dispute: dispute.id(),
            until: self.inner.world.now().after(DOWNLOAD_WITHIN),
        };
        let token = self.signed(PREVIEW, &grant);
        format!("{}{DOWNLOAD_PATH}{token}", self.public_url())
    }

    /// What an address permits that we handed out for an upload.
    pub(super) fn upload_grant(&self, token: &str) -> Option<UploadGrant> {
        self.opened(UPLOAD, token)
    }

    /// What an address permits that we handed out for a download.
    pub(super) fn download_grant(&self, token: &str) -> Option<DownloadGrant> {
        self.opened(DOWNLOAD, token)
    }

    /// What an address permits that we handed out for a preview.
    pub(super) fn preview_grant(&self, token: &str) -> Option<PreviewGrant> {
        self.opened(PREVIEW, token)
    }

    fn signed(&self, purpose: &str, grant: &impl Serialize) -> String {
        // Grants have text keys and nothing that could fail to be written.
        let content = serde_json::to_vec(grant).unwrap_or_default();
        let mark = self.inner.vault.address_mark(purpose, &content);
        format!("{}.{mark}", BASE64_URL_SAFE_NO_PAD.encode(content))
    }

    fn opened<T: DeserializeOwned>(&self, purpose: &str, token: &str) -> Option<T> {
        let (content, mark) = token.split_once('.')?;
        let content = BASE64_URL_SAFE_NO_PAD.decode(content).ok()?;
        let ours = self.inner.vault.address_mark(purpose, &content);
        let is_ours = bool::from(ours.as_bytes().ct_eq(mark.as_bytes()));
        if !is_ours {
            return None;
        }
        serde_json::from_slice(&content).ok()
    }
}
