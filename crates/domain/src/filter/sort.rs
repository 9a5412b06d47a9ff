//! The order of a list.

use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Fault, Faults};

text_enum!(
    /// A field that a list of payments can be sorted by.
    SortField {
        Date = "date",
        Amount = "amount",
        Status = "status",
        Currency = "currency",
        Country = "country",
        Gateway = "gateway",
        Method = "method",
        Type = "type",
    }
);

text_enum!(
    /// A direction of sorting.
    SortOrder {
        /// The least first.
        Ascending = "ASC",
        /// The greatest first.
        Descending = "DESC",
    }
);

/// What a list can be sorted by.
pub trait SortableField: Copy + Eq + 'static {
    /// The field of its date.
    const DATE: Self;

    /// Every field by its name.
    fn names() -> Vec<&'static str>;

    /// The field of this name.
    fn named(name: &str) -> Option<Self>;
}

impl SortableField for SortField {
    const DATE: Self = Self::Date;

    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|field| field.code()).collect()
    }

    fn named(name: &str) -> Option<Self> {
        Self::parse(name)
    }
}

/// A field and its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortKey<F = SortField> {
    /// The field.
    pub field: F,
    /// The direction.
    pub order: SortOrder,
}

/// The order of a list: by the keys in turn, then by id in the direction of the last key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sort<F = SortField>(Vec<SortKey<F>>);

impl<F: SortableField> Default for Sort<F> {
    /// The newest first.
    fn default() -> Self {
        Self(vec![SortKey {
            field: F::DATE,
            order: SortOrder::Descending,
        }])
    }
}

impl<F: SortableField> Sort<F> {
    /// Reads the entries of `data.sort`, each a field's name and a direction (absent: ascending). None: newest first.
    ///
    /// # Errors
    /// `error.validation` for the entry that names no sort field or one that was named before.
    pub fn parse<'a>(
        entries: impl IntoIterator<Item = (Option<&'a str>, Option<SortOrder>)>,
    ) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let mut keys: Vec<SortKey<F>> = Vec::new();
        for (index, (name, order)) in entries.into_iter().enumerate() {
            let refused =
                |reason: String| Fault::invalid(format!("data.sort.{index}.fieldName"), reason);
            let Some(field) = name.and_then(F::named) else {
                let names = F::names().join(", ");
                faults.add(refused(format!("must be one of {names}")));
                continue;
            };
            if keys.iter().any(|key| key.field == field) {
                faults.add(refused("must not be named twice".to_owned()));
            }
            keys.push(SortKey {
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
    pub fn keys(&self) -> &[SortKey<F>] {
        &self.0
    }

    /// The direction in which ids decide between equal keys.
    pub fn id_order(&self) -> SortOrder {
        self.0.last().map_or(SortOrder::Descending, |key| key.order)
    }

    /// Whether it is the plain order of time, which the index gives without sorting.
    pub fn is_by_date(&self) -> bool {
        matches!(self.0.as_slice(), [key] if key.field == F::DATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_begin_with_the_newest_unless_sorted() {
        let default: Sort = Sort::parse([]).unwrap();
        assert_eq!(default, Sort::default());
        assert!(default.is_by_date());
        assert_eq!(default.id_order(), SortOrder::Descending);
    }

    #[test]
    fn every_field_can_be_sorted_by_in_both_directions() {
        for field in SortField::ALL {
            for order in SortOrder::ALL {
                let sort: Sort = Sort::parse([(Some(field.code()), Some(*order))]).unwrap();
                assert_eq!(
                    sort.keys(),
                    [SortKey {
                        field: *field,
                        order: *order
                    }]
                );
                assert_eq!(sort.is_by_date(), *field == SortField::Date);
                assert_eq!(sort.id_order(), *order);
            }
        }
    }

    #[test]
    fn several_keys_count_in_turn_and_ascend_unless_asked_otherwise() {
        let sort: Sort = Sort::parse([
            (Some("currency"), None),
            (Some("amount"), Some(SortOrder::Descending)),
        ])
        .unwrap();
        let keys: Vec<_> = sort
            .keys()
            .iter()
            .map(|key| (key.field.code(), key.order.code()))
            .collect();
        assert_eq!(keys, [("currency", "ASC"), ("amount", "DESC")]);
        assert!(!sort.is_by_date());
    }

    #[test]
    fn unknown_absent_and_repeated_fields_are_refused_by_place() {
        let date = (Some("date"), None);
        for (entries, field) in [
            (vec![(Some("Date"), None)], "data.sort.0.fieldName"),
            (
                vec![(Some("id; drop table"), None)],
                "data.sort.0.fieldName",
            ),
            (
                vec![date, (None, Some(SortOrder::Ascending))],
                "data.sort.1.fieldName",
            ),
            (
                vec![date, (Some("amount"), None), date],
                "data.sort.2.fieldName",
            ),
        ] {
            let fault = Sort::<SortField>::parse(entries).unwrap_err();
            assert_eq!(fault.field.as_deref(), Some(field));
            assert!(!fault.message.contains("drop"));
        }
    }
}
