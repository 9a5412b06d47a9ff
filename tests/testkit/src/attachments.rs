//! Verbs of attachments.

use serde_json::{Value, json};

use crate::{
    Answer, Shop,
    http::{Reply, Request},
    path_of,
};

/// Asks for an address to upload to.
const CREATE: &str = "mutation($payment: ID!, $name: String!, $type: String!) { \
    createAttachment(paymentId: $payment, name: $name, type: $type) { id url method contentType maxBytes expiresAt } }";

/// Everything that an attachment shows.
const LIST: &str = "query($payment: ID!) { listAttachments(paymentId: $payment) { \
    id fileName objectKey contenttype contentType accessUrl size sha256 date } }";

/// The same for a dispute.
const CREATE_FOR_DISPUTE: &str = "mutation($dispute: ID!, $name: String!, $type: String!) { \
    createAttachment(disputeId: $dispute, name: $name, type: $type) { id url } }";

/// The files of a dispute.
const LIST_OF_DISPUTE: &str = "query($dispute: ID!) { listAttachments(disputeId: $dispute) { id fileName contentType accessUrl size } }";

/// A file as it is to be attached.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its declared type.
    pub kind: &'a str,
    /// Its content.
    pub content: &'a [u8],
}

impl Shop {
    /// Asks for an address to upload a file of a dispute to.
    pub fn ask_to_attach_to_dispute(&self, dispute: &str, name: &str, kind: &str) -> Answer {
        let given = json!({ "dispute": dispute, "name": name, "type": kind });
        self.gql(CREATE_FOR_DISPUTE, given)
    }

    /// Attaches a file to a dispute; the attachment's id.
    #[track_caller]
    pub fn attach_to_dispute(&self, dispute: &str, file: &Upload<'_>) -> String {
        let asked = self.ask_to_attach_to_dispute(dispute, file.name, file.kind);
        let address = asked.root();
        let stored = self.upload(address["url"].as_str().unwrap(), file.content);
        assert_eq!(stored.status, 201, "{}", stored.text());
        address["id"].as_str().unwrap().to_owned()
    }

    /// A dispute's attachments.
    #[track_caller]
    pub fn attachments_of_dispute(&self, dispute: &str) -> Vec<Value> {
        let listed = self.gql(LIST_OF_DISPUTE, json!({ "dispute": dispute }));
        listed.root().as_array().unwrap().clone()
    }

    /// Asks for an address to upload a file to.
    pub fn ask_to_attach(&self, payment: &str, name: &str, kind: &str) -> Answer {
        self.gql(
            CREATE,
            json!({ "payment": payment, "name": name, "type": kind }),
        )
    }

    /// The address to upload a file to.
    #[track_caller]
    pub fn upload_url(&self, payment: &str, name: &str, kind: &str) -> String {
        let asked = self.ask_to_attach(payment, name, kind);
        asked.root()["url"].as_str().unwrap().to_owned()
    }

    /// Uploads to an address, without a credential.
    pub fn upload(&self, url: &str, content: &[u8]) -> Reply {
        Request::new("PUT", path_of(url))
            .body(content)
            .send(self.address())
    }

    /// Attaches a PDF to a payment; the attachment's id.
    #[track_caller]
    pub fn attach(&self, payment: &str, content: &[u8]) -> String {
        let asked = self.ask_to_attach(payment, "receipt.pdf", "application/pdf");
        let address = asked.root();
        let stored = self.upload(address["url"].as_str().unwrap(), content);
        assert_eq!(stored.status, 201, "{}", stored.text());
        address["id"].as_str().unwrap().to_owned()
    }

    /// A payment's attachments.
    #[track_caller]
    pub fn attachments(&self, payment: &str) -> Vec<Value> {
        let listed = self.gql(LIST, json!({ "payment": payment }));
        listed.root().as_array().unwrap().clone()
    }

    /// Loads a signed address, without a credential.
    pub fn download(&self, url: &str) -> Reply {
        Request::new("GET", path_of(url)).send(self.address())
    }
}
