//! Methods other than cards: what Stripe asks to know of the customer.

use connector::{
    AccountData, Answer, Authorise, CallError, Connector, FundingSource, Payer, ThreeDsCall,
};
use domain::{
    Timestamp,
    bank_account::{AccountKind, Mandate},
    card_number::AccountNumber,
    method::Method,
    money::{Currency, Money},
    payment::ThreeDsWish,
    person::Address,
};

use crate::shop::Shop;

impl Shop {
    fn paid_by(
        &self,
        method: Method,
        funding_source: FundingSource<'_>,
        payer: Option<&Payer>,
    ) -> Result<Answer, CallError> {
        let reference = self.reference();
        let call = Authorise {
            reference: &reference,
            money: Money::new(1000, Currency::parse("EUR").unwrap()),
            capture: true,
            method,
            funding_source,
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: Some("https://pay.example/apm/abc"),
                browser: None,
            },
            merchant_initiated: false,
            stored: None,
            shopper: None,
            payer,
            statement_descriptor: None,
            fraud: None,
        };
        let link = self.link();
        self.play(self.connector.authorise(&link, &call))
    }
}

#[test]
fn what_stripe_asks_to_know_of_the_customer_is_sent() {
    let payer = Payer {
        name: Some("Ada Byron".to_owned()),
        email: Some("ada@example.com".to_owned()),
        billing: Some(Address {
            country: Some("BE".to_owned()),
            ..Address::default()
        }),
        ..Payer::default()
    };
    let account = AccountData {
        number: AccountNumber::parse("DE89370400440532013000".to_owned()).unwrap(),
        kind: AccountKind::Iban,
        holder: Some("Ada Byron".to_owned()),
        mandate: Some(Mandate {
            accepted_at: Timestamp::from_micros(0),
            text_version: "1".to_owned(),
            ip_address: None,
        }),
    };
    let shop = Shop::open();
    for (method, source, is_needed) in [
        (Method::BanContact, FundingSource::Page, true),
        (
            Method::SepaDirectDebit,
            FundingSource::Account(&account),
            true,
        ),
        (Method::Ideal, FundingSource::Page, false),
        (Method::Bnpla, FundingSource::Page, false),
    ] {
        let known = shop.paid_by(method, source, Some(&payer));
        assert!(
            matches!(
                known,
                Ok(Answer::ActionRequired { .. } | Answer::Held { .. })
            ),
            "{method:?}: {known:?}"
        );
        let unknown = shop.paid_by(method, source, None);
        assert_eq!(
            matches!(unknown, Err(CallError::Rejected { .. })),
            is_needed,
            "{method:?}: {unknown:?}"
        );
    }
}
