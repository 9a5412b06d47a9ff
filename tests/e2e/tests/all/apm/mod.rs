//! Alternative methods: the customer approves at a page of the method's own.

mod afterwards;
mod approval;
mod input;
