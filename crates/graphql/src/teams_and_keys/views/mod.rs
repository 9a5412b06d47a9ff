//! Teams and client tokens.

mod client_token;
mod sdk;
mod team;

pub(crate) use self::{
    client_token::{ClientTokenObject, IssuedClientToken},
    sdk::SdkConfigurationObject,
    team::TeamObject,
};
