//! Teams and client tokens.

mod client_token;
mod team;

pub(crate) use self::{
    client_token::{ClientTokenObject, IssuedClientToken},
    team::TeamObject,
};
