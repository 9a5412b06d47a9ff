use super::*;

fn sources(html: &str) -> Vec<String> {
    let scripts = read(html).scripts.into_iter();
    let shown = |one: FoundScript| one.src.unwrap_or_else(|| format!("[{}]", one.text));
    scripts.map(shown).collect()
}

#[test]
fn scripts_are_found_as_a_browser_finds_them() {
    for (html, expected) in [
        ("<script src=a.js></script>", vec!["a.js"]),
        ("<SCRIPT  defer SRC = 'a.js'\n>x</ScRiPt >", vec!["a.js"]),
        (
            "<script/src=\"a.js?x=1&amp;y=2\"></script>",
            vec!["a.js?x=1&y=2"],
        ),
        (
            "<script src=&#104;ttps&colon;//x></script>",
            vec!["https://x"],
        ),
        ("<script>if (a</script>b", vec!["[if (a]"]),
        ("<script>'</scripty>'</script>", vec!["['</scripty>']"]),
        (
            "<!-- <script src=a></script> --><script src=b></script>",
            vec!["b"],
        ),
        ("<!--><script src=a></script>-->", vec!["a"]),
        ("<!-- --!><script src=a></script>", vec!["a"]),
        (
            "<title><script src=a></script></title><script src=b></script>",
            vec!["b"],
        ),
        ("<a title='<script src=a>'></a>", vec![]),
        ("1 < 2 <script src=a></script>", vec!["a"]),
        ("<script type='application/json'>{}</script>", vec![]),
        ("<script type=' Module '>x</script>", vec!["[x]"]),
        ("<script src=a src=b></script>", vec!["a"]),
        // A browser drops a tag that the page's end cuts off, and does not run a script without an end tag; what may be one is shown.
        ("<script src=a", vec![]),
        ("<script>unended", vec!["[unended]"]),
        ("é<script src=é.js>é</script>", vec!["é.js"]),
        ("<script>a\r\nb</script>", vec!["[a\nb]"]),
        ("<noscript><script src=a></script></noscript>", vec![]),
        ("<template><script src=a></script></template>", vec!["a"]),
        ("<table><script src=a></script><tr></table>", vec!["a"]),
        (
            "<script>a<!--<script>b</script>c</script>d",
            vec!["[a<!--<script>b</script>c]"],
        ),
    ] {
        assert_eq!(sources(html), expected, "{html}");
    }
}

#[test]
fn scripts_of_drawings_are_found_where_pages_have_text() {
    for (html, expected) in [
        ("<svg><script xlink:href=a /></svg>", vec!["a"]),
        (
            "<svg><style><script>go()</script></style></svg>",
            vec!["[go()]"],
        ),
        (
            "<svg><STYLE><ScRiPt HREF=a></ScRiPt></STYLE></svg>",
            vec!["a"],
        ),
        (
            "<svg><script href=evil src=known xlink:href=other></script>",
            vec!["evil"],
        ),
        ("<svg><script src=known>go()</script>", vec!["[go()]"]),
        ("<svg><script>g&#111;(<!-- x -->)</script>", vec!["[go()]"]),
        ("<script href=evil>go()</script>", vec!["[go()]"]),
        (
            "<svg><title><style></title><script src=a></script></style>",
            vec![],
        ),
        (
            "<svg><foreignObject><script src=a></script></foreignObject></svg>",
            vec!["a"],
        ),
        (
            "<math><mtext><script src=a></script></mtext></math>",
            vec!["a"],
        ),
        (
            "<math><style><img><script src=a></script></style></math>",
            vec!["a"],
        ),
        ("<style><script src=a></script></style>", vec![]),
        ("<svg></p><style><script src=a></script></style>", vec![]),
    ] {
        assert_eq!(sources(html), expected, "{html}");
    }
}

#[test]
fn scripts_that_are_fetched_before_they_are_asked_for_are_found() {
    for (html, expected) in [
        ("<link rel=modulepreload href=a>", vec!["a"]),
        ("<link rel='x PRELOAD' AS=Script href=a>", vec!["a"]),
        (
            "<link rel=preload as=style href=a><link rel=stylesheet href=b>",
            vec![],
        ),
        ("<link rel=modulepreload>", vec![]),
        (
            r#"<script type=importmap>{"imports":{"a":"./a.js","b/":"/b/","n":null},"scopes":{"/x":{"a":"https://evil.example/a.js"}}}</script>"#,
            vec![
                "./a.js",
                "https://evil.example/a.js",
                r#"[{"imports":{"a":"./a.js","b/":"/b/","n":null},"scopes":{"/x":{"a":"https://evil.example/a.js"}}}]"#,
            ],
        ),
        ("<script type=importmap>[]</script>", vec!["[[]]"]),
    ] {
        assert_eq!(sources(html), expected, "{html}");
    }
}

#[test]
fn pages_of_frames_that_stand_in_an_attribute_are_read() {
    assert_eq!(
        sources(
            "<iframe srcdoc='&lt;script src=a&gt;&lt;/script&gt;&lt;p onclick=go()&gt;'></iframe>"
        ),
        ["a"]
    );
    let nested = |depth: usize| {
        let mut html = "<script src=a></script>".to_owned();
        for _ in 0..depth {
            html = format!(
                "<iframe srcdoc=\"{}\"></iframe>",
                html.replace('&', "&amp;").replace('"', "&quot;")
            );
        }
        html
    };
    assert_eq!(sources(&nested(DEPTH_MAX)), ["a"]);
    // What is too deep to be read is no less a script.
    assert_eq!(
        sources(&nested(DEPTH_MAX + 1)),
        ["[<script src=a></script>]"]
    );
    let found = read(
        "<base href=/x/><iframe srcdoc='<p onclick=go()><base href=y/><script src=a></script>'></iframe>",
    );
    assert_eq!(found.handlers, 1);
    assert_eq!(found.scripts[0].bases, ["/x/", "y/"].map(Arc::from));
    assert_eq!(found.base.as_deref(), Some("/x/"));
}

#[test]
fn a_base_counts_for_what_follows_it() {
    let found = read(
        "<script src=a></script><base><base href='https://evil.example/'><base href=b><script src=b></script>",
    );
    assert_eq!(found.base.as_deref(), Some("https://evil.example/"));
    let bases: Vec<usize> = found.scripts.iter().map(|one| one.bases.len()).collect();
    assert_eq!(bases, [0, 1]);
}

#[test]
fn attributes_that_are_scripts_are_counted() {
    for (html, handlers) in [
        ("<body onload=go()>", 1),
        ("<p once=''>", 0),
        ("<svg/onload=go()>", 1),
        ("<svg><a xlink:href='javascript:go()'>", 1),
        ("<a href=' JavaScript:go()'>", 1),
        ("<a href='java&#10;script&colon;go()'>", 1),
        ("<a href='&#1;javascript:go()'>", 1),
        ("<form><button formaction=javascript:go()>", 1),
        ("<iframe src='javascript:go()'></iframe>", 1),
        ("<svg><animate values='x;javascript:go()'>", 1),
        ("<a href='https://a.example/?javascript:'>", 0),
        ("<p>a<body onload=go()>", 1),
    ] {
        assert_eq!(read(html).handlers, handlers, "{html}");
    }
}

#[test]
fn a_policy_in_the_markup_counts_in_the_head_before_any_script() {
    let policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; Report-URI /x; report-to y\">";
    let read_of = |html: &str| read(&html.replace("META", policy)).policies;
    assert_eq!(read_of("META"), ["default-src 'none'"]);
    assert_eq!(read_of("<head>META</head>"), ["default-src 'none'"]);
    assert_eq!(read_of("<script src=a></script>META"), [""; 0]);
    assert_eq!(read_of("<body>META"), [""; 0]);
    assert_eq!(read_of("<iframe srcdoc='<p>'></iframe>META"), [""; 0]);
}

#[test]
fn nothing_that_is_sent_hangs_or_fails() {
    for piece in [
        "<",
        "</",
        "<!",
        "<!--",
        "<a ",
        "<a b",
        "<a b=",
        "<a b='",
        "<script",
        "&",
        "&#x",
        "é",
        "=",
        "<svg>",
        "<table>",
        "<b><p>",
        "<template>",
        "<select>",
        "<a><table>",
        "<?",
        "<![CDATA[",
        "<iframe srcdoc='",
        "</body>",
        "<frameset>",
    ] {
        for count in [1, 2, 1000] {
            let _ = read(&piece.repeat(count));
        }
    }
}
