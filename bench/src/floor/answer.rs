//! The smallest executor: one root field, two fields below it.

use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use apollo_compiler::{
    ExecutableDocument, Node, Schema,
    executable::{Field, Selection},
    request::coerce_variable_values,
    response::{JsonMap, JsonValue},
    validation::Valid,
};
use quick_cache::sync::Cache;
use serde::Deserialize;

use super::keep::Keeper;

const SDL: &str = include_str!("../../../schema.graphql");
/// As many as the service keeps, and more than a measurement sends.
const DOCUMENTS: usize = 1_000;

#[derive(Deserialize)]
struct Asked {
    query: String,
    #[serde(default)]
    variables: JsonMap,
}

/// Parsed documents by their texts.
pub(super) struct Documents {
    schema: Valid<Schema>,
    cache: Cache<String, Arc<Valid<ExecutableDocument>>>,
}

impl Documents {
    pub(super) fn new() -> anyhow::Result<Self> {
        let schema = Schema::parse_and_validate(SDL, "schema.graphql")
            .map_err(|_| anyhow!("the schema is broken"))?;
        Ok(Self {
            schema,
            cache: Cache::new(DOCUMENTS),
        })
    }

    /// The bytes of the answer.
    pub(super) async fn answer(
        &self,
        keeper: &Keeper,
        key: Option<&str>,
        body: &[u8],
    ) -> anyhow::Result<Vec<u8>> {
        let asked: Asked = serde_json::from_slice(body)?;
        let document = self.prepare(asked.query)?;
        let operation = document
            .operations
            .get(None)
            .map_err(|_| anyhow!("no operation"))?;
        let variables = coerce_variable_values(&self.schema, operation, &asked.variables);
        let variables = variables.map_err(|_| anyhow!("the variables do not fit"))?;
        let Some(Selection::Field(field)) = operation.selection_set.selections.first() else {
            bail!("no field")
        };
        let (id, status) = match field.name.as_str() {
            "authorizePayment" => {
                let input = variables
                    .get("input")
                    .and_then(JsonValue::as_object)
                    .context("no input")?;
                let amount = input
                    .get("amount")
                    .and_then(JsonValue::as_i64)
                    .context("no amount")?;
                let currency = input
                    .get("currencyCode")
                    .and_then(JsonValue::as_str)
                    .context("no currency")?;
                keeper.authorise(amount, currency, key).await?
            }
            "getPayment" => {
                keeper
                    .payment(
                        variables
                            .get("id")
                            .and_then(JsonValue::as_str)
                            .context("no id")?,
                    )
                    .await?
            }
            other => bail!("the floor does not know {other}"),
        };
        Ok(written(field, &id, &status))
    }

    fn prepare(&self, text: String) -> anyhow::Result<Arc<Valid<ExecutableDocument>>> {
        if let Some(known) = self.cache.get(&text) {
            return Ok(known);
        }
        let document =
            ExecutableDocument::parse_and_validate(&self.schema, text.as_str(), "document");
        let document = Arc::new(document.map_err(|_| anyhow!("the document does not fit"))?);
        self.cache.insert(text, Arc::clone(&document));
        Ok(document)
    }
}

/// The selected fields as JSON. Ids and statuses need no escapes.
fn written(root: &Node<Field>, id: &str, status: &str) -> Vec<u8> {
    let mut json = Vec::with_capacity(256);
    json.extend_from_slice(b"{\"data\":{\"");
    json.extend_from_slice(root.response_key().as_bytes());
    json.extend_from_slice(b"\":{");
    let fields = root
        .selection_set
        .selections
        .iter()
        .filter_map(Selection::as_field);
    for (index, field) in fields.enumerate() {
        let value = if field.name == "id" { id } else { status };
        json.extend_from_slice(if index == 0 { b"\"" } else { b",\"" });
        json.extend_from_slice(field.response_key().as_bytes());
        json.extend_from_slice(b"\":\"");
        json.extend_from_slice(value.as_bytes());
        json.push(b'"');
    }
    json.extend_from_slice(b"}}}");
    json
}
