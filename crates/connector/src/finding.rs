//! What a look-up found out.

use domain::answer::{Answer, LaterAnswer};

use crate::{Earlier, Reference};

/// What a processor knows of an authorisation and of the operations that followed it. One reading of most processors answers for
/// all of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finding {
    /// How the authorisation stands. `None`: the processor knows nothing of it. That is evidence only after the time that the
    /// connector declares.
    pub authorisation: Option<Answer>,
    /// Captures, cancellations and refunds, as far as the processor lists them; always the one that was asked about, when it
    /// knows it.
    pub operations: Vec<Found>,
}

/// A capture, cancellation or refund that the processor knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Our reference for it. `None` where the processor does not keep it, or somebody else made the operation.
    pub reference: Option<Reference>,
    /// The processor's own id of it.
    pub processor_id: Option<String>,
    /// How it stands.
    pub answer: LaterAnswer,
}

impl Finding {
    /// The processor knows nothing.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Whether the processor knows nothing.
    pub fn is_nothing(&self) -> bool {
        self.authorisation.is_none() && self.operations.is_empty()
    }

    /// The operation that was sent earlier: by our reference, else by the processor's own id.
    pub fn operation(&self, asked: Earlier<'_>) -> Option<&LaterAnswer> {
        let by_reference = |found: &&Found| found.reference.as_ref() == Some(asked.reference);
        let by_id = |found: &&Found| {
            found.reference.is_none()
                && found.processor_id.is_some()
                && found.processor_id.as_deref() == asked.processor_id
        };
        let found = self.operations.iter().find(by_reference);
        let found = found.or_else(|| self.operations.iter().find(by_id));
        found.map(|found| &found.answer)
    }

    /// Whether it lists an operation without a reference of ours whose id is none of ours either.
    pub fn has_other(&self, is_ours: impl Fn(&str) -> bool) -> bool {
        self.operations.iter().any(|found| {
            found.reference.is_none() && !found.processor_id.as_deref().is_some_and(&is_ours)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(reference: Option<&str>, id: Option<&str>, reason: &str) -> Found {
        Found {
            reference: reference.and_then(Reference::other),
            processor_id: id.map(str::to_owned),
            answer: LaterAnswer::Refused {
                reason: reason.into(),
                booked: None,
            },
        }
    }

    #[test]
    fn an_operation_is_found_by_our_reference_and_by_its_id_only_where_the_reference_is_not_kept() {
        let finding = Finding {
            authorisation: None,
            operations: vec![
                found(None, None, "of somebody else"),
                found(None, Some("re_1"), "by id"),
                found(Some("p-2"), Some("re_2"), "by reference"),
                found(Some("p-3"), Some("re_1"), "of another reference"),
            ],
        };
        let asked = |reference: &str, processor_id: Option<&'static str>| {
            let reference = Reference::other(reference).unwrap();
            let answer = finding.operation(Earlier {
                reference: &reference,
                processor_id,
            });
            answer.map(|answer| match answer {
                LaterAnswer::Refused { reason, .. } => reason.to_string(),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(asked("p-2", None).as_deref(), Some("by reference"));
        assert_eq!(asked("p-2", Some("re_1")).as_deref(), Some("by reference"));
        assert_eq!(asked("p-9", Some("re_1")).as_deref(), Some("by id"));
        assert_eq!(asked("p-9", Some("re_2")), None);
        assert_eq!(asked("p-9", None), None);
    }

    #[test]
    fn an_operation_that_nobody_of_us_knows_may_be_the_one_without_an_answer() {
        let listed = |operations| Finding {
            authorisation: None,
            operations,
        };
        let ours = |id: &str| id == "re_1";
        assert!(!listed(vec![found(None, Some("re_1"), "ours")]).has_other(ours));
        assert!(!listed(vec![found(Some("p-2"), Some("re_2"), "named")]).has_other(ours));
        assert!(listed(vec![found(None, Some("re_2"), "another")]).has_other(ours));
        assert!(listed(vec![found(None, None, "no id at all")]).has_other(ours));
    }
}
