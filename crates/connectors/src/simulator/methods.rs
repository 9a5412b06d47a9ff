//! How the simulator takes each method that needs no card.

use domain::method::Method;

/// How a method without a card is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MethodHandling {
    /// The customer approves at the method's own page.
    Page,
    /// Collected from a bank account, which must be sent: it takes its time, nobody has to act.
    Debit,
}

/// The way of a method that needs no card; `None` for every other.
pub(super) const fn handling(method: Method) -> Option<MethodHandling> {
    match method {
        Method::Paypal
        | Method::Walletc
        | Method::Bnpla
        | Method::Klarna
        | Method::BuyNowPayLater
        | Method::Affirm
        | Method::AfterPay
        | Method::ClearPay
        | Method::Ideal
        | Method::BanContact
        | Method::GiroPay
        | Method::Sofort
        | Method::Openbanking
        | Method::AliPay
        | Method::WeChat => Some(MethodHandling::Page),
        Method::Account
        | Method::Ach
        | Method::AchDebit
        | Method::SepaDirectDebit
        | Method::DirectDebit
        | Method::Bacs
        | Method::Becs => Some(MethodHandling::Debit),
        Method::Card
        | Method::Mastercard
        | Method::Visa
        | Method::Amex
        | Method::Maestro
        | Method::Dankort
        | Method::Discover
        | Method::Diners
        | Method::Jcb
        | Method::Unionpay
        | Method::WalletaPay
        | Method::WalletbPay
        | Method::ApplePay
        | Method::GooglePay
        | Method::Cash
        | Method::AchCredit
        | Method::SepaCreditTransfer
        | Method::Wallet
        | Method::SamsungPay
        | Method::Crypto
        | Method::Bitcoin => None,
    }
}
