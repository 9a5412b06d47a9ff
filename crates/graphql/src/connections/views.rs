//! Connections.

use domain::Fault;
use engine::{ConnectionTest, ConnectionView, CredentialField, ProcessorView};
use serde_json::{Map, Value};

use crate::executor::{Object, Out, object, optional, unknown_field};

/// `Connection`.
pub(crate) struct ConnectionObject(pub(crate) ConnectionView);

impl Object for ConnectionObject {
    fn type_name(&self) -> &'static str {
        "Connection"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let connection = &self.0;
        Ok(match name {
            "id" => connection.id.as_str().into(),
            "processor" => (&connection.processor).into(),
            "name" => (&connection.name).into(),
            "enabled" => connection.is_enabled.into(),
            "methods" => Out::List(
                connection
                    .methods
                    .iter()
                    .map(|method| method.code().into())
                    .collect(),
            ),
            "notificationSetUp" => connection.notification_set_up.into(),
            "previousSecretEndsAt" => {
                let until = connection.earlier_secret_until;
                until.map(domain::Timestamp::rfc3339_millis).into()
            }
            "test" => optional(connection.test.clone().map(TestObject)),
            "warnings" => Out::List(connection.warnings().iter().map(Into::into).collect()),
            "notificationUrl" => connection.notification_url.as_deref().into(),
            "imports" => connection.imports.code().into(),
            "settings" => connection.settings.clone().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `ConnectionTest`.
pub(crate) struct TestObject(pub(crate) ConnectionTest);

impl Object for TestObject {
    fn type_name(&self) -> &'static str {
        "ConnectionTest"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let test = &self.0;
        let facts = &test.facts;
        Ok(match name {
            "outcome" => test.outcome.word().into(),
            "accountId" => facts.id.as_deref().into(),
            "accountName" => facts.name.as_deref().into(),
            "country" => facts.country.as_deref().into(),
            "live" => facts.is_live.into(),
            "capabilities" => {
                let all = facts.capabilities.iter();
                Out::List(all.map(|one| (&**one).into()).collect())
            }
            "warnings" => Out::List(test.warnings.iter().map(Into::into).collect()),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `Processor`.
pub(crate) struct ProcessorObject(pub(crate) ProcessorView);

impl Object for ProcessorObject {
    fn type_name(&self) -> &'static str {
        "Processor"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let processor = &self.0;
        Ok(match name {
            "id" => processor.id.into(),
            "name" => processor.name.into(),
            "methods" => {
                let methods = processor.methods.iter();
                Out::List(methods.map(|method| method.code().into()).collect())
            }
            "credentials" => {
                let fields = processor.credentials.iter();
                Out::List(fields.map(|field| object(FieldObject(field))).collect())
            }
            "testable" => processor.is_testable.into(),
            "registersNotifications" => processor.registers.into(),
            "notificationSetUp" => processor.notification_set_up.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `CredentialField`.
struct FieldObject(&'static CredentialField);

impl Object for FieldObject {
    fn type_name(&self) -> &'static str {
        "CredentialField"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let field = self.0;
        Ok(match name {
            "name" => field.name.into(),
            "required" => field.is_required.into(),
            "secret" => field.is_secret.into(),
            "purpose" => field.purpose.word().into(),
            "form" => Some(field.form).filter(|form| !form.is_empty()).into(),
            "about" => field.about.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
