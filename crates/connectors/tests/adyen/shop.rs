//! A merchant with a connection to the simulated Adyen.

use std::future::Future;

use connector::{
    Answer, Authorise, CallError, CardData, Connector, Credentials, Delivery, FundingSource, Link,
    NotGenuine, Notice, Notices, Reference, Returned, ThreeDsCall,
};
use connectors::adyen::Adyen;
use domain::{
    caller::Mode,
    card_number::{CardNumber, SecurityCode},
    expiry::Expiry,
    id::{ConnectionId, PaymentId},
    method::Method,
    money::{Currency, Money},
    payment::ThreeDsWish,
    returned::Parameter,
};
use http_client::{HostPattern, ProcessorHttp};
use processors::{
    Armed, Machine as _, Played, Post, Request,
    adyen::{Account, Adyen as Machine},
};
use serde_json::{Value, json};
use world::{Sim, World};

/// Where shoppers would reach the simulator's pages.
pub(crate) const PUBLIC: &str = "https://adyen.example";

/// Where notifications are sent to.
pub(crate) const ADDRESS: &str = "https://pay.example/notifications/the-token";

pub(crate) const HMAC_KEY: &str =
    "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

pub(crate) struct Shop {
    pub(crate) world: World,
    pub(crate) sim: Sim,
    pub(crate) adyen: Played<Machine>,
    pub(crate) connector: Adyen,
    pub(crate) connection: ConnectionId,
    pub(crate) credentials: Credentials,
    settings: Value,
    hosts: Vec<HostPattern>,
}

impl Shop {
    pub(crate) fn open() -> Self {
        Self::with(Account::default())
    }

    pub(crate) fn with(account: Account) -> Self {
        let (world, sim) = World::simulated(11);
        let settings = json!({"several_captures": account.several_captures});
        let machine = Machine::new(11, PUBLIC).with(account);
        let credentials = json!({
            "apiKey": "AQE-secret-1",
            "merchantAccount": "ShopECOM",
            "hmacKey": HMAC_KEY,
            "notificationUser": "adyen",
            "notificationPassword": "let me in",
        });
        let shop = Self {
            adyen: Played::new(world.clone(), machine),
            connector: Adyen,
            connection: ConnectionId::parse("adyen").unwrap(),
            credentials: Credentials::read(credentials.to_string().as_bytes()).unwrap(),
            settings,
            hosts: vec![HostPattern::parse("checkout-test.adyen.com").unwrap()],
            world,
            sim,
        };
        let endpoint = format!(
            "url=https%3A%2F%2Fpay.example%2Fn&hmac_key={HMAC_KEY}&username=adyen&password=let+me+in"
        );
        shop.posted("/_sim/webhooks", &endpoint);
        shop
    }

    pub(crate) fn link(&self) -> Link<'_> {
        Link {
            connection: &self.connection,
            mode: Mode::Test,
            settings: &self.settings,
            credentials: Some(&self.credentials),
            base: None,
            http: ProcessorHttp::new(&self.adyen, &self.hosts),
            notification_url: Some(ADDRESS),
            mark: None,
            now: self.world.now(),
        }
    }

    /// Plays something to its end.
    pub(crate) fn play<T>(&self, story: impl Future<Output = T>) -> T {
        self.sim.run_until(story).unwrap()
    }

    /// Posts a form to one of the simulator's own addresses.
    pub(crate) fn posted(&self, path: &str, form: &str) -> processors::Reply {
        let kind = "application/x-www-form-urlencoded".to_owned();
        self.adyen.asked(&Request {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: [("content-type".to_owned(), kind)].into(),
            body: form.as_bytes().to_vec(),
            ..Request::default()
        })
    }

    /// The customer presses a button of a page, and comes back with this.
    pub(crate) fn press(&self, url: &str, word: &str) -> Returned {
        let path = url.strip_prefix(PUBLIC).unwrap();
        let reply = self.posted(path, &format!("result={word}"));
        let back = reply.headers.get("location").unwrap();
        let (_, result) = back.split_once("redirectResult=").unwrap();
        let result = result.replace("%21", "!");
        let came = [Parameter {
            name: "redirectResult".to_owned(),
            value: result,
        }];
        Returned::among(&["redirectResult"], &came).unwrap()
    }

    /// The notifications that Adyen sends now. All are taken.
    pub(crate) fn posts(&self) -> Vec<Post> {
        let now = self.adyen.now();
        let posts = self.adyen.machine().due(now);
        for post in &posts {
            self.adyen.machine().delivered(post.id, Some(200), now);
        }
        posts
    }

    /// Whether a notification is genuine, and what it says.
    pub(crate) fn read(&self, post: &Post) -> Result<Vec<Notice>, NotGenuine> {
        let headers: Vec<(String, String)> = post
            .headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let delivery = Delivery {
            body: &post.body,
            headers: &headers,
        };
        self.connector.prove(&self.link(), &delivery)?;
        Ok(self.connector.read(&delivery).unwrap())
    }

    /// What Adyen notifies within this time. Nothing of it is forged.
    pub(crate) fn reported(&self, seconds: u64) -> Vec<Notice> {
        self.play(self.world.sleep(std::time::Duration::from_secs(seconds)));
        let posts = self.posts();
        posts
            .iter()
            .flat_map(|post| self.read(post).unwrap())
            .collect()
    }

    pub(crate) fn arm(&self, fault: &str, path: &str) {
        let armed = Armed::parse(fault).unwrap().times(1).at(path);
        self.adyen.machine().arm(armed);
    }

    pub(crate) fn reference(&self) -> Reference {
        Reference::new(PaymentId::new(self.world.uuid_v7()), 1)
    }

    /// A sale of 10.00 EUR within the time that a call has; `None`: its time was over.
    pub(crate) fn sale(
        &self,
        reference: &Reference,
        card: &CardData,
    ) -> Option<Result<Answer, CallError>> {
        let call = authorisation(reference, card, 1000);
        let link = self.link();
        let timeout = self.connector.descriptor().call_timeout;
        let asked = self.connector.authorise(&link, &call);
        self.play(self.world.timeout(timeout, asked)).ok()
    }

    /// The simulator's books.
    pub(crate) fn books(&self) -> Value {
        let request = Request {
            method: "GET".to_owned(),
            path: "/_sim/books".to_owned(),
            ..Request::default()
        };
        serde_json::from_slice(&self.adyen.asked(&request).body).unwrap()
    }

    /// How many payments have money.
    pub(crate) fn charges(&self) -> usize {
        let books = self.books();
        let payments = books["payments"].as_array().unwrap();
        let has_money = |payment: &&Value| payment["captured"].as_i64() > Some(0);
        payments.iter().filter(has_money).count()
    }
}

/// A request for a sale that the customer is present for.
pub(crate) fn authorisation<'a>(
    reference: &'a Reference,
    card: &'a CardData,
    minor: i64,
) -> Authorise<'a> {
    Authorise {
        reference,
        money: euros(minor),
        capture: true,
        method: Method::Visa,
        funding_source: FundingSource::Card(card),
        three_ds: ThreeDsCall {
            wish: ThreeDsWish::AsIssuer,
            return_url: Some("https://pay.example/3ds/abc"),
            browser: None,
        },
        merchant_initiated: false,
        stored: None,
        shopper: None,
        payer: None,
        statement_descriptor: None,
        fraud: None,
    }
}

pub(crate) fn euros(minor: i64) -> Money {
    Money::new(minor, Currency::parse("EUR").unwrap())
}

pub(crate) fn card(number: &str) -> CardData {
    CardData {
        number: CardNumber::parse(number.to_owned()).unwrap(),
        expiry: Expiry::parse(3, 2034).unwrap(),
        cvc: Some(SecurityCode::parse("737".to_owned()).unwrap()),
        brand: "VISA".to_owned(),
        name: None,
        address: None,
    }
}

/// A card whose holder's name says what becomes of it.
pub(crate) fn named(name: &str) -> CardData {
    CardData {
        name: Some(name.to_owned()),
        ..card("4111111111111111")
    }
}
