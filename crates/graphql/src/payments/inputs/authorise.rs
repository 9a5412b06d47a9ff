//! `authorizePayment`.

use domain::{
    Fault, Faults,
    browser::Browser,
    caller::Mode,
    method::Method,
    payment::{Initiator, Payer as KeptPayer, Recurring, RecurringReason, ThreeDsWish},
    redirect::RedirectUrl,
    spelling::nearest,
};

use engine::{Authorise, Instrument, Payer, Stored, Target, Wallet};
use serde_json::{Map, Value};

use super::{browser, wallet};
use crate::shared::{Blank, Reader, card, currency, person, redirect};

/// The argument of `authorizePayment`.
const ARGUMENT: &str = "authorisePayment";
/// The argument of `headlessAuthorizePayment`.
const HEADLESS: &str = "headlessAuthorisePayment";
/// Where the payment method stands in the arguments, as a JSON pointer.
pub(crate) const METHOD: &str = "/authorisePayment/paymentMethod";
/// The field that makes a payment headless.
const CONNECTION: &str = "paymentProcessorConnectionId";

/// An empty text counts as absent in every optional place. Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>, mode: Mode) -> Result<Authorise, Fault> {
    command(
        Reader::new(arguments, Blank::Absent).needed_object(ARGUMENT)?,
        mode,
    )
}

/// `headlessAuthorizePayment`: the same input under another name.
pub(crate) fn parse_headless(
    arguments: Map<String, Value>,
    mode: Mode,
) -> Result<Authorise, Fault> {
    let command = command(
        Reader::new(arguments, Blank::Absent).needed_object(HEADLESS)?,
        mode,
    )?;
    match &command.target {
        Target::Connection(_) => Ok(command),
        // An empty name must not make it a payment by the default flow.
        Target::Flow(_) => Err(Fault::invalid(
            format!("{HEADLESS}.{CONNECTION}"),
            "is required",
        )),
    }
}

/// Gives the argument of `headlessAuthorizePayment` the name that it has in `authorizePayment`.
pub(crate) fn rename_argument(arguments: &mut Value) {
    if let Value::Object(arguments) = arguments
        && let Some(given) = arguments.remove(HEADLESS)
    {
        arguments.insert(ARGUMENT.to_owned(), given);
    }
}

/// A fault of the engine with the path of the argument here: the engine names a place in the command.
pub(crate) fn of_plain(fault: Fault) -> Fault {
    moved(fault, |place| joined(ARGUMENT, place))
}

/// The same for a headless payment.
pub(crate) fn of_headless(fault: Fault) -> Fault {
    moved(fault, |place| joined(HEADLESS, place))
}

/// A fault of the arguments with the place in the command, as the engine has it: what is stored under an idempotency key may be
/// the answer to either operation.
pub(crate) fn of_command(fault: Fault) -> Fault {
    moved(fault, |field| {
        let place = [ARGUMENT, HEADLESS]
            .iter()
            .find_map(|argument| field.strip_prefix(argument));
        let place = place.unwrap_or(field);
        place.strip_prefix('.').unwrap_or(place).to_owned()
    })
}

fn joined(argument: &str, place: &str) -> String {
    if place.is_empty() {
        argument.to_owned()
    } else {
        format!("{argument}.{place}")
    }
}

/// The fault with other paths.
fn moved(mut fault: Fault, path: impl Fn(&str) -> String) -> Fault {
    if let Some(old) = fault.field.take() {
        let new = path(&old);
        if let Some(rest) = fault.message.strip_prefix(&old) {
            fault.message = format!("{new}{rest}");
        }
        fault.field = Some(new);
    }
    for listed in &mut fault.faults {
        listed.field = path(&listed.field);
    }
    fault
}

fn command(mut input: Reader, mode: Mode) -> Result<Authorise, Fault> {
    let mut faults = Faults::default();
    // One whose data are bad has no id: with an id nothing else is read.
    let payer = faults.or_default(payer(input.object("customer")));
    let with_customer = payer.as_ref().is_some_and(|payer| payer.id.is_some());
    let chosen = chosen(input.object("paymentMethod"), with_customer, mode).and_then(|chosen| {
        if chosen.instrument.is_some() || with_customer {
            return Ok(chosen);
        }
        let reason = "needs a token, a card or a wallet's token, unless customer.id names a customer whose default method is to be used";
        Err(input.invalid("paymentMethod", reason))
    });
    let Chosen {
        instrument,
        transaction,
    } = faults.or_default(chosen);
    let ThreeDSecure {
        wish: three_ds,
        redirect: three_ds_redirect,
        browser,
    } = faults.or_default(three_d_secure(&mut input));
    let initiator = |input: &mut Reader| input.choice("initiator", initiator);
    let command = Authorise {
        amount: faults.or_default(input.amount("amount")),
        currency: faults.or_default(currency(&mut input, "currencyCode")),
        target: faults
            .good(target(&mut input))
            .unwrap_or(Target::Flow(None)),
        intent: input.raw("intentId"),
        instrument,
        payer,
        order_id: faults.or_default(input.reference("orderId")),
        transaction_id: faults
            .or_default(input.reference("transactionId"))
            .or(transaction),
        description: faults.or_default(input.lines("description")),
        statement_descriptor: faults.or_default(input.text("statementDescriptor")),
        metadata: faults.or_default(input.json("metadata")),
        fraud: faults.or_default(input.json_object("fraud")),
        initiator: faults
            .or_default(initiator(&mut input))
            .unwrap_or(Initiator::Customer),
        recurring: faults.or_default(recurring(&mut input)),
        three_ds,
        three_ds_redirect,
        browser,
        apm_redirect: faults.or_default(redirect(&mut input, "apmRedirectUrl")),
    };
    faults.end(command)
}

/// Headless when, and only when, a connection is named.
fn target(input: &mut Reader) -> Result<Target, Fault> {
    match (input.raw("flowId"), input.raw(CONNECTION)) {
        (Some(_), Some(_)) => Err(input.invalid(
            "flowId",
            "must be absent when paymentProcessorConnectionId names a connection",
        )),
        (None, Some(connection)) => Ok(Target::Connection(connection)),
        (flow, None) => Ok(Target::Flow(flow)),
    }
}

/// What is said about 3D Secure.
struct ThreeDSecure {
    wish: ThreeDsWish,
    /// The customer's way back.
    redirect: Option<RedirectUrl>,
    browser: Option<Box<Browser>>,
}

impl Default for ThreeDSecure {
    fn default() -> Self {
        Self {
            wish: ThreeDsWish::AsIssuer,
            redirect: None,
            browser: None,
        }
    }
}

/// Both blocks at once would contradict each other.
fn three_d_secure(input: &mut Reader) -> Result<ThreeDSecure, Fault> {
    let (plain, headless) = (
        input.object("perform3DSecure"),
        input.object("performHeadless3DSecure"),
    );
    match (plain, headless) {
        (Some(_), Some(_)) => Err(input.invalid(
            "performHeadless3DSecure",
            "must be absent when perform3DSecure is given",
        )),
        (Some(mut block), None) => {
            let mut faults = Faults::default();
            let redirect = faults.or_default(redirect(&mut block, "redirectUrl"));
            let browser = faults.or_default(browser::parse(block.object("browser")));
            faults.end(ThreeDSecure {
                wish: ThreeDsWish::Request,
                redirect,
                browser,
            })
        }
        (None, Some(mut block)) => {
            let mut faults = Faults::default();
            let address = redirect(&mut block, "redirectUrl");
            let address = faults.good(block.needed("redirectUrl", address));
            let wish = if faults.or_default(block.flag("perform3DSecure")) {
                ThreeDsWish::Request
            } else {
                ThreeDsWish::AsIssuer
            };
            let browser = faults.or_default(browser::parse(block.object("browser")));
            faults.end(ThreeDSecure {
                wish,
                redirect: address,
                browser,
            })
        }
        (None, None) => Ok(ThreeDSecure::default()),
    }
}

/// Why a stored card is charged. An object that says nothing counts as absent.
fn recurring(input: &mut Reader) -> Result<Option<Recurring>, Fault> {
    let Some(mut block) = input
        .object("recurring")
        .filter(|block| !block.says_nothing())
    else {
        return Ok(None);
    };
    let mut faults = Faults::default();
    let reason = block.choice("reason", RecurringReason::parse);
    let reason = faults.good(block.needed("reason", reason));
    let first = faults.or_default(block.flag("first"));
    faults.end(reason.map(|reason| Recurring { reason, first }))
}

fn initiator(text: &str) -> Option<Initiator> {
    match text {
        "CUSTOMER" => Some(Initiator::Customer),
        "MERCHANT" => Some(Initiator::Merchant),
        _ => None,
    }
}

/// What is to be charged, and what a wallet's block tells besides.
#[derive(Default)]
struct Chosen {
    instrument: Option<Instrument>,
    transaction: Option<String>,
}

/// With a vault token the card's fields are ignored, good or bad.
fn chosen(fields: Option<Reader>, with_customer: bool, mode: Mode) -> Result<Chosen, Fault> {
    let Some(mut fields) = fields else {
        return Ok(Chosen::default());
    };
    let given = fields.raw("type").unwrap_or_default();
    let method = Method::parse(&given);
    if let Some(wallet) = method.and_then(Wallet::of_method) {
        return wallet::wallet(fields, wallet).map(|(input, transaction)| {
            let instrument = Some(Instrument::Wallet(Box::new(input)));
            Chosen {
                instrument,
                transaction,
            }
        });
    }
    let instrument = match method {
        Some(Method::Card) => match card_instrument(&mut fields, mode)? {
            None if with_customer => Some(Instrument::Stored(Stored {
                method: Method::Card,
                token: None,
            })),
            chosen => chosen,
        },
        Some(method) if method.is_direct_debit() => {
            if fields
                .object("card")
                .is_some_and(|card| !card.says_nothing())
            {
                return Err(fields.invalid("card", "fits payments of type CARD alone"));
            }
            let token = fields.raw("token");
            if token.is_none() && !with_customer {
                let reason = "is required: the token of a bank account, unless customer.id names a customer whose default \
                              method is one";
                return Err(fields.invalid("token", reason));
            }
            Some(Instrument::Stored(Stored { method, token }))
        }
        Some(method) if is_alternative(method) => {
            let mut faults = Faults::default();
            for (name, given) in [
                ("token", fields.raw("token").is_some()),
                ("card", fields.object("card").is_some()),
            ] {
                if given {
                    let reason =
                        "does not fit the type: the customer pays at the method's own page";
                    faults.add(fields.invalid(name, reason));
                }
            }
            Some(faults.end(Instrument::Method(method))?)
        }
        Some(method) if method.is_card() => {
            let reason =
                "must be CARD for cards of every brand: the brand is found from the number";
            return Err(fields.invalid("type", reason));
        }
        Some(_) | None => {
            return Err(fields.invalid("type", no_method(&given)));
        }
    };
    Ok(Chosen {
        instrument,
        transaction: None,
    })
}

/// Why what was given is no method, with the one that was probably meant.
fn no_method(given: &str) -> String {
    let near = nearest(given, Method::ALL.iter().map(|method| method.code()));
    match near.filter(|near| *near != given) {
        Some(near) => format!("is no method of payment (did you mean {near}?)"),
        None => "must be CARD, a wallet such as WALLETA_PAY, a direct debit such as SEPA_DIRECT_DEBIT, or an alternative method such \
                 as WALLETC, BNPLA or IDEAL"
            .to_owned(),
    }
}

/// Whether the customer pays with it at a page of its own: no card, no account, and no wallet whose tokens are sent.
fn is_alternative(method: Method) -> bool {
    !method.is_card()
        && Wallet::of_method(method).is_none()
        && !matches!(method, Method::Wallet | Method::Cash)
}

/// What a processor's own fields gave. Errors: `error.validation`.
fn of_fields(fields: &mut Reader, given: Reader) -> Result<Instrument, Fault> {
    let mut faults = Faults::default();
    for (name, other) in [
        ("token", fields.raw("token").is_some()),
        ("card", fields.object("card").is_some()),
    ] {
        if other {
            faults.add(fields.invalid(name, "must be absent where processorToken is given"));
        }
    }
    let given = faults.good(card::of_fields(given));
    faults.end(given.map(|given| Instrument::OfFields(Box::new(given))))
}

fn card_instrument(fields: &mut Reader, mode: Mode) -> Result<Option<Instrument>, Fault> {
    if let Some(given) = fields.object("processorToken") {
        return of_fields(fields, given).map(Some);
    }
    if let Some(token) = fields.raw("token") {
        return Ok(Some(Instrument::Token(token)));
    }
    let mut faults = Faults::default();
    if fields.any("walletToken").is_some() {
        faults.add(fields.invalid(
            "walletToken",
            "fits no payment of type CARD: name the wallet as the type",
        ));
    }
    let card = fields.object("card").filter(|card| !card.says_nothing());
    let card = card.map(|card| card::card(card, mode)).transpose();
    let card = faults.or_default(card);
    faults.end(Some(card.map(|card| Instrument::Card(Box::new(card)))))
}

fn payer(fields: Option<Reader>) -> Result<Option<Payer>, Fault> {
    let Some(mut fields) = fields.filter(|fields| !fields.says_nothing()) else {
        return Ok(None);
    };
    if let Some(id) = fields.raw("id") {
        return Ok(Some(Payer {
            id: Some(id),
            details: KeptPayer::default(),
        }));
    }
    let mut faults = Faults::default();
    let details = KeptPayer {
        id: None,
        email: faults.or_default(person::email(&mut fields)),
        name: faults.or_default(fields.name("name")),
        phone: faults.or_default(fields.text("phone")),
        description: faults.or_default(fields.lines("description")),
        billing: faults.or_default(person::address(&mut fields, "billingAddress")),
        shipping: faults.or_default(person::shipping(&mut fields, "shippingAddress")),
        company: faults.or_default(person::company(&mut fields, "company")),
    };
    faults.end(Some(Some(Payer { id: None, details })))
}

#[cfg(test)]
mod tests;
