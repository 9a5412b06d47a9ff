//! The customer's saved cards, which are in the first response: a list that comes later would move the form.

use domain::{
    Timestamp,
    caller::Caller,
    customer::{Instrument, StoredMethod},
    id::CustomerId,
};
use web::sdk::SavedCard;

use super::super::web::Web;

/// The cards of a customer. `None` where there is no such customer, or the token may not name this one: the form's script asks then,
/// and finds the same.
pub(super) async fn saved_cards(
    web: &Web,
    caller: &Caller,
    customer: &str,
) -> Option<Vec<SavedCard>> {
    let customer = CustomerId::parse(customer)?;
    let methods = web.service.engine.methods(caller, customer).await.ok()?;
    let now = web.world.now();
    let cards = methods.iter().filter_map(|method| shown(method, now));
    Some(cards.collect())
}

fn shown(method: &StoredMethod, now: Timestamp) -> Option<SavedCard> {
    let Instrument::Card { expiry, brand, .. } = &method.instrument else {
        return None;
    };
    Some(SavedCard {
        token: method.token.as_str().to_owned(),
        number: method.masked.clone(),
        exp_month: expiry.month(),
        exp_year: expiry.year(),
        brand: brand.clone(),
        is_default: method.is_default,
        months_left: expiry.months_left(now),
    })
}
