//! Pages for shoppers: what a bank, or the page of another method, would show.

use crate::Reply;

/// A button of a page: what it sends as `result`, and its text.
pub(crate) type Button = (&'static str, &'static str);

/// A page that asks the shopper to press a button. `amount` is shown as it is.
pub(crate) fn question(title: &str, amount: &str, buttons: &[Button]) -> Reply {
    let buttons: Vec<String> = buttons
        .iter()
        .map(|(value, text)| format!("<button name=\"result\" value=\"{value}\">{text}</button>"))
        .collect();
    html(
        200,
        &format!(
            "<h1>{title} test page</h1><p>{amount}</p><form method=\"post\">{}</form>",
            buttons.join(" ")
        ),
    )
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
         <title>Simulator</title><body>{inner}</body></html>"
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
