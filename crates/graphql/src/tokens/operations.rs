//! Stored payment methods.

use std::collections::BTreeMap;

use domain::{Fault, customer::StoredMethod};
use engine::Scope;

use super::{
    inputs::{processor_token, security_code, tokenise},
    views::{CardTokenObject, LINKED, MethodObject, ProcessorTokenObject},
};
use crate::{
    executor::{Answer, Arguments, Out, object},
    operations::{Call, Operation, done, plain, ready},
    shared::{ids, note_number},
};

/// The operations.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::keyed("tokenisePaymentMethod", |call, given| {
        Box::pin(tokenise(call, given))
    })
    .storing(),
    Operation::keyed("tokeniseCard", |call, given| {
        Box::pin(tokenise(call, given))
    })
    .storing(),
    Operation::plain("getPaymentMethod", |call, given| plain(get(call, given))),
    Operation::plain("getPaymentMethods", |call, given| {
        plain(of_customer(call, given, "customerId"))
    }),
    Operation::plain("listCustomerCards", |call, given| {
        plain(of_customer(call, given, "vaultCustomerId"))
    }),
    Operation::plain("deletePaymentMethod", |call, given| {
        plain(delete(call, given))
    }),
    Operation::plain("updateDefaultPaymentMethod", |call, given| {
        plain(make_default(call, given))
    }),
    Operation::plain("attachPaymentMethod", |call, given| {
        plain(attach(call, given))
    }),
    Operation::plain("attachSecurityCode", |call, given| {
        plain(attach_code(call, given))
    }),
    Operation::plain("cardBrands", |call, given| ready(brands(&call, given))),
    Operation::plain("headlessRequestPaymentProcessorToken", |call, given| {
        plain(processor_token(call, given))
    }),
];

fn brands(call: &Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let given = arguments.coerced?;
    let brands = call.engine.card_brands(ids::argument(&given, "iin"))?;
    Ok(Out::List(brands.into_iter().map(Into::into).collect()))
}

async fn tokenise(call: Call<'_>, arguments: Arguments<'_>) -> Answer {
    let mut once = call.once(|_| Scope::Tokenise, &arguments);
    let parsed = arguments
        .coerced
        .and_then(|given| tokenise::parse(given, call.caller.mode));
    note_number(&mut once, &parsed, "/data/paymentMethod");
    let response = call.engine.tokenise(call.caller, once, parsed).await;
    let result = response.result.map(|view| {
        object(CardTokenObject {
            method: view.method,
            customer: view.customer,
            sight: call.sight(),
        })
    });
    Answer {
        result,
        replayed: response.replayed,
    }
}

async fn get(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
    let method = call.engine.method(call.caller, token).await?;
    let mut objects = shown(call, vec![method]).await?;
    objects.pop().ok_or_else(Fault::unknown)
}

/// The methods of the customer whom an argument of this name names.
async fn of_customer(
    call: Call<'_>,
    arguments: Arguments<'_>,
    argument: &'static str,
) -> Result<Out<'static>, Fault> {
    let id = ids::customer(ids::argument(&arguments.coerced?, argument))?;
    let methods = call.engine.methods(call.caller, id).await?;
    shown(call, methods).await.map(Out::List)
}

async fn attach_code(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let (token, code) = arguments.coerced.and_then(security_code::parse)?;
    done(call.engine.attach_code(call.caller, &token, &code).await)
}

async fn processor_token(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let wanted = arguments.coerced.and_then(processor_token::parse)?;
    let token = call.engine.processor_token(call.caller, wanted).await?;
    Ok(object(ProcessorTokenObject { token }))
}

async fn delete(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
    done(call.engine.delete_method(call.caller, token).await)
}

async fn make_default(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
    done(call.engine.make_default(call.caller, token).await)
}

async fn attach(call: Call<'_>, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
    let given = arguments.coerced?;
    let token = ids::token(ids::argument(&given, "token"))?;
    let customer = ids::customer(ids::argument(&given, "customerId"))?;
    done(
        call.engine
            .attach_method(call.caller, token, customer)
            .await,
    )
}

/// The methods as they are shown. A browser sees no processor's token.
async fn shown(call: Call<'_>, methods: Vec<StoredMethod>) -> Result<Vec<Out<'static>>, Fault> {
    let sight = call.sight();
    let mut linked = if sight.is_server() && call.look.selects(LINKED) {
        call.engine.linked_gateways(call.caller, &methods).await?
    } else {
        BTreeMap::new()
    };
    let shown = methods.into_iter().map(|method| {
        let linked = linked.remove(&method.token).unwrap_or_default();
        object(MethodObject {
            method,
            linked,
            sight,
        })
    });
    Ok(shown.collect())
}
