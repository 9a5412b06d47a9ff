//! The elements of a page, as the parser of a browser makes them.
//!
//! Only what scripts need is kept of the tree: no element knows its children, elements that can't bring a script are dropped, and the
//! text of scripts alone is collected.

use std::{
    borrow::Cow,
    cell::{Cell, Ref, RefCell},
};

use html5ever::{
    Attribute, QualName, local_name, ns,
    tendril::StrTendril,
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};

use super::{is_handler, pieces};

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

/// What was read of a page.
pub(super) struct Elements {
    /// The elements that may bring scripts, in the order in which they begin.
    pub(super) kept: Vec<Element>,
    /// Whether a part of the page was not read, since it would take too long.
    pub(super) is_cut: bool,
}

/// The elements of a page.
pub(super) fn of(html: &str) -> Elements {
    let (sink, is_cut) = pieces::parsed(html);
    Elements {
        kept: sink.finish(),
        is_cut,
    }
}

/// Elements that bring scripts, or decide about them, whatever their attributes; of the first two, others may come later.
const KEPT: [&str; 7] = ["html", "body", "base", "iframe", "link", "meta", "script"];

/// What making an element takes, in steps.
const ELEMENT_STEPS: usize = 32;

/// What the parser holds of a node.
struct Node {
    name: QualName,
    depth: usize,
    element: Option<Box<Element>>,
}

/// What the parser builds into. A node's handle is its place; the page itself is the first.
pub(super) struct Sink {
    nodes: RefCell<Vec<Node>>,
    steps: Cell<usize>,
    deepest: Cell<usize>,
}

impl Default for Sink {
    fn default() -> Self {
        let sink = Self {
            nodes: RefCell::default(),
            steps: Cell::new(0),
            deepest: Cell::new(0),
        };
        sink.add(None, None);
        sink
    }
}

impl Sink {
    /// How much work the parser had: what it looked up and what it made.
    pub(super) fn steps(&self) -> usize {
        self.steps.get()
    }

    /// How deep the deepest element is.
    pub(super) fn deepest(&self) -> usize {
        self.deepest.get()
    }

    /// Counts work.
    pub(super) fn take_steps(&self, steps: usize) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    fn add(&self, name: Option<QualName>, element: Option<Box<Element>>) -> usize {
        let nameless = || QualName::new(None, ns!(), local_name!(""));
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            name: name.unwrap_or_else(nameless),
            depth: 0,
            element,
        });
        nodes.len().saturating_sub(1)
    }

    /// Puts a node below another.
    fn place(&self, parent: usize, child: usize) {
        let is_in_head = self.is_head(parent);
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes.get(parent).map_or(0, |node| node.depth);
        let Some(node) = nodes.get_mut(child) else {
            return;
        };
        node.depth = depth.saturating_add(1);
        self.deepest.set(self.deepest.get().max(node.depth));
        if let Some(element) = &mut node.element {
            element.is_in_head = is_in_head;
        }
    }

    /// Puts a node beside one of which it is open at the same time: it is as deep for the parser as if it stood below it.
    fn place_beside(&self, other: usize, child: usize) {
        self.place(other, child);
        let mut nodes = self.nodes.borrow_mut();
        if let Some(element) = nodes.get_mut(child).and_then(|node| node.element.as_mut()) {
            element.is_in_head = false;
        }
    }

    fn is_head(&self, place: usize) -> bool {
        let nodes = self.nodes.borrow();
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
        let nodes = self.nodes.into_inner().into_iter();
        nodes
            .filter_map(|node| node.element.map(|element| *element))
            .collect()
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
        self.take_steps(1);
        Ref::map(self.nodes.borrow(), |nodes| &nodes[*target].name)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> usize {
        let size = attributes.iter().map(|one| one.value.len());
        self.take_steps(size.fold(ELEMENT_STEPS, usize::saturating_add));
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
        let is_kept = KEPT.contains(&element.name.as_str())
            || element
                .attributes
                .iter()
                .any(|(name, value)| is_handler(name, value));
        self.add(Some(name), is_kept.then(|| Box::new(element)))
    }

    fn create_comment(&self, _text: StrTendril) -> usize {
        self.add(None, None)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> usize {
        self.add(None, None)
    }

    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        match child {
            NodeOrText::AppendNode(child) => self.place(*parent, child),
            NodeOrText::AppendText(text) => {
                let mut nodes = self.nodes.borrow_mut();
                let element = nodes
                    .get_mut(*parent)
                    .and_then(|node| node.element.as_mut());
                if let Some(element) = element.filter(|element| element.name == "script") {
                    element.text.push_str(&text);
                }
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &usize,
        previous: &usize,
        child: NodeOrText<usize>,
    ) {
        if let NodeOrText::AppendNode(child) = child {
            let depth = |place: usize| self.nodes.borrow().get(place).map_or(0, |node| node.depth);
            let deeper = if depth(*previous) > depth(*element) {
                *previous
            } else {
                *element
            };
            self.place_beside(deeper, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &usize) -> usize {
        *target
    }

    fn same_node(&self, one: &usize, other: &usize) -> bool {
        self.take_steps(1);
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        if let NodeOrText::AppendNode(child) = child {
            self.place_beside(*sibling, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &usize, attributes: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        let Some(element) = nodes
            .get_mut(*target)
            .and_then(|node| node.element.as_mut())
        else {
            return;
        };
        for (name, value) in attributes.iter().map(pair) {
            self.take_steps(element.attributes.len());
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
