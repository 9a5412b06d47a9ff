use html5ever::tree_builder::TreeSink;
use html5ever::{ParseOpts, parse_document, tendril::TendrilSink};

use super::*;

/// The steps that reading takes, and whether it stopped.
fn steps(html: &str) -> (usize, bool) {
    let (sink, is_cut) = parsed(html);
    (sink.steps(), is_cut)
}

#[test]
fn hostile_pages_take_no_more_steps_than_their_length_allows() {
    let different = |count: usize| -> String {
        let each = |number| format!("<b x={number}>");
        (0..count).map(each).collect()
    };
    for (html, is_cut) in [
        ("<div>".repeat(200_000), true),
        ("<svg>".to_owned() + &"<g>".repeat(200_000), true),
        ("<table><td>".repeat(100_000), true),
        ("<template>".repeat(100_000), true),
        (different(100_000), true),
        (
            "<p>".to_owned() + &different(400) + &"</p><p>x".repeat(100_000),
            true,
        ),
        (different(400) + &"<b x></b>".repeat(100_000), true),
        (
            "<p>".to_owned() + &different(400) + &"</p></i>".repeat(100_000),
            true,
        ),
        (
            format!("<p><b x='{}'>", "x".repeat(100_000)) + &"</p><p>x".repeat(100_000),
            true,
        ),
        ("<p></p>".repeat(200_000), false),
        ("<!---->".repeat(200_000), false),
        ("<title>x</title >".repeat(100_000), false),
    ] {
        let found = steps(&html);
        let most = html.len() * STEPS_PER_BYTE + STEPS + STEPS;
        assert!(found.0 <= most, "{}: {found:?}", &html[..20]);
        assert_eq!(found.1, is_cut, "{}: {found:?}", &html[..20]);
    }
}

#[test]
fn elements_are_read_up_to_a_depth_and_tags_up_to_some_attributes() {
    // Above them stand the page, `<html>` and `<body>`.
    let deep = |depth| format!("{}<script src=a></script>", "<div>".repeat(depth));
    assert!(!steps(&deep(DEPTH_MAX - 4)).1);
    assert!(steps(&deep(DEPTH_MAX)).1);
    let each = |number: usize| format!(" a{number}=''");
    let many = |count: usize| -> String { (0..count).map(each).collect() };
    for (before, behind) in [
        ("<p", ">"),
        ("<p/", ""),
        ("</p", ">"),
        ("<!-- x -- --><p", ">"),
        ("<!--><p", ">"),
        ("<!---><p", ">"),
        ("<!-- --!><p", ">"),
        ("<!doctype html><p", ">"),
        ("</ x><p", ">"),
        ("<?x><p", ">"),
        ("1<2<p", ">"),
        ("<title>a</title><p", ">"),
        ("<title>a<b '</title", ">"),
        ("<title></</title", ">"),
        ("<script>a<b '</script", ">"),
        ("<script><!--<script></script b='</script", ">"),
        ("<svg><style><!-- --><p", ">"),
        ("<svg><![CDATA[ <p a=' > ]]><p", ">"),
        ("<![CDATA[ <p a=' ><p", ">"),
        ("<p a=\"'\" b='\"' c=\"/><p", ">\">"),
    ] {
        let page = |count| format!("{before}{}{behind}", many(count));
        let is_value = behind.starts_with(">\"");
        assert!(!steps(&page(ATTRIBUTES_MAX - 4)).1, "{before}");
        assert_eq!(steps(&page(ATTRIBUTES_MAX + 1)).1, !is_value, "{before}");
    }
    for (before, behind) in [
        ("<script>a<b ", "</script>"),
        ("<script>'<\\/script ", "'</script>"),
        ("<title></titles", "</title>"),
        ("<!-- <p", "-->"),
        ("<p title='", "'>"),
        ("<svg><![CDATA[<p", "]]>"),
        ("<plaintext><p", ""),
    ] {
        let page = format!(
            "{before}{}{behind}",
            many(ATTRIBUTES_MAX * 4).replace('\'', "")
        );
        assert!(!steps(&page).1, "{before}");
    }
}

#[test]
fn a_page_in_pieces_is_read_as_in_one() {
    let bits = [
        "<",
        "</",
        ">",
        "/",
        " ",
        "=",
        "'",
        "\"",
        "a",
        "script",
        "<script>",
        "</script",
        "<!--",
        "-->",
        "-",
        "!",
        "<svg>",
        "<![CDATA[",
        "]]>",
        "<title>",
        "</title",
        "<style>",
        "</style>",
        "<b x>",
        "<p>",
        "é",
        "&",
        "\r\n",
        "<table>",
        "<script src=a>",
        "</svg>",
        "<iframe srcdoc='",
        "<link rel=preload href=",
    ];
    let mut state = 1_u64;
    for _ in 0..4000 {
        let mut html = String::new();
        for _ in 0..20 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            html.push_str(bits[(state >> 33) as usize % bits.len()]);
        }
        let whole = parse_document(Sink::default(), ParseOpts::default()).one(html.as_str());
        let (sink, is_cut) = parsed(&html);
        assert!(!is_cut, "{html}");
        assert_eq!(
            format!("{:?}", sink.finish()),
            format!("{whole:?}"),
            "{html}"
        );
    }
}
