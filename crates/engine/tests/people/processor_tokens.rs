//! Processors' own tokens for stored cards.

use std::time::Duration;

use domain::{
    Code, Fault,
    caller::{ClientGrant, Mode},
    card_number::SecurityCode,
    customer::{NewMethod, StoredMethod},
    id::{ConnectionId, VaultToken},
    money::Currency,
    redirect::RedirectUrl,
};
use engine::{Engine, Owner, ProcessorTokenWanted, TokenReturn, Tokenise};
use futures_util::future::BoxFuture;

use crate::{
    cards::{AMEX, MASTERCARD, VISA, account, card, card_with_code, token},
    desk::Mood,
    shop::Shop,
};

fn of_nobody(shop: &Shop) -> VaultToken {
    shop.tokenise(&shop.server, None, token(card(VISA), Owner::Nobody))
        .result
        .unwrap()
        .method
        .token
}

fn wanted(token: &VaultToken) -> ProcessorTokenWanted {
    ProcessorTokenWanted {
        token: token.clone(),
        connection: ConnectionId::parse("approves-a").unwrap(),
        currency: Currency::parse("EUR").unwrap(),
        redirect: Some(RedirectUrl::parse("shop.example/back?cart=7", "url").unwrap()),
    }
}

fn ask(shop: &Shop, token: &VaultToken) -> Result<String, Fault> {
    shop.run(shop.engine.processor_token(&shop.server, wanted(token)))
}

/// The address to which the processor sends the customer back, without what is before its secret part.
fn address(shop: &Shop) -> String {
    let (_, asked) = shop.desk.asked().pop().unwrap();
    asked
        .return_url
        .unwrap()
        .split_once("/token-return/")
        .unwrap()
        .1
        .to_owned()
}

fn open_page(shop: &Shop, address: &str) -> Option<TokenReturn> {
    shop.run(shop.engine.token_return(address)).unwrap()
}

fn gateways(shop: &Shop, token: &VaultToken) -> Vec<(String, String, String, bool)> {
    let method = shop
        .run(shop.engine.method(&shop.server, token.clone()))
        .unwrap();
    gateways_of(shop, &[method]).pop().unwrap()
}

fn gateways_of(shop: &Shop, methods: &[StoredMethod]) -> Vec<Vec<(String, String, String, bool)>> {
    let Ok(mut linked) = shop.run(shop.engine.linked_gateways(&shop.server, methods)) else {
        panic!("refused")
    };
    let shown = |gateway: engine::LinkedGateway| {
        (
            gateway.connection.to_string(),
            gateway.name,
            gateway.token,
            gateway.reusable,
        )
    };
    methods
        .iter()
        .map(|m| {
            linked
                .remove(&m.token)
                .unwrap_or_default()
                .into_iter()
                .map(shown)
                .collect()
        })
        .collect()
}

#[test]
fn a_token_is_asked_for_once_and_kept() {
    let shop = Shop::open(1);
    let made = shop
        .tokenise(
            &shop.server,
            None,
            token(card_with_code(VISA, "737"), Owner::Nobody),
        )
        .result
        .unwrap();
    let token = made.method.token;
    let first = ask(&shop, &token).unwrap();
    assert_eq!(ask(&shop, &token).unwrap(), first);
    let [(reference, asked)] = shop.desk.asked().try_into().unwrap();
    assert_eq!(first, format!("tok_{reference}"));
    assert_eq!(
        (
            asked.connection.as_str(),
            asked.currency,
            asked.last4.as_str()
        ),
        ("approves-a", "EUR", "4242")
    );
    assert_eq!(
        asked.cvc.as_deref(),
        Some("737"),
        "the security code that was kept is used"
    );
    let kept = shop.run(shop.vault.open_cvc(&format!("{}/{token}", shop.team)));
    assert!(kept.unwrap().is_none(), "and forgotten afterwards");
    assert_eq!(shop.desk.calls(), 1);
    assert_eq!(
        gateways(&shop, &token),
        [("approves-a".to_owned(), "Approves".to_owned(), first, true)]
    );
}

#[test]
fn a_challenge_is_reported_until_the_customer_has_passed_it() {
    let shop = Shop::open(2);
    shop.desk.becomes(Mood::Challenges);
    let token = of_nobody(&shop);
    let fault = ask(&shop, &token).unwrap_err();
    assert_eq!(fault.code, Code::Requires3dSecure);
    let [(reference, _)] = shop.desk.asked().try_into().unwrap();
    assert_eq!(fault.id.as_deref(), Some(reference.as_str()));
    let page = format!("https://issuer.example/{reference}");
    assert_eq!(fault.url.as_ref(), Some(&page));
    assert!(fault.message.contains(&page));
    assert_eq!(ask(&shop, &token).unwrap_err(), fault, "the same again");
    assert_eq!(
        open_page(&shop, &address(&shop)),
        Some(TokenReturn::Unfinished(page)),
        "loading the page proves nothing"
    );
    assert_eq!(gateways(&shop, &token), []);

    shop.desk.customer_passes();
    let back = TokenReturn::Merchant(format!(
        "https://shop.example/back?cart=7&id={reference}&3ds_status=COMPLETED&vault_token={token}"
    ));
    for _ in 0..3 {
        assert_eq!(
            open_page(&shop, &address(&shop)),
            Some(back.clone()),
            "however often it is loaded"
        );
    }
    for _ in 0..2 {
        assert_eq!(ask(&shop, &token).unwrap(), format!("tok_{reference}"));
    }
    assert_eq!(shop.desk.asked().len(), 1);
    assert_eq!(shop.desk.calls(), 4, "what is settled is not asked again");
}

#[test]
fn a_failed_challenge_leads_back_as_failed_is_reported_once_and_the_call_after_asks_again() {
    let shop = Shop::open(3);
    shop.desk.becomes(Mood::Challenges);
    let token = of_nobody(&shop);
    let first = ask(&shop, &token).unwrap_err().id.unwrap();
    shop.desk.becomes(Mood::Declines);
    let back = format!(
        "https://shop.example/back?cart=7&id={first}&3ds_status=FAILED&vault_token={token}"
    );
    for _ in 0..2 {
        assert_eq!(
            open_page(&shop, &address(&shop)),
            Some(TokenReturn::Merchant(back.clone()))
        );
    }
    let fault = ask(&shop, &token).unwrap_err();
    assert_eq!(
        (fault.code, fault.reason.as_deref()),
        (Code::TokenDeclined, Some("SUSPECTED_FRAUD"))
    );
    assert_eq!(
        fault.id.unwrap(),
        first,
        "what came of the customer's authentication"
    );
    shop.desk.becomes(Mood::Gives);
    assert!(ask(&shop, &token).is_ok());
    assert_eq!(shop.desk.asked().len(), 2, "under a new reference");
}

#[test]
fn without_an_address_of_the_merchants_the_page_may_be_closed() {
    let shop = Shop::open(4);
    shop.desk.becomes(Mood::Challenges);
    let token = of_nobody(&shop);
    let wanted = ProcessorTokenWanted {
        redirect: None,
        ..wanted(&token)
    };
    shop.run(shop.engine.processor_token(&shop.server, wanted.clone()))
        .unwrap_err();
    shop.desk.customer_passes();
    assert_eq!(
        open_page(&shop, &address(&shop)),
        Some(TokenReturn::Close { completed: true })
    );
    assert!(
        shop.run(shop.engine.processor_token(&shop.server, wanted))
            .is_ok()
    );
}

#[test]
fn an_answer_that_never_came_is_found_out_under_the_same_reference() {
    let shop = Shop::open(5);
    shop.desk.becomes(Mood::Silent);
    let token = of_nobody(&shop);
    for _ in 0..2 {
        assert_eq!(ask(&shop, &token).unwrap_err().code, Code::Unavailable);
    }
    assert_eq!(open_page(&shop, &address(&shop)), Some(TokenReturn::Later));
    shop.desk.becomes(Mood::Gives);
    let [(reference, _)] = shop.desk.asked().try_into().unwrap();
    assert_eq!(ask(&shop, &token).unwrap(), format!("tok_{reference}"));
    assert_eq!(shop.desk.asked().len(), 1);
}

#[test]
fn silence_does_not_take_a_challenge_away() {
    let shop = Shop::open(6);
    shop.desk.becomes(Mood::Challenges);
    let token = of_nobody(&shop);
    let fault = ask(&shop, &token).unwrap_err();
    shop.desk.becomes(Mood::Silent);
    assert_eq!(ask(&shop, &token).unwrap_err(), fault);
}

#[test]
fn a_request_ends_with_the_customers_time_and_a_new_one_begins() {
    let shop = Shop::open(7);
    shop.desk.becomes(Mood::Challenges);
    let token = of_nobody(&shop);
    let first = ask(&shop, &token).unwrap_err();
    let first_page = address(&shop);
    shop.pass(Duration::from_hours(23));
    assert_eq!(ask(&shop, &token).unwrap_err(), first);
    shop.pass(Duration::from_hours(2));
    let second = ask(&shop, &token).unwrap_err();
    assert_eq!(second.code, Code::Requires3dSecure);
    assert_ne!(second.id, first.id);
    let back = open_page(&shop, &first_page);
    assert!(matches!(back, Some(TokenReturn::Merchant(url)) if url.contains("3ds_status=FAILED")));
    assert_eq!(ask(&shop, &token).unwrap_err(), second);
}

#[test]
fn who_passed_the_challenge_late_still_brings_the_token() {
    let shop = Shop::open(8);
    shop.desk.becomes(Mood::Challenges);
    let token = of_nobody(&shop);
    let first = ask(&shop, &token).unwrap_err().id.unwrap();
    shop.desk.customer_passes();
    shop.pass(Duration::from_hours(30));
    assert_eq!(ask(&shop, &token).unwrap(), format!("tok_{first}"));
}

#[test]
fn old_requests_are_removed_and_tokens_stay() {
    let shop = Shop::open(9);
    let token = of_nobody(&shop);
    let known = ask(&shop, &token).unwrap();
    assert_eq!(shop.count("token_request"), 1);
    shop.engine.start();
    shop.pass(Duration::from_hours(49));
    assert_eq!(shop.count("token_request"), 0);
    assert_eq!(ask(&shop, &token).unwrap(), known);
}

#[test]
fn a_processor_that_gives_no_token_says_so() {
    let shop = Shop::open(10);
    let token = of_nobody(&shop);
    for (mood, reason) in [
        (Mood::Rejects, "the processor did not accept the request"),
        (Mood::HasNone, "the connection's processor has no tokens"),
    ] {
        shop.desk.becomes(mood);
        let fault = ask(&shop, &token).unwrap_err();
        assert_eq!(
            (fault.code, fault.reason.as_deref()),
            (Code::TokenProcessor, Some(reason))
        );
    }
}

#[test]
fn what_can_have_no_token_is_refused() {
    let shop = Shop::open(11);
    let token = of_nobody(&shop);
    let code = |wanted| {
        shop.run(shop.engine.processor_token(&shop.server, wanted))
            .unwrap_err()
            .code
    };
    let connection = ConnectionId::parse("nowhere").unwrap();
    assert_eq!(
        code(ProcessorTokenWanted {
            connection,
            ..wanted(&token)
        }),
        Code::ConnectionNotFound
    );
    let foreign = VaultToken::parse("abcdefgh12345678").unwrap();
    assert_eq!(code(wanted(&foreign)), Code::MethodNotFound);
    let bank = Tokenise {
        method: NewMethod::Account(account("DE89370400440532013000")),
        external_id: None,
        metadata: None,
        owner: Owner::Nobody,
    };
    let bank = shop
        .tokenise(&shop.server, None, bank)
        .result
        .unwrap()
        .method
        .token;
    assert_eq!(code(wanted(&bank)), Code::Validation);
    for caller in [shop.public(), shop.client(ClientGrant::default())] {
        assert!(shop.run(shop.engine.linked_gateways(&caller, &[])).is_err());
    }
    assert_eq!((shop.desk.calls(), shop.count("token_request")), (0, 0));
}

#[test]
fn calls_at_once_on_several_nodes_make_one_request() {
    for seed in 0..30 {
        let shop = Shop::open(seed);
        let token = of_nobody(&shop);
        let nodes: Vec<Engine> = (0..3).map(|_| shop.another_node()).collect();
        let calls = nodes.iter().chain(&nodes).map(|node| {
            let (node, server, wanted) = (node.clone(), shop.server.clone(), wanted(&token));
            Box::pin(async move { node.processor_token(&server, wanted).await })
                as BoxFuture<'static, Result<String, Fault>>
        });
        let reported = shop.at_once(calls.collect());
        let first = reported[0].as_ref().unwrap();
        assert!(
            reported.iter().all(|token| token.as_ref() == Ok(first)),
            "seed {seed}: {reported:?}"
        );
        assert_eq!(shop.desk.asked().len(), 1, "seed {seed}");
    }
}

#[test]
fn addresses_that_were_not_given_out_lead_nowhere() {
    let shop = Shop::open(12);
    shop.desk.becomes(Mood::Challenges);
    ask(&shop, &of_nobody(&shop)).unwrap_err();
    let good = address(&shop);
    assert!(open_page(&shop, &good).is_some());
    let other_end = if good.ends_with('A') { "Q" } else { "A" };
    let other_secret = format!("{}{other_end}", &good[..good.len() - 1]);
    for bad in [
        "",
        "x",
        &other_secret,
        &good[..good.len() - 2],
        &format!("{good}AAAA"),
    ] {
        assert_eq!(open_page(&shop, bad), None, "{bad}");
    }
}

#[test]
fn deleting_the_method_or_its_customer_deletes_its_tokens() {
    let shop = Shop::open(13);
    let customer = shop.create_customer("Ada");
    let [first, second] = [VISA, MASTERCARD].map(|number| shop.add(customer, number));
    let lonely = of_nobody(&shop);
    for token in [&first, &second, &lonely] {
        ask(&shop, token).unwrap();
    }
    let methods = shop
        .run(shop.engine.methods(&shop.server, customer))
        .unwrap();
    let linked = gateways_of(&shop, &methods);
    assert!(linked.iter().all(|gateways| gateways.len() == 1) && linked[0] != linked[1]);
    for (gone, left) in [(first, 2), (lonely, 1)] {
        shop.run(shop.engine.delete_method(&shop.server, gone))
            .unwrap();
        assert_eq!(
            (shop.count("processor_token"), shop.count("token_request")),
            (left, left)
        );
    }
    shop.run(shop.engine.delete_customer(&shop.server, customer))
        .unwrap();
    assert_eq!(
        (shop.count("processor_token"), shop.count("token_request")),
        (0, 0)
    );
}

#[test]
fn a_method_that_is_deleted_while_the_processor_is_asked_leaves_no_token() {
    for seed in 0..30 {
        let shop = Shop::open(seed);
        let token = of_nobody(&shop);
        let (asks, deletes) = (shop.another_node(), shop.another_node());
        let (server, wanted) = (shop.server.clone(), wanted(&token));
        let asking = Box::pin(async move { asks.processor_token(&server, wanted).await.is_ok() });
        let (server, world) = (shop.server.clone(), shop.world.clone());
        let deleting = Box::pin(async move {
            world.sleep(Duration::from_micros(seed * 20)).await;
            deletes.delete_method(&server, token).await.is_ok()
        });
        let reported = shop.at_once::<bool>(vec![asking, deleting]);
        assert!(reported[1]);
        assert_eq!(
            (shop.count("processor_token"), shop.count("token_request")),
            (0, 0),
            "seed {seed}"
        );
    }
}

#[test]
fn a_security_code_can_be_given_to_a_stored_card() {
    let shop = Shop::open(14);
    let customer = shop.create_customer("Ada");
    let (owned, lonely) = (shop.add(customer, VISA), of_nobody(&shop));
    let code = |text: &str| SecurityCode::parse(text.to_owned()).unwrap();
    let attach = |caller: &domain::caller::Caller, token: &VaultToken, text: &str| {
        shop.run(shop.engine.attach_code(caller, token, &code(text)))
            .map_err(|fault| fault.code)
    };
    let kept = |token: &VaultToken| {
        let kept = shop
            .run(shop.vault.open_cvc(&format!("{}/{token}", shop.team)))
            .unwrap();
        kept.map(|code| code.expose().to_owned())
    };
    attach(&shop.server, &owned, "123").unwrap();
    attach(&shop.server, &owned, "7374").unwrap();
    assert_eq!(kept(&owned).as_deref(), Some("7374"), "the last one counts");
    let hers = shop.client(ClientGrant {
        customer: Some(customer),
        ..ClientGrant::default()
    });
    attach(&hers, &owned, "555").unwrap();
    let somebodys = shop.client(ClientGrant::default());
    assert_eq!(attach(&somebodys, &owned, "666"), Err(Code::MethodNotFound));
    assert_eq!(kept(&owned).as_deref(), Some("555"));
    attach(&somebodys, &lonely, "777").unwrap();
    assert_eq!(kept(&lonely).as_deref(), Some("777"));
    let foreign = VaultToken::parse("abcdefgh12345678").unwrap();
    assert_eq!(
        attach(&shop.server, &foreign, "123"),
        Err(Code::MethodNotFound)
    );
}

#[test]
fn in_live_mode_a_code_is_as_long_as_the_brands() {
    let shop = Shop::open_in(15, Mode::Live);
    let made = shop
        .tokenise(&shop.server, None, token(card(AMEX), Owner::Nobody))
        .result
        .unwrap();
    let attach = |text: &str| {
        let code = SecurityCode::parse(text.to_owned()).unwrap();
        shop.run(
            shop.engine
                .attach_code(&shop.server, &made.method.token, &code),
        )
    };
    assert_eq!(attach("123").unwrap_err().field.as_deref(), Some("cvc"));
    attach("1234").unwrap();
}
