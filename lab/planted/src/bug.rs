//! The bugs.

/// What can be planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bug {
    /// The commit that settles an operation leaves out what its idempotency key tells.
    AnswerNotStored,
    /// A key tells its answer to any request, whatever was asked.
    AnswerOfAnotherRequest,
    /// A capture and a cancellation may be under way at once.
    CaptureWhileCancelling,
    /// A client token's one live payment is not claimed in the first commit.
    ClientTokenUnclaimed,
    /// One commit of a payment writes no event.
    EventLost,
    /// The timeline does not say that a look-up found the outcome out.
    EvidenceOmitted,
    /// An attempt without an answer is followed by one at another connection.
    FallBackAfterUnknown,
    /// A step of a flow whose operation did not take effect is left behind.
    FlowStepNotRetried,
    /// Recovery gives a payment its due time back without looking at its version.
    HandBackUnguarded,
    /// An intent's one live payment is not claimed in the first commit.
    IntentUnclaimed,
    /// The idempotency key is written in a commit of its own, after the payment's.
    KeyAfterPayment,
    /// A charge that comes to light after the end makes the payment succeed.
    LateApprovalAbsorbed,
    /// A charge that comes to light after the end is not given back.
    LateChargeKept,
    /// News about an operation that has ended is taken as if it were open.
    LateNewsChangesState,
    /// A request whose time is over is answered FAILED while the processor is being asked.
    LateRequestAnsweredFailed,
    /// Anyone who takes a due payment takes no lease: every node looks after it.
    LeaseIgnored,
    /// A list in the order of dates shows what is not settled yet.
    ListsUnsettled,
    /// A look-up asks for a reference that was never sent.
    LookUpUnderNewReference,
    /// A payment that ended without money keeps its intent and its client token.
    NeverReleased,
    /// "Not found" counts as evidence at once.
    NotFoundTooEarly,
    /// After a lost answer a conflict is not looked at for being with oneself.
    OwnCommitNotRecognised,
    /// A capture of a part is written down as one of all.
    PartialCaptureAsWhole,
    /// "Accepted, will settle later" is taken for done.
    PendingIsDone,
    /// An unknown outcome gets no time for a look-up.
    RecoveryForgotten,
    /// A refund that settles is taken from what was captured as well.
    RefundCountedTwice,
    /// Refunds that are under way reserve nothing.
    RefundsUnreserved,
    /// An intent is freed while its payment's outcome is unknown.
    ReleasedWhileUnknown,
    /// A call without an answer is sent again under a new reference.
    ResentUnderNewReference,
    /// A payment that waits gives way without being given up, and its return is not checked.
    ReturnUnchecked,
    /// A captured charge is given back as if it were only authorised.
    ReversalOfTheWrongKind,
    /// A reversal that was begun stays owed.
    ReversedAgain,
    /// A charge that included the capture is taken for an authorisation.
    SaleTakenForAuthorisation,
    /// The processor is asked before the payment's first commit.
    SendBeforeCommit,
    /// An operation is sent however late its sender wakes up.
    SendByIgnored,
    /// A call without an answer is taken for one that did nothing.
    TimeoutIsFailure,
    /// The end of an authorisation's life time cancels it without asking the processor.
    TimerDecides,
    /// A commit without an answer is taken for refused, and the operation is begun again.
    UnknownCommitDoneAnew,
    /// A commit without an answer is taken for done.
    UnknownCommitIsDone,
    /// An authorisation whose outcome is unknown is shown as FAILED until it is known.
    UnknownShownFailed,
    /// A request whose payment's outcome can't be stored is answered that it may try again, without its id.
    UnstoredOutcomeNotNamed,
    /// A payment is written whatever its version, and its event only where there is none.
    VersionUnchecked,
    /// The processor is asked to capture all, whatever was asked for.
    WholeAmountCaptured,
    /// The answer to a call settles the payment's last operation, whichever was called.
    WrongOperationSettled,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 43] = [
        Self::AnswerNotStored,
        Self::AnswerOfAnotherRequest,
        Self::CaptureWhileCancelling,
        Self::ClientTokenUnclaimed,
        Self::EventLost,
        Self::EvidenceOmitted,
        Self::FallBackAfterUnknown,
        Self::FlowStepNotRetried,
        Self::HandBackUnguarded,
        Self::IntentUnclaimed,
        Self::KeyAfterPayment,
        Self::LateApprovalAbsorbed,
        Self::LateChargeKept,
        Self::LateNewsChangesState,
        Self::LateRequestAnsweredFailed,
        Self::LeaseIgnored,
        Self::ListsUnsettled,
        Self::LookUpUnderNewReference,
        Self::NeverReleased,
        Self::NotFoundTooEarly,
        Self::OwnCommitNotRecognised,
        Self::PartialCaptureAsWhole,
        Self::PendingIsDone,
        Self::RecoveryForgotten,
        Self::RefundCountedTwice,
        Self::RefundsUnreserved,
        Self::ReleasedWhileUnknown,
        Self::ResentUnderNewReference,
        Self::ReturnUnchecked,
        Self::ReversalOfTheWrongKind,
        Self::ReversedAgain,
        Self::SaleTakenForAuthorisation,
        Self::SendBeforeCommit,
        Self::SendByIgnored,
        Self::TimeoutIsFailure,
        Self::TimerDecides,
        Self::UnknownCommitDoneAnew,
        Self::UnknownCommitIsDone,
        Self::UnknownShownFailed,
        Self::UnstoredOutcomeNotNamed,
        Self::VersionUnchecked,
        Self::WholeAmountCaptured,
        Self::WrongOperationSettled,
    ];

    /// What it does, in a sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::AnswerNotStored => {
                "The commit that settles an operation leaves out what its idempotency key tells."
            }
            Self::AnswerOfAnotherRequest => {
                "A key tells its answer to any request, whatever was asked."
            }
            Self::CaptureWhileCancelling => {
                "A capture and a cancellation may be under way at once."
            }
            Self::ClientTokenUnclaimed => {
                "A client token's one live payment is not claimed in the first commit."
            }
            Self::EventLost => "One commit of a payment writes no event.",
            Self::EvidenceOmitted => {
                "The timeline does not say that a look-up found the outcome out."
            }
            Self::FallBackAfterUnknown => {
                "An attempt without an answer is followed by one at another connection."
            }
            Self::FlowStepNotRetried => {
                "A step of a flow whose operation did not take effect is left behind."
            }
            Self::HandBackUnguarded => {
                "Recovery gives a payment its due time back without looking at its version."
            }
            Self::IntentUnclaimed => {
                "An intent's one live payment is not claimed in the first commit."
            }
            Self::KeyAfterPayment => {
                "The idempotency key is written in a commit of its own, after the payment's."
            }
            Self::LateApprovalAbsorbed => {
                "A charge that comes to light after the end makes the payment succeed."
            }
            Self::LateChargeKept => "A charge that comes to light after the end is not given back.",
            Self::LateNewsChangesState => {
                "News about an operation that has ended is taken as if it were open."
            }
            Self::LateRequestAnsweredFailed => {
                "A request whose time is over is answered FAILED while the processor is being asked."
            }
            Self::LeaseIgnored => {
                "Anyone who takes a due payment takes no lease: every node looks after it."
            }
            Self::ListsUnsettled => {
                "A list by date, the oldest first, shows what is not settled yet."
            }
            Self::LookUpUnderNewReference => "A look-up asks for a reference that was never sent.",
            Self::NeverReleased => {
                "A payment that ended without money keeps its intent and its client token."
            }
            Self::NotFoundTooEarly => "\"Not found\" counts as evidence at once.",
            Self::OwnCommitNotRecognised => {
                "After a lost answer a conflict is not looked at for being with oneself."
            }
            Self::PartialCaptureAsWhole => "A capture of a part is written down as one of all.",
            Self::PendingIsDone => "\"Accepted, will settle later\" is taken for done.",
            Self::RecoveryForgotten => "An unknown outcome gets no time for a look-up.",
            Self::RefundCountedTwice => {
                "A refund that settles is taken from what was captured as well."
            }
            Self::RefundsUnreserved => "Refunds that are under way reserve nothing.",
            Self::ReleasedWhileUnknown => {
                "An intent is freed while its payment's outcome is unknown."
            }
            Self::ResentUnderNewReference => {
                "A call without an answer is sent again under a new reference."
            }
            Self::ReturnUnchecked => {
                "A payment that waits gives way without being given up, and its return is not checked."
            }
            Self::ReversalOfTheWrongKind => {
                "A captured charge is given back as if it were only authorised."
            }
            Self::ReversedAgain => "A reversal that was begun stays owed.",
            Self::SaleTakenForAuthorisation => {
                "A charge that included the capture is taken for an authorisation."
            }
            Self::SendBeforeCommit => "The processor is asked before the payment's first commit.",
            Self::SendByIgnored => "An operation is sent however late its sender wakes up.",
            Self::TimeoutIsFailure => "A call without an answer is taken for one that did nothing.",
            Self::TimerDecides => {
                "The end of an authorisation's life time cancels it without asking the processor."
            }
            Self::UnknownCommitDoneAnew => {
                "A commit without an answer is taken for refused, and the operation is begun again."
            }
            Self::UnknownCommitIsDone => "A commit without an answer is taken for done.",
            Self::UnknownShownFailed => {
                "An authorisation whose outcome is unknown is shown as FAILED until it is known."
            }
            Self::UnstoredOutcomeNotNamed => {
                "A request whose payment's outcome can't be stored is answered that it may try again, without its id."
            }
            Self::VersionUnchecked => {
                "A payment is written whatever its version, and its event only where there is none."
            }
            Self::WholeAmountCaptured => {
                "The processor is asked to capture all, whatever was asked for."
            }
            Self::WrongOperationSettled => {
                "The answer to a call settles the payment's last operation, whichever was called."
            }
        }
    }

    /// Its name on the command line: `send-before-commit`.
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    /// The bug of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bug| bug.name() == name)
    }
}
