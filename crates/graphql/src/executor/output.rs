//! What resolvers give: values that the executor asks for their fields, one by one, as they are selected.

use std::borrow::Cow;

use domain::Fault;
use serde_json::{Map, Value};

/// A field's value.
pub(crate) enum Out<'a> {
    /// Nothing.
    Null,
    /// A text, or an enum value.
    Text(Cow<'a, str>),
    /// Any other scalar.
    Scalar(Value),
    /// An object of the schema.
    Object(Box<dyn Object + 'a>),
    /// A list.
    List(Vec<Out<'a>>),
}

/// An object of the schema. Only selected fields are asked for.
pub(crate) trait Object: Send + Sync {
    /// Its type in the schema.
    fn type_name(&self) -> &'static str;

    /// One field. The executor has checked that the type has it, and coerced its arguments.
    ///
    /// A field that the object does not know is a defect; a test asks every object for every field of its type.
    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault>;
}

/// A reference to an object is an object too, for pages that hold whole objects.
impl<T: Object> Object for &T {
    fn type_name(&self) -> &'static str {
        (**self).type_name()
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        (**self).field(name, arguments)
    }
}

/// An object in a box, for the views' shorthand.
pub(crate) fn object<'a>(object: impl Object + 'a) -> Out<'a> {
    Out::Object(Box::new(object))
}

/// An object, or null.
pub(crate) fn optional<'a>(value: Option<impl Object + 'a>) -> Out<'a> {
    value.map_or(Out::Null, object)
}

/// The fault of an object that does not know a field of its own type.
pub(crate) fn unknown_field(type_name: &'static str, field: &str) -> Fault {
    tracing::error!(object.type = type_name, object.field = field, "an object does not know a field of its type");
    Fault::unknown()
}

impl<'a> From<&'a str> for Out<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Out<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Out<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

macro_rules! scalars {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Out<'_> {
            fn from(value: $ty) -> Self {
                Self::Scalar(Value::from(value))
            }
        }
    )*};
}

scalars!(bool, i64, i32, u8, u16, u32, f64, Value);

impl<'a, T: Into<Out<'a>>> From<Option<T>> for Out<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'a, T: Into<Out<'a>>> From<Vec<T>> for Out<'a> {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}
