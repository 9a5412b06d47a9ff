//! Runs one operation: its root fields one after the other, each to its end before the next begins.

use apollo_compiler::{
    Node,
    executable::{Field, Operation},
};
use domain::{Code, Fault};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::{
    collect::Scope, complete::Writer, look_ahead::LookAhead, output::Out, schema::ApiSchema,
    stream::Items,
};

/// Coerced arguments, or why they could not be coerced. They may hold secrets, so nothing prints them.
pub(crate) struct Arguments<'a> {
    /// The arguments in the schema's types.
    pub(crate) coerced: Result<Map<String, Value>, Fault>,
    scope: Scope<'a>,
    field: &'a Field,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(scope: Scope<'a>, field: &'a Field) -> Self {
        Self {
            coerced: scope.coercer.arguments(field),
            scope,
            field,
        }
    }

    /// What tells this request from another under an idempotency key: the coerced arguments, or else the given ones.
    pub(crate) fn identity(&self) -> Value {
        match &self.coerced {
            Ok(arguments) => Value::Object(arguments.clone()),
            Err(_) => self.scope.coercer.uncoerced(self.field),
        }
    }
}

/// One root field to run.
pub(crate) struct RootCall<'a> {
    /// Its name in the schema.
    pub(crate) name: &'a str,
    /// Its arguments.
    pub(crate) arguments: Arguments<'a>,
    /// What is selected below it.
    pub(crate) look_ahead: LookAhead<'a>,
}

/// What a root field gave.
pub(crate) struct Answer {
    /// Its value, or why it was refused.
    pub(crate) result: Result<Out<'static>, Fault>,
    /// Whether this is the remembered answer of an earlier request with the same idempotency key.
    pub(crate) replayed: bool,
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
pub(crate) trait Root: Send + Sync {
    /// Runs one root field.
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer>;

    /// Opens the source of a subscription's root field.
    fn subscribe<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Result<Items<'a>, Fault>>;
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

/// The root field of that name, or `introspection` for one that the schema has without defining it.
pub(super) fn root_field(schema: &ApiSchema, name: &str) -> &'static str {
    (schema.product.root_field)(name).unwrap_or("introspection")
}

/// Runs the operation. `introspected` holds the values of `__schema` and `__type` by response key.
pub(crate) async fn run(
    scope: Scope<'_>,
    operation: &Node<Operation>,
    introspected: &Map<String, Value>,
    root: &dyn Root,
) -> Executed {
    let type_name = operation.object_type().as_str();
    let fields = scope.collect(type_name, std::iter::once(&operation.selection_set));
    let word = |name: &str| root_field(scope.schema, name);
    note_operations(fields.iter().map(|field| word(&field.first.name)));
    let mut writer = Writer::new(scope);
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
        .map_or("nothing", |field| word(&field.first.name));
    Executed {
        code: writer.first_code(),
        operation,
        body: writer.finish(&data),
        replayed,
    }
}
