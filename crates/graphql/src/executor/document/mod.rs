//! From a text to a document that fits the schema, within limits.

mod diagnostics;
mod limits;
mod load;
mod secrecy;
mod syntax;
mod unique;

use std::sync::Arc;

use apollo_compiler::{ExecutableDocument, parser::Parser, validation::Valid};
use domain::Code;
use quick_cache::{Weighter, sync::Cache};

pub(crate) use self::diagnostics::{DocumentFault, is_surely_a_name};
pub use self::limits::Limits;
pub(crate) use self::load::is_bearable;
use crate::executor::schema::ApiSchema;

/// A document that fits the schema.
pub(crate) type Document = Valid<ExecutableDocument>;

/// Parses and validates documents, and keeps those that can't hold secret numbers.
pub(crate) struct Documents {
    schema: Arc<ApiSchema>,
    limits: Limits,
    cache: Cache<Box<str>, Arc<Document>, ByBytes>,
}

/// Weighs a cached document by its text.
#[derive(Clone)]
struct ByBytes {
    /// Makes the number of documents count too: none weighs less than its share of the bytes.
    least: u64,
}

impl Weighter<Box<str>, Arc<Document>> for ByBytes {
    fn weight(&self, text: &Box<str>, _: &Arc<Document>) -> u64 {
        u64::try_from(text.len())
            .unwrap_or(u64::MAX)
            .max(self.least)
    }
}

impl Documents {
    pub(crate) fn new(schema: Arc<ApiSchema>, limits: Limits) -> Self {
        let count = limits.cached_documents.max(1);
        let least = limits.cached_bytes / u64::try_from(count).unwrap_or(u64::MAX);
        let cache = Cache::with_weighter(
            count,
            limits.cached_bytes,
            ByBytes {
                least: least.max(1),
            },
        );
        Self {
            schema,
            limits,
            cache,
        }
    }

    /// The document of a text. Errors: syntax, limit or validation faults, at least one.
    pub(crate) fn prepare(&self, text: &str) -> Result<Arc<Document>, Vec<DocumentFault>> {
        if let Some(known) = self.cache.get(text) {
            return Ok(known);
        }
        let document = Arc::new(self.parse(text)?);
        if secrecy::may_be_kept(text, &document) {
            self.cache.insert(text.into(), document.clone());
        }
        Ok(document)
    }

    fn parse(&self, text: &str) -> Result<Document, Vec<DocumentFault>> {
        let text = syntax::check(text, &self.limits).map_err(|fault| vec![fault])?;
        let mut parser = Parser::new()
            .token_limit(self.limits.tokens)
            .recursion_limit(self.limits.nesting);
        let ast = parser
            .parse_ast(text, "document")
            .map_err(|broken| diagnostics::parser(&broken.errors))?;
        limits::check(&ast, &self.limits).map_err(|excess| {
            vec![DocumentFault::new(
                Code::GraphqlLimit,
                excess.message(&self.limits),
            )]
        })?;
        if let Some(name) = unique::repeated_input_field(&ast) {
            let message = "An input object gives a field twice.";
            let mut fault = DocumentFault::new(Code::GraphqlValidation, message);
            fault.place = name
                .line_column_range(&ast.sources)
                .map(|range| (range.start.line, range.start.column));
            return Err(vec![fault]);
        }
        ast.to_executable_validate(&self.schema.schema)
            .map_err(|broken| diagnostics::validation(&broken.errors, &self.schema))
    }
}

#[cfg(test)]
mod tests;
