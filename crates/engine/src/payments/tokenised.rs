//! Cards that a processor's own fields took: the token is sealed, pays once, and the payment stays at its connection.

use connector::{BrowserFields, FieldsAccount, FieldsAuthentication, FieldsSources};
use domain::{
    Code, Fault, Timestamp,
    caller::Caller,
    customer::{FieldsInput, Instrument, StoredMethod},
    id::{ConnectionId, MethodId, TeamId},
    method::{CardFunding, Method},
    payment::{PaidWith, Payment},
    processor_token::{CardToken, FieldsToken},
};
use vault::Holder;

use super::route::{Connected, takes};
use crate::{Engine, faults::EngineError, wallets::OneUse};

/// The member of the request that names the connection of such a token.
pub(crate) const CONNECTION: &str = "paymentMethod.processorToken.connectionId";
/// How long after its end a used token is remembered, so that a late second use is called by its name.
const REMEMBERED: std::time::Duration = std::time::Duration::from_hours(24);

/// A connection whose processor has card fields of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedFieldsView {
    /// The connection.
    pub connection: ConnectionId,
    /// The processor.
    pub processor: String,
    /// The document that holds the processor's fields: a path at this service.
    pub frame: String,
    /// What the processor's script is given.
    pub parameters: serde_json::Value,
    /// Whether the fields ask for the cardholder's name.
    pub asks_for_name: bool,
    /// How the customer is authenticated.
    pub authentication: FieldsAuthentication,
}

/// What is kept of a card that a processor's own fields took, ready for a payment.
pub(super) struct SealedFields {
    pub(super) method: PaidWith,
    pub(super) once: OneUse,
}

/// A token of a connection's fields with what the customer said beside them.
pub(super) struct GivenFields {
    pub(super) token: CardToken,
    pub(super) facts: FieldsToken,
    pub(super) holder: Option<String>,
    pub(super) address: Option<domain::person::Address>,
}

/// The processor's own fields of a connection, if it has any.
fn fields_of(line: &Connected) -> Option<BrowserFields> {
    let facet = line.connector.hosted_fields()?;
    facet.fields(&FieldsAccount {
        connection: &line.connection.id,
        settings: &line.connection.settings,
    })
}

/// Why a payment can't go to a connection, as far as the card's fields decide it: a clause about the connection.
pub(super) fn field_misfit(line: &Connected, payment: &Payment) -> Option<&'static str> {
    let method = payment.method();
    if let Some(own) = &method.fields_token {
        let reason =
            "the card was taken by another processor's own fields, and only that one knows it";
        return (own.connection != line.connection.id).then_some(reason);
    }
    let has_number = method.blob.is_some() && method.account.is_none();
    let reason = "it takes cards by its own fields alone, and no number of the vault";
    (has_number && fields_of(line).is_some()).then_some(reason)
}

/// The fault of a second use.
pub(crate) fn fields_token_used() -> Fault {
    Fault::invalid(
        "paymentMethod",
        "the token of the processor's fields was used before: each pays once, so have the customer enter the card again",
    )
}

fn expired(field: &str) -> Fault {
    Fault::invalid(
        field,
        "the token of the processor's fields has expired: have the customer enter the card again",
    )
}

impl Engine {
    /// The fields that a card payment under this flow needs, where those of the service do not serve: all connections that the
    /// flow may authorise at take cards by their own fields alone. The first of them in the order of ids counts.
    pub(crate) async fn fields_needed(
        &self,
        caller: &Caller,
        flow: Option<&str>,
    ) -> Result<Option<HostedFieldsView>, EngineError> {
        let runnable = match self.runnable(caller.team, flow).await {
            Ok(runnable) => runnable,
            // The payment itself says what is wrong with its flow.
            Err(EngineError::Fault(fault)) if fault.code == Code::FlowNotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut first = None;
        for id in runnable.program.connections() {
            let line = self.line(caller.team, &id).await?;
            let Some(line) =
                line.filter(|line| line.connection.enabled && takes(line, Method::Card))
            else {
                continue;
            };
            let Some(fields) = fields_of(&line) else {
                return Ok(None);
            };
            first.get_or_insert_with(|| view(&line, fields));
        }
        Ok(first)
    }

    /// Whether any processor of this service has card fields of its own.
    pub fn has_hosted_fields(&self) -> bool {
        let mut connectors = self.inner.connectors.values();
        connectors.any(|connector| connector.hosted_fields().is_some())
    }

    /// What the document of a processor's fields may load; `None` where the processor has no fields of its own.
    pub fn fields_sources(&self, processor: &str) -> Option<FieldsSources> {
        let facet = self.inner.connectors.get(processor)?.hosted_fields()?;
        Some(facet.sources(self.inner.settings.mode, self.own_origin()))
    }

    /// Checks what a request says of a token of a processor's fields. The token itself is for the processor to judge.
    pub(crate) async fn fields_token(
        &self,
        team: TeamId,
        connection: &str,
        field: &str,
    ) -> Result<FieldsToken, EngineError> {
        let Some(id) = ConnectionId::parse(connection) else {
            return Err(self.no_open_line(team).await?);
        };
        let line = self.open_line(team, &id).await?;
        let Some(fields) = fields_of(&line) else {
            let rule = "must be a connection whose processor takes cards by its own fields (sdkConfiguration.hostedFields)";
            return Err(Fault::invalid(field, rule).into());
        };
        Ok(FieldsToken {
            connection: id,
            expires_at: self.inner.world.now().after(fields.token_lifetime),
        })
    }

    /// What a payment keeps of a card that a processor's own fields took just now.
    pub(super) async fn given_by_fields(
        &self,
        team: TeamId,
        given: FieldsInput,
    ) -> Result<SealedFields, EngineError> {
        let facts = self
            .fields_token(team, &given.connection, CONNECTION)
            .await?;
        let given = GivenFields {
            token: given.token,
            facts,
            holder: given.holder,
            address: given.address,
        };
        self.sealed_fields(team, given).await
    }

    /// The same of a card whose token was stored before. The payment seals it again for itself; the record ends with the first
    /// commit.
    pub(super) async fn stored_by_fields(
        &self,
        method: &StoredMethod,
        facts: &FieldsToken,
    ) -> Result<SealedFields, EngineError> {
        if facts.expired_at(self.inner.world.now()) {
            return Err(expired("paymentMethod.token").into());
        }
        let holder = Holder::token(method.id, &method.token);
        let opened = self
            .inner
            .vault
            .open_token(method.team, &holder, method.blob)
            .await?;
        let Some(token) = opened else {
            return Err(expired("paymentMethod.token").into());
        };
        let given = GivenFields {
            token,
            facts: facts.clone(),
            holder: method.holder.clone(),
            address: method.address.clone(),
        };
        let mut sealed = self.sealed_fields(method.team, given).await?;
        sealed.once.ends = Some(Box::new(method.clone()));
        Ok(sealed)
    }

    /// The token goes into the vault for the authorisation alone, as a raw card's number does.
    async fn sealed_fields(
        &self,
        team: TeamId,
        given: GivenFields,
    ) -> Result<SealedFields, EngineError> {
        let id = MethodId::new(self.inner.world.uuid_v7());
        let holder = Holder::hidden(id);
        let vault = &self.inner.vault;
        let blob = vault.seal_token(team, &holder, &given.token).await?;
        let connection = &given.facts.connection;
        let once = OneUse {
            hash: vault.token_fingerprint(team, connection, &given.token),
            forget_at: Some(remembered_until(given.facts.expires_at)),
            ends: None,
        };
        let method = PaidWith {
            method: Method::Card,
            token: None,
            id,
            blob: Some(blob),
            hidden: true,
            masked: None,
            bin: None,
            expiry: None,
            brand: None,
            account: None,
            wallet: None,
            holder: given.holder,
            address: given.address,
            fingerprint: None,
            funding: CardFunding::Undefined,
            card_country: None,
            fields_token: Some(given.facts),
            product: None,
            network: None,
            network_weight: None,
        };
        Ok(SealedFields { method, once })
    }
}

fn remembered_until(expires_at: Timestamp) -> Timestamp {
    expires_at.after(REMEMBERED)
}

fn view(line: &Connected, fields: BrowserFields) -> HostedFieldsView {
    let processor = line.connection.processor.clone();
    HostedFieldsView {
        connection: line.connection.id.clone(),
        frame: format!("/sdk/v1/frame/fields?processor={processor}"),
        processor,
        parameters: fields.parameters,
        asks_for_name: fields.asks_for_name,
        authentication: fields.authentication,
    }
}

/// Whether a stored method is a token of a processor's fields, with what is known of it.
pub(crate) fn of_fields(method: &StoredMethod) -> Option<&FieldsToken> {
    match &method.instrument {
        Instrument::OfFields(token) => Some(token),
        Instrument::Card { .. } | Instrument::BankAccount { .. } => None,
    }
}
