//! The documents of the browser SDK: the frame with its form, the inside of the dialog of 3D Secure, where customers come
//! back to, and the hosted page. `sdk/src/frame/form.html` is the reference of the form's markup; a test compares.
//!
//! They load one script and one style, run nothing inline, and their texts are English until the script replaces them.

mod message;
mod saved_cards;
mod words;

use askama::Template;

pub use self::message::{BridgeEvent, Fact, Message, Tone, message};
pub use self::saved_cards::{SavedCard, SavedChoice};
pub use self::words::Words;
use self::{saved_cards::SavedCards, words::filled};
use crate::{Language, Text, plain};

/// The addresses of a document's script and style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assets {
    /// The script; empty where there is none.
    pub script: String,
    /// The style sheet.
    pub style: String,
    /// The nonce of inline styles, where the policy allows those of a wallet's network; else empty.
    pub nonce: String,
}

/// What a form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The card fields alone; the merchant's page has the button.
    Card,
    /// The whole checkout within the merchant's page.
    Checkout,
    /// The whole checkout as a page of its own.
    Hosted,
}

impl Surface {
    /// Its name in the markup.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Checkout => "checkout",
            Self::Hosted => "hosted",
        }
    }

    const fn pays(self) -> bool {
        matches!(self, Self::Checkout | Self::Hosted)
    }

    const fn is_hosted(self) -> bool {
        matches!(self, Self::Hosted)
    }
}

/// Whether money is real: `test` or `live`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No money moves; the page says so.
    Test,
    /// Money moves.
    Live,
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Live => "live",
        }
    }
}

/// What the server writes into a form.
struct Form<'a> {
    surface: Surface,
    /// The only origin that the frame talks to; empty on a page of its own.
    origin: &'a str,
    /// The checked options as JSON, on a page of its own.
    options: &'a str,
    /// Where card details go to, as people read it.
    host: &'a str,
    /// The form learns whose fields it needs before it is seen.
    asks_first: bool,
    words: &'a Words,
    /// What stands on the button.
    pay_label: String,
    /// The ways to pay beside a card.
    methods: Vec<OtherMethod>,
    has_no_address: bool,
    offers_saving: bool,
    wallets: WalletPlaces,
    saved: SavedCards,
}

impl Form<'_> {
    fn text(&self, key: &str) -> &str {
        self.words.get(key)
    }

    fn trust(&self) -> String {
        self.words.fill("trust.label", "host", self.host)
    }

    fn needs_script(&self) -> &'static str {
        Text::NeedsScript.in_language(self.words.language())
    }
}

/// A way to pay that leads the customer elsewhere, as `sdk/src/frame/methods.ts` draws it.
struct OtherMethod {
    /// The service's name of the method.
    code: &'static str,
    /// The id of its radio button.
    id: String,
    name: String,
    /// What will happen.
    note: String,
}

impl OtherMethod {
    /// The methods that the merchant asks for, in its order, each once.
    fn all(types: &[String], words: &Words) -> Vec<Self> {
        let mut known: Vec<Self> = Vec::new();
        for given in types {
            let (code, key) = match given.as_str() {
                "bnpla" | "klarna" => ("BNPLA", "payment-methods.klarna.label"),
                "paypal" | "walletc" => ("WALLETC", "payment-methods.paypal.label"),
                _ => continue,
            };
            if known.iter().any(|one| one.code == code) {
                continue;
            }
            let name = words.get(key).to_owned();
            known.push(Self {
                code,
                id: format!("method-{}", code.to_ascii_lowercase()),
                note: words.fill("redirect-note.label", "method", &name),
                name,
            });
        }
        known
    }
}

#[derive(Template)]
#[template(path = "sdk/frame.html")]
struct Frame<'a> {
    assets: &'a Assets,
    mode: &'static str,
    form: Form<'a>,
}

/// The document of a frame that was asked for by a page of `origin`. `asks_first`: some payments need a processor's own fields.
pub fn frame(
    surface: Surface,
    assets: &Assets,
    mode: Mode,
    origin: &str,
    asks_first: bool,
) -> String {
    let words = Words::of(Language::English);
    rendered(&Frame {
        assets,
        mode: mode.name(),
        form: Form {
            surface,
            origin,
            options: "{}",
            host: "",
            words: &words,
            // The amount comes with the options.
            pay_label: words
                .fill("pay-button.label", "amount", "")
                .trim()
                .to_owned(),
            methods: Vec::new(),
            has_no_address: false,
            offers_saving: false,
            wallets: WalletPlaces::default(),
            saved: SavedCards::default(),
            asks_first,
        },
    })
}

#[derive(Template)]
#[template(path = "sdk/challenge.html")]
struct Challenge<'a> {
    assets: &'a Assets,
    mode: &'static str,
    origin: &'a str,
}

/// The inside of the dialog that shows an issuer's page. It talks to pages of `origin` alone.
pub fn challenge(assets: &Assets, mode: Mode, origin: &str) -> String {
    rendered(&Challenge {
        assets,
        mode: mode.name(),
        origin,
    })
}

#[derive(Template)]
#[template(path = "sdk/fields.html")]
struct Fields<'a> {
    assets: &'a Assets,
    mode: &'static str,
    processor: &'a str,
    /// The processor's script.
    script: &'a str,
}

/// The document of a processor's own card fields, inside the form's frame. It talks to that frame alone.
pub fn fields(assets: &Assets, mode: Mode, processor: &str, script: &str) -> String {
    rendered(&Fields {
        assets,
        mode: mode.name(),
        processor,
        script,
    })
}

#[derive(Template)]
#[template(path = "sdk/return.html")]
struct Back<'a> {
    assets: &'a Assets,
    mode: &'static str,
    origin: &'a str,
}

/// Where a customer comes back to. It talks to pages of `origin` alone; to nobody where that is empty.
pub fn back(assets: &Assets, mode: Mode, origin: &str) -> String {
    rendered(&Back {
        assets,
        mode: mode.name(),
        origin,
    })
}

/// Why a frame is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused<'a> {
    /// The address names no origin.
    Missing,
    /// What it names is no origin.
    Malformed,
    /// Nobody has allowed this origin.
    NotAllowed {
        /// It.
        origin: &'a str,
    },
    /// It could not be found out.
    Unknown,
}

#[derive(Template)]
#[template(path = "sdk/refused.html")]
struct RefusedPage<'a> {
    assets: &'a Assets,
    page: Refused<'a>,
}

/// The page in place of a frame that is not shown.
pub fn refused(page: Refused<'_>, style: &str) -> String {
    let assets = Assets {
        script: String::new(),
        style: style.to_owned(),
        nonce: String::new(),
    };
    rendered(&RefusedPage {
        assets: &assets,
        page,
    })
}

/// What stands on the hosted page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosted {
    /// The shop's name.
    pub shop_name: String,
    /// Where its logo is.
    pub logo: Option<String>,
    /// The way back to the shop.
    pub back: Option<String>,
    /// What is to be paid, as people read it.
    pub amount: String,
    /// What it is for.
    pub description: Option<String>,
    /// What is bought.
    pub cart: Vec<CartLine>,
    /// The checked options as JSON.
    pub options: String,
    /// Where card details go to, as people read it.
    pub host: String,
    /// Whether some payments need a processor's own fields.
    pub asks_first: bool,
    /// Its texts.
    pub words: Words,
    /// What of the options is written into the form from the start.
    pub first: FirstOptions,
}

/// Options of which the form's look depends: written from the start, so that nothing moves when the script comes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FirstOptions {
    /// The types of ways to pay beside a card, as given.
    pub methods: Vec<String>,
    /// The merchant's own label of the button.
    pub pay_button: Option<String>,
    /// Whether no address is asked for.
    pub has_no_address: bool,
    /// Whether the customer may save a card.
    pub offers_saving: bool,
    /// Whether the merchant has a theme, which the script applies before anything is seen.
    pub is_themed: bool,
    /// The buttons of wallets.
    pub wallets: WalletPlaces,
    /// The customer's saved cards; `None` where they are not known here.
    pub saved: Option<SavedChoice>,
}

/// The places of wallets' buttons, which the form's script draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WalletPlaces {
    /// Whether a wallet is asked for at all.
    pub is_asked: bool,
    /// Whether wallet A's button will be there.
    pub a: bool,
    /// Whether wallet B's button will be there, in a browser that has the wallet.
    pub b: bool,
}

/// A line of a cart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CartLine {
    /// How many.
    pub quantity: String,
    /// Of what.
    pub item: String,
    /// For how much.
    pub amount: String,
}

#[derive(Template)]
#[template(path = "sdk/hosted.html")]
struct HostedPage<'a> {
    assets: &'a Assets,
    folder: String,
    mode: &'static str,
    page: &'a Hosted,
    form: Form<'a>,
    languages: [Named; 6],
}

/// A language by its code, with its own name.
type Named = (&'static str, &'static str);

/// The languages that the customer can choose from.
const LANGUAGES: [Named; 6] = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("nl", "Nederlands"),
    ("pt", "Português"),
];

impl HostedPage<'_> {
    fn text(&self, key: &str) -> &str {
        self.page.words.get(key)
    }

    /// A merchant's own texts may be of a language that the list does not have.
    fn has_own_language(&self) -> bool {
        let words = &self.page.words;
        !LANGUAGES.iter().any(|(code, _)| words.is_in(code))
    }
}

/// The hosted page, with the form in it.
pub fn hosted(assets: &Assets, mode: Mode, page: &Hosted) -> String {
    let (words, first) = (&page.words, &page.first);
    let label = first.pay_button.as_deref();
    let label = label.filter(|own| !own.is_empty());
    let label = label.unwrap_or_else(|| words.get("pay-button.label"));
    rendered(&HostedPage {
        assets,
        folder: crate::folder(),
        mode: mode.name(),
        page,
        form: Form {
            surface: Surface::Hosted,
            origin: "",
            options: &page.options,
            host: &page.host,
            words,
            pay_label: filled(label, "amount", &page.amount),
            methods: OtherMethod::all(&first.methods, words),
            has_no_address: first.has_no_address,
            offers_saving: first.offers_saving,
            wallets: first.wallets,
            saved: SavedCards::new(first, words),
            asks_first: page.asks_first,
        },
        languages: LANGUAGES,
    })
}

/// Control characters are left out: no page needs them. Writing into memory can't fail.
fn rendered(template: &impl Template) -> String {
    let text = template.render().unwrap_or_default();
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
