//! Responses to disputes: one at a time, each looked for before it is sent again, and in the end as the processor has it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Evidence, Exchange, Findings,
    case::happened_in,
    disputes::{File, facts_in, key_of},
    is_reported_undone, list, number, text,
};

/// What one event says of a response.
struct Word<'a> {
    n: i64,
    kind: &'a str,
    state: &'a str,
}

/// A response as its events say it stands.
#[derive(Clone, Copy)]
struct Response<'a> {
    kind: &'a str,
    state: &'a str,
    /// The stage in which it began.
    stage: &'a str,
}

/// Whether a dispute is shown with a response of which nobody knows yet what became of it.
pub(crate) fn is_responding(listed: &Value) -> bool {
    listed.pointer("/response/state").and_then(Value::as_str) == Some("SENDING")
}

/// Judges the responses to a dispute.
pub(super) fn of_a_dispute(file: &File<'_>, evidence: &Evidence, findings: &mut Findings) {
    let responses = one_at_a_time(file, findings);
    as_booked(file, &responses, findings);
    let about = |note: &&Value| text(note, "dispute") == text(file.booked, "id");
    let asked: Vec<&Value> = evidence.disputes.asked.iter().filter(about).collect();
    let said = |said: &&Exchange| {
        let is_response = matches!(said.verb, "submitDisputeEvidence" | "acceptDispute");
        is_response && text(&said.asked, "id") == file.id()
    };
    let said: Vec<&Exchange> = evidence.said.iter().filter(said).collect();
    looked_for_first(file, &asked, findings);
    what_was_given(file, &asked, &said, findings);
    once_for_each_request(file, &responses, &said, findings);
    acknowledged(file, &said, findings);
}

fn words_in(row: &Value) -> impl Iterator<Item = Word<'_>> {
    let happened = happened_in(row).iter();
    let responses = happened.filter(|one| text(one, "kind") == "dispute.response");
    responses.map(|one| Word {
        n: number(one, "n"),
        kind: text(one, "response"),
        state: text(one, "state"),
    })
}

/// No response begins while another is under way, nor after one was taken and before the processor asks again. How each stands in the
/// end, by its number.
fn one_at_a_time<'a>(file: &File<'a>, findings: &mut Findings) -> BTreeMap<i64, Response<'a>> {
    let mut responses: BTreeMap<i64, Response<'a>> = BTreeMap::new();
    // The stage whose response was taken.
    let mut answered: Option<&str> = None;
    let mut stage = "";
    for &row in &file.rows {
        for word in words_in(row) {
            let Word { n, kind, state } = word;
            let before = responses.get(&n).map_or("DRAFT", |known| known.state);
            let begins = before == "DRAFT" && state == "SENDING";
            let others = responses.iter().filter(|(other, _)| **other != n);
            let is_other = others
                .into_iter()
                .any(|(_, known)| known.state == "SENDING");
            let is_over = matches!(before, "TAKEN" | "REFUSED");
            if begins && (is_other || answered == Some(stage)) || is_over {
                let detail = format!("{kind} {n} became {state} after {before}, in {row}");
                findings.add("one-response-at-a-time", file.id(), detail);
            }
            // One that began in an earlier stage answers nothing in this one.
            let began = responses.get(&n).filter(|_| !begins);
            let began = began.map_or(stage, |known| known.stage);
            if state == "TAKEN" {
                answered = Some(began);
            }
            let known = Response {
                kind,
                state,
                stage: began,
            };
            responses.insert(n, known);
        }
        if let Some(facts) = facts_in(row) {
            stage = text(facts, "stage");
            if text(facts, "status") != "NEEDS_RESPONSE" {
                // It may ask again in the same stage.
                answered = None;
            }
        }
    }
    responses
}

/// What is shown as taken the processor has, what is shown as refused it has not, and what it has was decided here.
fn as_booked(file: &File<'_>, responses: &BTreeMap<i64, Response<'_>>, findings: &mut Findings) {
    let booked = list(file.booked, "responses");
    // Some processors keep no reference: as many are taken there as are shown so.
    let is_of = |one: &Value, n: i64, kind: &str| {
        let is_unnamed = one.get("reference") == Some(&Value::Null);
        text(one, "reference") == reference(file, n) || is_unnamed && kind_of(one) == kind
    };
    let unnamed = booked
        .iter()
        .filter(|one| one.get("reference") == Some(&Value::Null));
    let taken = responses.values().filter(|one| one.state == "TAKEN");
    let (unnamed, taken) = (unnamed.count(), taken.count());
    let is_known = responses.values().all(|one| one.state != "UNCONFIRMED");
    if unnamed > 0 && is_known && unnamed != taken {
        let detail = format!("{taken} are taken, the processor has {booked:?}");
        findings.add("responses-are-as-booked", file.id(), detail);
    }
    for (n, Response { kind, state, .. }) in responses {
        let is_right = match *state {
            "TAKEN" => booked.iter().any(|one| is_of(one, *n, kind)),
            "UNCONFIRMED" => true,
            "REFUSED" | "DRAFT" => unnamed > 0 || !booked.iter().any(|one| is_of(one, *n, kind)),
            _ => {
                let detail = format!("{kind} {n} is still {state}");
                findings.add("responses-are-settled", file.id(), detail);
                continue;
            }
        };
        if !is_right {
            let detail = format!("{kind} {n} is {state}, the processor has {booked:?}");
            findings.add("responses-are-as-booked", file.id(), detail);
        }
    }
    for one in booked {
        let kind = kind_of(one);
        let known = responses
            .iter()
            .any(|(n, response)| response.kind == kind && is_of(one, *n, kind));
        if !known {
            let detail = format!("nobody decided {one}");
            findings.add("responses-are-as-booked", file.id(), detail);
        }
    }
}

/// What a response is that a processor has.
fn kind_of(booked: &Value) -> &'static str {
    if booked.get("accepts") == Some(&Value::Bool(true)) {
        "ACCEPTANCE"
    } else {
        "EVIDENCE"
    }
}

/// Under which a response is sent, whenever that is.
fn reference(file: &File<'_>, n: i64) -> String {
    format!("dispute-{}-{n}", key_of(file.id()))
}

/// A response is sent again only after the processor said that it does not have it, and under the same reference.
fn looked_for_first(file: &File<'_>, asked: &[&Value], findings: &mut Findings) {
    let known: BTreeSet<String> = file
        .rows
        .iter()
        .flat_map(|row| words_in(row))
        .filter(|word| word.state == "SENDING")
        .map(|word| reference(file, word.n))
        .collect();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for note in asked {
        let reference = text(note, "reference");
        match text(note, "what") {
            "absent" => {
                open.remove(reference);
            }
            "sent" => {
                if !known.contains(reference) {
                    let detail = format!("no commit knows of {note}");
                    findings.add("responses-are-as-booked", file.id(), detail);
                }
                if !open.insert(reference) {
                    let detail = format!("sent again without a look-up: {note}");
                    findings.add("responses-are-looked-for-first", file.id(), detail);
                }
            }
            _ => {}
        }
    }
}

/// The texts that are sent are those that somebody gave.
fn what_was_given(file: &File<'_>, asked: &[&Value], said: &[&Exchange], findings: &mut Findings) {
    let given: Vec<&Value> = said
        .iter()
        .filter_map(|said| said.asked.pointer("/evidence/texts"))
        .collect();
    for note in asked {
        let texts = list(note, "texts");
        let is_given = given
            .iter()
            .any(|given| given.as_array().map(Vec::as_slice) == Some(texts));
        if !texts.is_empty() && !is_given {
            let detail = format!("nobody gave {note}");
            findings.add("evidence-is-what-was-given", file.id(), detail);
        }
    }
}

/// No more was sent than was asked for.
fn once_for_each_request(
    file: &File<'_>,
    responses: &BTreeMap<i64, Response<'_>>,
    said: &[&Exchange],
    findings: &mut Findings,
) {
    let mut keys: BTreeSet<(&str, &str)> = BTreeSet::new();
    let submits = |said: &&&Exchange| {
        said.verb == "acceptDispute" || said.asked.get("submit") == Some(&Value::Bool(true))
    };
    let counts = said.iter().filter(submits).filter(|said| match &said.key {
        Some(key) => keys.insert((said.verb, key)),
        None => !is_reported_undone(said),
    });
    let most = counts.count();
    let count = responses
        .values()
        .filter(|one| one.state != "DRAFT")
        .count();
    if count > most {
        let detail = format!("{count} responses, {most} asked for");
        findings.add("done-once-for-each-request", file.id(), detail);
    }
}

/// A response that was reported happened so.
fn acknowledged(file: &File<'_>, said: &[&Exchange], findings: &mut Findings) {
    let words: BTreeSet<(&str, &str)> = file
        .rows
        .iter()
        .flat_map(|row| words_in(row))
        .map(|word| (word.kind, word.state))
        .collect();
    for said in said {
        let data = said.answer.as_ref().and_then(|answer| answer.get("data"));
        let response = data.and_then(|data| data.get(said.verb)?.get("response"));
        let Some(response) = response.filter(|response| response.is_object()) else {
            continue;
        };
        if !words.contains(&(text(response, "kind"), text(response, "state"))) {
            let detail = format!("{} reported {response}, which no event knows", said.verb);
            findings.add("acknowledged-stays", file.id(), detail);
        }
    }
}
