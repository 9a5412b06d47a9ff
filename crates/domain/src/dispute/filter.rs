//! What lists of disputes are filtered and sorted by.

use super::{DisputeReason, DisputeStage, DisputeStatus};
use crate::{
    filter::{FieldKind, FilterField, Sort, SortableField},
    id::PaymentId,
    money::Currency,
    text_enum::text_enum,
};

text_enum!(
    /// A field that a list of disputes can be filtered by, under its name in the interface.
    DisputeField {
        Status = "status",
        LifecycleStage = "lifecycleStage",
        Reason = "reason",
        /// When the customer disputed.
        DisputeDate = "disputeDate",
        /// Until when the merchant can respond.
        ResponseDate = "responseDate",
        Currency = "currency",
        /// In minor units.
        Amount = "amount",
        /// With or without its prefix.
        PaymentId = "paymentId",
        /// The processor's id of the dispute.
        SourceDisputeId = "sourceDisputeId",
    }
);

text_enum!(
    /// A field that a list of disputes can be sorted by.
    DisputeSortField {
        /// When the customer disputed.
        Date = "date",
        /// Until when the merchant can respond. A dispute without such a date comes after all others.
        ResponseDate = "responseDate",
        Amount = "amount",
        Status = "status",
        Currency = "currency",
    }
);

/// The order of a list of disputes.
pub type DisputeSort = Sort<DisputeSortField>;

impl SortableField for DisputeSortField {
    const DATE: Self = Self::Date;

    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|field| field.code()).collect()
    }

    fn named(name: &str) -> Option<Self> {
        Self::parse(name)
    }
}

impl FilterField for DisputeField {
    fn kind(self) -> FieldKind {
        match self {
            Self::DisputeDate | Self::ResponseDate => FieldKind::Time,
            Self::Amount => FieldKind::Int,
            Self::Status
            | Self::LifecycleStage
            | Self::Reason
            | Self::Currency
            | Self::PaymentId
            | Self::SourceDisputeId => FieldKind::Text,
        }
    }

    fn path(self) -> String {
        format!("data.filter.{}", self.code())
    }

    fn spelling(self, text: String) -> Result<String, String> {
        let known = match self {
            Self::Status => DisputeStatus::parse(&text).map(|one| one.code().to_owned()),
            Self::LifecycleStage => DisputeStage::parse(&text).map(|one| one.code().to_owned()),
            Self::Reason => DisputeReason::parse(&text).map(|one| one.code().to_owned()),
            Self::Currency => Currency::parse(&text).map(|one| one.code().to_owned()),
            Self::PaymentId => PaymentId::parse(&text).map(PaymentId::key),
            Self::DisputeDate | Self::ResponseDate | Self::Amount | Self::SourceDisputeId => {
                Some(text)
            }
        };
        known.ok_or_else(|| match self {
            Self::Status => one_of(DisputeStatus::ALL.iter().map(|one| one.code())),
            Self::LifecycleStage => one_of(DisputeStage::ALL.iter().map(|one| one.code())),
            Self::Reason => one_of(DisputeReason::ALL.iter().map(|one| one.code())),
            Self::Currency => "must be a currency of ISO 4217 in capitals".to_owned(),
            Self::PaymentId => "must be a payment's id".to_owned(),
            Self::DisputeDate | Self::ResponseDate | Self::Amount | Self::SourceDisputeId => {
                "does not fit".to_owned()
            }
        })
    }
}

fn one_of<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<&str> = values.collect();
    format!("must be one of {}", values.join(", "))
}
