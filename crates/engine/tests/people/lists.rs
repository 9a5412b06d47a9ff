//! Lists of payments and customers.

use std::time::Duration;

use db::{Change, ChangeId, Committed, Statement};
use domain::{
    Code,
    filter::{Condition, FieldName, Sort, SortOrder, Verb, parse},
    id::{PaymentId, TeamId},
    page::Page,
    payment::Payment,
};
use engine::{CustomerPage, ListCustomers, ListPayments, PaymentPage};
use serde_json::{Value, json};

use crate::{cards, shop::Shop};

const DAY: Duration = Duration::from_hours(24);

fn is(field: FieldName, verb: &str, value: &Value) -> Condition {
    parse(field, Some(value), Some(verb)).unwrap().unwrap()
}

fn everything() -> ListPayments {
    ListPayments {
        page: Page::parse(None, None, None, None).unwrap(),
        conditions: Vec::new(),
        sort: Sort::default(),
        id: None,
        team: None,
        want_total: false,
        want_timeline: false,
        want_settled: false,
    }
}

fn list(shop: &Shop, conditions: &[Condition]) -> PaymentPage {
    let wanted = ListPayments {
        conditions: conditions.to_vec(),
        want_total: true,
        ..everything()
    };
    shop.run(shop.engine.payments(&shop.server, wanted))
        .unwrap()
}

fn ids(page: &PaymentPage) -> Vec<PaymentId> {
    page.views
        .iter()
        .map(|(_, view)| view.payment.id())
        .collect()
}

/// Two payments of one customer, a hundred days apart.
fn old_and_new(shop: &Shop) -> (Payment, Payment) {
    let ada = shop.create_customer("Ada");
    shop.add(ada, cards::VISA);
    let old = shop.pay(ada, None).result.unwrap();
    shop.pass(100 * DAY);
    (old, shop.pay(ada, None).result.unwrap())
}

/// Gives the shop's team 100,000 payments more, in yen, made long ago.
fn grow(shop: &Shop) {
    let sql = "insert into payment (team_id, payment_id, version, status, created_at, amount, currency, method, body) \
               with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100000) \
               select $1, printf('00000000-0000-7000-8000-%012x', n), 1, 'SUCCEEDED', 0, 5, 'JPY', 'VISA', '{}' from numbers";
    let change =
        Change::new(ChangeId(1), "grow").with(Statement::any(sql, vec![shop.team.key().into()]));
    assert_eq!(shop.run(shop.store.commit(change)), Ok(Committed::Done));
}

#[test]
fn a_filter_without_an_index_looks_back_ninety_days_once_a_team_has_many_payments() {
    let shop = Shop::open(1);
    let (old, new) = old_and_new(&shop);
    let euros = is(FieldName::Currency, "EQUALS", &json!("EUR"));
    let page = list(&shop, std::slice::from_ref(&euros));
    assert_eq!(
        ids(&page),
        [new.id(), old.id()],
        "few payments are looked at one and all"
    );
    assert_eq!(
        (page.total, page.conditions.as_slice()),
        (Some(2), std::slice::from_ref(&euros))
    );

    grow(&shop);
    // Once for the count, once from memory.
    for _ in 0..2 {
        let page = list(&shop, std::slice::from_ref(&euros));
        assert_eq!((ids(&page), page.total), (vec![new.id()], Some(1)));
        let [added, asked] = page.conditions.as_slice() else {
            panic!("{:?}", page.conditions)
        };
        assert_eq!(
            (added.field(), added.verb(), asked),
            (FieldName::Date, Verb::GreaterThanEquals, &euros)
        );
        // The simulated world begins with 2026; 100 days later is 11 April, 90 days before that 11 January.
        assert_eq!(added.value(), Some(&json!("2026-01-11T00:00:00Z")));
    }
    let sorted = ListPayments {
        sort: Sort::parse([(Some("amount"), None)]).unwrap(),
        ..everything()
    };
    assert_eq!(
        ids(&shop
            .run(shop.engine.payments(&shop.server, sorted))
            .unwrap()),
        [new.id()]
    );
}

#[test]
fn dates_that_are_given_and_lists_with_an_index_are_not_bounded() {
    let shop = Shop::open(1);
    let (old, new) = old_and_new(&shop);
    grow(&shop);
    let euros = is(FieldName::Currency, "EQUALS", &json!("EUR"));
    let since = |day: &str| is(FieldName::Date, "GREATER_THAN_EQUALS", &json!(day));
    let page = list(&shop, &[euros.clone(), since("2026-01-01")]);
    assert_eq!(
        (ids(&page), page.conditions.len()),
        (vec![new.id(), old.id()], 2)
    );
    let customer = Condition::customer(old.customer().unwrap().id.unwrap());
    let page = list(&shop, &[customer]);
    assert_eq!(
        (ids(&page), page.conditions.len()),
        (vec![new.id(), old.id()], 1)
    );
    // An end alone: ninety days before that.
    let until = is(FieldName::Date, "LESS_THAN", &json!("2026-02-01"));
    let page = list(&shop, &[until, euros]);
    assert_eq!((ids(&page), page.conditions.len()), (vec![old.id()], 3));
    assert_eq!(
        page.conditions[0].value(),
        Some(&json!("2025-11-02T00:00:00Z"))
    );
}

#[test]
fn totals_and_timelines_are_there_when_they_are_wanted() {
    let shop = Shop::open(1);
    let (old, new) = old_and_new(&shop);
    let plain = shop
        .run(shop.engine.payments(&shop.server, everything()))
        .unwrap();
    assert_eq!((plain.total, ids(&plain)), (None, vec![new.id(), old.id()]));
    assert!(plain.views.iter().all(|(_, view)| view.timeline.is_none()));
    let full = ListPayments {
        want_total: true,
        want_timeline: true,
        ..everything()
    };
    let full = shop.run(shop.engine.payments(&shop.server, full)).unwrap();
    assert_eq!(full.total, Some(2));
    assert!(full.views.iter().all(|(_, view)| {
        view.timeline
            .as_ref()
            .is_some_and(|lines| !lines.is_empty())
    }));
}

#[test]
fn a_cursor_leads_on_and_one_of_another_order_is_refused() {
    let shop = Shop::open(1);
    let (old, new) = old_and_new(&shop);
    let page = |first, after| Page::parse(Some(first), after, None, None).unwrap();
    let first = ListPayments {
        page: page(1, None),
        ..everything()
    };
    let first = shop.run(shop.engine.payments(&shop.server, first)).unwrap();
    assert_eq!(
        (ids(&first), first.has_next, first.has_previous),
        (vec![new.id()], true, false)
    );
    let cursor = Some(first.views[0].0.clone());
    let rest = ListPayments {
        page: page(9, cursor.clone()),
        ..everything()
    };
    let rest = shop.run(shop.engine.payments(&shop.server, rest)).unwrap();
    assert_eq!(
        (ids(&rest), rest.has_next, rest.has_previous),
        (vec![old.id()], false, true)
    );
    let sort = Sort::parse([(Some("date"), Some(SortOrder::Ascending))]).unwrap();
    let other = ListPayments {
        page: page(9, cursor),
        sort,
        ..everything()
    };
    let fault = shop
        .run(shop.engine.payments(&shop.server, other))
        .unwrap_err();
    assert_eq!(
        (fault.code, fault.field.as_deref()),
        (Code::Validation, Some("after"))
    );
}

#[test]
fn only_a_secret_key_lists_and_only_its_own_teams_rows() {
    let shop = Shop::open(1);
    let (old, _) = old_and_new(&shop);
    let foreign = TeamId::new(uuid::Uuid::from_u128(7)).key();
    for (team, id) in [
        (Some(foreign.as_str()), None),
        (Some("nobody"), None),
        (None, Some("nothing")),
    ] {
        let (team, id) = (team.map(str::to_owned), id.map(str::to_owned));
        let wanted = ListPayments {
            team,
            id,
            want_total: true,
            ..everything()
        };
        let page = shop
            .run(shop.engine.payments(&shop.server, wanted))
            .unwrap();
        assert_eq!(
            (
                page.views.len(),
                page.total,
                page.has_next,
                page.has_previous
            ),
            (0, Some(0), false, false)
        );
    }
    let wanted = ListPayments {
        team: Some(shop.team.key()),
        id: Some(old.id().to_string()),
        ..everything()
    };
    assert_eq!(
        ids(&shop
            .run(shop.engine.payments(&shop.server, wanted))
            .unwrap()),
        [old.id()]
    );
}

fn people(email: Option<&str>, name: Option<&str>) -> ListCustomers {
    ListCustomers {
        order: SortOrder::Descending,
        want_settled: false,
        page: Page::parse(None, None, None, None).unwrap(),
        email: email.map(str::to_owned),
        name: name.map(str::to_owned),
        want_total: true,
    }
}

#[test]
fn customers_are_listed_newest_first_and_found_by_a_part_of_their_name() {
    let shop = Shop::open(1);
    let made: Vec<_> = ["Ada", "Bea", "Adam"]
        .into_iter()
        .map(|name| {
            shop.pass(DAY);
            shop.create_customer(name)
        })
        .collect();
    let list = |wanted| -> CustomerPage {
        shop.run(shop.engine.customers(&shop.server, wanted))
            .unwrap()
    };
    let ids = |page: &CustomerPage| -> Vec<_> {
        page.customers
            .iter()
            .map(|(_, customer)| customer.id)
            .collect()
    };
    let page = list(people(None, None));
    assert_eq!(
        (ids(&page), page.total),
        (vec![made[2], made[1], made[0]], Some(3))
    );
    let page = list(people(None, Some("aDA")));
    assert_eq!((ids(&page), page.total), (vec![made[2], made[0]], Some(2)));
    let page = list(people(Some("nobody@example.com"), None));
    assert_eq!((ids(&page), page.total), (vec![], Some(0)));
    let long = "x".repeat(400);
    for (wanted, field) in [
        (people(Some("a\0b"), None), "email"),
        (people(None, Some(&long)), "name"),
    ] {
        let fault = shop
            .run(shop.engine.customers(&shop.server, wanted))
            .unwrap_err();
        assert_eq!(
            (fault.code, fault.field.as_deref()),
            (Code::Validation, Some(field))
        );
    }
    let first = ListCustomers {
        page: Page::parse(Some(1), None, None, None).unwrap(),
        ..people(None, None)
    };
    let first = list(first);
    let after = Page::parse(Some(1), Some(first.customers[0].0.clone()), None, None).unwrap();
    let next = list(ListCustomers {
        page: after,
        want_total: false,
        ..people(None, None)
    });
    assert_eq!(
        (ids(&next), next.total, next.has_next, next.has_previous),
        (vec![made[1]], None, true, true)
    );
}
