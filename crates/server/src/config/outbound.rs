//! `[outbound]`: calls to others than processors, and what every call trusts.

use std::path::PathBuf;

use domain::caller::Mode;
use http_client::{Client, Private};
use world::World;

use super::reader::Reader;
use crate::open_files;

/// `[outbound]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outbound {
    /// Whether private addresses may be called.
    private_addresses: bool,
    /// Authorities that are trusted besides the system's.
    root_certificates: Option<PathBuf>,
}

impl Outbound {
    pub(super) fn read(reader: &mut Reader, mode: Mode) -> Self {
        let section = Self {
            private_addresses: reader.take("outbound.private_addresses", mode == Mode::Test),
            root_certificates: reader.path("outbound.root_certificates"),
        };
        let checked = section.authorities().and_then(|text| match text {
            Some(text) => Client::check_authorities(&text).map_err(|error| error.to_string()),
            None => Ok(()),
        });
        if let Err(why) = checked {
            reader.refuse("outbound.root_certificates", &why);
        }
        section
    }

    /// Whether private addresses may be called.
    pub const fn private_addresses(&self) -> bool {
        self.private_addresses
    }

    /// The client.
    ///
    /// # Errors
    /// What is wrong with the file of authorities.
    pub fn client(&self, world: World) -> Result<Client, String> {
        let private = if self.private_addresses {
            Private::Allowed
        } else {
            Private::Refused
        };
        let text = self.authorities()?;
        let client = Client::new(world, private, text.as_deref());
        let connections = open_files::kept_for_deliveries(open_files::allowed());
        client
            .map(|client| client.with_subscribers(connections))
            .map_err(|error| error.to_string())
    }

    fn authorities(&self) -> Result<Option<String>, String> {
        let Some(file) = &self.root_certificates else {
            return Ok(None);
        };
        let read = std::fs::read_to_string(file);
        read.map(Some)
            .map_err(|error| format!("{}: can't be read: {error}", file.display()))
    }
}
