//! `pointsman connection`.

use domain::{Fault, caller::Caller, id::ConnectionId, payment::ImportMode};
use engine::{
    ConnectionTest, ConnectionView, CredentialField, CredentialPurpose, ProcessorView,
    RotateConnection, SaveConnection, TestOutcome,
};
use serde_json::{Value, json};

use super::Local;
use crate::admin::{
    ConnectionAct, ConnectionAdd, ConnectionRotate, ConnectionWanted, FieldsOf, ImportWord, Say,
};

const NO_ID: &str =
    "an id has letters, digits, '-', '_', '.' and ':', and is at most 64 characters long";

impl Local {
    pub(super) async fn connection(
        &self,
        wanted: ConnectionWanted,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(wanted.team).await?;
        match wanted.act {
            ConnectionAct::Processors => {
                self.list_processors(say);
                Ok(())
            }
            ConnectionAct::Fields(of) => self.show_fields(&caller, of, say).await,
            ConnectionAct::Add(add) => self.add_connection(&caller, add, say).await,
            ConnectionAct::List => self.list_connections(&caller, say).await,
            ConnectionAct::Test { id } => self.test_connection(&caller, &id, say).await,
            ConnectionAct::Rotate(rotate) => self.rotate_connection(&caller, rotate, say).await,
            ConnectionAct::Register { id } => self.register(&caller, &id, say).await,
            ConnectionAct::Enable { id } => self.switch(&caller, &id, true, say).await,
            ConnectionAct::Disable { id } => self.switch(&caller, &id, false, say).await,
            ConnectionAct::Delete { id } => {
                let connection = self.stored(&caller, &id).await?.id;
                let deleted = self.engine.delete_connection(&caller, &connection).await;
                deleted.map_err(words)?;
                say(format!(
                    "The connection {id} and its credentials are removed."
                ));
                Ok(())
            }
        }
    }

    /// Lets new payments be sent to a connection, or no more of them.
    async fn switch(
        &self,
        caller: &Caller,
        id: &str,
        is_on: bool,
        say: Say<'_>,
    ) -> Result<(), String> {
        let connection = self.stored(caller, id).await?.id;
        if is_on {
            let enabled = self.engine.enable_connection(caller, &connection).await;
            enabled.map_err(words)?;
            say(format!("New payments may be sent to {id}."));
        } else {
            let disabled = self.engine.disable_connection(caller, &connection).await;
            disabled.map_err(words)?;
            say(format!(
                "No new payment is sent to {id}. What was sent there is still looked after."
            ));
        }
        Ok(())
    }

    fn list_processors(&self, say: Say<'_>) {
        let processors = self.engine.processors();
        if processors.is_empty() {
            say("There are no processors in this deployment.".to_owned());
        }
        for processor in processors {
            say(format!("{}  {}", processor.id, processor.name));
            for field in processor.credentials {
                say(format!("  {}", described(field)));
            }
        }
    }

    /// Writes the fields of credentials for the command that asks for their values.
    async fn show_fields(&self, caller: &Caller, of: FieldsOf, say: Say<'_>) -> Result<(), String> {
        let processor = match of {
            FieldsOf::Processor(processor) => processor,
            FieldsOf::Connection(id) => self.stored(caller, &id).await?.processor,
        };
        let processor = self.processor(&processor)?;
        let fields = processor.credentials.iter();
        let fields: Value = fields.map(in_json).collect();
        say(fields.to_string());
        Ok(())
    }

    async fn add_connection(
        &self,
        caller: &Caller,
        add: ConnectionAdd,
        say: Say<'_>,
    ) -> Result<(), String> {
        let processor = self.processor(&add.processor)?;
        let parsed = |text: &str| ConnectionId::parse(text).ok_or(NO_ID);
        let id = add.id.as_deref().map(parsed).transpose()?;
        let known = self.engine.list_connections(caller).await.map_err(words)?;
        if known.iter().any(|known| Some(&known.id) == id.as_ref()) {
            return Err(
                "there is a connection of this id: change it with `pointsman connection rotate`, or by saveConnection"
                    .to_owned(),
            );
        }
        let settings: Value = serde_json::from_str(&add.settings)
            .map_err(|_| "--settings must be a JSON object".to_owned())?;
        if !settings.is_object() {
            return Err("--settings must be a JSON object".to_owned());
        }
        let command = SaveConnection {
            id,
            processor: add.processor,
            name: add.name.unwrap_or_else(|| processor.name.to_owned()),
            settings,
            credentials: add.credentials.map(|hidden| hidden.0.into()),
            imports: add.imports.map(import_mode),
            skips_probe: add.skip_probe,
        };
        let saved = self.engine.save_connection(caller, command).await;
        let saved = saved.map_err(words)?;
        say(in_a_line(&saved));
        if let Some(test) = &saved.test {
            show_test(test, say);
        }
        show_address(&saved, &processor, say);
        Ok(())
    }

    async fn list_connections(&self, caller: &Caller, say: Say<'_>) -> Result<(), String> {
        let connections = self.engine.list_connections(caller).await.map_err(words)?;
        if connections.is_empty() {
            say("There are no connections.".to_owned());
        }
        for connection in connections {
            say(in_a_line(&connection));
            if let Some(url) = &connection.notification_url {
                say(format!("  notifications: {url}"));
            }
            if let Some(until) = connection.earlier_secret_until {
                let until = until.rfc3339_seconds();
                say(format!("  the secret before counts until {until}"));
            }
        }
        Ok(())
    }

    async fn test_connection(&self, caller: &Caller, id: &str, say: Say<'_>) -> Result<(), String> {
        let connection = self.stored(caller, id).await?.id;
        let test = self.engine.test_connection(caller, &connection).await;
        let test = test.map_err(words)?;
        show_test(&test, say);
        match test.outcome {
            TestOutcome::Passed => Ok(()),
            TestOutcome::Refused => Err("the processor does not accept the credentials".to_owned()),
            TestOutcome::OtherMode => Err("the account is of the other mode".to_owned()),
            TestOutcome::NoAnswer => Err("it is not known how the account is".to_owned()),
            TestOutcome::NotSupported => Err("the processor can't be asked".to_owned()),
        }
    }

    async fn rotate_connection(
        &self,
        caller: &Caller,
        rotate: ConnectionRotate,
        say: Say<'_>,
    ) -> Result<(), String> {
        let command = RotateConnection {
            id: self.stored(caller, &rotate.id).await?.id,
            credentials: rotate.credentials.0.into(),
            ends_earlier: rotate.end_previous,
            skips_probe: rotate.skip_probe,
        };
        let rotated = self.engine.rotate_connection(caller, command).await;
        show_rotated(&rotated.map_err(words)?, say);
        Ok(())
    }

    async fn register(&self, caller: &Caller, id: &str, say: Say<'_>) -> Result<(), String> {
        let connection = self.stored(caller, id).await?.id;
        let registered = self.engine.register_notifications(caller, &connection);
        let registered = registered.await.map_err(words)?;
        show_rotated(&registered, say);
        Ok(())
    }

    /// A connection of the team's; the error names those that there are.
    async fn stored(&self, caller: &Caller, id: &str) -> Result<ConnectionView, String> {
        let known = self.engine.list_connections(caller).await.map_err(words)?;
        let names: Vec<&str> = known.iter().map(|known| known.id.as_str()).collect();
        let unknown = match names.as_slice() {
            [] => format!("There is no connection {id}: the team has none yet."),
            names => format!(
                "There is no connection {id}; there are {}.",
                names.join(", ")
            ),
        };
        let mut known = known.into_iter();
        known.find(|known| known.id.as_str() == id).ok_or(unknown)
    }

    fn processor(&self, wanted: &str) -> Result<ProcessorView, String> {
        let known = self.engine.processors();
        let names: Vec<&str> = known.iter().map(|known| known.id).collect();
        let unknown = if names.is_empty() {
            "there are no processors in this deployment".to_owned()
        } else {
            format!("there is no such processor; there are {}", names.join(", "))
        };
        let mut known = known.into_iter();
        known.find(|known| known.id == wanted).ok_or(unknown)
    }
}

/// A connection whose credentials were changed.
fn show_rotated(rotated: &ConnectionView, say: Say<'_>) {
    say(in_a_line(rotated));
    if let Some(test) = &rotated.test {
        show_test(test, say);
    }
    say(match rotated.earlier_secret_until {
        Some(until) => format!(
            "The secret of notifications before counts as well until {}.",
            until.rfc3339_seconds()
        ),
        None => "No earlier secret of notifications counts.".to_owned(),
    });
}

/// What the processor says of the account.
fn show_test(test: &ConnectionTest, say: Say<'_>) {
    let facts = &test.facts;
    if let Some(id) = &facts.id {
        let of = [facts.name.as_deref(), facts.country.as_deref()];
        let of: Vec<&str> = of.into_iter().flatten().collect();
        let of = match of.as_slice() {
            [] => String::new(),
            known => format!(" ({})", known.join(", ")),
        };
        let mode = match facts.is_live {
            Some(true) => ", live",
            Some(false) => ", test mode",
            None => "",
        };
        say(format!("The account: {}{of}{mode}", &**id));
    }
    if !facts.capabilities.is_empty() {
        let can: Vec<&str> = facts.capabilities.iter().map(|one| &**one).collect();
        say(format!("It can: {}", can.join(", ")));
    }
    for warning in &test.warnings {
        say(format!("Warning: {warning}"));
    }
}

/// The address for notifications, and what is pasted where.
fn show_address(connection: &ConnectionView, processor: &ProcessorView, say: Say<'_>) {
    let Some(url) = &connection.notification_url else {
        return;
    };
    say(format!("{} sends notifications to:", processor.name));
    say(url.clone());
    if let Some(set_up) = connection.notification_set_up {
        say(set_up.to_owned());
    }
    let fields = processor.credentials.iter();
    for field in fields.filter(|field| field.purpose == CredentialPurpose::Notifications) {
        say(format!(
            "Then enter the field {} ({}) with: pointsman connection rotate {}",
            field.name, field.about, connection.id
        ));
    }
}

fn in_a_line(connection: &ConnectionView) -> String {
    let state = if connection.is_enabled {
        "enabled"
    } else {
        "disabled"
    };
    format!(
        "{}  {}  {}  {state}",
        connection.id, connection.processor, connection.name
    )
}

fn described(field: &CredentialField) -> String {
    let needed = if field.is_required {
        "required"
    } else {
        "optional"
    };
    let form = if field.form.is_empty() {
        String::new()
    } else {
        format!(", such as {}", field.form)
    };
    format!("{} ({needed}{form}): {}", field.name, field.about)
}

fn in_json(field: &CredentialField) -> Value {
    json!({
        "name": field.name,
        "secret": field.is_secret,
        "described": described(field),
    })
}

const fn import_mode(word: ImportWord) -> ImportMode {
    match word {
        ImportWord::Off => ImportMode::Off,
        ImportWord::Quiet => ImportMode::Quiet,
        ImportWord::Announced => ImportMode::Announced,
    }
}

/// Why something can't be done, for the person at the terminal.
fn words(fault: Fault) -> String {
    fault.message
}
