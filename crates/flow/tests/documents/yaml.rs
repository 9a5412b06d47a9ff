//! How YAML and JSON are read.

use flow::{Action, Document, Trigger};
use serde_json::json;
use std::time::Duration;

use super::{LARGE, problems};

#[test]
fn a_document_is_read_from_yaml_and_json_alike() {
    let document = Document::parse(LARGE).unwrap();
    assert_eq!(
        (document.name.as_str(), &document.trigger),
        ("Route by currency", &Trigger::Payment)
    );
    assert_eq!(document.steps.len(), 9);
    assert_eq!(document.steps[1].id.as_deref(), Some("european-visa"));
    assert_eq!(
        document.steps[4].action,
        Action::Delay(Duration::from_hours(168))
    );
    let value = document.to_value();
    assert_eq!(Document::from_value(&value).unwrap(), document);
    assert_eq!(Document::parse(&value.to_string()).unwrap(), document);
    assert_eq!(
        Document::parse(&serde_json::to_string_pretty(&value).unwrap()).unwrap(),
        document
    );
    assert_eq!(Document::parse(&document.to_yaml()).unwrap(), document);
}

#[test]
fn yaml_is_written_as_people_write_it() {
    let document = Document::parse(LARGE).unwrap();
    let yaml = document.to_yaml();
    let (top, _) = yaml.split_once("  - refund").unwrap();
    assert_eq!(
        top,
        r#"name: Route by currency
trigger: payment
steps:
  - offer: [CARD, WALLETC]
  - id: european-visa
    if: 'payment.currency == "EUR" && card.brand == "VISA"'
    then:
      - three_d_secure: request
      - authorise: {connection: simulator-a}
    else:
      - authorise:
          split:
            - connection: simulator-a
              weight: 70
            - connection: simulator-b
              weight: 30
          fallback:
            to: [simulator-b]
            after: [soft_decline, outage]
  - capture: {after: 2s}
"#
    );
}

#[test]
fn texts_with_quotation_marks_come_back_as_they_were() {
    for note in [
        r#"say "it's" fine"#,
        r#"'"'"#,
        r#"a "b" \n \ c"#,
        "\"two\nlines\"",
        "\"zoë\"",
    ] {
        let value = json!({"name": "n", "trigger": "payment", "steps": [
            {"note": note}, {"authorise": {"connection": "simulator-a"}}]});
        let document = Document::from_value(&value).unwrap();
        let yaml = document.to_yaml();
        assert_eq!(Document::parse(&yaml).unwrap(), document, "{yaml}");
    }
}

#[test]
fn yaml_that_could_hide_something_is_refused() {
    assert_eq!(
        problems("a: &x 1\nb: *x"),
        ["line 1: anchors and aliases (`&…`, `*…`) are not taken: write it out"]
    );
    assert_eq!(
        problems("name: !!str a"),
        [
            "line 1: a tag (`!…`) is not taken; put a condition that begins with `!` in quotation marks"
        ]
    );
    assert_eq!(
        problems(
            "name: n\ntrigger: payment\nsteps:\n  - if: !has(metadata.plan)\n    then: [{note: a}]"
        ),
        [
            "line 4: a tag (`!…`) is not taken; put a condition that begins with `!` in quotation marks"
        ]
    );
    assert_eq!(
        problems("name: a\nname: b"),
        ["line 2: this name stands here twice; keep one"]
    );
    assert_eq!(
        problems("{\"name\": \"a\", \"name\": \"b\"}"),
        ["line 1: this name stands here twice; keep one"]
    );
    assert_eq!(
        problems("name: a\n---\nname: b"),
        ["line 2: a second document begins here; give one"]
    );
    assert_eq!(problems(""), ["line 1: the document is empty"]);
    assert_eq!(
        problems("? [a]\n: b"),
        ["line 1: a name must be a plain word"]
    );
    assert!(
        problems("name: [a")
            .first()
            .unwrap()
            .contains("this can't be read as YAML")
    );
    assert!(
        problems(&"[".repeat(60_000))
            .first()
            .unwrap()
            .contains("line 1")
    );
    assert_eq!(
        problems("just text"),
        ["line 1: must be an object with `name`, `trigger` and `steps`"]
    );
}

#[test]
fn json_with_escapes_that_yaml_lacks_is_read() {
    let text = r#"{"name": "\ud83d\ude00 \/", "trigger": "payment", "steps": [{"note": "a"}]}"#;
    assert_eq!(Document::parse(text).unwrap().name, "\u{1f600} /");
}
