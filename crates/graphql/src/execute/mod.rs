//! Runs one operation: its root fields one after the other, each to its end before the next begins.

mod collect;
mod complete;
mod look_ahead;
mod output;

use apollo_compiler::{
    Node,
    executable::{Field, Operation},
};
use domain::{Code, Fault};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

pub use self::complete::MethodNames;
use self::complete::Writer;
pub(crate) use self::{
    collect::{Scope, has_bad_condition},
    output::unknown_field,
};
pub use self::{
    look_ahead::LookAhead,
    output::{Object, Out, object, optional},
};
use crate::schema::root_field;

/// Coerced arguments, or why they could not be coerced. They may hold card data, so nothing prints them.
pub struct Arguments<'a> {
    /// The arguments in the schema's types.
    pub coerced: Result<Map<String, Value>, Fault>,
    scope: Scope<'a>,
    field: &'a Field,
}

impl<'a> Arguments<'a> {
    fn new(scope: Scope<'a>, field: &'a Field) -> Self {
        Self {
            coerced: scope.coercer.arguments(field),
            scope,
            field,
        }
    }

    /// What tells this request from another under an idempotency key: the coerced arguments, or else the given ones.
    pub fn identity(&self) -> Value {
        match &self.coerced {
            Ok(arguments) => Value::Object(arguments.clone()),
            Err(_) => self.scope.coercer.uncoerced(self.field),
        }
    }
}

/// One root field to run.
pub struct RootCall<'a> {
    /// Its name in the schema.
    pub name: &'a str,
    /// Its arguments.
    pub arguments: Arguments<'a>,
    /// What is selected below it.
    pub look_ahead: LookAhead<'a>,
}

/// What a root field gave.
pub struct Answer {
    /// Its value, or why it was refused.
    pub result: Result<Out<'static>, Fault>,
    /// Whether this is the remembered answer of an earlier request with the same idempotency key.
    pub replayed: bool,
}

impl From<Result<Out<'static>, Fault>> for Answer {
    fn from(result: Result<Out<'static>, Fault>) -> Self {
        Self {
            result,
            replayed: false,
        }
    }
}

/// Runs root fields for one request.
pub trait Root: Send + Sync {
    /// Runs one root field.
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer>;
}

/// What came of an operation.
pub(crate) struct Executed {
    pub(crate) body: Vec<u8>,
    pub(crate) replayed: bool,
    /// The first root field.
    pub(crate) operation: &'static str,
    /// The code of the first error.
    pub(crate) code: Option<Code>,
}

/// Names the operations of a request with several, each once, in the lines that it causes.
fn note_operations(names: impl ExactSizeIterator<Item = &'static str>) {
    if names.len() < 2 {
        return;
    }
    let mut different: Vec<&str> = Vec::new();
    for name in names {
        if !different.contains(&name) {
            different.push(name);
        }
    }
    tracing::Span::current().record("operations", different.join(" "));
}

/// Lets other requests have the thread between two root fields.
async fn breathe() {
    let mut is_second = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_second, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

/// Runs the operation. `introspected` holds the values of `__schema` and `__type` by response key.
pub(crate) async fn run(
    with: (Scope<'_>, MethodNames),
    operation: &Node<Operation>,
    introspected: &Map<String, Value>,
    root: &dyn Root,
) -> Executed {
    let (scope, names) = with;
    let type_name = operation.object_type().as_str();
    let fields = scope.collect(type_name, std::iter::once(&operation.selection_set));
    note_operations(fields.iter().map(|field| root_field(&field.first.name)));
    let mut writer = Writer::new(scope, names);
    let mut replayed = false;
    let mut data = Ok(());
    writer.open();
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            breathe().await;
        }
        let written = match field.first.name.as_str() {
            "__typename" => writer.entry(index == 0, field.key, |writer| {
                writer.text(type_name);
                Ok(())
            }),
            "__schema" | "__type" => writer.entry(index == 0, field.key, |writer| {
                writer.scalar(introspected.get(field.key).unwrap_or(&Value::Null));
                Ok(())
            }),
            name => {
                let answer = if let Some(fault) = scope.fault_below(field) {
                    Answer::from(Err(fault))
                } else {
                    let call = RootCall {
                        name,
                        arguments: Arguments::new(scope, field.first),
                        look_ahead: LookAhead::new(scope, field),
                    };
                    root.resolve(call).await
                };
                replayed |= answer.replayed;
                let ty = &field.first.definition.ty;
                writer.entry(index == 0, field.key, |writer| {
                    writer.value(ty, answer.result, field)
                })
            }
        };
        if written.is_err() {
            data = written;
            break;
        }
    }
    writer.close();
    let operation = fields
        .first()
        .map_or("nothing", |field| root_field(&field.first.name));
    Executed {
        code: writer.first_code(),
        operation,
        body: writer.finish(&data),
        replayed,
    }
}
