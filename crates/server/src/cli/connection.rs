//! `pointsman connection`

use std::{process::ExitCode, sync::Mutex};

use anyhow::Context;
use serde::Deserialize;

use super::{
    arguments::{
        AddConnection, Connections, CredentialSource, OfTeam, OneConnection, RotateConnection,
    },
    credentials::{self, Field},
    operate,
};
use crate::admin::{
    ConnectionAct, ConnectionAdd, ConnectionRotate, ConnectionWanted, FieldsOf, Request, SecretText,
};

pub(super) fn run(command: Connections) -> anyhow::Result<ExitCode> {
    match command {
        Connections::Processors(of) => perform(of, ConnectionAct::Processors),
        Connections::Add(flags) => add(flags),
        Connections::List(of) => perform(of, ConnectionAct::List),
        Connections::Test(one) => on_one(one, |id| ConnectionAct::Test { id }),
        Connections::Rotate(flags) => rotate(flags),
        Connections::Register(one) => on_one(one, |id| ConnectionAct::Register { id }),
        Connections::Enable(one) => on_one(one, |id| ConnectionAct::Enable { id }),
        Connections::Disable(one) => on_one(one, |id| ConnectionAct::Disable { id }),
        Connections::Delete(one) => on_one(one, |id| ConnectionAct::Delete { id }),
    }
}

fn add(flags: AddConnection) -> anyhow::Result<ExitCode> {
    let of = FieldsOf::Processor(flags.processor.clone());
    let credentials = given(&flags.source, of, &flags.of, true)?;
    let act = ConnectionAct::Add(ConnectionAdd {
        id: flags.id,
        processor: flags.processor,
        name: flags.name,
        settings: flags.settings,
        credentials,
        imports: flags.imports,
        skip_probe: flags.source.skip_probe,
    });
    perform(flags.of, act)
}

fn rotate(flags: RotateConnection) -> anyhow::Result<ExitCode> {
    let of = FieldsOf::Connection(flags.id.clone());
    let credentials = given(&flags.source, of, &flags.of, !flags.end_previous)?;
    let act = ConnectionAct::Rotate(ConnectionRotate {
        id: flags.id,
        credentials: credentials.unwrap_or_else(|| SecretText("{}".to_owned())),
        end_previous: flags.end_previous,
        skip_probe: flags.source.skip_probe,
    });
    perform(flags.of, act)
}

/// The credentials that were given: by a file, else by the environment, else at the terminal where `asks`.
fn given(
    source: &CredentialSource,
    of: FieldsOf,
    place: &OfTeam,
    asks: bool,
) -> anyhow::Result<Option<SecretText>> {
    if let Some(file) = &source.credentials {
        return credentials::of_file(file).map(Some);
    }
    let fields = fields(of, place)?;
    let found = credentials::of_environment(&fields);
    match found {
        None if asks => credentials::of_terminal(&fields),
        found => Ok(found),
    }
}

/// The fields of credentials, as the server or the data directory knows them.
fn fields(of: FieldsOf, place: &OfTeam) -> anyhow::Result<Vec<Field>> {
    let said = Mutex::new(String::new());
    let collect = |line: String| {
        if let Ok(mut said) = said.lock() {
            said.push_str(&line);
        }
    };
    let wanted = ConnectionWanted {
        team: place.team.clone(),
        act: ConnectionAct::Fields(of),
    };
    operate::operate_quietly(&place.place, &Request::Connection(wanted), &collect)?;
    let said = said.into_inner().unwrap_or_default();
    Vec::deserialize(&mut serde_json::Deserializer::from_str(&said))
        .context("the server describes no fields of credentials; it may be of another version")
}

fn on_one(
    one: OneConnection,
    act: impl FnOnce(String) -> ConnectionAct,
) -> anyhow::Result<ExitCode> {
    perform(one.of, act(one.id))
}

fn perform(of: OfTeam, act: ConnectionAct) -> anyhow::Result<ExitCode> {
    let OfTeam { team, place } = of;
    let wanted = ConnectionWanted { team, act };
    operate::operate(&place, &Request::Connection(wanted))
}
