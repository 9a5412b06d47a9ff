//! Kinds of payment method, and kinds of funding of a card.

use crate::text_enum::text_enum;

text_enum!(
    /// A kind of payment method: every value of the interface's `PaymentMethodEnum`.
    Method {
        /// A card of no known brand.
        Card = "CARD",
        Mastercard = "MASTERCARD",
        Visa = "VISA",
        Amex = "AMEX",
        Maestro = "MAESTRO",
        Dankort = "DANKORT",
        Discover = "DISCOVER",
        Diners = "DINERS",
        Jcb = "JCB",
        Unionpay = "UNIONPAY",
        Cash = "CASH",
        Paypal = "PAYPAL",
        Account = "ACCOUNT",
        Ach = "ACH",
        AchCredit = "ACH_CREDIT",
        AchDebit = "ACH_DEBIT",
        SepaCreditTransfer = "SEPA_CREDIT_TRANSFER",
        SepaDirectDebit = "SEPA_DIRECT_DEBIT",
        Ideal = "IDEAL",
        DirectDebit = "DIRECT_DEBIT",
        BanContact = "BAN_CONTACT",
        Bacs = "BACS",
        Becs = "BECS",
        GiroPay = "GIRO_PAY",
        Sofort = "SOFORT",
        Wallet = "WALLET",
        SamsungPay = "SAMSUNG_PAY",
        AliPay = "ALI_PAY",
        WeChat = "WE_CHAT",
        WalletaPay = "WALLETA_PAY",
        WalletbPay = "WALLETB_PAY",
        Walletc = "WALLETC",
        Bnpla = "BNPLA",
        ApplePay = "APPLE_PAY",
        GooglePay = "GOOGLE_PAY",
        Klarna = "KLARNA",
        BuyNowPayLater = "BUY_NOW_PAY_LATER",
        Affirm = "AFFIRM",
        AfterPay = "AFTER_PAY",
        ClearPay = "CLEAR_PAY",
        Crypto = "CRYPTO",
        Bitcoin = "BITCOIN",
        Openbanking = "OPENBANKING",
    }
);

impl Method {
    /// The specification's name of a method that has a public name too; any other method as it is.
    ///
    /// The two names of a wallet mean one thing: both are accepted, and this is the one that is kept.
    #[must_use]
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only four of the methods have two names"
    )]
    pub const fn canonical(self) -> Self {
        match self {
            Self::GooglePay => Self::WalletaPay,
            Self::ApplePay => Self::WalletbPay,
            Self::Paypal => Self::Walletc,
            Self::Klarna => Self::Bnpla,
            other => other,
        }
    }

    /// Whether the money is collected from a bank account.
    #[must_use]
    pub const fn is_direct_debit(self) -> bool {
        matches!(
            self,
            Self::Account
                | Self::Ach
                | Self::AchDebit
                | Self::SepaDirectDebit
                | Self::DirectDebit
                | Self::Bacs
                | Self::Becs
        )
    }

    /// Whether it is a card, of whatever brand.
    #[must_use]
    pub const fn is_card(self) -> bool {
        matches!(
            self,
            Self::Card
                | Self::Mastercard
                | Self::Visa
                | Self::Amex
                | Self::Maestro
                | Self::Dankort
                | Self::Discover
                | Self::Diners
                | Self::Jcb
                | Self::Unionpay
        )
    }

    /// The public name of a method that the specification names otherwise; any other method as it is.
    #[must_use]
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only four of the methods have two names"
    )]
    pub const fn public(self) -> Self {
        match self {
            Self::WalletaPay => Self::GooglePay,
            Self::WalletbPay => Self::ApplePay,
            Self::Walletc => Self::Paypal,
            Self::Bnpla => Self::Klarna,
            other => other,
        }
    }
}

text_enum!(
    /// Whose money a card spends. It comes from the processor's answer, never from a table of ours.
    CardFunding {
        Credit = "CREDIT",
        Debit = "DEBIT",
        Prepaid = "PREPAID",
        /// Not known.
        Undefined = "UNDEFINED",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_the_contract_is_there() {
        let contract = "CARD MASTERCARD VISA AMEX MAESTRO DANKORT DISCOVER DINERS JCB UNIONPAY CASH PAYPAL ACCOUNT ACH \
            ACH_CREDIT ACH_DEBIT SEPA_CREDIT_TRANSFER SEPA_DIRECT_DEBIT IDEAL DIRECT_DEBIT BAN_CONTACT BACS BECS GIRO_PAY \
            SOFORT WALLET SAMSUNG_PAY ALI_PAY WE_CHAT WALLETA_PAY WALLETB_PAY WALLETC BNPLA APPLE_PAY GOOGLE_PAY KLARNA \
            BUY_NOW_PAY_LATER AFFIRM AFTER_PAY CLEAR_PAY CRYPTO BITCOIN OPENBANKING";
        let ours: Vec<&str> = Method::ALL.iter().map(|method| method.code()).collect();
        assert_eq!(ours, contract.split_whitespace().collect::<Vec<_>>());
        assert_eq!(Method::parse("visa"), None);
    }

    #[test]
    fn the_two_names_of_a_wallet_lead_to_each_other() {
        for (specified, public) in [
            (Method::WalletaPay, Method::GooglePay),
            (Method::WalletbPay, Method::ApplePay),
            (Method::Walletc, Method::Paypal),
            (Method::Bnpla, Method::Klarna),
        ] {
            assert_eq!(public.canonical(), specified);
            assert_eq!(specified.canonical(), specified);
            assert_eq!(specified.public(), public);
            assert_eq!(public.public(), public);
        }
        assert_eq!(Method::Visa.canonical(), Method::Visa);
        assert_eq!(Method::Visa.public(), Method::Visa);
    }
}
