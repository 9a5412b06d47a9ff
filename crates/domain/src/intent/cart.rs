//! The cart of a checkout, as the merchant tells it. Nothing here is calculated or checked against the amount.

use serde::{Deserialize, Serialize};

/// A cart. What was not given is 0, or empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cart {
    /// The merchant's id of it.
    pub id: String,
    /// Its weight, in the merchant's unit.
    pub weight: i32,
    /// How many items the merchant counts.
    pub item_count: i32,
    /// The items.
    pub items: Vec<CartItem>,
}

/// A line of a cart. Amounts are in minor units of the intent's currency. What was not given is 0, false or empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CartItem {
    /// The merchant's id of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How many.
    pub quantity: i32,
    /// What it is.
    pub title: String,
    /// Which variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_title: Option<String>,
    /// Its weight, in the merchant's unit.
    pub weight: i32,
    /// Whether it is taxed.
    pub taxable: bool,
    /// Whether it must be shipped.
    pub requires_shipping: bool,
    /// The price of one.
    pub price: i64,
    /// The stock keeping unit.
    pub sku: String,
    /// The price of the line.
    pub line_total: i64,
    /// The address of a picture.
    pub image: String,
    /// The price of one after discounts.
    pub discounted_price: i64,
    /// The discounts of the line.
    pub total_discount: i64,
}

/// The changes of a cart; what is not given stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CartPatch {
    /// The merchant's id of it.
    pub id: Option<String>,
    /// Its weight.
    pub weight: Option<i32>,
    /// How many items the merchant counts.
    pub item_count: Option<i32>,
    /// All its items.
    pub items: Option<Vec<CartItem>>,
}

impl CartPatch {
    /// Changes the cart.
    pub(super) fn apply(self, cart: &mut Cart) {
        if let Some(id) = self.id {
            cart.id = id;
        }
        if let Some(weight) = self.weight {
            cart.weight = weight;
        }
        if let Some(item_count) = self.item_count {
            cart.item_count = item_count;
        }
        if let Some(items) = self.items {
            cart.items = items;
        }
    }
}
