//! A wallet's token in a payment.

use domain::{Fault, Faults};
use engine::{Wallet, WalletInput};

use crate::shared::Reader;

/// The two names of wallet A's block.
const BLOCKS: [&str; 2] = ["walletAPay", "googlePay"];

/// A wallet's token, and the transaction's id that wallet A's block tells.
///
/// Errors: `error.validation` for a token that is missing or doesn't fit its type, and for wallet A's block.
pub(crate) fn wallet(
    mut method: Reader,
    wallet: Wallet,
) -> Result<(WalletInput, Option<String>), Fault> {
    let token = method.raw("token").is_some();
    let card = method
        .object("card")
        .is_some_and(|card| !card.says_nothing());
    let mut faults = Faults::default();
    for (other, given) in [("token", token), ("card", card)] {
        if given {
            faults.add(method.invalid(
                other,
                "fits no payment with a wallet: send walletToken, or the type CARD",
            ));
        }
    }
    let transaction = match wallet {
        Wallet::A => faults.good(transaction(&mut method)),
        Wallet::B => None,
    };
    let token = method
        .any("walletToken")
        .ok_or_else(|| method.missing("walletToken"));
    let token = faults.good(token);
    faults.end(token.map(|token| (WalletInput { wallet, token }, transaction)))
}

/// Wallet A's block, under either of its names. Given under both, they must say the same.
fn transaction(method: &mut Reader) -> Result<String, Fault> {
    let mut found: Option<String> = None;
    for name in BLOCKS {
        let Some(mut block) = method.object(name) else {
            continue;
        };
        let id = block
            .text("transactionId")?
            .ok_or_else(|| block.missing("transactionId"))?;
        if found.as_ref().is_some_and(|other| *other != id) {
            return Err(block.invalid(
                "transactionId",
                "differs from the one in walletAPay, which is the same block",
            ));
        }
        found = Some(id);
    }
    found.ok_or_else(|| method.invalid("walletAPay.transactionId", "is required with WALLETA_PAY"))
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are used"
)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::shared::Blank;

    fn read(wallet_of: Wallet, method: Value) -> Result<(WalletInput, Option<String>), Fault> {
        let Value::Object(fields) = json!({"paymentMethod": method}) else {
            unreachable!()
        };
        wallet(
            Reader::new(fields, Blank::Absent)
                .object("paymentMethod")
                .unwrap(),
            wallet_of,
        )
    }

    fn refused(wallet: Wallet, method: Value) -> String {
        read(wallet, method).map(|_| ()).unwrap_err().field.unwrap()
    }

    #[test]
    fn wallet_a_needs_its_block_under_one_of_its_names() {
        for name in BLOCKS {
            let (input, id) = read(
                Wallet::A,
                json!({"walletToken": {"a": 1}, (name): {"transactionId": "t"}}),
            )
            .ok()
            .unwrap();
            assert_eq!((input.token, id.as_deref()), (json!({"a": 1}), Some("t")));
            let empty = json!({"walletToken": "x", (name): {"transactionId": ""}});
            assert_eq!(
                refused(Wallet::A, empty),
                format!("paymentMethod.{name}.transactionId")
            );
        }
        assert_eq!(
            refused(Wallet::A, json!({"walletToken": "x"})),
            "paymentMethod.walletAPay.transactionId"
        );
        let both = |one: &str, two: &str| json!({"walletToken": "x", "walletAPay": {"transactionId": one}, "googlePay": {"transactionId": two}});
        assert!(read(Wallet::A, both("t", "t")).is_ok());
        assert_eq!(
            refused(Wallet::A, both("t", "u")),
            "paymentMethod.googlePay.transactionId"
        );
    }

    #[test]
    fn a_wallet_needs_its_token_and_nothing_else_to_charge() {
        assert!(
            read(
                Wallet::B,
                json!({"walletToken": "x", "token": "", "card": {"number": ""}})
            )
            .is_ok()
        );
        for nothing in [
            json!({}),
            json!({"walletToken": ""}),
            json!({"walletToken": null}),
        ] {
            assert_eq!(refused(Wallet::B, nothing), "paymentMethod.walletToken");
        }
        assert_eq!(
            refused(Wallet::B, json!({"walletToken": "x", "token": "t"})),
            "paymentMethod.token"
        );
        assert_eq!(
            refused(
                Wallet::B,
                json!({"walletToken": "x", "card": {"number": "1"}})
            ),
            "paymentMethod.card"
        );
    }
}
