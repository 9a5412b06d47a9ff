//! Which fields an object is asked for: fragments, conditions and merging (GraphQL specification, October 2021, 6.3.2).

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::{
    Node,
    ast::{Directive, NamedType, Value},
    executable::{ExecutableDocument, Field, Selection, SelectionSet},
};

use domain::Fault;

use super::{coerce::Coercer, schema::ApiSchema};

/// What is needed to see through selections.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) schema: &'a ApiSchema,
    pub(crate) document: &'a ExecutableDocument,
    pub(crate) coercer: Coercer<'a>,
}

/// The selections of one response key, in document order; all are the same field with the same arguments.
pub(crate) struct Collected<'a> {
    pub(crate) key: &'a str,
    pub(crate) first: &'a Node<Field>,
    pub(crate) more: Vec<&'a Node<Field>>,
}

impl<'a> Collected<'a> {
    /// The selection sets that apply to the field's value.
    pub(crate) fn selection_sets(&self) -> impl Iterator<Item = &'a SelectionSet> {
        std::iter::once(self.first)
            .chain(self.more.iter().copied())
            .map(|field| &field.selection_set)
    }
}

#[derive(Default)]
struct Collection<'a> {
    fields: Vec<Collected<'a>>,
    places: BTreeMap<&'a str, usize>,
    spread: BTreeSet<&'a str>,
}

impl<'a> Scope<'a> {
    /// The fields of an object of type `type_name`, in document order.
    pub(crate) fn collect(
        &self,
        type_name: &str,
        sets: impl Iterator<Item = &'a SelectionSet>,
    ) -> Vec<Collected<'a>> {
        let mut collection = Collection::default();
        for set in sets {
            self.add(type_name, set, &mut collection);
        }
        collection.fields
    }

    fn add(&self, type_name: &str, set: &'a SelectionSet, collection: &mut Collection<'a>) {
        for selection in &set.selections {
            if !self.included(selection.directives()) {
                continue;
            }
            match selection {
                Selection::Field(field) => collection.add(field),
                Selection::InlineFragment(fragment) => {
                    let condition = fragment.type_condition.as_ref();
                    if condition.is_none_or(|condition| self.schema.fits(type_name, condition)) {
                        self.add(type_name, &fragment.selection_set, collection);
                    }
                }
                Selection::FragmentSpread(spread) => {
                    let fragment = self.document.fragments.get(&spread.fragment_name);
                    let Some(fragment) =
                        fragment.filter(|_| collection.spread.insert(&spread.fragment_name))
                    else {
                        continue;
                    };
                    if self.schema.fits(type_name, fragment.type_condition()) {
                        self.add(type_name, &fragment.selection_set, collection);
                    }
                }
            }
        }
    }

    /// Why an argument of some field below this one can't be used. It is asked before a root field runs: an error that is
    /// found while the answer is written would hide what was done.
    pub(crate) fn fault_below(&self, field: &Collected<'a>) -> Option<Fault> {
        self.find_below(field, |_, field| self.usable(field).err())
    }

    /// What `find` finds first among the fields below this one. It gets the type that each is selected on, and the field.
    pub(crate) fn find_below<T>(
        &self,
        field: &Collected<'a>,
        find: impl Fn(&'a NamedType, &'a Node<Field>) -> Option<T>,
    ) -> Option<T> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&SelectionSet> = field.selection_sets().collect();
        while let Some(set) = open.pop() {
            for selection in &set.selections {
                if !self.included(selection.directives()) {
                    continue;
                }
                match selection {
                    Selection::Field(field) => {
                        if let Some(found) = find(&set.ty, field) {
                            return Some(found);
                        }
                        open.push(&field.selection_set);
                    }
                    Selection::InlineFragment(fragment) => open.push(&fragment.selection_set),
                    Selection::FragmentSpread(spread) => {
                        if let Some(fragment) = self.document.fragments.get(&spread.fragment_name)
                            && seen.insert(&spread.fragment_name)
                        {
                            open.push(&fragment.selection_set);
                        }
                    }
                }
            }
        }
        None
    }

    fn usable(&self, field: &'a Node<Field>) -> Result<(), Fault> {
        if field.definition.arguments.is_empty() {
            return Ok(());
        }
        let arguments = self.coercer.arguments(field)?;
        (self.schema.product.judge_nested)(&arguments)
    }

    fn included(&self, directives: &[Node<Directive>]) -> bool {
        directives
            .iter()
            .all(|directive| match directive.name.as_str() {
                "skip" => !self.condition(directive),
                "include" => self.condition(directive),
                _ => true,
            })
    }

    /// Variables in conditions are checked before execution, so that a missing one can't come this far.
    fn condition(&self, directive: &Directive) -> bool {
        match directive
            .specified_argument_by_name("if")
            .map(AsRef::as_ref)
        {
            Some(Value::Boolean(flag)) => *flag,
            Some(Value::Variable(name)) => self.coercer.flag(name).unwrap_or(false),
            _ => false,
        }
    }
}

impl<'a> Collection<'a> {
    fn add(&mut self, field: &'a Node<Field>) {
        let key = field.response_key().as_str();
        if let Some(known) = self
            .places
            .get(key)
            .and_then(|place| self.fields.get_mut(*place))
        {
            known.more.push(field);
        } else {
            self.places.insert(key, self.fields.len());
            self.fields.push(Collected {
                key,
                first: field,
                more: Vec::new(),
            });
        }
    }
}

/// Whether some condition of the document reads a variable that is not a Boolean value.
pub(crate) fn has_bad_condition(
    document: &ExecutableDocument,
    set: &SelectionSet,
    coercer: &Coercer<'_>,
) -> bool {
    let bad = |directives: &[Node<Directive>]| {
        directives
            .iter()
            .flat_map(|directive| &directive.arguments)
            .any(|argument| {
                argument
                    .value
                    .as_variable()
                    .is_some_and(|name| coercer.flag(name).is_none())
            })
    };
    let mut seen = BTreeSet::new();
    let mut open = vec![set];
    while let Some(set) = open.pop() {
        for selection in &set.selections {
            if bad(selection.directives()) {
                return true;
            }
            match selection {
                Selection::Field(field) => open.push(&field.selection_set),
                Selection::InlineFragment(fragment) => open.push(&fragment.selection_set),
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = document.fragments.get(&spread.fragment_name)
                        && seen.insert(&spread.fragment_name)
                    {
                        open.push(&fragment.selection_set);
                    }
                }
            }
        }
    }
    false
}
