//! What processors send by themselves, and what became of it.

use crate::text_enum::text_enum;

text_enum!(
    /// What became of a notification. Of one with several pieces of news the last of these that holds for any of them.
    NotificationStatus {
        /// It is of no interest here.
        Ignored = "IGNORED",
        /// It says nothing that was not known already.
        Unchanged = "UNCHANGED",
        /// It is about a payment that was not made here: it has another's reference.
        Foreign = "FOREIGN",
        /// It changed a payment or a dispute.
        Applied = "APPLIED",
        /// It came before the answer to the call that it is about, and is applied when that has ended.
        Waiting = "WAITING",
        /// It is stored, and not applied yet.
        Received = "RECEIVED",
        /// It has a reference of ours under which there is no payment here, or none at all: a person must look.
        UnknownPayment = "UNKNOWN_PAYMENT",
        /// It is genuine and can't be read, or its connection is gone: a person must look.
        Failed = "FAILED",
    }
);
