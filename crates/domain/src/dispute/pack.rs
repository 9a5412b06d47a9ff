//! What a merchant sends as evidence, and whether the processor takes it: judged here, before anything is sent.

use serde::{Deserialize, Serialize};

use super::evidence::{EvidenceLimits, EvidenceText};
use crate::{Fault, Faults, attachment::Attachment, bounded::bounded_lines, id::AttachmentId};

/// Where faults say that a mistake is.
const TEXTS: &str = "evidence.texts";
const FILES: &str = "evidence.attachments";

/// Evidence of one response, as a draft or as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Texts, one for each kind at most.
    pub texts: Vec<EvidenceText>,
    /// Files that are kept with the dispute or its payment.
    pub attachments: Vec<AttachmentId>,
    /// Whether the document that is made of what is known here is to be a file of it.
    #[serde(default)]
    pub document: bool,
}

impl Evidence {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.attachments.is_empty() && !self.document
    }

    /// The same with what is given in place of what was there.
    #[must_use]
    pub fn amended(mut self, by: EvidenceChange) -> Self {
        self.texts = by.texts.unwrap_or(self.texts);
        self.attachments = by.attachments.unwrap_or(self.attachments);
        self.document = by.document.unwrap_or(self.document);
        self
    }
}

/// What is to be changed of a draft; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvidenceChange {
    /// All texts.
    pub texts: Option<Vec<EvidenceText>>,
    /// All files.
    pub attachments: Option<Vec<AttachmentId>>,
    /// Whether the document is to be a file of it.
    pub document: Option<bool>,
}

impl EvidenceLimits {
    /// Whether the processor takes evidence with these files, which are those of its `attachments` in their order.
    ///
    /// # Errors
    /// `error.validation`, with every mistake.
    pub fn admit(&self, evidence: &Evidence, files: &[Attachment]) -> Result<(), Fault> {
        let mut faults = Faults::default();
        faults.or_default(self.admit_texts(&evidence.texts));
        faults.or_default(self.admit_files(files, evidence.document));
        faults.end(())
    }

    fn admit_texts(&self, texts: &[EvidenceText]) -> Result<(), Fault> {
        if self.all_chars == 0 && !texts.is_empty() {
            let reason = "are not taken by this processor: give a file, or a document that is made of what is known";
            return Err(Fault::invalid(TEXTS, reason));
        }
        let mut faults = Faults::default();
        let mut all: usize = 0;
        for (place, one) in texts.iter().enumerate() {
            let field = format!("{TEXTS}.{place}.text");
            if one.text.trim().is_empty() {
                faults.or_default::<()>(Err(Fault::invalid(&field, "must not be empty")));
            }
            let repeats = texts.iter().take(place).any(|other| other.kind == one.kind);
            if repeats {
                let reason = "is there twice: a response has one text of each kind";
                let field = format!("{TEXTS}.{place}.kind");
                faults.or_default::<()>(Err(Fault::invalid(field, reason)));
            }
            all = all.saturating_add(one.text.chars().count());
            let bounded = bounded_lines(one.text.clone(), &field, self.text_chars);
            faults.or_default(bounded.map(drop));
        }
        if all > self.all_chars {
            let most = self.all_chars;
            let reason = format!("must have at most {most} characters together, and have {all}");
            faults.or_default::<()>(Err(Fault::invalid(TEXTS, reason)));
        }
        faults.end(())
    }

    /// Why the processor takes no such file, whatever else is sent with it: clauses without their subject; none where it takes it.
    pub fn unsuitable(&self, file: &Attachment) -> Vec<String> {
        let mut reasons = Vec::new();
        if !self.types.contains(&file.kind) {
            let known: Vec<&str> = self.types.iter().map(|kind| kind.code()).collect();
            let known = known.join(", ");
            reasons.push(format!("is {}, and the processor takes {known}", file.kind));
        }
        if file.bytes > self.file_bytes {
            reasons.push(format!(
                "has {} bytes, and the processor takes files of at most {}",
                file.bytes, self.file_bytes
            ));
        }
        reasons
    }

    fn admit_files(&self, files: &[Attachment], document: bool) -> Result<(), Fault> {
        let mut faults = Faults::default();
        for (place, one) in files.iter().enumerate() {
            let field = format!("{FILES}.{place}");
            let mut refuse = |reason: String| {
                faults.or_default::<()>(Err(Fault::invalid(&field, reason)));
            };
            if files.iter().take(place).any(|other| other.id == one.id) {
                refuse("is there twice".to_owned());
            }
            self.unsuitable(one).into_iter().for_each(&mut refuse);
        }
        let number = files.len().saturating_add(usize::from(document));
        if number > self.files {
            let most = self.files;
            let reason = format!("must be at most {most} files, the document included");
            faults.or_default::<()>(Err(Fault::invalid(FILES, reason)));
        }
        let all: u64 = files.iter().map(|one| one.bytes).sum();
        if all > self.all_bytes {
            let reason = format!(
                "have {all} bytes together, and the processor takes at most {}",
                self.all_bytes
            );
            faults.or_default::<()>(Err(Fault::invalid(FILES, reason)));
        }
        faults.end(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Timestamp,
        attachment::{FileType, Subject},
        dispute::evidence::EvidenceKind,
        id::{DisputeId, KeyId, TeamId},
    };
    use uuid::Uuid;

    const LIMITS: EvidenceLimits = EvidenceLimits {
        text_chars: 10,
        all_chars: 15,
        files: 2,
        file_bytes: 100,
        all_bytes: 150,
        types: &[FileType::Pdf],
    };

    fn text(kind: EvidenceKind, text: &str) -> EvidenceText {
        EvidenceText {
            kind,
            text: text.to_owned(),
        }
    }

    fn file(n: u128, kind: FileType, bytes: u64) -> Attachment {
        Attachment {
            team: TeamId::new(Uuid::from_u128(1)),
            id: AttachmentId::new(Uuid::from_u128(n)),
            subject: Subject::Dispute(DisputeId::new(Uuid::from_u128(2))),
            name: "a.pdf".to_owned(),
            kind,
            bytes,
            sha256: String::new(),
            object_key: String::new(),
            made_by: KeyId::new(Uuid::from_u128(3)),
            created_at: Timestamp::from_micros(0),
            deleted_at: None,
        }
    }

    fn fields(texts: Vec<EvidenceText>, files: &[Attachment]) -> Vec<String> {
        let evidence = Evidence {
            texts,
            attachments: files.iter().map(|one| one.id).collect(),
            document: false,
        };
        match LIMITS.admit(&evidence, files) {
            Ok(()) => Vec::new(),
            Err(fault) if fault.faults.is_empty() => fault.field.into_iter().collect(),
            Err(fault) => fault.faults.into_iter().map(|one| one.field).collect(),
        }
    }

    #[test]
    fn evidence_is_taken_up_to_the_limits_and_no_further() {
        use EvidenceKind as K;
        let (five, ten) = ("ééééé", "eeeeeeeeee");
        let fits = vec![text(K::Other, ten), text(K::Delivery, five)];
        let files = [file(1, FileType::Pdf, 100), file(2, FileType::Pdf, 50)];
        assert_eq!(fields(fits, &files), Vec::<String>::new());
        let longer = vec![text(K::Other, "eeeeeeeeeee")];
        assert_eq!(fields(longer, &[]), ["evidence.texts.0.text"]);
        let all = vec![text(K::Other, ten), text(K::Delivery, ten)];
        assert_eq!(fields(all, &[]), ["evidence.texts"]);
        let twice = vec![text(K::Other, five), text(K::Other, five)];
        assert_eq!(fields(twice, &[]), ["evidence.texts.1.kind"]);
        assert_eq!(
            fields(vec![text(K::Other, " ")], &[]),
            ["evidence.texts.0.text"]
        );
        let large = [file(1, FileType::Pdf, 101)];
        assert_eq!(fields(Vec::new(), &large), ["evidence.attachments.0"]);
        assert_eq!(
            LIMITS.unsuitable(&file(1, FileType::Tiff, 101)),
            [
                "is image/tiff, and the processor takes application/pdf",
                "has 101 bytes, and the processor takes files of at most 100"
            ]
        );
        assert!(LIMITS.unsuitable(&file(1, FileType::Pdf, 100)).is_empty());
        let other = [file(1, FileType::Pdf, 1), file(2, FileType::Tiff, 1)];
        assert_eq!(fields(Vec::new(), &other), ["evidence.attachments.1"]);
        let three = [1, 2, 3].map(|n| file(n, FileType::Pdf, 1));
        assert_eq!(fields(Vec::new(), &three), ["evidence.attachments"]);
        let together = [file(1, FileType::Pdf, 100), file(2, FileType::Pdf, 51)];
        assert_eq!(fields(Vec::new(), &together), ["evidence.attachments"]);
        let same = [file(1, FileType::Pdf, 1), file(1, FileType::Pdf, 1)];
        assert_eq!(fields(Vec::new(), &same), ["evidence.attachments.1"]);
    }

    #[test]
    fn a_draft_keeps_what_a_change_does_not_name() {
        let draft = Evidence {
            texts: vec![text(EvidenceKind::Other, "a")],
            attachments: vec![AttachmentId::new(Uuid::from_u128(1))],
            document: true,
        };
        let same = draft.clone().amended(EvidenceChange::default());
        assert_eq!(same, draft);
        let change = EvidenceChange {
            texts: Some(Vec::new()),
            document: Some(false),
            ..EvidenceChange::default()
        };
        let amended = draft.clone().amended(change);
        assert!(amended.texts.is_empty() && !amended.document);
        assert_eq!(amended.attachments, draft.attachments);
    }
}
