//! Runs one operation whose answers come one after the other: the source of a subscription's root field, and an answer for
//! each of its values (GraphQL specification, October 2021, 6.2.3).

use apollo_compiler::{Node, executable::Operation};
use domain::{Code, Fault};
use futures_util::{StreamExt as _, future::BoxFuture, stream::BoxStream};

use super::{
    Executor, Method, Request, Response, RootFields,
    collect::{Collected, Scope},
    complete::Writer,
    document::DocumentFault,
    look_ahead::LookAhead,
    output::Out,
    rejected,
    run::{Arguments, Root, RootCall, root_field},
};

/// One value of a source.
pub(crate) struct Item {
    /// From where the client can go on after it.
    pub(crate) place: Option<String>,
    /// The root field's value, or why there is none; nothing where only the place has moved.
    pub(crate) result: Option<Result<Out<'static>, Fault>>,
}

/// The values of a source, until the client or the source ends.
pub(crate) type Items<'a> = BoxStream<'a, Item>;

/// One answer of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// From where the client can go on after it.
    pub place: Option<String>,
    /// JSON, as the body of an answer has it; nothing where only the place has moved.
    pub body: Option<Vec<u8>>,
}

/// Where answers go.
pub trait Sink: Send {
    /// The operation is good and runs; a subscription's source is open, or could not be opened. `operation` names it for metrics.
    fn begin(&mut self, operation: &'static str);

    /// Takes one answer. False when nobody is there any more.
    fn send(&mut self, frame: Frame) -> BoxFuture<'_, bool>;
}

impl Executor {
    /// Runs a request whose answers go into `sink`, until there are no more or nobody takes them. One that is no subscription has one answer.
    ///
    /// Returns the refusal of a request that can't run: then nothing has begun.
    pub(crate) async fn stream<R: Root>(
        &self,
        request: &Request,
        method: Method,
        root: impl FnOnce(&RootFields<'_>) -> R,
        sink: &mut dyn Sink,
    ) -> Option<Response> {
        let document = match self.documents.prepare(&request.query) {
            Ok(document) => document,
            Err(faults) => return Some(rejected(&faults)),
        };
        let chosen = match Self::chosen(&document, request) {
            Ok(chosen) => chosen,
            Err(fault) => return Some(rejected(&[fault])),
        };
        if !chosen.operation.is_subscription() {
            let answer = self.execute(request, method, root).await;
            if !matches!(answer.kind, super::Execution::Executed) {
                return Some(answer);
            }
            sink.begin(answer.operation);
            let frame = Frame {
                place: None,
                body: Some(answer.body),
            };
            sink.send(frame).await;
            return None;
        }
        let scope = match self.scope(&chosen) {
            Ok(scope) => scope,
            Err(fault) => return Some(rejected(&[fault])),
        };
        let Some(field) = the_one_field(scope, chosen.operation) else {
            let message = "A subscription selects one field, and none of the schema's own.";
            let fault = DocumentFault::new(Code::GraphqlValidation, message);
            return Some(rejected(&[fault]));
        };
        let root = root(&RootFields {
            scope,
            operation: chosen.operation,
        });
        run(scope, &field, &root, sink).await;
        None
    }
}

/// The only root field that a subscription selects.
fn the_one_field<'a>(scope: Scope<'a>, operation: &'a Node<Operation>) -> Option<Collected<'a>> {
    let set = std::iter::once(&operation.selection_set);
    let mut fields = scope.collect(operation.object_type(), set).into_iter();
    let field = fields
        .next()
        .filter(|field| !field.first.name.starts_with("__"));
    field.filter(|_| fields.next().is_none())
}

async fn run(scope: Scope<'_>, field: &Collected<'_>, root: &dyn Root, sink: &mut dyn Sink) {
    let call = RootCall {
        name: &field.first.name,
        arguments: Arguments::new(scope, field.first),
        look_ahead: LookAhead::new(scope, field),
    };
    let opened = match scope.fault_below(field) {
        Some(fault) => Err(fault),
        None => root.subscribe(call).await,
    };
    // Not before: what happens once the client knows that the stream is open is in it.
    sink.begin(root_field(scope.schema, &field.first.name));
    let mut items = match opened {
        Ok(items) => items,
        Err(fault) => {
            let refused = Item {
                place: None,
                result: Some(Err(fault)),
            };
            sink.send(written(scope, field, refused)).await;
            return;
        }
    };
    while let Some(item) = items.next().await {
        if !sink.send(written(scope, field, item)).await {
            return;
        }
    }
}

/// The answer that shows a value.
fn written(scope: Scope<'_>, field: &Collected<'_>, item: Item) -> Frame {
    let body = item.result.map(|result| {
        let mut writer = Writer::new(scope);
        writer.open();
        let data = writer.entry(true, field.key, |writer| {
            writer.value(&field.first.definition.ty, result, field)
        });
        writer.close();
        writer.finish(&data)
    });
    Frame {
        place: item.place,
        body,
    }
}
