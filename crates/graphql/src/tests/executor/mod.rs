//! The executor with this schema and toy resolvers.

mod documents;
mod fields;
mod streams;

use std::sync::{Arc, Mutex};

use domain::{Code, Fault};
use futures_util::{StreamExt as _, future::BoxFuture, stream};
use serde_json::{Map, Value, json};

use crate::{
    Execution, Introspection, Limits, Method, MethodNames, Request, Response,
    executor::{Answer, Executor, FieldOf, Item, Items, Object, Out, Root, RootCall, object},
    product::product,
};

/// Records what was asked for, and answers with toy payments.
#[derive(Default)]
struct Toy {
    calls: Mutex<Vec<String>>,
    asked: Asked,
}

type Asked = Arc<Mutex<Vec<String>>>;

struct ToyPayment(Asked);
struct ToyPage(Asked);
struct ToyInfo;
struct ToyEdge(Asked, usize);
struct ToyAmount;

impl Object for ToyPayment {
    fn type_name(&self) -> &'static str {
        "Payment"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        self.0.lock().unwrap().push(name.to_owned());
        Ok(match name {
            "id" => "payments:1".into(),
            "status" => "SUCCEEDED".into(),
            "metadata" => Out::Scalar(json!({"b": 1, "a": [null]})),
            "date" => Out::Text(format!("in {}", arguments["tz"].as_str().unwrap()).into()),
            "amount" => object(ToyAmount),
            "orderId" => return Err(Fault::unknown()),
            _ => Out::Null,
        })
    }
}

impl Object for ToyAmount {
    fn type_name(&self) -> &'static str {
        "Amount"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "rawAmount" => 5099_i64.into(),
            // Must not be null: the executor makes the whole amount null.
            _ => Out::Null,
        })
    }
}

impl Object for ToyPage {
    fn type_name(&self) -> &'static str {
        "PaymentsWithFilter"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "pageInfo" => object(ToyInfo),
            "edges" => Out::List(
                (0..3)
                    .map(|at| object(ToyEdge(self.0.clone(), at)))
                    .collect(),
            ),
            _ => Out::Null,
        })
    }
}

impl Object for ToyInfo {
    fn type_name(&self) -> &'static str {
        "PageInfo"
    }

    fn field<'s>(&'s self, _: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Err(Fault::unknown())
    }
}

impl Object for ToyEdge {
    fn type_name(&self) -> &'static str {
        "PaymentEdge"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        match name {
            "cursor" if self.1 == 1 => Err(Fault::unavailable()),
            "cursor" => Ok(Out::Text(format!("c{}", self.1).into())),
            _ => Ok(object(ToyPayment(self.0.clone()))),
        }
    }
}

struct Borrowed<'t>(&'t Toy);

impl Root for Borrowed<'_> {
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer> {
        let toy = self.0;
        toy.calls.lock().unwrap().push(format!(
            "{} total={}",
            call.name,
            call.look_ahead
                .selects(FieldOf::new("PageInfo", "totalSize"))
        ));
        let result = call.arguments.coerced.map(|_| match call.name {
            "listPayments" => object(ToyPage(toy.asked.clone())),
            "initializeSDK" | "deleteCustomer" => true.into(),
            "getCustomer" => Out::Null,
            _ => object(ToyPayment(toy.asked.clone())),
        });
        let replayed = call.name == "capturePayment";
        Box::pin(async move { Answer { result, replayed } })
    }

    fn subscribe<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Result<Items<'a>, Fault>> {
        let asked = self.0.asked.clone();
        Box::pin(async move {
            if call.name == "events" {
                return Err(Fault::unavailable());
            }
            let items = (1..=2).map(move |n| Item {
                place: Some(format!("place-{n}")),
                result: Some(Ok(object(ToyPayment(asked.clone())))),
            });
            Ok(stream::iter(items).boxed())
        })
    }
}

struct Ran {
    response: Response,
    toy: Toy,
}

impl Ran {
    fn body(&self) -> Value {
        serde_json::from_slice(&self.response.body).unwrap()
    }

    fn data_text(&self) -> String {
        serde_json::to_string(&self.body()["data"]).unwrap()
    }

    fn calls(&self) -> Vec<String> {
        self.toy.calls.lock().unwrap().clone()
    }
}

fn executor(introspection: Introspection) -> Executor {
    let product = product(MethodNames::Specified);
    Executor::new(product, Limits::default(), introspection).unwrap()
}

async fn run_with(
    query: &str,
    variables: Value,
    introspection: Introspection,
    method: Method,
) -> Ran {
    let executor = executor(introspection);
    let Value::Object(variables) = variables else {
        panic!("variables are an object")
    };
    let request = Request {
        query: query.to_owned(),
        operation_name: None,
        variables,
        answer_by: None,
    };
    let toy = Toy::default();
    let response = executor.execute(&request, method, |_| Borrowed(&toy)).await;
    Ran { response, toy }
}

async fn run(query: &str, variables: Value) -> Ran {
    run_with(query, variables, Introspection::On, Method::Post).await
}
