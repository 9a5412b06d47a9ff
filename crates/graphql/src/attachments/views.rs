//! Attachments.

use domain::Fault;
use engine::{AttachmentView, UploadAddress};
use serde_json::{Map, Value};

use crate::executor::{FieldOf, Object, Out, unknown_field};

/// The part of a payment that has a read of its own.
pub(crate) const ATTACHMENTS: FieldOf = FieldOf::new("Payment", "attachments");

/// The part of a dispute that has a read of its own.
pub(crate) const OF_DISPUTE: FieldOf = FieldOf::new("PaymentDispute", "attachments");

/// `Attachment`.
#[derive(Clone)]
pub(crate) struct AttachmentObject(pub(crate) AttachmentView);

impl Object for AttachmentObject {
    fn type_name(&self) -> &'static str {
        "Attachment"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let attachment = &self.0.attachment;
        Ok(match name {
            "id" => attachment.id.to_string().into(),
            "fileName" => (&attachment.name).into(),
            "objectKey" => (&attachment.object_key).into(),
            "contenttype" | "contentType" => attachment.kind.code().into(),
            "accessUrl" => (&self.0.access_url).into(),
            "size" => i64::try_from(attachment.bytes).unwrap_or(i64::MAX).into(),
            "sha256" => (&attachment.sha256).into(),
            "date" => attachment.created_at.rfc3339_millis().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `AttachmentUpload`.
pub(crate) struct UploadObject(pub(crate) UploadAddress);

impl Object for UploadObject {
    fn type_name(&self) -> &'static str {
        "AttachmentUpload"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let address = &self.0;
        Ok(match name {
            "id" => address.id.to_string().into(),
            "url" => (&address.url).into(),
            "method" => "PUT".into(),
            "contentType" => address.kind.code().into(),
            "maxBytes" => i64::try_from(address.most).unwrap_or(i64::MAX).into(),
            "expiresAt" => address.expires_at.rfc3339_millis().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
