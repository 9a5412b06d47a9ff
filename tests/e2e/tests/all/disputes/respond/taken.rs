//! What the processor takes, and what comes of it.

use serde_json::json;
use testkit::{PATIENCE, Shop, at_once, cards, until};

use super::{
    super::{events_of, in_status},
    PDF, accept, disputed, draft, id_of, pdf, read, server, submit, submit_once, taken_of, text,
    titles,
};

#[test]
fn evidence_is_drafted_amended_submitted_once_and_wins() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    let first = draft(
        &shop,
        &id,
        &json!({"texts": [text("OTHER", "A first word.")]}),
    );
    assert_eq!(first.root()["response"]["state"], "DRAFT");
    assert!(taken_of(&shop, &dispute).is_empty(), "a draft is not sent");
    let file = shop.attach_to_dispute(&id, &pdf("letter.pdf"));
    let payments = shop.attach(dispute["paymentId"].as_str().unwrap(), PDF);
    let texts = [
        text("OTHER", "Our words."),
        text("DELIVERY", "Handed over."),
    ];
    draft(
        &shop,
        &id,
        &json!({"texts": texts, "attachments": [file, payments]}),
    )
    .root();
    let kept = "query($id: ID!) { disputeEvidence(id: $id) { attachments { id } \
        evidence { texts { kind text } response { state attachmentIds } } } }";
    let kept = shop.gql(kept, json!({ "id": id }));
    assert_eq!(kept.root()["evidence"]["texts"], json!(texts));
    assert_eq!(
        kept.root()["evidence"]["response"]["attachmentIds"],
        json!([file, payments])
    );
    assert_eq!(kept.root()["attachments"].as_array().unwrap().len(), 2);
    // The draft is what is submitted.
    let submitted = submit(&shop, &id, &json!({}));
    let submitted = submitted.root();
    assert_eq!(submitted["response"]["state"], "TAKEN", "{submitted}");
    assert_eq!(submitted["status"], "SENT_FOR_REVIEW");
    let again = submit(&shop, &id, &json!({}));
    again.assert_error("error.dispute.invalid-status");
    assert_eq!(again.extension("id"), &json!(id));
    let payment = dispute["paymentId"].as_str().unwrap();
    let won = in_status(&shop, payment, None, "WON");
    shop.wait_for_status(payment, "SUCCEEDED");
    let taken = taken_of(&shop, &dispute);
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert_eq!(taken[0]["texts"], 2);
    let names: Vec<_> = taken[0]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].clone())
        .collect();
    assert_eq!(names, ["letter.pdf", "receipt.pdf"]);
    let titles = titles(&read(&shop, &id));
    for title in [
        "Evidence was saved as a draft",
        "Evidence is submitted",
        "The response was taken",
        "The response was sent",
        "The dispute was won",
    ] {
        assert!(titles.iter().any(|one| one == title), "{title}: {titles:?}");
    }
    let kinds = until(PATIENCE, "the events", || {
        let kinds = events_of(&shop, won["id"].as_str().unwrap());
        kinds.contains(&"dispute.won".to_owned()).then_some(kinds)
    });
    // Drafts and what is under way are no events for merchants.
    assert_eq!(kinds[..2], ["dispute.opened", "dispute.updated"]);
    assert!(kinds.iter().all(|kind| kind != "dispute.response"));
}

#[test]
fn evidence_loses_where_the_card_says_so_and_the_payment_stays_disputed() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED_GOODS);
    let evidence = json!({"texts": [text("DELIVERY", "Handed over.")]});
    submit(&shop, &id_of(&dispute), &evidence).root();
    let payment = dispute["paymentId"].as_str().unwrap();
    in_status(&shop, payment, None, "LOST");
    shop.payment(payment).assert_status("DISPUTED");
}

#[test]
fn a_dispute_is_accepted_once_and_lost() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    draft(&shop, &id, &json!({"texts": [text("OTHER", "We regret.")]})).root();
    let key = Shop::fresh_key();
    let accepted = accept(&shop, &id, Some(&key));
    assert_eq!(accepted.root()["status"], "LOST");
    assert_eq!(accepted.root()["response"]["kind"], "ACCEPTANCE");
    assert_eq!(accepted.root()["response"]["state"], "TAKEN");
    let again = accept(&shop, &id, Some(&key));
    assert!(again.replayed());
    assert_eq!(again.root(), accepted.root());
    accept(&shop, &id, None).assert_error("error.dispute.invalid-status");
    let evidence = json!({"texts": [text("OTHER", "No.")]});
    submit(&shop, &id, &evidence).assert_error("error.dispute.invalid-status");
    let payment = dispute["paymentId"].as_str().unwrap();
    shop.payment(payment).assert_status("DISPUTED");
    let taken = taken_of(&shop, &dispute);
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0]["accepts"], true);
}

#[test]
fn of_two_submissions_at_once_one_is_sent() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    let evidence = |n: usize| json!({"texts": [text("OTHER", &format!("Word {n}."))]});
    let answers = at_once(4, |n| submit(&shop, &id, &evidence(n)));
    let good = answers
        .iter()
        .filter(|answer| answer.error_code().is_none());
    assert_eq!(good.count(), 1);
    for answer in answers.iter().filter_map(|answer| answer.error_code()) {
        let known = [
            "error.payment.operation-in-progress",
            "error.dispute.invalid-status",
        ];
        assert!(known.contains(&answer), "{answer}");
    }
    assert_eq!(taken_of(&shop, &dispute).len(), 1);
}

#[test]
fn copies_under_one_key_get_one_answer() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    let key = Shop::fresh_key();
    let evidence = json!({"texts": [text("OTHER", "One word.")]});
    let answers = at_once(4, |_| submit_once(&shop, &id, &evidence, Some(&key)));
    for answer in &answers {
        assert_eq!(answer.root(), answers[0].root());
    }
    let other = json!({"texts": [text("TIMELINE", "Another word.")]});
    let reused = submit_once(&shop, &id, &other, Some(&key));
    reused.assert_error("error.idempotency.key-reused");
    assert_eq!(taken_of(&shop, &dispute).len(), 1);
}

#[test]
fn a_document_of_what_is_known_is_shown_before_made_sent_and_kept() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    let query = "query($id: ID!) { disputeEvidence(id: $id) { documentUrl } }";
    let evidence = shop.gql(query, json!({ "id": id }));
    let url = evidence.root()["documentUrl"].as_str().unwrap().to_owned();
    let shown = shop.download(&url);
    assert_eq!(shown.status, 200, "{}", shown.text());
    assert!(shown.body.starts_with(b"%PDF-"));
    let disposition = shown.header("content-disposition").unwrap();
    assert!(disposition.contains("evidence.pdf"), "{disposition}");
    assert!(shop.attachments_of_dispute(&id).is_empty());
    let (altered, _) = url.split_at(url.len() - 1);
    assert_eq!(shop.download(altered).status, 404);
    draft(&shop, &id, &json!({"document": true})).root();
    let submitted = submit(&shop, &id, &json!({}));
    assert_eq!(submitted.root()["response"]["state"], "TAKEN");
    let kept = shop.attachments_of_dispute(&id);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0]["fileName"], "evidence.pdf");
    assert_eq!(
        submitted.root()["response"]["attachmentIds"],
        json!([kept[0]["id"]])
    );
    let found = shop.download(kept[0]["accessUrl"].as_str().unwrap());
    assert!(found.body.starts_with(b"%PDF-"));
    let taken = taken_of(&shop, &dispute);
    assert_eq!(taken[0]["files"][0]["bytes"], kept[0]["size"]);
}

#[test]
fn of_documents_that_are_made_at_once_the_one_that_is_sent_becomes_a_file() {
    let shop = server().shop();
    let dispute = disputed(&shop, cards::DISPUTED);
    let id = id_of(&dispute);
    let answers = at_once(6, |_| {
        let answer = submit(&shop, &id, &json!({"document": true}));
        answer.error_code().is_none()
    });
    assert_eq!(answers.iter().filter(|is_taken| **is_taken).count(), 1);
    let kept = shop.attachments_of_dispute(&id);
    assert_eq!(kept.len(), 1, "{kept:?}");
    // The others were never files, so that no death of a process could have left one.
    let trail = server().run(&["audit", "list", "--json", "--act", "attachment.stored"]);
    let stored = trail.lines().filter(|line| line.contains(&id)).count();
    assert_eq!(stored, 1, "{trail}");
}

#[test]
fn drafts_that_are_saved_at_once_all_count_and_what_is_submitted_is_the_draft_that_was_answered() {
    let shop = server().shop();
    for round in 0..3 {
        let dispute = disputed(&shop, cards::DISPUTED);
        let id = id_of(&dispute);
        let file = shop.attach_to_dispute(&id, &pdf("letter.pdf"));
        let parts = [
            json!({"texts": [text("OTHER", "A word.")]}),
            json!({"attachments": [file]}),
            json!({"document": true}),
        ];
        let answers = at_once(parts.len(), |n| draft(&shop, &id, &parts[n]));
        for answer in &answers {
            answer.root();
        }
        let query = "query($id: ID!) { disputeEvidence(id: $id) { evidence { document texts { kind } response { attachmentIds } } } }";
        let kept = shop.gql(query, json!({ "id": id })).root()["evidence"].clone();
        let count = |of: &str| kept.pointer(of).unwrap().as_array().unwrap().len();
        let all = (
            count("/texts"),
            count("/response/attachmentIds"),
            kept["document"].as_bool(),
        );
        assert_eq!(all, (1, 1, Some(true)), "round {round}");
        // A draft that was answered before the submission began is what was submitted.
        let more = [text("OTHER", "A word."), text("TIMELINE", "Another.")];
        let answers = at_once(2, |n| match n {
            0 => draft(&shop, &id, &json!({"texts": more})),
            _ => submit(&shop, &id, &json!({})),
        });
        let is_kept = answers[0].error_code().is_none();
        let sent = taken_of(&shop, &dispute);
        assert_eq!(sent.len(), 1, "round {round}");
        let texts = 1 + usize::from(is_kept);
        assert_eq!(sent[0]["texts"], texts, "round {round}: {}", sent[0]);
    }
}
