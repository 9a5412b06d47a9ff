//! `headlessRequestPaymentProcessorToken`.

use domain::{Code, Fault, Faults, id::ConnectionId, redirect::RedirectUrl};
use engine::ProcessorTokenWanted;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, currency, ids};

/// Errors: `error.validation`, `error.payment-method.not-found`, `error.connection.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<ProcessorTokenWanted, Fault> {
    let mut request = Reader::new(arguments, Blank::Absent).needed_object("tokenRequest")?;
    let mut faults = Faults::default();
    let token = request.raw("vaultToken");
    let token = faults.good(token.ok_or_else(|| request.missing("vaultToken")));
    let connection = request.raw("paymentProcessorConnectionId");
    let connection = connection.ok_or_else(|| request.missing("paymentProcessorConnectionId"));
    let connection = faults.good(connection);
    let currency = currency(&mut request, "currencyCode");
    let currency = faults.good(request.needed("currencyCode", currency));
    let field = request.at("threeDSecureRedirectUrl");
    let redirect = request
        .raw("threeDSecureRedirectUrl")
        .map(|url| RedirectUrl::parse(&url, &field))
        .transpose();
    let redirect = faults.or_default(redirect);
    let texts = token.zip(connection).zip(currency);
    let ((token, connection), currency) = faults.end(texts)?;
    let no_connection = || Fault::new(Code::ConnectionNotFound, "There is no such connection.");
    Ok(ProcessorTokenWanted {
        token: ids::token(&token)?,
        connection: ConnectionId::parse(&connection).ok_or_else(no_connection)?,
        currency,
        redirect,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[expect(
        clippy::needless_pass_by_value,
        reason = "arguments are written where they are used"
    )]
    fn wanted(changes: Value) -> Result<ProcessorTokenWanted, Fault> {
        let mut request = json!({
            "vaultToken": "abcdefgh12345678", "paymentProcessorConnectionId": "simulator-a", "currencyCode": "EUR",
        });
        for (name, value) in changes.as_object().unwrap() {
            request[name] = value.clone();
        }
        parse(arguments(json!({"tokenRequest": request})))
    }

    #[test]
    fn a_request_is_read_whole() {
        let given = wanted(json!({"threeDSecureRedirectUrl": "shop.example/back"}))
            .map_err(|_| ())
            .unwrap();
        assert_eq!(
            (given.token.as_str(), given.connection.as_str()),
            ("abcdefgh12345678", "simulator-a")
        );
        assert_eq!(given.currency.code(), "EUR");
        assert_eq!(
            given.redirect.unwrap().as_str(),
            "https://shop.example/back"
        );
        for nothing in [
            json!({"threeDSecureRedirectUrl": ""}),
            json!({"threeDSecureRedirectUrl": null}),
            json!({}),
        ] {
            assert!(wanted(nothing).map_err(|_| ()).unwrap().redirect.is_none());
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_reported_by_path() {
        for name in ["vaultToken", "paymentProcessorConnectionId", "currencyCode"] {
            for nothing in [json!(null), json!("")] {
                let fault = wanted(json!({(name): nothing})).map(|_| ()).unwrap_err();
                assert_eq!(
                    refusal(fault),
                    (format!("tokenRequest.{name}"), "is required".to_owned())
                );
            }
        }
        for (name, value) in [
            ("currencyCode", "ABC"),
            ("threeDSecureRedirectUrl", "javascript:alert(1)"),
        ] {
            let fault = wanted(json!({(name): value})).map(|_| ()).unwrap_err();
            assert_eq!(refusal(fault).0, format!("tokenRequest.{name}"));
        }
        let code = |changes| wanted(changes).map(|_| ()).unwrap_err().code;
        assert_eq!(code(json!({"vaultToken": "short"})), Code::MethodNotFound);
        assert_eq!(
            code(json!({"paymentProcessorConnectionId": "a b"})),
            Code::ConnectionNotFound
        );
    }
}
