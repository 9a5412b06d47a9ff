//! Pages for shoppers: what a bank, or the page of another method, would show.

use crate::Reply;

/// A button of a page: what it sends as `result`, and its text.
pub(crate) type Button = (&'static str, &'static str);

/// How the pages look: as plain as a bank's, readable on a phone and in the dark.
const STYLE: &str = "\
    :root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}\
    body{max-width:26rem;margin:12vh auto 0;padding:1.5rem;border:1px solid GrayText;border-radius:12px}\
    h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:0 0 1.25rem}\
    form{display:flex;flex-wrap:wrap;gap:.75rem}\
    button{font:inherit;flex:1 1 8rem;min-height:2.75rem;border:1px solid #3b5bdb;border-radius:8px;background:Canvas;color:CanvasText;cursor:pointer}\
    button:first-child{background:#3b5bdb;color:#fff}\
    @media(max-width:28rem){body{margin:0;border:0}}";

/// What is shown after an answer that no button gives.
pub(crate) const UNKNOWN_ANSWER: &str = "<p>The answer is none of this page's.</p>";

/// A page that asks the shopper to press a button. `amount` is shown as it is.
pub(crate) fn question(title: &str, amount: &str, buttons: &[Button]) -> Reply {
    let buttons: Vec<String> = buttons
        .iter()
        .map(|(value, text)| format!("<button name=\"result\" value=\"{value}\">{text}</button>"))
        .collect();
    html(
        200,
        &format!(
            "<h1>{title} test page</h1><p>{amount}<br>This is a simulator: no money moves.</p><form method=\"post\">{}</form>",
            buttons.join(" ")
        ),
    )
}

/// An amount as people read it.
pub(crate) fn amount(value: i64, decimals: u8, currency: &str) -> String {
    let decimals = usize::from(decimals);
    let text = format!("{value:0>width$}", width = decimals.saturating_add(1));
    let (whole, rest) = text.split_at(text.len().saturating_sub(decimals));
    let point = if rest.is_empty() { "" } else { "." };
    format!("{whole}{point}{rest} {currency}")
}

/// Sends the shopper on to `location`.
pub(crate) fn onward(location: String) -> Reply {
    let mut reply = html(302, "");
    reply.headers.insert("location".to_owned(), location);
    reply
}

/// A page around `inner`.
pub(crate) fn html(status: u16, inner: &str) -> Reply {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Simulator</title><link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style><body>{inner}</body></html>"
    );
    let headers = [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
    ];
    let headers = headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Reply {
        status,
        headers,
        body: body.into_bytes(),
    }
}
