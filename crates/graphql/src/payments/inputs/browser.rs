//! What a customer's browser says of itself.

use domain::{
    Fault, Faults,
    browser::{self, Browser, WindowSize},
};

use crate::shared::Reader;

/// An object that says nothing is as if it were absent.
pub(super) fn parse(fields: Option<Reader>) -> Result<Option<Box<Browser>>, Fault> {
    let Some(mut fields) = fields.filter(|fields| !fields.says_nothing()) else {
        return Ok(None);
    };
    let mut faults = Faults::default();
    let browser = Browser {
        language: faults.or_default(text(&mut fields, "language", |text, field| {
            browser::language(text.to_owned(), field)
        })),
        color_depth: faults.or_default(number(&mut fields, "colorDepth", browser::color_depth)),
        screen_height: faults.or_default(number(&mut fields, "screenHeight", browser::pixels)),
        screen_width: faults.or_default(number(&mut fields, "screenWidth", browser::pixels)),
        time_zone_offset: faults.or_default(number(
            &mut fields,
            "timeZoneOffset",
            browser::time_zone_offset,
        )),
        user_agent: faults.or_default(text(&mut fields, "userAgent", browser::header)),
        accept_header: faults.or_default(text(&mut fields, "acceptHeader", browser::header)),
        java_enabled: faults.or_default(fields.flag_if_given("javaEnabled")),
        window_size: faults.or_default(text(&mut fields, "windowSize", |text, field| {
            let reason = "must be 01, 02, 03, 04 or 05";
            WindowSize::parse(text).ok_or_else(|| Fault::invalid(field, reason))
        })),
    };
    faults.end(Some(Box::new(browser)))
}

fn text<T>(
    fields: &mut Reader,
    name: &str,
    check: impl Fn(&str, &str) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let given = fields.raw(name);
    given.map(|text| check(&text, &fields.at(name))).transpose()
}

fn number(
    fields: &mut Reader,
    name: &str,
    check: fn(i32, &str) -> Result<i32, Fault>,
) -> Result<Option<i32>, Fault> {
    let given = fields.int(name)?;
    given
        .map(|number| check(number, &fields.at(name)))
        .transpose()
}
