//! The client against servers that misbehave: what it says of a request that got no answer must be true.

#[cfg(test)]
mod exchange;
#[cfg(test)]
mod gone;
#[cfg(test)]
mod server;
