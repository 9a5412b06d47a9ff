//! How large a document may be.

use std::collections::BTreeMap;

use apollo_compiler::{
    Name, Node,
    ast::{Definition, Document, FragmentDefinition, Selection},
};

/// Selection sets and fragment spreads within each other, beyond which measuring stops: the program's stack is finite.
const MAX_NESTING: usize = 200;

/// Bounds of a document. Fields of introspection count in everything but depth.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Levels of fields within fields.
    pub depth: u64,
    /// Fields with an alias, fragments expanded.
    pub aliases: u64,
    /// Fields at the root of one operation, fragments expanded.
    pub root_fields: u64,
    /// Fields in all, fragments expanded.
    pub complexity: u64,
    /// Tokens of the text.
    pub tokens: usize,
    /// Levels of syntax within syntax while parsing.
    pub nesting: usize,
    /// Documents that are kept parsed.
    pub cached_documents: usize,
    /// Bytes of text of all documents that are kept parsed.
    pub cached_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 15,
            aliases: 100,
            root_fields: 20,
            complexity: 2_000,
            tokens: 10_000,
            nesting: 100,
            cached_documents: 200,
            // A parsed document takes some tens of times the memory of its text.
            cached_bytes: 512 * 1024,
        }
    }
}

/// Which bound a document exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    Depth,
    Aliases,
    RootFields,
    Complexity,
    Nesting,
}

impl Excess {
    /// For the client's engineer.
    pub(crate) fn message(self, limits: &Limits) -> String {
        match self {
            Self::Depth => format!("The document is deeper than {} levels.", limits.depth),
            Self::Aliases => format!("The document has more than {} aliases.", limits.aliases),
            Self::RootFields => format!(
                "The document has more than {} root fields.",
                limits.root_fields
            ),
            Self::Complexity => format!(
                "The document selects more than {} fields.",
                limits.complexity
            ),
            Self::Nesting => "The document nests too deeply.".to_owned(),
        }
    }
}

/// Sizes of a selection set with its fragments expanded.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    depth: u64,
    aliases: u64,
    top_fields: u64,
    fields: u64,
}

impl Size {
    fn alongside(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            aliases: self.aliases.saturating_add(other.aliases),
            top_fields: self.top_fields.saturating_add(other.top_fields),
            fields: self.fields.saturating_add(other.fields),
        }
    }
}

struct Measure<'a> {
    fragments: BTreeMap<&'a Name, &'a Node<FragmentDefinition>>,
    /// `None` while a fragment is being measured: one that spreads itself is left to validation.
    known: BTreeMap<&'a Name, Option<Size>>,
}

/// Refuses a document that exceeds a bound, before anything expensive is done with it.
///
/// Fragments are measured once each, so this takes time in proportion to the text also where expanding would not.
pub(crate) fn check(document: &Document, limits: &Limits) -> Result<(), Excess> {
    let fragments = document
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::FragmentDefinition(fragment) => Some((&fragment.name, fragment)),
            _ => None,
        });
    let mut measure = Measure {
        fragments: fragments.collect(),
        known: BTreeMap::new(),
    };
    for definition in &document.definitions {
        if let Definition::OperationDefinition(operation) = definition {
            let size = measure.selections(&operation.selection_set, 0)?;
            judge(size, limits)?;
        }
    }
    Ok(())
}

fn judge(size: Size, limits: &Limits) -> Result<(), Excess> {
    if size.depth > limits.depth {
        Err(Excess::Depth)
    } else if size.top_fields > limits.root_fields {
        Err(Excess::RootFields)
    } else if size.aliases > limits.aliases {
        Err(Excess::Aliases)
    } else if size.fields > limits.complexity {
        Err(Excess::Complexity)
    } else {
        Ok(())
    }
}

impl<'a> Measure<'a> {
    fn selections(&mut self, selections: &'a [Selection], nesting: usize) -> Result<Size, Excess> {
        if nesting > MAX_NESTING {
            return Err(Excess::Nesting);
        }
        let mut size = Size::default();
        for selection in selections {
            size = size.alongside(self.selection(selection, nesting.saturating_add(1))?);
        }
        Ok(size)
    }

    fn selection(&mut self, selection: &'a Selection, nesting: usize) -> Result<Size, Excess> {
        match selection {
            Selection::Field(field) => {
                let inner = self.selections(&field.selection_set, nesting)?;
                let introspection = matches!(field.name.as_str(), "__schema" | "__type");
                Ok(Size {
                    depth: if introspection {
                        1
                    } else {
                        inner.depth.saturating_add(1)
                    },
                    aliases: inner
                        .aliases
                        .saturating_add(u64::from(field.alias.is_some())),
                    top_fields: 1,
                    fields: inner.fields.saturating_add(1),
                })
            }
            Selection::InlineFragment(fragment) => {
                self.selections(&fragment.selection_set, nesting)
            }
            Selection::FragmentSpread(spread) => self.fragment(&spread.fragment_name, nesting),
        }
    }

    fn fragment(&mut self, name: &'a Name, nesting: usize) -> Result<Size, Excess> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.unwrap_or_default());
        }
        let Some(fragment) = self.fragments.get(name).copied() else {
            return Ok(Size::default());
        };
        self.known.insert(name, None);
        let size = self.selections(&fragment.selection_set, nesting)?;
        self.known.insert(name, Some(size));
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn excess(text: &str, limits: &Limits) -> Option<Excess> {
        let document = apollo_compiler::ast::Document::parse(text, "test").unwrap();
        check(&document, limits).err()
    }

    fn nested(levels: usize) -> String {
        format!("{}{}", "{ a".repeat(levels), "}".repeat(levels))
    }

    #[test]
    fn depth_is_bounded_also_through_fragments() {
        let limits = Limits::default();
        assert_eq!(excess(&nested(15), &limits), None);
        assert_eq!(excess(&nested(16), &limits), Some(Excess::Depth));
        let hidden = format!("{{ ...F }} fragment F on Query {}", nested(16));
        assert_eq!(excess(&hidden, &limits), Some(Excess::Depth));
    }

    #[test]
    fn aliases_and_root_fields_are_bounded() {
        let limits = Limits {
            aliases: 3,
            root_fields: 4,
            ..Limits::default()
        };
        assert_eq!(excess("{ a: x b: x c: x d }", &limits), None);
        assert_eq!(
            excess("{ a: x b: x c: x d: x }", &limits),
            Some(Excess::Aliases)
        );
        assert_eq!(excess("{ a b c d e }", &limits), Some(Excess::RootFields));
        assert_eq!(
            excess("{ ...F ...F } fragment F on Query { a b c }", &limits),
            Some(Excess::RootFields)
        );
    }

    #[test]
    fn fragments_that_multiply_are_counted_without_being_expanded() {
        let limits = Limits::default();
        let mut text = "{ r { ...F0 } } ".to_owned();
        for level in 0..40 {
            write!(
                text,
                "fragment F{level} on T {{ ...F{0} ...F{0} }} ",
                level + 1
            )
            .unwrap();
        }
        text.push_str("fragment F40 on T { a }");
        assert_eq!(excess(&text, &limits), Some(Excess::Complexity));
    }

    #[test]
    fn a_fragment_that_spreads_itself_ends() {
        assert_eq!(
            excess(
                "{ ...F } fragment F on Query { a ...F }",
                &Limits::default()
            ),
            None
        );
    }

    #[test]
    fn a_long_chain_of_fragments_is_refused() {
        let mut text = "{ ...F0 } ".to_owned();
        for level in 0..600 {
            write!(text, "fragment F{level} on Query {{ ...F{} }} ", level + 1).unwrap();
        }
        text.push_str("fragment F600 on Query { a }");
        assert_eq!(excess(&text, &Limits::default()), Some(Excess::Nesting));
    }

    #[test]
    fn introspection_may_be_deep() {
        let text = format!("{{ __schema {} }}", nested(30));
        assert_eq!(excess(&text, &Limits::default()), None);
    }
}
