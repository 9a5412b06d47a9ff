//! `GET /checkout`: a whole checkout as a page, for links that a merchant makes and for the web views of apps.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::{
    Code, Fault,
    audit::Source,
    caller::{Caller, Credential, Mode},
    id::IntentId,
    intent::Cart,
    redirect::RedirectUrl,
};
use engine::SdkConfiguration;
use http::StatusCode;
use serde_json::Value;
use web::{
    Language, Text,
    sdk::{FirstOptions, Hosted, SavedChoice, WalletPlaces, Words},
};

use super::{
    super::{
        edge::source_of,
        shopper::{in_time, reader_of},
        web::Web,
    },
    Seller, ended, form, language_of, lines, message, own_host,
    parameters::{Mistakes, Parameters},
    saved_cards::saved_cards,
    unavailable,
};

/// Why there is no form.
enum Refusal {
    /// The address is wrong.
    Mistakes(Mistakes),
    /// The client token is good no more, or never was.
    Over,
    /// It can't be made now.
    Failed(Fault),
}

/// `GET /checkout?apiKey=…&flowId=…&amount=…&currencyCode=…`.
pub(in super::super) async fn show(State(web): State<Arc<Web>>, request: Request) -> Response {
    let source = source_of(&request, &web.rules.trusted_proxies);
    let uri = request.uri().clone();
    let reader = reader_of(&web, &request);
    in_time(&web, reader, async {
        match page(&web, uri.query(), source, reader.language).await {
            Ok((page, wallets)) => form(&web, &page, wallets.needs_network),
            Err(refusal) => refused(&web, language_of(uri.query(), reader.language), refusal),
        }
    })
    .await
}

async fn page(
    web: &Web,
    query: Option<&str>,
    source: Source,
    accepted: Language,
) -> Result<(Hosted, Wallets), Refusal> {
    let parameters = Parameters::read(query).map_err(Refusal::Mistakes)?;
    let caller = caller(web, source, &parameters.api_key).await?;
    let engine = &web.service.engine;
    let flow = parameters.option("flowId").and_then(Value::as_str);
    let known = engine.sdk_configuration(&caller, None, flow).await;
    let known = known.map_err(Refusal::Failed)?;
    let wrong = |name: &str, rule| Refusal::Mistakes(vec![(name.to_owned(), rule)]);
    match known.money {
        Some(money) if money == parameters.money => {}
        Some(money) if money.currency() != parameters.money.currency() => {
            return Err(wrong(
                "currencyCode",
                "must be what the client token was made for",
            ));
        }
        Some(_) => {
            return Err(wrong(
                "amount",
                "must be what the client token was made for",
            ));
        }
        None => {
            let rule = "must be a client token that was made with amount and currency, or with an intent whose amount a secret key has set";
            return Err(wrong("apiKey", rule));
        }
    }
    let back = match &parameters.return_url {
        Some(address) => Some(back(web, &caller, address).await?),
        None => None,
    };
    let cart = cart(web, &caller, parameters.intent.as_deref()).await;
    let words = Words::chosen(parameters.option("language"), accepted);
    let language = words.language();
    let wallets = Wallets::asked_for(&parameters, &known);
    let saved = saved_choice(web, &caller, &parameters, &known).await;
    let page = Hosted {
        asks_first: known.hosted_fields.is_some(),
        shop_name: known.shop_name,
        logo: known.shop_logo,
        back,
        amount: parameters.money.formatted_in(language.code()),
        description: None,
        cart: lines(cart.as_ref(), parameters.money.currency(), language),
        options: parameters.options(&words),
        host: own_host(web),
        first: FirstOptions {
            wallets: wallets.places,
            saved,
            ..first_options(&parameters)
        },
        words,
    };
    Ok((page, wallets))
}

/// The saved cards of the customer whom the address names.
async fn saved_choice(
    web: &Web,
    caller: &Caller,
    parameters: &Parameters,
    known: &SdkConfiguration,
) -> Option<SavedChoice> {
    // A processor's own fields know no saved card.
    let customer = parameters
        .option("customerId")
        .filter(|_| known.hosted_fields.is_none());
    let cards = saved_cards(web, caller, customer?.as_str()?).await?;
    let asks_code = parameters.option("isSavedCardCvcRequired") == Some(&Value::Bool(true));
    Some(SavedChoice { cards, asks_code })
}

/// The wallets whose buttons the page shows.
struct Wallets {
    places: WalletPlaces,
    /// Wallet A's network draws its button by a script of its own.
    needs_network: bool,
}

impl Wallets {
    /// Those that the address asks for, of what the team has set up. In test mode stand-ins of our own take the networks' place.
    fn asked_for(parameters: &Parameters, known: &SdkConfiguration) -> Self {
        let of = |names: [&str; 2]| {
            let is_one = |method: &&Value| {
                let kind = method.get("type").and_then(Value::as_str);
                kind.is_some_and(|kind| names.contains(&kind))
            };
            methods(parameters).filter(is_one).collect::<Vec<_>>()
        };
        let (a, b) = (of(["walleta", "googlepay"]), of(["walletb", "applepay"]));
        let asks_network = |method: &&Value| {
            let option = method.pointer("/option/useNetworkInTest");
            known.mode == Mode::Live || option.and_then(Value::as_bool) == Some(true)
        };
        let has_a = known.wallet_a.is_some();
        Self {
            places: WalletPlaces {
                is_asked: !a.is_empty() || !b.is_empty(),
                a: has_a && !a.is_empty(),
                b: known.wallet_b.is_some() && !b.is_empty(),
            },
            needs_network: has_a && a.iter().any(asks_network),
        }
    }
}

/// The ways to pay beside a card, as they are asked for.
fn methods(parameters: &Parameters) -> impl Iterator<Item = &Value> {
    let methods = parameters.option("alternativePaymentMethods");
    methods.and_then(Value::as_array).into_iter().flatten()
}

/// Options that the form shows from the start.
fn first_options(parameters: &Parameters) -> FirstOptions {
    let is_on = |name: &str| parameters.option(name) == Some(&Value::Bool(true));
    let text = |name: &str| parameters.option(name).and_then(Value::as_str);
    let types = methods(parameters).filter_map(|method| method.get("type")?.as_str());
    FirstOptions {
        methods: types.map(str::to_owned).collect(),
        pay_button: text("payButton").map(str::to_owned),
        has_no_address: is_on("hideBillingAddress"),
        offers_saving: is_on("allowSaveCard") && text("customerId").is_some(),
        is_themed: parameters.option("theme").is_some(),
        ..FirstOptions::default()
    }
}

/// Whose checkout it is. No other credential belongs into an address.
async fn caller(web: &Web, source: Source, api_key: &str) -> Result<Caller, Refusal> {
    let engine = web.service.engine.for_customer(source);
    match engine.authenticate(api_key).await {
        Ok(caller) if matches!(caller.credential, Credential::Client(_)) => Ok(caller),
        Ok(_) => {
            let rule = "must be a client token, made with generateClientToken; no other key belongs into an address";
            Err(Refusal::Mistakes(vec![("apiKey".to_owned(), rule)]))
        }
        Err(fault) if fault.code == Code::Unauthorized => Err(Refusal::Over),
        Err(fault) => Err(Refusal::Failed(fault)),
    }
}

/// The way back, when the team allows it.
async fn back(web: &Web, caller: &Caller, address: &str) -> Result<String, Refusal> {
    let rule = "must lead to a host that the team lists in returnHosts";
    let wrong = || Refusal::Mistakes(vec![("returnUrl".to_owned(), rule)]);
    let url = RedirectUrl::parse(address, "returnUrl").map_err(|_| wrong())?;
    match web
        .service
        .engine
        .check_return(caller, &url, "returnUrl")
        .await
    {
        Ok(()) => Ok(url.as_str().to_owned()),
        Err(fault) if fault.code == Code::Validation => Err(wrong()),
        Err(fault) => Err(Refusal::Failed(fault)),
    }
}

/// What is bought, where the intent says it and the token may read it.
async fn cart(web: &Web, caller: &Caller, named: Option<&str>) -> Option<Cart> {
    let granted = match &caller.credential {
        Credential::Client(grant) => grant.intent,
        Credential::Secret | Credential::Public => None,
    };
    let intent = named.and_then(IntentId::parse).or(granted)?;
    let found = web.service.engine.intent(caller, intent).await;
    found.ok().and_then(|view| view.intent.cart)
}

fn refused(web: &Web, language: Language, refusal: Refusal) -> Response {
    match refusal {
        Refusal::Mistakes(mistakes) => {
            let texts = [Text::ShopLinkIncomplete, Text::BeginAgain];
            let mut page = ended(Seller::default(), language, Text::AddressIncomplete, &texts);
            let listed = mistakes
                .iter()
                .map(|(name, rule)| format!("{name} {rule}."));
            page.details = listed.collect();
            page.event = Some(super::app_error(&page.details.join(" ")));
            message(web, StatusCode::BAD_REQUEST, &page)
        }
        Refusal::Over => {
            let texts = [Text::CheckoutOver, Text::BeginAgain];
            let page = ended(Seller::default(), language, Text::CheckoutEnded, &texts);
            message(web, StatusCode::GONE, &page)
        }
        Refusal::Failed(fault) => unavailable(web, language, &fault),
    }
}
