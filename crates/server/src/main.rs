//! The binary `pointsman`.

fn main() {}
