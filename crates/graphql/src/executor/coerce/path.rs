//! Where in an operation's arguments a value stands.

use std::fmt;

/// A path such as `data.sort.0.order`, built on the stack and written only for a fault.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The path of an argument.
    pub(crate) const fn argument(name: &'a str) -> Self {
        Self {
            parent: None,
            step: Step::Name(name),
        }
    }

    /// The path of a field of the schema within this value.
    pub(crate) const fn field(&'a self, name: &'a str) -> Self {
        Self {
            parent: Some(self),
            step: Step::Name(name),
        }
    }

    /// The path of an item within this list.
    pub(crate) const fn item(&'a self, index: usize) -> Self {
        Self {
            parent: Some(self),
            step: Step::Index(index),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(f, "{parent}.")?;
        }
        match self.step {
            Step::Name(name) => f.write_str(name),
            Step::Index(index) => write!(f, "{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_dotted() {
        let root = Path::argument("data");
        let list = root.field("sort");
        assert_eq!(list.item(3).field("order").to_string(), "data.sort.3.order");
    }
}
