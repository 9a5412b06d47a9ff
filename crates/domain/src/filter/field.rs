//! Fields of payments that filters can name.

use super::verb::Verb;
use crate::text_enum::text_enum;

text_enum!(
    /// A field that a list of payments can be filtered by, under its name in the interface.
    FieldName {
        /// When the payment was made.
        Date = "date",
        /// The same, under the name that goes with a range.
        DateRange = "dateRange",
        Currency = "currency",
        /// In minor units.
        Amount = "amount",
        /// `PAYMENT`, `PAYOUT` or `TRANSFER`.
        Type = "type",
        /// `paymentCore.paymentMethod`.
        Method = "method",
        Status = "status",
        /// The status of the intent that the payment is linked to.
        IntentStatus = "intentStatus",
        /// `paymentGateway.id`: the processor.
        Gateway = "gateway",
        /// The team's connection at which the last attempt was made.
        ConnectionId = "connectionId",
        /// As alpha-2.
        Country = "country",
        FlowId = "flowId",
        /// The card's category.
        Category = "category",
        /// The customer in the vault.
        CustomerId = "customerId",
        /// The merchant's order.
        OrderId = "orderId",
    }
);

/// A field of a list's filter.
pub trait FilterField: Copy {
    /// The type of the field's values.
    fn kind(self) -> FieldKind;

    /// Where the field's filter stands in the arguments of the list.
    fn path(self) -> String;

    /// Where its value stands.
    fn value_path(self) -> String {
        format!("{}.value", self.path())
    }

    /// The one spelling of a value, or why it can't be one.
    ///
    /// # Errors
    /// A clause for the merchant.
    fn spelling(self, text: String) -> Result<String, String>;
}

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Points in time.
    Time,
    /// Integers.
    Int,
    /// Texts.
    Text,
}

impl FieldKind {
    /// The verbs that fields of this type allow, in the order of their declaration.
    pub const fn verbs(self) -> &'static [Verb] {
        match self {
            Self::Time | Self::Int => &[
                Verb::Equals,
                Verb::NotEquals,
                Verb::LessThan,
                Verb::LessThanEquals,
                Verb::GreaterThan,
                Verb::GreaterThanEquals,
                Verb::BetweenInclusive,
                Verb::BetweenExclusive,
                Verb::InList,
                Verb::IsEmpty,
                Verb::NotEmpty,
                Verb::All,
            ],
            Self::Text => &[
                Verb::Equals,
                Verb::NotEquals,
                Verb::Contains,
                Verb::InList,
                Verb::IsEmpty,
                Verb::NotEmpty,
                Verb::All,
            ],
        }
    }
}

impl FieldName {
    /// The verbs that the field allows, in the order of their declaration.
    pub const fn verbs(self) -> &'static [Verb] {
        self.kind().verbs()
    }

    /// The type of the field's values.
    pub const fn kind(self) -> FieldKind {
        match self {
            Self::Date | Self::DateRange => FieldKind::Time,
            Self::Amount => FieldKind::Int,
            Self::Currency
            | Self::Type
            | Self::Method
            | Self::Status
            | Self::IntentStatus
            | Self::Gateway
            | Self::ConnectionId
            | Self::Country
            | Self::FlowId
            | Self::Category
            | Self::CustomerId
            | Self::OrderId => FieldKind::Text,
        }
    }

    /// Where the field's filter stands in the arguments of `listPayments`.
    pub fn path(self) -> String {
        match self {
            Self::CustomerId => "data.customerId".to_owned(),
            Self::Date
            | Self::DateRange
            | Self::Currency
            | Self::Amount
            | Self::Type
            | Self::Method
            | Self::Status
            | Self::IntentStatus
            | Self::Gateway
            | Self::ConnectionId
            | Self::Country
            | Self::FlowId
            | Self::Category
            | Self::OrderId => format!("data.filter.{}", self.code()),
        }
    }
}
