//! Guarded pages: merchants' pages on which customers pay.

use domain::Fault;

use super::{
    inputs,
    views::{PageObject, ViolationObject},
};
use crate::{
    executor::{Arguments, Out, object},
    operations::{Call, Operation, done, plain},
    shared::{Blank, Reader, ids},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::plain("listGuardedPages", |call, _| plain(list(call))),
    Operation::plain("saveGuardedPage", |call, given| plain(save(call, given))),
    Operation::plain("deleteGuardedPage", |call, given| {
        plain(delete(call, given))
    }),
    Operation::plain("authorisePageScript", |call, given| {
        plain(authorise(call, given))
    }),
    Operation::plain("withdrawPageScript", |call, given| {
        plain(withdraw(call, given))
    }),
    Operation::plain("listPageViolations", |call, given| {
        plain(violations(call, given))
    }),
];

async fn list(call: Call<'_>) -> Result<Out<'static>, Fault> {
    let pages = call.engine.guarded_pages(call.caller).await?;
    let objects = pages.into_iter().map(|one| object(PageObject(one)));
    Ok(Out::List(objects.collect()))
}

async fn save(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let command = arguments.coerced.and_then(inputs::save)?;
    let saved = call.engine.save_guarded_page(call.caller, command).await?;
    Ok(object(PageObject(saved)))
}

async fn delete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let id = inputs::page(ids::argument(&arguments.coerced?, "id"), "id")?;
    done(call.engine.delete_guarded_page(call.caller, id).await)
}

async fn authorise(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let (id, given) = arguments.coerced.and_then(inputs::authorise)?;
    let changed = call.engine.authorise_page_script(call.caller, id, given);
    Ok(object(PageObject(changed.await?)))
}

async fn withdraw(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let given = arguments.coerced?;
    let id = inputs::page(ids::argument(&given, "pageId"), "pageId")?;
    let source = ids::argument(&given, "source");
    let changed = call.engine.withdraw_page_script(call.caller, id, source);
    Ok(object(PageObject(changed.await?)))
}

async fn violations(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let given = arguments.coerced?;
    let id = inputs::page(ids::argument(&given, "pageId"), "pageId")?;
    let first = Reader::new(given, Blank::Absent).int("first")?;
    let found = call.engine.page_violations(call.caller, id, first).await?;
    let objects = found.into_iter().map(|one| object(ViolationObject(one)));
    Ok(Out::List(objects.collect()))
}
