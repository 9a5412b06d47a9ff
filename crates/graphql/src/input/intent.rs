//! What several operations take of an intent.

use domain::{
    Fault,
    country::Country,
    intent::{CartItem, CartPatch, Changes, Customer, StepStatus},
};

use super::{Reader, authorise, person};

/// The most lines of a cart.
const ITEMS_MAX: usize = 500;

/// Longest address of a picture. Unit: characters.
const IMAGE_MAX: usize = 2_000;

/// What starting and changing an intent have in common.
///
/// Errors: `error.validation`.
pub(super) fn changes(reader: &mut Reader) -> Result<Changes, Fault> {
    let mut changes = Changes::default();
    if let Some(mut fields) = reader.object("amount") {
        changes.amount = match fields.long("amount")? {
            Some(amount) if amount < 0 => {
                return Err(fields.invalid("amount", "must not be negative"));
            }
            amount => amount,
        };
        changes.currency = authorise::currency(&mut fields, "currency")?;
    }
    if let Some(mut fields) = reader.object("location") {
        changes.country = country(&mut fields)?;
    }
    if let Some(mut fields) = reader.object("customer") {
        changes.customer = customer(&mut fields)?;
    }
    if let Some(fields) = reader.object("cart") {
        changes.cart = Some(cart(fields)?);
    }
    Ok(changes)
}

/// How far a form is.
pub(super) fn step(reader: &mut Reader, name: &str) -> Result<Option<StepStatus>, Fault> {
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

/// A customer; one of whom nothing is told is absent.
fn customer(fields: &mut Reader) -> Result<Option<Customer>, Fault> {
    let customer = Customer {
        id: fields.text("id")?,
        is_guest: fields.flag_if_given("isGuest")?,
        email: person::email(fields)?,
        name: fields.name("name")?,
    };
    Ok(Some(customer).filter(|customer| *customer != Customer::default()))
}

fn cart(mut fields: Reader) -> Result<CartPatch, Fault> {
    Ok(CartPatch {
        id: fields.text("id")?,
        weight: fields.count("weight")?,
        item_count: fields.count("itemCount")?,
        items: match fields.objects_if_given("items", ITEMS_MAX)? {
            Some(items) => Some(items.into_iter().map(item).collect::<Result<_, _>>()?),
            None => None,
        },
    })
}

fn item(mut fields: Reader) -> Result<CartItem, Fault> {
    Ok(CartItem {
        id: fields.text("id")?,
        quantity: fields.count("quantity")?.unwrap_or_default(),
        title: fields.text("title")?.unwrap_or_default(),
        variant_title: fields.text("variantTitle")?,
        weight: fields.count("weight")?.unwrap_or_default(),
        taxable: fields.flag("taxable")?,
        requires_shipping: fields.flag("requiresShipping")?,
        price: fields.long("price")?.unwrap_or_default(),
        sku: fields.text("sku")?.unwrap_or_default(),
        line_total: fields.long("lineTotal")?.unwrap_or_default(),
        image: fields.short("image", IMAGE_MAX)?.unwrap_or_default(),
        discounted_price: fields.long("discountedPrice")?.unwrap_or_default(),
        total_discount: fields.long("totalDiscount")?.unwrap_or_default(),
    })
}
