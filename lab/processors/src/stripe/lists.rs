//! Lists, search, and `expand`.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    books::{Books, Row, Table},
    refusal::Refusal,
};
use crate::form::Form;

/// How many objects a page has where nothing is said, and at most.
const USUAL: usize = 10;
const MOST: usize = 100;
/// How far search lags where no fault says otherwise. Stripe: "less than a minute".
const SEARCH_LAG: Duration = Duration::from_secs(1);

/// A page of a table, the newest first.
pub(super) fn list<T: Row>(
    books: &Books,
    table: &Table<T>,
    form: &Form,
    address: &str,
    wanted: impl Fn(&T) -> bool,
) -> Result<Value, Refusal> {
    for cursor in ["starting_after", "ending_before"] {
        if let Some(id) = form.text(cursor) {
            table.get(id, cursor)?;
        }
    }
    let limit = limit(form)?;
    let fits = |row: &&T| wanted(row) && is_in_time(row.created(), form);
    let all: Vec<&T> = table.newest_first().filter(fits).collect();
    let position = |id: &str| {
        table
            .newest_first()
            .filter(fits)
            .position(|row| row.id() == id)
    };
    let from = form
        .text("starting_after")
        .and_then(position)
        .map_or(0, |at| at.saturating_add(1));
    let until = form
        .text("ending_before")
        .and_then(position)
        .unwrap_or(all.len());
    let from = if form.text("ending_before").is_some() {
        from.max(until.saturating_sub(limit))
    } else {
        from
    };
    let window = all.get(from..until).unwrap_or_default();
    let data: Vec<Value> = window
        .iter()
        .take(limit)
        .map(|row| row.view(books))
        .collect();
    Ok(json!({"object": "list", "data": data, "has_more": window.len() > limit, "url": address}))
}

fn limit(form: &Form) -> Result<usize, Refusal> {
    let Some(limit) = form.integer("limit") else {
        return Ok(USUAL);
    };
    let fine = usize::try_from(limit)
        .ok()
        .filter(|limit| (1..=MOST).contains(limit));
    fine.ok_or_else(|| {
        let message = "Invalid limit: it must be between 1 and 100";
        Refusal::malformed(message).param("limit")
    })
}

fn is_in_time(created: u64, form: &Form) -> bool {
    let created = i64::try_from(created).unwrap_or(i64::MAX);
    let holds = |name: &str, test: fn(i64, i64) -> bool| {
        form.integer(name).is_none_or(|bound| test(created, bound))
    };
    holds("created", |a, b| a == b)
        && holds("created[gt]", |a, b| a > b)
        && holds("created[gte]", |a, b| a >= b)
        && holds("created[lt]", |a, b| a < b)
        && holds("created[lte]", |a, b| a <= b)
}

/// Intents by a query, as of a while ago: an intent that is younger isn't found yet.
pub(super) fn search(books: &Books, form: &Form, lag: Option<Duration>) -> Result<Value, Refusal> {
    let query = form.text("query").unwrap_or_default();
    let clauses = query
        .split(" AND ")
        .map(clause)
        .collect::<Result<Vec<_>, _>>()?;
    let horizon = books
        .now
        .saturating_sub(lag.unwrap_or(SEARCH_LAG))
        .as_secs();
    let found = books
        .intents
        .newest_first()
        .filter(|intent| intent.created <= horizon);
    let data: Vec<Value> = found
        .map(|intent| intent.view(books))
        .filter(|view| clauses.iter().all(|clause| clause.holds(view)))
        .take(limit(form)?)
        .collect();
    Ok(
        json!({"object": "search_result", "data": data, "has_more": false, "next_page": null, "url": "/v1/payment_intents/search"}),
    )
}

/// `metadata['name']:'value'`, `status:'succeeded'`, `amount:1000`.
struct Clause {
    pointer: String,
    value: String,
}

impl Clause {
    fn holds(&self, view: &Value) -> bool {
        match view.pointer(&self.pointer) {
            Some(Value::String(text)) => *text == self.value,
            Some(Value::Number(number)) => number.to_string() == self.value,
            _ => false,
        }
    }
}

fn clause(text: &str) -> Result<Clause, Refusal> {
    let wrong = || {
        let message = format!("We were unable to parse your search query near {text:?}.");
        Refusal::malformed(&message).param("query")
    };
    let (field, value) = text.trim().rsplit_once(':').ok_or_else(wrong)?;
    let bare = |text: &str| {
        let quoted = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
        quoted('\'').or_else(|| quoted('"')).map(str::to_owned)
    };
    let pointer = match field
        .strip_prefix("metadata[")
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(name) => format!("/metadata/{}", bare(name).ok_or_else(wrong)?),
        None if matches!(field, "amount" | "currency" | "customer" | "status") => {
            format!("/{field}")
        }
        None => return Err(wrong()),
    };
    let value = bare(value).or_else(|| value.parse::<i64>().is_ok().then(|| value.to_owned()));
    Ok(Clause {
        pointer,
        value: value.ok_or_else(wrong)?,
    })
}

/// What can be expanded.
const EXPANDABLE: &[&str] = &[
    "balance_transaction",
    "charge",
    "customer",
    "data",
    "latest_charge",
    "payment_intent",
    "payment_method",
    "source",
];
/// How deep. Source: docs.stripe.com/expand.
const DEEPEST: usize = 4;

/// Refuses what can't be expanded, before anything begins.
pub(super) fn check_expand(form: &Form) -> Result<(), Refusal> {
    for path in form.list("expand") {
        let fits = path.split('.').all(|segment| EXPANDABLE.contains(&segment));
        if !fits || path.split('.').count() > DEEPEST {
            let message = format!("This property cannot be expanded ({path}).");
            return Err(Refusal::malformed(&message).param("expand"));
        }
    }
    Ok(())
}

/// Puts objects in the place of their ids, as `expand[]` asks for.
pub(super) fn expand(books: &Books, view: &mut Value, form: &Form) {
    for path in form.list("expand") {
        let segments: Vec<&str> = path.split('.').collect();
        expand_one(books, view, &segments);
    }
}

fn expand_one(books: &Books, view: &mut Value, segments: &[&str]) {
    let Some((first, rest)) = segments.split_first() else {
        return;
    };
    if let Value::Array(items) = view {
        for item in items {
            expand_one(books, item, segments);
        }
        return;
    }
    let Some(member) = view
        .as_object_mut()
        .and_then(|members| members.get_mut(*first))
    else {
        return;
    };
    if let Some(object) = member.as_str().and_then(|id| books.show(id)) {
        *member = object;
    }
    expand_one(books, member, rest);
}
