use super::*;

fn fault(text: &str) -> Option<DocumentFault> {
    check(text, &Limits::default()).err()
}

fn message(text: &str) -> String {
    fault(text).unwrap().message
}

#[test]
fn a_name_without_its_value_is_no_graphql() {
    for text in [
        "{ a(b) }",
        "{ a(id: 1, b) }",
        "{ a(b id: 1) }",
        "{ a(b id: 1 c) }",
        "{ a(true) }",
        "{ a(b c: 1) }",
        "{ a(b: {c}) }",
        "{ a(b: {c d: 1}) }",
        "{ a(b: [{c: 1} {d}]) }",
        "{ a @include(if) }",
        "{ ... @include(if) { a } }",
        "{ ...F @include(if) } fragment F on T { a }",
        "fragment F on T @d(e) { a }",
        "query @d(e) { a }",
        "query ($v: T = {c}) { a }",
        "query ($v: T = [{c: {d}}]) { a }",
        "query ($v: T @d(e)) { a }",
        "type T @d(e) { a: B }",
        "{ a(b:) }",
        "{ a(b: , c: 1) }",
    ] {
        let fault = fault(text).unwrap();
        assert_eq!(fault.code, domain::Code::GraphqlSyntax, "{text}");
        assert!(fault.place.is_some());
    }
}

#[test]
fn a_mistake_is_reported_once_with_its_place_and_in_the_words_of_graphql() {
    assert_eq!(
        message("mutation { refundPayment(id: \"x\", amount) { id } }"),
        "The document can't be parsed: expected `:` and a value after the name, found `)`."
    );
    assert_eq!(
        message("{ a(b: 1 "),
        "The document can't be parsed: expected a name, found the end of the document."
    );
    assert_eq!(
        message("query ($v Int) { a }"),
        "The document can't be parsed: expected `:`, found a name."
    );
    assert_eq!(
        message("query { a \"s\" }"),
        "The document can't be parsed: expected a name, found a string."
    );
    assert_eq!(
        message("query Q"),
        "The document can't be parsed: expected `{`, found the end of the document."
    );
    assert_eq!(
        message("{ a(b: \"x\n\") }"),
        message("{ a(b: \"\nx\") }"),
        "wherever the line breaks"
    );
    assert_eq!(fault("{\r\n  a(b: 1 }").unwrap().place, Some((2, 10)));
    assert_eq!(fault("{\n\n é(b: 1) }").unwrap().place, Some((3, 2)));
    assert_eq!(fault("{ a } }").unwrap().place, Some((1, 7)));
}

#[test]
fn what_is_graphql_passes() {
    for text in [
        "{ a }",
        "{a b:c(d:1,e:[1,2,[]],f:{g:{},h:null})@i{j}}",
        "query Q($a: [Int!]! = [1] @d(e: 1), $b: S = {c: \"x\"}) @f(g: $a) { ...F @h(i: $b) ... on T { a } ... { b } ... @x { c } }",
        "fragment F on T { on fragment query true null }",
        "{ a(b: \"\"\"c\n\"d\\\"\"\" \"\"\") } # the end",
        "\"about it\" query ($a: Int) { a }",
        "schema @a { query: Q mutation: M }",
        "\"d\" type T implements & A & B @c { \"e\" f(g: Int = 1 @h): [I!] @j }",
        "interface I implements J union U = | A | B union V enum E { \"x\" A B @c } input N { a: B = C }",
        "scalar S @specifiedBy(url: \"x\") directive @d(a: Int) repeatable on | FIELD | QUERY",
        "extend schema @a extend schema { query: Q } extend scalar S @a extend type T implements A extend enum E { A }",
        "\u{feff}{ a }",
    ] {
        assert_eq!(fault(text), None, "{text}");
    }
}

#[test]
fn what_is_not_does_not() {
    for text in [
        "",
        "#",
        "}",
        "{",
        "{}",
        "{ a() }",
        "{ a: }",
        "{ a { } }",
        "a",
        "query ($a) { b }",
        "query () { b }",
        "query ($a: Int = $b) { c }",
        "{ ... }",
        "{ ... on { a } }",
        "fragment on on T { a }",
        "fragment F { a }",
        "{ ...on }",
        "extend",
        "extend type T",
        "extend query { a }",
        "\"d\" { a }",
        "\"d\" extend type T @a",
        "enum E { true }",
        "directive @d on NOWHERE",
        "type T { a }",
        "type T {}",
        "union U =",
        "schema { nope: Q }",
        "{ a(b: 01) }",
        "{ a(b: 1x) }",
        "{ a(b: 1.) }",
        "{ a(b: \"\\x\") }",
        "{ a(b: \"\\u12\") }",
        "{ a(b: \"x) }",
        "{ a(b: .. ) }",
        "{ a ? }",
        "{ a(b: 'x') }",
        "{ a(b: $) }",
        "{ a(b: & ) }",
    ] {
        assert_eq!(
            fault(text).map(|fault| fault.code),
            Some(domain::Code::GraphqlSyntax),
            "{text}"
        );
    }
}

#[test]
fn the_parser_gets_operations_without_their_descriptions() {
    let text = "\"a\nb\" query (\"é\" $a: Int) { b } \"c\" fragment F on T { d }";
    let error = fault(text).unwrap();
    assert!(error.message.contains("a string ends"), "{}", error.message);
    let text = "\"\"\"a\nb\"\"\" query (\"é\" $a: Int) { b } \"c\" fragment F on T { d } \"e\" type T { f: G }";
    assert_eq!(
        check(text, &Limits::default()).unwrap(),
        "    \n     query (     $a: Int) { b }     fragment F on T { d } \"e\" type T { f: G }"
    );
    assert!(matches!(
        check("{ a }", &Limits::default()),
        Ok(Cow::Borrowed(_))
    ));
}
