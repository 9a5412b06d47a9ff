//! What lists of disputes are filtered and sorted by.

use super::{DisputeReason, DisputeStatus};
use crate::{
    Fault, Faults,
    filter::{FieldKind, FilterField, SortOrder},
    id::PaymentId,
    money::Currency,
    text_enum::text_enum,
};

text_enum!(
    /// A field that a list of disputes can be filtered by, under its name in the interface.
    DisputeField {
        Status = "status",
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
    }
);

text_enum!(
    /// A field that a list of disputes can be sorted by.
    DisputeSortField {
        /// When the customer disputed.
        Date = "date",
        Amount = "amount",
        Status = "status",
        Currency = "currency",
    }
);

/// A field and its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisputeSortKey {
    /// The field.
    pub field: DisputeSortField,
    /// The direction.
    pub order: SortOrder,
}

/// The order of a list of disputes: by the keys in turn, then by id in the direction of the last key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisputeSort(Vec<DisputeSortKey>);

impl Default for DisputeSort {
    /// The newest first.
    fn default() -> Self {
        Self(vec![DisputeSortKey {
            field: DisputeSortField::Date,
            order: SortOrder::Descending,
        }])
    }
}

impl DisputeSort {
    /// Reads the entries of `data.sort`, each a field's name and a direction (absent: ascending). None: newest first.
    ///
    /// # Errors
    /// `error.validation` for the entry that names no sort field or one that was named before.
    pub fn parse<'a>(
        entries: impl IntoIterator<Item = (Option<&'a str>, Option<SortOrder>)>,
    ) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let mut keys: Vec<DisputeSortKey> = Vec::new();
        for (index, (name, order)) in entries.into_iter().enumerate() {
            let refused =
                |reason: String| Fault::invalid(format!("data.sort.{index}.fieldName"), reason);
            let Some(field) = name.and_then(DisputeSortField::parse) else {
                faults.add(refused(one_of(
                    DisputeSortField::ALL.iter().map(|one| one.code()),
                )));
                continue;
            };
            if keys.iter().any(|key| key.field == field) {
                faults.add(refused("must not be named twice".to_owned()));
            }
            keys.push(DisputeSortKey {
                field,
                order: order.unwrap_or(SortOrder::Ascending),
            });
        }
        faults.end(if keys.is_empty() {
            Self::default()
        } else {
            Self(keys)
        })
    }

    /// The keys, the most significant first; at least one.
    pub fn keys(&self) -> &[DisputeSortKey] {
        &self.0
    }

    /// The direction in which ids decide between equal keys.
    pub fn id_order(&self) -> SortOrder {
        self.0.last().map_or(SortOrder::Descending, |key| key.order)
    }
}

impl FilterField for DisputeField {
    fn kind(self) -> FieldKind {
        match self {
            Self::DisputeDate | Self::ResponseDate => FieldKind::Time,
            Self::Amount => FieldKind::Int,
            Self::Status | Self::Reason | Self::Currency | Self::PaymentId => FieldKind::Text,
        }
    }

    fn path(self) -> String {
        format!("data.filter.{}", self.code())
    }

    fn spelling(self, text: String) -> Result<String, String> {
        let known = match self {
            Self::Status => DisputeStatus::parse(&text).map(|one| one.code().to_owned()),
            Self::Reason => DisputeReason::parse(&text).map(|one| one.code().to_owned()),
            Self::Currency => Currency::parse(&text).map(|one| one.code().to_owned()),
            Self::PaymentId => PaymentId::parse(&text).map(PaymentId::key),
            Self::DisputeDate | Self::ResponseDate | Self::Amount => Some(text),
        };
        known.ok_or_else(|| match self {
            Self::Status => one_of(DisputeStatus::ALL.iter().map(|one| one.code())),
            Self::Reason => one_of(DisputeReason::ALL.iter().map(|one| one.code())),
            Self::Currency => "must be a currency of ISO 4217 in capitals".to_owned(),
            Self::PaymentId => "must be a payment's id".to_owned(),
            Self::DisputeDate | Self::ResponseDate | Self::Amount => "does not fit".to_owned(),
        })
    }
}

fn one_of<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<&str> = values.collect();
    format!("must be one of {}", values.join(", "))
}
