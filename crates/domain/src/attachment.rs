//! Attachments: files that a merchant keeps with a payment or a dispute, such as a receipt, a delivery note or a signed contract.
//!
//! What a file is, is said by its content alone: a name or a declared type that says something else is refused.

use serde::{Deserialize, Serialize};

use crate::{
    Fault, Timestamp,
    bounded::bounded,
    id::{AttachmentId, DisputeId, KeyId, PaymentId, TeamId},
    text_enum::text_enum,
};

/// Longest name of a file. Unit: characters.
pub const NAME_MAX: usize = 200;

text_enum!(
    /// What a file may be: what processors take as evidence.
    FileType {
        /// A document.
        Pdf = "application/pdf",
        /// A picture.
        Png = "image/png",
        /// A picture.
        Jpeg = "image/jpeg",
        /// A picture, as scanners write it.
        Tiff = "image/tiff",
    }
);

impl FileType {
    /// What the content is; `None` when it is nothing that is taken.
    pub fn of_content(content: &[u8]) -> Option<Self> {
        let found = infer::get(content).and_then(|found| Self::parse(found.mime_type()))?;
        // Blanks in front of a document are suffered by some readers, and are a way to be two things at once.
        let is_plain = found != Self::Pdf || content.starts_with(b"%PDF-");
        is_plain.then_some(found)
    }

    /// The endings of its files' names, the usual one first.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Pdf => &["pdf"],
            Self::Png => &["png"],
            Self::Jpeg => &["jpg", "jpeg", "jfif"],
            Self::Tiff => &["tif", "tiff"],
        }
    }

    /// The name under which a file of this type is kept: with an ending of the type, so that no computer takes it for something that runs.
    pub fn name_of(self, name: String) -> String {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let is_usual = ending.is_some_and(|ending| {
            let mut usual = self.endings().iter();
            usual.any(|one| one.eq_ignore_ascii_case(ending))
        });
        if is_usual {
            return name;
        }
        let ending = self.endings().first().copied().unwrap_or_default();
        format!("{name}.{ending}")
    }

    /// The type that is declared for a file.
    ///
    /// # Errors
    /// `error.validation` for `field`, with the types that there are.
    pub fn declared(text: &str, field: &str) -> Result<Self, Fault> {
        Self::parse(&text.to_ascii_lowercase()).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|one| one.code()).collect();
            Fault::invalid(field, format!("must be one of {}", known.join(", ")))
        })
    }
}

/// What an attachment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Subject {
    /// A payment.
    #[serde(rename = "payment")]
    Payment(PaymentId),
    /// A dispute.
    #[serde(rename = "dispute")]
    Dispute(DisputeId),
}

impl Subject {
    /// As it is stored.
    pub fn key(self) -> String {
        match self {
            Self::Payment(id) => format!("payment:{}", id.key()),
            Self::Dispute(id) => format!("dispute:{}", id.key()),
        }
    }

    /// What it is.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Payment(_) => "payment",
            Self::Dispute(_) => "dispute",
        }
    }

    /// Its id, as merchants know it.
    pub fn id(self) -> String {
        match self {
            Self::Payment(id) => id.to_string(),
            Self::Dispute(id) => id.to_string(),
        }
    }

    /// The bits of its id.
    pub fn uuid(self) -> uuid::Uuid {
        match self {
            Self::Payment(id) => id.uuid(),
            Self::Dispute(id) => id.uuid(),
        }
    }

    /// Reads what [`Subject::key`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.split_once(':')?;
        match kind {
            "payment" => PaymentId::parse(id).map(Self::Payment),
            "dispute" => DisputeId::parse(id).map(Self::Dispute),
            _ => None,
        }
    }
}

/// The name of a file, as the merchant gives it and as it is handed out again.
///
/// # Errors
/// `error.validation` for `field`: it is empty, too long, a path, or holds a card's number.
pub fn file_name(name: String, field: &str) -> Result<String, Fault> {
    let name = bounded(name, field, NAME_MAX)?;
    let trimmed = name.trim();
    if trimmed.is_empty() || trimmed.chars().all(|char| char == '.') {
        return Err(Fault::invalid(field, "must name the file"));
    }
    if name.contains(steers) {
        let rule = "must not hold characters that change the direction of text, or that end a line";
        return Err(Fault::invalid(field, rule));
    }
    if name.contains(['/', '\\']) {
        return Err(Fault::invalid(
            field,
            "must be the name of a file without a path",
        ));
    }
    Ok(trimmed.to_owned())
}

/// Whether a character changes how those around it are shown. Source: Unicode 16, `Bidi_Control`, and the separators of lines and paragraphs.
const fn steers(letter: char) -> bool {
    matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// How much may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of one file. Unit: bytes.
    pub file_bytes: u64,
    /// Of all files of one payment, or of one dispute. Unit: bytes.
    pub total_bytes: u64,
    /// Files of one payment, or of one dispute.
    pub files: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 10 * 1024 * 1024,
            total_bytes: 50 * 1024 * 1024,
            files: 20,
        }
    }
}

/// What a file must be to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// There is nothing in it.
    Empty,
    /// It is larger than a file may be.
    TooLarge,
    /// It is nothing that is taken.
    UnknownContent,
    /// It is something else than was declared.
    OtherContent(FileType),
    /// There are as many files as there may be.
    TooMany,
    /// The files would be too large together.
    TooMuch,
    /// So much was uploaded and deleted within a day that nothing more is taken for now.
    TooMuchDeleted,
}

impl Refused {
    /// Why, as a sentence.
    pub fn message(self, limits: Limits) -> String {
        match self {
            Self::Empty => "The file is empty.".to_owned(),
            Self::TooLarge => {
                format!("The file is larger than {} bytes.", limits.file_bytes)
            }
            Self::UnknownContent => {
                let known: Vec<&str> = FileType::ALL.iter().map(|one| one.code()).collect();
                format!(
                    "The content of the file is none of {}. Its name and its declared type don't count.",
                    known.join(", ")
                )
            }
            Self::OtherContent(found) => format!(
                "The content of the file is {found}, and another type was declared: ask for another address with that type."
            ),
            Self::TooMany => format!("There are {} attachments already.", limits.files),
            Self::TooMuch => format!(
                "The attachments would have more than {} bytes together.",
                limits.total_bytes
            ),
            Self::TooMuchDeleted => format!(
                "More than {} files, or {} bytes, were uploaded here within a day, those included that are deleted: their content is \
                 kept for a day. Please try again tomorrow.",
                limits.files_with_deleted(),
                limits.bytes_with_deleted()
            ),
        }
    }
}

/// The files that there are already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// How many.
    pub files: u32,
    /// How large they are together. Unit: bytes.
    pub bytes: u64,
    /// Deleted ones whose content is still there.
    pub deleted_files: u32,
    /// How large those are together. Unit: bytes.
    pub deleted_bytes: u64,
}

/// Deleted files count as long as their content is there: with them there may be so many times as many as without.
const WITH_DELETED: u32 = 5;

impl Limits {
    fn files_with_deleted(self) -> u32 {
        self.files.saturating_mul(WITH_DELETED)
    }

    fn bytes_with_deleted(self) -> u64 {
        self.total_bytes.saturating_mul(WITH_DELETED.into())
    }

    /// Whether there is room for one more file, of which nothing is known yet.
    ///
    /// # Errors
    /// `TooMany`, `TooMuch`, `TooMuchDeleted`.
    pub fn room(self, usage: Usage) -> Result<(), Refused> {
        if usage.files >= self.files {
            return Err(Refused::TooMany);
        }
        if usage.bytes >= self.total_bytes {
            return Err(Refused::TooMuch);
        }
        if usage.files.saturating_add(usage.deleted_files) >= self.files_with_deleted()
            || usage.bytes.saturating_add(usage.deleted_bytes) >= self.bytes_with_deleted()
        {
            return Err(Refused::TooMuchDeleted);
        }
        Ok(())
    }

    /// Whether a file is taken.
    ///
    /// # Errors
    /// Why it is not.
    pub fn admit(self, content: &[u8], declared: FileType, usage: Usage) -> Result<(), Refused> {
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        if bytes == 0 {
            return Err(Refused::Empty);
        }
        if bytes > self.file_bytes {
            return Err(Refused::TooLarge);
        }
        match FileType::of_content(content) {
            None => return Err(Refused::UnknownContent),
            Some(found) if found != declared => return Err(Refused::OtherContent(found)),
            Some(_) => {}
        }
        self.room(usage)?;
        if usage.bytes.saturating_add(bytes) > self.total_bytes {
            return Err(Refused::TooMuch);
        }
        Ok(())
    }
}

/// The permission to upload one file, as it stands in the address that is handed out. It is signed, and nothing of it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadGrant {
    /// Whose it is.
    pub team: TeamId,
    /// The id that the attachment will have.
    pub id: AttachmentId,
    /// What it belongs to.
    pub subject: Subject,
    /// The file's name.
    pub name: String,
    /// What its content must be.
    pub kind: FileType,
    /// The credential that asked for it.
    pub made_by: KeyId,
    /// It is of no use later.
    pub until: Timestamp,
}

/// The permission to download one file, as it stands in the address that is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DownloadGrant {
    /// Whose it is.
    pub team: TeamId,
    /// The attachment.
    pub id: AttachmentId,
    /// It is of no use later.
    pub until: Timestamp,
}

/// A file that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Whose it is.
    pub team: TeamId,
    /// Its id.
    pub id: AttachmentId,
    /// What it belongs to.
    pub subject: Subject,
    /// Its name.
    pub name: String,
    /// What its content is.
    pub kind: FileType,
    /// Its length. Unit: bytes.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Under which key its content lies.
    pub object_key: String,
    /// The credential that asked for its upload.
    pub made_by: KeyId,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\n";
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    #[test]
    fn a_name_ends_as_its_type_does_and_steers_no_text() {
        for (name, kept) in [
            ("a.pdf", "a.pdf"),
            ("a.PDF", "a.PDF"),
            ("invoice.html", "invoice.html.pdf"),
            ("invoice", "invoice.pdf"),
            ("a.png", "a.png.pdf"),
        ] {
            assert_eq!(FileType::Pdf.name_of(name.to_owned()), kept);
        }
        assert_eq!(FileType::Jpeg.name_of("a.jpeg".to_owned()), "a.jpeg");
        for wrong in ["fdp\u{202e}.exe", "a\u{2028}b.pdf", "\u{200f}a.pdf"] {
            assert!(file_name(wrong.to_owned(), "name").is_err(), "{wrong:?}");
        }
        assert!(file_name("Quittung für März.pdf".to_owned(), "name").is_ok());
    }

    #[test]
    fn what_a_file_is_is_said_by_its_content() {
        assert_eq!(FileType::of_content(PDF), Some(FileType::Pdf));
        assert_eq!(FileType::of_content(PNG), Some(FileType::Png));
        assert_eq!(
            FileType::of_content(b"\xff\xd8\xff\xe0\0\x10JFIF"),
            Some(FileType::Jpeg)
        );
        let tiff: &[u8] = b"II*\0\x08\0\0\0\0\0\0\0\0\0\0\0";
        assert_eq!(FileType::of_content(tiff), Some(FileType::Tiff));
        for other in [
            b"<html><script>alert(1)</script>".as_slice(),
            b"MZ\x90\0\x03\0\0\0",
            b"GIF89a\x01\0\x01\0",
            b"PK\x03\x04",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b" %PDF-1.7",
            b"",
        ] {
            assert_eq!(FileType::of_content(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_file_is_taken_within_the_limits() {
        let limits = Limits {
            file_bytes: 20,
            total_bytes: 30,
            files: 2,
        };
        let none = Usage::default();
        let one = Usage {
            files: 1,
            bytes: 17,
            ..Usage::default()
        };
        let deleted = |files, bytes| Usage {
            deleted_files: files,
            deleted_bytes: bytes,
            ..Usage::default()
        };
        let admit = |content: &[u8], usage| limits.admit(content, FileType::Pdf, usage);
        assert_eq!(admit(PDF, none), Ok(()));
        assert_eq!(admit(b"", none), Err(Refused::Empty));
        assert_eq!(admit(&[PDF, PDF].concat(), none), Err(Refused::TooLarge));
        assert_eq!(admit(PNG, none), Err(Refused::OtherContent(FileType::Png)));
        assert_eq!(admit(b"text", none), Err(Refused::UnknownContent));
        assert_eq!(admit(PDF, one), Err(Refused::TooMuch));
        assert_eq!(admit(PDF, deleted(9, 149)), Ok(()));
        for much in [deleted(10, 10), deleted(1, 150)] {
            assert_eq!(admit(PDF, much), Err(Refused::TooMuchDeleted));
        }
        assert_eq!(
            admit(
                PDF,
                Usage {
                    files: 2,
                    bytes: 2,
                    ..Usage::default()
                }
            ),
            Err(Refused::TooMany)
        );
    }

    #[test]
    fn a_name_is_a_files_name() {
        let name = |text: &str| file_name(text.to_owned(), "name");
        assert_eq!(
            name(" Lieferschein №7.pdf ").unwrap(),
            "Lieferschein №7.pdf"
        );
        for bad in [
            "",
            "  ",
            "..",
            "../a.pdf",
            "a\\b.pdf",
            "a\nb.pdf",
            "4242424242424242.pdf",
        ] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_declared_type_is_one_that_is_taken() {
        assert_eq!(
            FileType::declared("Application/PDF", "type").unwrap(),
            FileType::Pdf
        );
        let refused = FileType::declared("text/html", "type").unwrap_err();
        assert!(
            refused.message.contains("image/tiff"),
            "{}",
            refused.message
        );
    }

    #[test]
    fn a_subject_is_read_as_it_was_written() {
        let payment = PaymentId::parse("payments:01929f6e-0000-7000-8000-000000000001").unwrap();
        let subject = Subject::Payment(payment);
        assert_eq!(Subject::parse(&subject.key()), Some(subject));
        let dispute = DisputeId::parse("01929f6e-0000-7000-8000-000000000001").unwrap();
        let subject = Subject::Dispute(dispute);
        assert_eq!(Subject::parse(&subject.key()), Some(subject));
        assert_eq!(
            Subject::parse("other:01929f6e-0000-7000-8000-000000000001"),
            None
        );
    }
}
