//! Payments, one by one and in lists.

use std::collections::BTreeMap;

use domain::{Fault, attachment::Subject, id::PaymentId};
use engine::{
    Abandon, AttachmentView, DisputeView, ListPayments, PaymentPage, PaymentView, Response, Scope,
};
use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::{
    inputs::{authorise, cancel, capture, list, refund, resolve},
    views::{DISPUTES, FilterFacts, OVERVIEW, PaymentObject, PaymentsPageObject},
};
use crate::{
    attachments::views::ATTACHMENTS,
    disputes::{views::TIMELINE, with_attachments},
    executor::{Answer, Arguments, Item, Items, Out, object},
    operations::{Call, Operation, plain},
    shared::{Connection, PageFacts, Wanted, ids, note_number},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::keyed("authorizePayment", |call, given| {
        Box::pin(authorise(call, given))
    })
    .paying(),
    Operation::keyed("headlessAuthorizePayment", |call, given| {
        Box::pin(headless(call, given))
    }),
    Operation::keyed("capturePayment", |call, given| {
        Box::pin(capture(call, given))
    }),
    Operation::keyed("cancelPayment", |call, given| Box::pin(cancel(call, given))),
    Operation::keyed("refundPayment", |call, given| Box::pin(refund(call, given))),
    Operation::plain("abandonPayment", |call, given| plain(abandon(call, given))),
    Operation::plain("resolvePayment", |call, given| plain(resolve(call, given))),
    Operation::plain("getPayment", |call, given| plain(get(call, given))),
    Operation::plain("listPayments", |call, given| plain(list(call, given))),
    Operation::stream("paymentTimeline", |call, given| follow(call, given).boxed()),
];

async fn authorise(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let mut once = call.once(|_| Scope::Authorise, &arguments);
    let parsed = arguments
        .coerced
        .and_then(|given| authorise::parse(given, call.caller.mode))
        .map_err(authorise::of_command);
    note_number(&mut once, &parsed, authorise::METHOD);
    let mut response = Box::pin(call.engine.authorise(call.caller, once, parsed)).await;
    response.result = response.result.map_err(authorise::of_plain);
    answered(call, response).await
}

/// The same under another argument's name, which faults bear too.
async fn headless(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    // The two share their keys, so their arguments are compared under one name.
    let mut once = call.once(|_| Scope::Authorise, &arguments).map(|mut once| {
        authorise::rename_argument(&mut once.arguments);
        once
    });
    let parsed = arguments
        .coerced
        .and_then(|given| authorise::parse_headless(given, call.caller.mode))
        .map_err(authorise::of_command);
    note_number(&mut once, &parsed, authorise::METHOD);
    let mut response = Box::pin(call.engine.authorise(call.caller, once, parsed)).await;
    response.result = response.result.map_err(authorise::of_headless);
    answered(call, response).await
}

async fn capture(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let once = call.once(Scope::Capture, &arguments);
    let parsed = arguments.coerced.and_then(capture::parse);
    let response = call.engine.capture(call.caller, once, parsed).await;
    answered(call, response).await
}

async fn cancel(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let once = call.once(Scope::Cancel, &arguments);
    let parsed = arguments.coerced.and_then(cancel::parse);
    let response = call.engine.cancel(call.caller, once, parsed).await;
    answered(call, response).await
}

async fn refund(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let once = call.once(Scope::Refund, &arguments);
    let parsed = arguments.coerced.and_then(refund::parse);
    let response = call.engine.refund(call.caller, once, parsed).await;
    answered(call, response).await
}

async fn abandon(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::payment(ids::argument(&arguments.coerced?, "id"))?;
    let view = Box::pin(call.engine.abandon(call.caller, Abandon { id })).await?;
    Ok(shown(call, view).await)
}

async fn resolve(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(resolve::parse)?;
    let view = call.engine.resolve(call.caller, command).await?;
    Ok(shown(call, view).await)
}

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = ids::payment(ids::argument(&arguments.coerced?, "id"))?;
    let view = call.engine.payment(call.caller, id).await?;
    Ok(shown(call, view).await)
}

async fn list(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let list::Wanted {
        page,
        conditions,
        sort,
        nothing,
        echo,
    } = arguments.coerced.and_then(list::parse)?;
    let after = page.after().map(str::to_owned);
    let facts = Wanted::of(call.look);
    let list = ListPayments {
        page,
        conditions,
        sort: sort.clone(),
        id: echo.id.clone(),
        team: echo.team.clone(),
        want_total: facts.total,
        want_timeline: call.look.selects(OVERVIEW),
        want_settled: facts.settled,
    };
    let found = if nothing {
        empty(list)
    } else {
        call.engine.payments(call.caller, list).await?
    };
    let rows = listed(call, found.views).await;
    Ok(object(PaymentsPageObject {
        page: Connection {
            rows,
            facts: PageFacts {
                has_next: found.has_next,
                has_previous: found.has_previous,
                total: found.total,
                settled_until: found.settled_until,
                after,
            },
        },
        filter: FilterFacts {
            id: echo.id,
            team: echo.team,
            customer: echo.customer,
            user: echo.user,
            name: echo.name,
            conditions: found.conditions,
            sort,
        },
    }))
}

/// The payments of a page as objects, with what is selected besides, read for all of them at once.
async fn listed(call: Call<'_>, views: Vec<(String, PaymentView)>) -> Vec<(String, PaymentObject)> {
    let ids: Vec<PaymentId> = views.iter().map(|(_, one)| one.payment.id()).collect();
    let mut attachments = attachments(call, &ids).await;
    let mut disputes = disputes_of(call, &ids).await;
    let rows = views.into_iter().map(|(cursor, view)| {
        let timeline = Ok(view.timeline.unwrap_or_default());
        let id = view.payment.id();
        let attachments = match &mut attachments {
            Ok(found) => Ok(found.remove(&id).unwrap_or_default()),
            Err(fault) => Err(fault.clone()),
        };
        let own = |all: &mut Vec<DisputeView>| {
            all.extract_if(.., |one| one.dispute.payment() == id)
                .collect()
        };
        let disputes = match &mut disputes {
            Ok(found) => Ok(found.as_mut().map(own)),
            Err(fault) => Err(fault.clone()),
        };
        let payment = PaymentObject {
            payment: view.payment,
            timeline,
            attachments,
            disputes,
            sight: call.sight(),
        };
        (cursor, payment)
    });
    rows.collect()
}

/// A payment as it is, and each time that it has changed.
async fn follow<'a>(call: Call<'a>, arguments: Arguments<'a>) -> Result<Items<'a>, Fault> {
    let id = ids::payment(ids::argument(&arguments.coerced?, "id"))?;
    let followed = call.engine.follow_payment(call.caller, id).await?;
    let items = stream::unfold(followed, move |mut followed| async move {
        let result = match followed.next().await {
            Ok(view) => Some(Ok(shown(call, view).await)),
            Err(fault) => Some(Err(fault)),
        };
        let place = None;
        Some((Item { place, result }, followed))
    });
    Ok(items.boxed())
}

/// The page of a list that can't match anything.
fn empty(list: ListPayments) -> PaymentPage {
    let total = list.want_total.then_some(0);
    PaymentPage {
        views: Vec::new(),
        has_next: false,
        has_previous: false,
        total,
        conditions: list.conditions,
        settled_until: None,
    }
}

async fn answered(call: Call<'_>, response: Response<PaymentView>) -> Answer {
    let result = match response.result {
        Ok(view) => Ok(shown(call, view).await),
        Err(fault) => Err(fault),
    };
    Answer {
        result,
        replayed: response.replayed,
    }
}

/// The disputes of payments, where they are selected. They are not a browser's.
async fn disputes_of(
    call: Call<'_>,
    payments: &[PaymentId],
) -> Result<Option<Vec<DisputeView>>, Fault> {
    if !call.caller.is_server() || !call.look.selects(DISPUTES) {
        return Ok(None);
    }
    let with_timeline = call.look.selects(TIMELINE);
    let found = call
        .engine
        .disputes_of(call.caller.team, payments, with_timeline);
    let mut found = found.await?;
    with_attachments(call, &mut found).await?;
    Ok(Some(found))
}

/// The payment as an object. What can't be read of it is an error of that field alone: the payment is shown.
pub(crate) async fn shown(call: Call<'_>, view: PaymentView) -> Out<'static> {
    let timeline = if call.look.selects(OVERVIEW) {
        call.engine.timeline_in_time(&view.payment).await
    } else {
        Ok(Vec::new())
    };
    let id = view.payment.id();
    let attachments = attachments(call, &[id])
        .await
        .map(|mut found| found.remove(&id).unwrap_or_default());
    let disputes = disputes_of(call, &[id]).await;
    object(PaymentObject {
        payment: view.payment,
        timeline,
        attachments,
        disputes,
        sight: call.sight(),
    })
}

/// The attachments of payments, where they are selected and may be seen: one read for all.
async fn attachments(
    call: Call<'_>,
    payments: &[PaymentId],
) -> Result<BTreeMap<PaymentId, Vec<AttachmentView>>, Fault> {
    let mut by_payment: BTreeMap<PaymentId, Vec<AttachmentView>> = BTreeMap::new();
    if call.sight().is_server() && call.look.selects(ATTACHMENTS) {
        let subjects: Vec<Subject> = payments.iter().copied().map(Subject::Payment).collect();
        for view in call
            .engine
            .attachments_of(call.caller.team, &subjects)
            .await?
        {
            if let Subject::Payment(payment) = view.attachment.subject {
                by_payment.entry(payment).or_default().push(view);
            }
        }
    }
    Ok(by_payment)
}
