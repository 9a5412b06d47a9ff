//! `POST /paymentMethods`

use serde_json::{Value, json};

/// What the account offers: everything that the simulator has.
pub(super) fn payment_methods() -> Value {
    json!({
        "paymentMethods": [
            {
                "name": "Cards",
                "type": "scheme",
                "brands": ["visa", "mc", "amex", "discover", "diners", "jcb", "cup", "maestro"],
            },
            {"name": "Bancontact card", "type": "bcmc", "brand": "bcmc"},
            {"name": "iDEAL", "type": "ideal"},
            {"name": "Pay later with Klarna.", "type": "klarna"},
            {"name": "SEPA Direct Debit", "type": "sepadirectdebit"},
        ],
    })
}
