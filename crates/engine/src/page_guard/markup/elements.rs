//! The elements of a page, as the parser of a browser makes them.
//!
//! Only what scripts need is kept of the tree: no element knows its children, and the text of scripts alone is collected.

use std::{
    borrow::Cow,
    cell::{Ref, RefCell},
};

use html5ever::{
    Attribute, ParseOpts, QualName, local_name, ns, parse_document,
    tendril::{StrTendril, TendrilSink},
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};

/// To which language an element belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// HTML.
    Html,
    /// SVG.
    Drawing,
    /// `MathML` and others, which have no scripts.
    Other,
}

/// An element.
#[derive(Debug, Clone)]
pub(super) struct Element {
    /// To which language it belongs.
    pub(super) vocabulary: Vocabulary,
    /// Its name.
    pub(super) name: String,
    /// Its attributes: names in small letters, and values.
    pub(super) attributes: Vec<(String, String)>,
    /// Whether it stands in the page's head.
    pub(super) is_in_head: bool,
    /// What text stands directly in it, where it is a script.
    pub(super) text: String,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn value(&self, wanted: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str())
    }
}

/// The elements of a page, in the order in which they begin.
pub(super) fn of(html: &str) -> Vec<Element> {
    parse_document(Sink::default(), ParseOpts::default()).one(html)
}

/// What the parser holds of a node.
struct Node {
    name: QualName,
    element: Option<Element>,
}

/// What the parser builds into. A node's handle is its place; the page itself is the first.
struct Sink(RefCell<Vec<Node>>);

impl Default for Sink {
    fn default() -> Self {
        let sink = Self(RefCell::default());
        sink.add(None, None);
        sink
    }
}

impl Sink {
    fn add(&self, name: Option<QualName>, element: Option<Element>) -> usize {
        let nameless = || QualName::new(None, ns!(), local_name!(""));
        let mut nodes = self.0.borrow_mut();
        nodes.push(Node {
            name: name.unwrap_or_else(nameless),
            element,
        });
        nodes.len().saturating_sub(1)
    }

    fn is_head(&self, place: usize) -> bool {
        let nodes = self.0.borrow();
        nodes
            .get(place)
            .is_some_and(|node| node.name.ns == ns!(html) && node.name.local == local_name!("head"))
    }
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = Vec<Element>;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Vec<Element> {
        let nodes = self.0.into_inner();
        nodes.into_iter().filter_map(|node| node.element).collect()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> usize {
        0
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the parser asks only for what was made here, and a `Ref` can't be made of nothing"
    )]
    fn elem_name<'a>(&'a self, target: &'a usize) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |nodes| &nodes[*target].name)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> usize {
        let element = Element {
            vocabulary: match name.ns {
                ns!(html) => Vocabulary::Html,
                ns!(svg) => Vocabulary::Drawing,
                _ => Vocabulary::Other,
            },
            name: name.local.to_string(),
            attributes: attributes.iter().map(pair).collect(),
            is_in_head: false,
            text: String::new(),
        };
        self.add(Some(name), Some(element))
    }

    fn create_comment(&self, _text: StrTendril) -> usize {
        self.add(None, None)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> usize {
        self.add(None, None)
    }

    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        match child {
            NodeOrText::AppendNode(child) => {
                let is_in_head = self.is_head(*parent);
                let mut nodes = self.0.borrow_mut();
                let element = nodes.get_mut(child).and_then(|node| node.element.as_mut());
                if let Some(element) = element {
                    element.is_in_head = is_in_head;
                }
            }
            NodeOrText::AppendText(text) => {
                let mut nodes = self.0.borrow_mut();
                let element = nodes
                    .get_mut(*parent)
                    .and_then(|node| node.element.as_mut());
                if let Some(element) = element.filter(|element| element.name == "script") {
                    element.text.push_str(&text);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, _: &usize, _: &usize, _: NodeOrText<usize>) {}

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &usize) -> usize {
        *target
    }

    fn same_node(&self, one: &usize, other: &usize) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, _: &usize, _: NodeOrText<usize>) {}

    fn add_attrs_if_missing(&self, target: &usize, attributes: Vec<Attribute>) {
        let mut nodes = self.0.borrow_mut();
        let Some(element) = nodes
            .get_mut(*target)
            .and_then(|node| node.element.as_mut())
        else {
            return;
        };
        for (name, value) in attributes.iter().map(pair) {
            if element.value(&name).is_none() {
                element.attributes.push((name, value));
            }
        }
    }

    fn remove_from_parent(&self, _target: &usize) {}

    fn reparent_children(&self, _node: &usize, _new_parent: &usize) {}
}

/// The name as it is written, in small letters, and the value.
fn pair(attribute: &Attribute) -> (String, String) {
    let name = match &attribute.name.prefix {
        Some(prefix) => format!("{prefix}:{}", attribute.name.local),
        None => attribute.name.local.to_string(),
    };
    (name.to_ascii_lowercase(), attribute.value.to_string())
}
