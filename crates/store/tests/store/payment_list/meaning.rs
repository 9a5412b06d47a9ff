//! Which payments a list must show, by the meaning of its filter and its order.

use domain::{
    cursor::KeyValue,
    filter::{Condition, Fact, FieldName, SortField, SortOrder},
    id::{CustomerId, PaymentId},
    payment::Payment,
};
use store::payment_list::Wanted;

use super::intent_status;

/// What the interface says that a field of a payment is.
pub(super) fn fact(
    payment: &Payment,
    field: FieldName,
    then: impl FnOnce(Option<Fact<'_>>) -> bool,
) -> bool {
    let customer = payment
        .customer()
        .and_then(|payer| payer.id)
        .map(CustomerId::key);
    then(match field {
        FieldName::Date | FieldName::DateRange => Some(Fact::Time(payment.created_at())),
        FieldName::Amount => Some(Fact::Int(payment.money().minor())),
        FieldName::Currency => Some(Fact::Text(payment.money().currency().code())),
        FieldName::Type => Some(Fact::Text("PAYMENT")),
        FieldName::Method => Some(Fact::Text(payment.method().method.code())),
        FieldName::Status => Some(Fact::Text(payment.status().text())),
        FieldName::Gateway => payment
            .gateway()
            .map(|gateway| Fact::Text(&gateway.processor)),
        FieldName::ConnectionId => payment
            .attempt()
            .map(|attempt| Fact::Text(attempt.connection.as_str())),
        FieldName::Country => country(payment).map(Fact::Text),
        FieldName::FlowId => payment.flow().map(|run| Fact::Text(run.id.as_str())),
        FieldName::CustomerId => customer.as_deref().map(Fact::Text),
        FieldName::OrderId => payment.order_id().map(Fact::Text),
        FieldName::IntentStatus => payment
            .intent()
            .and_then(intent_status)
            .map(|status| Fact::Text(status.code())),
        FieldName::Category => None,
    })
}

pub(super) fn country(payment: &Payment) -> Option<&str> {
    payment
        .approval()
        .and_then(|approval| approval.card_country.as_deref())
}

pub(super) fn key(payment: &Payment, field: SortField) -> KeyValue {
    let text = |text: Option<&str>| KeyValue::Text(text.unwrap_or_default().to_owned());
    match field {
        SortField::Date => KeyValue::Int(payment.created_at().micros()),
        SortField::Amount => KeyValue::Int(payment.money().minor()),
        SortField::Status => text(Some(payment.status().text())),
        SortField::Currency => text(Some(payment.money().currency().code())),
        SortField::Country => text(country(payment)),
        SortField::Gateway => text(payment.gateway().map(|gateway| gateway.processor.as_str())),
        SortField::Method => text(Some(payment.method().method.code())),
        SortField::Type => text(Some("PAYMENT")),
    }
}

/// The list as the language defines it.
pub(super) fn expected(payments: &[Payment], wanted: &Wanted) -> Vec<PaymentId> {
    let selected = |payment: &&Payment| {
        let hold = |condition: &Condition| {
            fact(payment, condition.field(), |fact| {
                condition.predicate().matches(fact)
            })
        };
        wanted.conditions.iter().all(hold) && wanted.id.is_none_or(|id| id == payment.id())
    };
    let mut list: Vec<&Payment> = payments.iter().filter(selected).collect();
    list.sort_by(|one, other| {
        let directed = |order: SortOrder, ordering: std::cmp::Ordering| match order {
            SortOrder::Ascending => ordering,
            SortOrder::Descending => ordering.reverse(),
        };
        let keys = wanted.sort.keys().iter();
        let by_keys =
            keys.map(|by| directed(by.order, key(one, by.field).cmp(&key(other, by.field))));
        let by_id = directed(wanted.sort.id_order(), one.id().cmp(&other.id()));
        by_keys
            .chain([by_id])
            .find(|ordering| ordering.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    list.into_iter().map(Payment::id).collect()
}
