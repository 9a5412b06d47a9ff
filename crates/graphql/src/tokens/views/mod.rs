//! Stored payment methods and tokens of processors.

mod method;
mod processor_token;

pub(crate) use self::{
    method::{CardTokenObject, LINKED, MethodObject},
    processor_token::ProcessorTokenObject,
};
