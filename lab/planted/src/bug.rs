//! The bugs.

/// The bugs by name; the documentation of each is also what [`Bug::about`] gives. First those of the service as a whole, then those of
/// single connectors.
macro_rules! bugs {
    ($(#[doc = $about:literal] $bug:ident,)+ connectors: $(#[doc = $about_one:literal] $one:ident,)+) => {
        /// What can be planted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Bug {
            $(#[doc = $about] $bug,)+
            $(#[doc = $about_one] $one,)+
        }

        impl Bug {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$bug,)+ $(Self::$one,)+];

            /// Those of the service as a whole: the simulation is to find them.
            pub const SERVICE: &'static [Self] = &[$(Self::$bug,)+];

            /// Those of single connectors: the tests of the connectors are to find them.
            pub const CONNECTORS: &'static [Self] = &[$(Self::$one,)+];

            /// What it does, in a sentence.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$bug => $about.trim_ascii(),)+
                    $(Self::$one => $about_one.trim_ascii(),)+
                }
            }
        }
    };
}

bugs! {
    /// That a processor does not have a response to a dispute counts as proof at once.
    AbsentResponseTooEarly,
    /// A dispute is accepted although evidence for it is under way.
    AcceptedDuringEvidence,
    /// The commit that settles an operation leaves out what its idempotency key tells.
    AnswerNotStored,
    /// A key tells its answer to any request, whatever was asked.
    AnswerOfAnotherRequest,
    /// A capture and a cancellation may be under way at once.
    CaptureWhileCancelling,
    /// A capture may be of all that was authorised, though a part of it is captured.
    CapturedPartForgotten,
    /// A client token's one live payment is not claimed in the first commit.
    ClientTokenUnclaimed,
    /// Events of a stream are sent although an earlier one of it was not taken.
    DeliveriesUnordered,
    /// A dispute that is over keeps its payment DISPUTED.
    DisputeEndForgotten,
    /// One commit of a payment writes no event.
    EventLost,
    /// One who reads on in the middle of a commit's events misses the rest of them.
    EventsOfCommitSkipped,
    /// The timeline does not say that a look-up found the outcome out.
    EvidenceOmitted,
    /// Evidence without an answer is sent again, and nobody asks whether the processor has it.
    EvidenceSentTwice,
    /// An event that an endpoint did not take is forgotten.
    EventNotTakenForgotten,
    /// An attempt without an answer is followed by one at another connection.
    FallBackAfterUnknown,
    /// One who reads on in the feed misses what was committed together with the last row.
    FeedByStampAlone,
    /// An endpoint gets events of every kind, whatever it asked for.
    FilterIgnored,
    /// A step of a flow whose operation did not take effect is left behind.
    FlowStepNotRetried,
    /// A notification is believed whatever its signature.
    ForgedNotificationTaken,
    /// Recovery gives a payment its due time back without looking at its version.
    HandBackUnguarded,
    /// A payment that another system made is kept once for each report of it.
    ImportedTwice,
    /// Of imports events are sent, and flows start of them, though the connection wants neither.
    ImportSendsEvents,
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
    /// Who changes a payment keeps the changed one for a repeated request, not the version that its record names.
    LaterVersionReplayed,
    /// Of several captures the last alone counts.
    LatestCaptureAlone,
    /// A node that takes a due payment takes no lease: every node looks after it.
    LeaseIgnored,
    /// A list by date, the oldest first, shows what is not settled yet.
    ListsUnsettled,
    /// A look-up asks for a reference that was never sent.
    LookUpUnderNewReference,
    /// Who changes a payment does not keep the version that an idempotency record names.
    NamedVersionLost,
    /// A payment that ended without money keeps its intent and its client token.
    NeverReleased,
    /// "Not found" counts as evidence at once.
    NotFoundTooEarly,
    /// After a lost answer a conflict is not looked at for being with oneself.
    OwnCommitNotRecognised,
    /// A capture of a part is written down as one of all.
    PartialCaptureAsWhole,
    /// A capture that is not final ends the authorisation.
    PartEndsAuthorisation,
    /// "Accepted, will settle later" is taken for done.
    PendingIsDone,
    /// An unknown outcome gets no time for a look-up.
    RecoveryForgotten,
    /// A refund that settles is taken from what was captured as well.
    RefundCountedTwice,
    /// A refund is of the latest capture, whatever that one has left.
    RefundsUndivided,
    /// Refunds that are under way reserve nothing.
    RefundsUnreserved,
    /// An intent is freed while its payment's outcome is unknown.
    ReleasedWhileUnknown,
    /// An event that is sent again has another id.
    ResentEventRenamed,
    /// A call without an answer is sent again under a new reference.
    ResentUnderNewReference,
    /// A response to a dispute has another reference whenever it is sent.
    ResponseUnderNewReference,
    /// A payment that waits gives way without being given up, and its return is not checked.
    ReturnUnchecked,
    /// The release of the rest cancels the payment, as if nothing were captured.
    ReleaseCancelsAll,
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
    /// A report of a dispute that is older than what is known overwrites it.
    StaleDisputeReportTaken,
    /// A call without an answer is taken for one that did nothing.
    TimeoutIsFailure,
    /// The end of an authorisation's life time cancels it without asking the processor.
    TimerDecides,
    /// A commit without an answer is taken for refused, and the operation is begun again.
    UnknownCommitDoneAgain,
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
    connectors:
    /// An error on the way to the issuer counts as a decline.
    AdyenErrorIsDecline,
    /// That a capture or a refund has failed after it had succeeded is passed over.
    AdyenFailureAfterSuccessForgotten,
    /// A notification is believed whatever its signature.
    AdyenForgedItemTaken,
    /// A stored card that Adyen doesn't know any more is kept.
    AdyenGoneCardIsKept,
    /// A request has another key whenever it is sent.
    AdyenKeyChanges,
    /// A request is sent again after its key was forgotten.
    AdyenKeyOutlivesItsRetention,
    /// News of another merchant account is taken for the own account's.
    AdyenOtherAccountBelieved,
    /// A change is known by the id of its payment.
    AdyenPaymentNamedForChange,
    /// A refused capture, cancellation or refund counts as done.
    AdyenRefusedChangeIsDone,
    /// A customer pays with the result of another payment.
    AdyenResultOfAnotherPayment,
    /// That another request is under way counts as a refusal.
    AdyenRunningIsRefused,
    /// A server's error counts as a refusal.
    AdyenServerErrorIsRefusal,
    /// Why a payment was refused is believed though nobody has signed it.
    AdyenUnsignedReasonBelieved,
    /// All currencies are sent with the decimals of ISO 4217.
    AdyenWrongExponent,
    /// The answer about another intent settles the one that was asked about.
    StripeAnswerOfAnotherIntent,
    /// An answer that does not show the capture counts as one.
    StripeCaptureUnproven,
    /// A payment is known by the id of its charge, in place of its intent's.
    StripeChargeNamedForIntent,
    /// That another request is under way counts as a decline.
    StripeConflictIsDecline,
    /// Of several intents under one reference the first is taken.
    StripeCopiedReferenceTaken,
    /// A decline brings the facts of whatever intent stands in it.
    StripeDeclineOfAnotherIntent,
    /// An event is believed whatever its signature.
    StripeForgedEventTaken,
    /// An intent is made under another key whenever it is asked for.
    StripeKeyChanges,
    /// The marks of captures count whatever was received.
    StripeMarksUnbacked,
    /// An event of a connected account is taken for one of the own account.
    StripeOtherAccountBelieved,
    /// A refund that is under way counts as done.
    StripePendingRefundIsDone,
    /// Neither an intent nor a refund bears our reference.
    StripeReferenceNotSent,
    /// That search does not find an intent proves that there is none.
    StripeSearchProvesAbsence,
    /// A server's error counts as a decline.
    StripeServerErrorIsDecline,
    /// A confirmation without an answer counts as not sent.
    StripeSilenceIsNotSent,
    /// An intent that the account does not know counts as never made.
    StripeUnknownIntentIsAbsent,
    /// All currencies are sent with two decimals.
    StripeWrongExponent,
}

impl Bug {
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
        Self::ALL.iter().copied().find(|bug| bug.name() == name)
    }
}
