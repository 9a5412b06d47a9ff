use super::*;

const CARD: &str = "4242424242424242";

fn documents() -> Documents {
    Documents::new(Arc::new(crate::schema()), Limits::default())
}

fn faults(text: &str) -> Vec<DocumentFault> {
    documents().prepare(text).map(|_| ()).unwrap_err()
}

fn first(text: &str) -> (Code, String, Option<(usize, usize)>) {
    let fault = faults(text).remove(0);
    (fault.code, fault.message, fault.place)
}

#[test]
fn syntax_validation_and_limits_are_reported_apart() {
    assert_eq!(first("{ getPayment(id: ").0, Code::GraphqlSyntax);
    assert_eq!(first("").0, Code::GraphqlSyntax);
    assert_eq!(first("# nothing").0, Code::GraphqlSyntax);
    assert_eq!(first("{ nope }").0, Code::GraphqlValidation);
    assert_eq!(first("{ a ".repeat(20).as_str()).0, Code::GraphqlSyntax);
    let deep = format!("{}{}", "{ a ".repeat(16), "}".repeat(16));
    assert_eq!(first(&deep).0, Code::GraphqlLimit);
    assert_eq!(
        first(&format!("{{ {} }}", "a ".repeat(20_000))).0,
        Code::GraphqlLimit
    );
    assert_eq!(
        first(&format!("{}{}", "{ a ".repeat(5_000), "}".repeat(5_000))).0,
        Code::GraphqlLimit
    );
    assert_eq!(
        first(&format!(
            "{{ getPayment(id: {}1{}) }}",
            "[".repeat(5_000),
            "]".repeat(5_000)
        ))
        .0,
        Code::GraphqlLimit
    );
}

#[test]
fn a_misspelt_field_is_reported_by_its_type_and_place() {
    let (code, message, place) = first("{\n  getPayment(id: \"x\") { pymentCore }\n}");
    assert_eq!(code, Code::GraphqlValidation);
    assert_eq!(
        message,
        "Type `Payment` does not have a field `pymentCore`. Did you mean `paymentCore`?"
    );
    assert_eq!(place, Some((2, 25)));
}

#[test]
fn subscriptions_of_two_things_and_unknown_directives_are_refused() {
    let two = "subscription { events { id } paymentTimeline(id: 1) { id } }";
    assert_eq!(first(two).0, Code::GraphqlValidation);
    assert_eq!(first("{ initializeSDK @nope }").0, Code::GraphqlValidation);
    assert_eq!(
        first("{ ... @defer { initializeSDK } }").0,
        Code::GraphqlValidation
    );
    assert_eq!(first("type X { y: Int }").0, Code::GraphqlValidation);
}

#[test]
fn one_mistake_is_one_fault_that_names_what_is_wrong_and_suggests() {
    let refusal = |text: &str| -> Vec<String> {
        faults(text)
            .into_iter()
            .map(|fault| fault.message)
            .collect()
    };
    for (text, message) in [
        (
            "{ getPayments(id: 1) { id } }",
            "Type `Query` does not have a field `getPayments`. Did you mean `getPayment`?",
        ),
        (
            "{ listPayments { edges { node { idd } } } }",
            "Type `Payment` does not have a field `idd`. Did you mean `id`?",
        ),
        (
            "{ getPayment(idd: 1) { id } }",
            "The argument `idd` is not supported by `Query.getPayment`. Did you mean `id`?",
        ),
        (
            "mutation { authorizePayment(authorisePayment: {amonut: 5}) { id } }",
            "Field `amonut` does not exist on `AuthorisedPaymentInput`. Did you mean `amount`?",
        ),
        (
            "{ listPayments(status: [SUCEEDED]) { __typename } }",
            "A value does not exist on `PaymentStatus`. Did you mean `SUCCEEDED`?",
        ),
        (
            "subscription { event { id } }",
            "Type `Subscription` does not have a field `event`. Did you mean `events`?",
        ),
        (
            "query ($a: Strin) { __typename @include(if: true) getPayment(id: 1) { date(tz: $a) } }",
            "Cannot find type `Strin` in this document. Did you mean `String`?",
        ),
        (
            "query ($a: Boolean) { getPayment(id: 1) { date(tz: $a) } }",
            "Variable `$a` of type `Boolean` cannot be used for argument `tz` of type `String`.",
        ),
    ] {
        assert_eq!(refusal(text)[0], message, "{text}");
        // The use of a variable whose type there is not does not fit either.
        let count = refusal(text).len();
        assert!(
            count == 1 || text.contains("Strin"),
            "{text}: {:?}",
            refusal(text)
        );
    }
}

#[test]
fn a_field_that_is_given_twice_has_its_place() {
    let fault =
        faults("{ listPayments(data: {name: \"a\", name: \"b\"}) { totalSize } }").remove(0);
    assert_eq!(fault.place, Some((1, 34)));
}

/// Documents that are wrong in many ways, each with a card number in a place where the compiler would quote it.
#[test]
fn no_message_repeats_anything_of_the_input() {
    let texts = [
        format!(
            "mutation {{ tokeniseCard(data: {{ paymentMethod: {{ card: {{ number: {CARD}, expMonth: \"{CARD}\", expYear: 1 }} }} }}) {{ id }} }}"
        ),
        format!(
            "mutation {{ tokeniseCard(data: {{ paymentMethod: {{ card: {{ number: \"{CARD} }} }} }}) {{ id }} }}"
        ),
        format!("{{ getPayment(id: \"{CARD}\") {{ n{CARD} }} }}"),
        format!("{{ getPayment(i{CARD}: 1) {{ id }} }}"),
        format!("{{ listPayments(status: [P{CARD}]) {{ pageInfo {{ hasNextPage }} }} }}"),
        format!("{{ listPayments(first: {CARD}) {{ pageInfo {{ hasNextPage }} }} }}"),
        format!("{{ listPayments(first: \"{CARD}\") {{ pageInfo {{ hasNextPage }} }} }}"),
        format!("query ($v{CARD}: Int) {{ initializeSDK }}"),
        format!("query ($v: T{CARD}) {{ initializeSDK }}"),
        format!("{{ getPayment(id: $v{CARD}) {{ id }} }}"),
        format!("query Q{CARD} {{ initializeSDK }} query Q{CARD} {{ initializeSDK }}"),
        format!("{{ ...F{CARD} }}"),
        format!("fragment F{CARD} on Payment {{ id }} {{ initializeSDK }}"),
        format!("fragment F{CARD} on T{CARD} {{ id }} {{ ...F{CARD} }}"),
        format!("{{ ... on T{CARD} {{ id }} }}"),
        format!("{{ initializeSDK @d{CARD} @d{CARD} }}"),
        format!("{{ a{CARD}: getPayment(id: 1) {{ id }} a{CARD}: getPayment(id: 2) {{ id }} }}"),
        format!("{{ a{CARD}: initializeSDK a{CARD}: getPayment(id: 2) {{ id }} }}"),
        format!("{{ initializeSDK {{ x{CARD} }} }}"),
        format!("{{ initializeSDK }} {CARD}"),
        format!("{{ initializeSDK(a: {CARD}.) }}"),
        format!("{{ initializeSDK(a: {CARD}x) }}"),
        format!("mutation {{ tokeniseCard(data: {{ f{CARD}: 1 }}) {{ id }} }}"),
        format!(
            "mutation ($d: TokenInput = {{ f{CARD}: {CARD} }}) {{ tokeniseCard(data: $d) {{ id }} }}"
        ),
        format!(
            "mutation {{ updateCustomer(id: {{ a: \"{CARD}\" }}, customer: {{ name: {CARD} }}) }}"
        ),
    ];
    for text in texts {
        let faults = faults(&text);
        assert!(!faults.is_empty());
        for fault in faults {
            assert!(!fault.message.contains("4242"), "{text}: {}", fault.message);
            assert!(!fault.message.is_empty());
        }
    }
}

#[test]
fn documents_with_variables_are_kept_and_those_with_literals_in_mutations_are_not() {
    let documents = documents();
    let kept = [
        "mutation M($d: TokenInput!, $on: Boolean!) { tokeniseCard(data: $d) { id token @include(if: $on) } }",
        "{ listPayments(first: 20) { pageInfo { hasNextPage } } }",
    ];
    for text in kept {
        let prepared = documents.prepare(text).unwrap();
        assert!(
            Arc::ptr_eq(&prepared, &documents.prepare(text).unwrap()),
            "{text}"
        );
    }
    let dropped = [
        "mutation { deletePaymentMethod(token: \"secret\") }".to_owned(),
        "mutation { capturePayment(id: 7) { id } }".to_owned(),
        "mutation ($t: String! = \"secret\") { deletePaymentMethod(token: $t) }".to_owned(),
        "mutation M($t: String!) { deletePaymentMethod(token: $t) } query Q { ...F } fragment F on Query { getPayment(id: \"x\") { id } }".to_owned(),
        "mutation ($t: ID!, $n: String!) { updateCustomer(id: $t, customer: { name: $n, email: \"x\" }) }".to_owned(),
        format!("mutation M($d: TokenInput!) {{ tokeniseCard(data: $d) {{ id }} }} # {CARD}"),
        "mutation M($d: TokenInput!) { a4242_4242_4242_4242: tokeniseCard(data: $d) { id } }".to_owned(),
        "query { getPayment(id: \"4242 4242 4242 4242\") { id } }".to_owned(),
    ];
    for text in &dropped {
        let prepared = documents.prepare(text).unwrap();
        assert!(
            !Arc::ptr_eq(&prepared, &documents.prepare(text).unwrap()),
            "{text}"
        );
    }
    assert_eq!(documents.cache.len(), kept.len());
}

#[test]
fn the_cache_is_bounded_in_count() {
    let limits = Limits {
        cached_documents: 10,
        cached_bytes: 10_000,
        ..Limits::default()
    };
    let documents = Documents::new(Arc::new(crate::schema()), limits);
    for number in 0..200 {
        documents
            .prepare(&format!("query Q{number} {{ initializeSDK }}"))
            .unwrap();
    }
    assert!(documents.cache.len() <= 10, "{}", documents.cache.len());
}

#[test]
fn a_field_without_its_selection_is_reported_in_plain_words() {
    assert_eq!(
        first("{ getPayment(id: 1) }").1,
        "`getPayment` needs a selection of fields, such as `{ id }`."
    );
    let amount = first("{ getPayment(id: 1) { id { x } } }").1;
    assert_eq!(
        amount,
        "This field is `ID`, no object: it takes no selection of fields."
    );
}
