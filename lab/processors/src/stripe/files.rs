//! Files of evidence. The original takes them at a host of their own, `files.stripe.com`.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    books::{Books, Row},
    refusal::Refusal,
    rules::Rule,
};
use crate::form::Form;

/// The largest file. Source: docs/processors/stripe.md, "Disputes". Unit: bytes.
const LARGEST: usize = 5 * 1024 * 1024;

/// A file that was uploaded. Its content isn't kept.
#[derive(Debug, Clone)]
pub(super) struct Upload {
    id: String,
    created: u64,
    form: Form,
}

impl Row for Upload {
    const OBJECT: &'static str = "file";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, _: &Books) -> Value {
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "created": self.created,
            "expires_at": null,
            "filename": self.form.text("file[name]"),
            "links": null,
            "purpose": self.form.text("purpose"),
            "size": self.form.integer("file[size]"),
            "title": null,
            "type": self.form.text("file[type]"),
            "url": null,
        })
    }
}

/// What [`read_multipart`] makes of an upload.
pub(super) const NEW_FILE: &[Rule] = &[
    Rule::one_of("purpose", &["dispute_evidence"]).required(),
    Rule::text("file[name]"),
    Rule::integer("file[size]").required(),
    Rule::text("file[type]"),
    Rule::text("file[digest]"),
];

/// The parameters of a body in `multipart/form-data`: a file is its name, size, type and digest.
pub(super) fn read_multipart(content_type: &str, body: &[u8]) -> Result<Form, Refusal> {
    let wrong = || Refusal::malformed("Invalid multipart body.");
    let boundary = content_type.split_once("boundary=").ok_or_else(wrong)?.1;
    let boundary = boundary
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .trim_matches('"');
    let mark = format!("--{boundary}");
    let mut form = Form::default();
    let mut rest = after(body, mark.as_bytes()).ok_or_else(wrong)?;
    while !rest.starts_with(b"--") {
        let end = find(rest, format!("\r\n{mark}").as_bytes()).ok_or_else(wrong)?;
        let part = rest.get(..end).unwrap_or_default();
        let head_end = find(part, b"\r\n\r\n").ok_or_else(wrong)?;
        let head = String::from_utf8_lossy(part.get(..head_end).unwrap_or_default());
        let content = part.get(head_end.saturating_add(4)..).unwrap_or_default();
        match (parameter(&head, "name"), parameter(&head, "filename")) {
            (Some("file"), filename) => describe(&mut form, filename.unwrap_or("file"), content)?,
            (Some(name), _) => form.set(name, &String::from_utf8_lossy(content)),
            (None, _) => return Err(wrong()),
        }
        rest = after(rest.get(end..).unwrap_or_default(), mark.as_bytes()).ok_or_else(wrong)?;
    }
    Ok(form)
}

fn describe(form: &mut Form, name: &str, content: &[u8]) -> Result<(), Refusal> {
    let file_type = match content {
        [b'%', b'P', b'D', b'F', ..] => "pdf",
        [0xff, 0xd8, 0xff, ..] => "jpg",
        [0x89, b'P', b'N', b'G', ..] => "png",
        _ => {
            return Err(
                Refusal::malformed("Invalid file type: PDF, JPEG or PNG is taken.").param("file"),
            );
        }
    };
    if content.len() > LARGEST {
        return Err(Refusal::malformed("The file is too large.").param("file"));
    }
    form.set("file[name]", name);
    form.set("file[size]", &content.len().to_string());
    form.set("file[type]", file_type);
    form.set("file[digest]", &hex::encode(Sha256::digest(content)));
    Ok(())
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

fn after<'a>(text: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    text.get(find(text, mark)?.checked_add(mark.len())?..)
}

/// A parameter of `Content-Disposition`.
fn parameter<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let line = head.lines().find(|line| {
        line.to_ascii_lowercase()
            .starts_with("content-disposition:")
    })?;
    line.split(';').map(str::trim).find_map(|part| {
        let value = part.strip_prefix(name)?.strip_prefix('=')?;
        Some(value.trim_matches('"'))
    })
}

impl Books {
    pub(super) fn upload(&mut self, form: &Form) -> Value {
        let upload = Upload {
            id: self.id("file_"),
            created: self.seconds(),
            form: form.clone(),
        };
        let view = upload.view(self);
        self.uploads.add(upload);
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=xyz";

    fn body(content: &str) -> String {
        format!(
            "--xyz\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\ndispute_evidence\r\n--xyz\r\nContent-Disposition: form-data; \
             name=\"file\"; filename=\"receipt.pdf\"\r\nContent-Type: application/pdf\r\n\r\n{content}\r\n--xyz--\r\n"
        )
    }

    #[test]
    fn an_upload_is_read_and_judged_by_its_content() {
        let form = read_multipart(TYPE, body("%PDF-1.4\r\n\r\n--x").as_bytes()).unwrap();
        assert_eq!(form.text("purpose"), Some("dispute_evidence"));
        assert_eq!(form.text("file[name]"), Some("receipt.pdf"));
        assert_eq!(
            (form.text("file[type]"), form.integer("file[size]")),
            (Some("pdf"), Some(15))
        );
        assert!(read_multipart(TYPE, body("MZ").as_bytes()).is_err());
        assert!(
            read_multipart(
                TYPE,
                body(&format!("%PDF{}", "x".repeat(LARGEST))).as_bytes()
            )
            .is_err()
        );
        for broken in ["", "--xyz", "--xyz\r\nx"] {
            assert!(read_multipart(TYPE, broken.as_bytes()).is_err(), "{broken}");
        }
        assert!(read_multipart("multipart/form-data", body("%PDF").as_bytes()).is_err());
    }
}
