//! What several operations take of an intent.

use domain::{
    Fault, Faults,
    country::Country,
    intent::{CartItem, CartPatch, Changes, Customer, StepStatus},
};

use crate::shared::{Reader, currency, person};

/// The most lines of a cart.
const ITEMS_MAX: usize = 500;

/// Longest address of a picture. Unit: characters.
const IMAGE_MAX: usize = 2_000;

/// What starting and changing an intent have in common.
///
/// Errors: `error.validation`.
pub(crate) fn changes(reader: &mut Reader) -> Result<Changes, Fault> {
    let mut faults = Faults::default();
    let mut changes = Changes::default();
    if let Some(mut fields) = reader.object("amount") {
        changes.amount = faults.or_default(fields.long("amount"));
        if changes.amount.is_some_and(|amount| amount < 0) {
            faults.add(fields.invalid("amount", "must not be negative"));
        }
        changes.currency = faults.or_default(currency(&mut fields, "currency"));
    }
    if let Some(mut fields) = reader.object("location") {
        changes.country = faults.or_default(country(&mut fields));
    }
    if let Some(mut fields) = reader.object("customer") {
        changes.customer = faults.or_default(customer(&mut fields));
    }
    if let Some(fields) = reader.object("cart") {
        changes.cart = faults.good(cart(fields));
    }
    faults.end(changes)
}

/// How far a form is.
pub(crate) fn step(reader: &mut Reader, name: &str) -> Result<Option<StepStatus>, Fault> {
    match reader.object(name) {
        Some(mut fields) => fields.choice("status", StepStatus::parse),
        None => Ok(None),
    }
}

fn country(fields: &mut Reader) -> Result<Option<Country>, Fault> {
    let Some(code) = fields.raw("country") else {
        return Ok(None);
    };
    let country = Country::parse(&code);
    let wrong = || {
        fields.invalid(
            "country",
            "must be a country code of ISO 3166-1 with two or three letters",
        )
    };
    country.ok_or_else(wrong).map(Some)
}

/// A customer; one of whom nothing is given is absent.
fn customer(fields: &mut Reader) -> Result<Option<Customer>, Fault> {
    let mut faults = Faults::default();
    let customer = Customer {
        id: faults.or_default(fields.text("id")),
        is_guest: faults.or_default(fields.flag_if_given("isGuest")),
        email: faults.or_default(person::email(fields)),
        name: faults.or_default(fields.name("name")),
    };
    faults.end(Some(
        Some(customer).filter(|customer| *customer != Customer::default()),
    ))
}

fn cart(mut fields: Reader) -> Result<CartPatch, Fault> {
    let mut faults = Faults::default();
    let cart = CartPatch {
        id: faults.or_default(fields.text("id")),
        weight: faults.or_default(fields.count("weight")),
        item_count: faults.or_default(fields.count("itemCount")),
        items: faults
            .or_default(fields.objects_if_given("items", ITEMS_MAX))
            .map(|items| {
                let read = items.into_iter().map(item);
                read.filter_map(|item| faults.good(item)).collect()
            }),
    };
    faults.end(cart)
}

fn item(mut fields: Reader) -> Result<CartItem, Fault> {
    let mut faults = Faults::default();
    let item = CartItem {
        id: faults.or_default(fields.text("id")),
        quantity: faults
            .or_default(fields.count("quantity"))
            .unwrap_or_default(),
        title: faults.or_default(fields.text("title")).unwrap_or_default(),
        variant_title: faults.or_default(fields.text("variantTitle")),
        weight: faults
            .or_default(fields.count("weight"))
            .unwrap_or_default(),
        taxable: faults.or_default(fields.flag("taxable")),
        requires_shipping: faults.or_default(fields.flag("requiresShipping")),
        price: faults.or_default(fields.long("price")).unwrap_or_default(),
        sku: faults.or_default(fields.text("sku")).unwrap_or_default(),
        line_total: faults
            .or_default(fields.long("lineTotal"))
            .unwrap_or_default(),
        image: faults
            .or_default(fields.short("image", IMAGE_MAX))
            .unwrap_or_default(),
        discounted_price: faults
            .or_default(fields.long("discountedPrice"))
            .unwrap_or_default(),
        total_discount: faults
            .or_default(fields.long("totalDiscount"))
            .unwrap_or_default(),
    };
    faults.end(item)
}
