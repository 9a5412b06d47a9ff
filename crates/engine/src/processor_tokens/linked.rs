//! Which processors hold tokens of their own for stored cards.

use crate::boxed;
use std::collections::BTreeMap;

use domain::{
    Fault, Timestamp,
    caller::{Caller, forbidden},
    customer::StoredMethod,
    id::{ConnectionId, CustomerId, TeamId, VaultToken},
    processor_token::ProcessorToken,
};

use crate::{
    Engine,
    faults::{EngineError, only_fault},
};

/// A processor's token for a stored card, as it is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkedGateway {
    /// The connection.
    pub connection: ConnectionId,
    /// What people call the connection; its id when it does not exist any more.
    pub name: String,
    /// The processor's token.
    pub token: String,
    /// When the processor first gave one.
    pub created_at: Timestamp,
    /// When it last gave one.
    pub updated_at: Timestamp,
    /// Whether it can be used more than once.
    pub reusable: bool,
}

impl Engine {
    /// The processors' tokens for stored methods, by their vault tokens.
    ///
    /// # Errors
    /// `api.key.forbidden`: with a processor's credentials such a token is money, so a browser gets none.
    #[boxed]
    pub async fn linked_gateways(
        &self,
        caller: &Caller,
        methods: &[StoredMethod],
    ) -> Result<BTreeMap<VaultToken, Vec<LinkedGateway>>, Fault> {
        if !caller.is_server() {
            return Err(forbidden());
        }
        self.gateways_of(caller.team, methods)
            .await
            .map_err(only_fault)
    }

    async fn gateways_of(
        &self,
        team: TeamId,
        methods: &[StoredMethod],
    ) -> Result<BTreeMap<VaultToken, Vec<LinkedGateway>>, EngineError> {
        let store = &self.inner.store;
        let one_owner = methods
            .first()
            .and_then(|first| first.customer)
            .filter(|owner| of_one(methods, *owner));
        let mut tokens = Vec::new();
        if let Some(owner) = one_owner.filter(|_| methods.len() > 1) {
            tokens = store::processor_token::of_customer(store, team, owner).await?;
        } else {
            for method in methods {
                tokens.extend(store::processor_token::of_method(store, team, &method.token).await?);
            }
        }
        let configured = self.configured(team).await?;
        let mut linked: BTreeMap<VaultToken, Vec<LinkedGateway>> = BTreeMap::new();
        for ProcessorToken {
            token,
            connection,
            own,
            created_at,
            updated_at,
            ..
        } in tokens
        {
            let named = configured
                .connections
                .iter()
                .find(|known| known.id == connection);
            let name = named.map_or_else(|| connection.to_string(), |known| known.name.clone());
            let gateway = LinkedGateway {
                connection,
                name,
                token: own.value,
                created_at,
                updated_at,
                reusable: own.reusable,
            };
            linked.entry(token).or_default().push(gateway);
        }
        Ok(linked)
    }
}

fn of_one(methods: &[StoredMethod], owner: CustomerId) -> bool {
    methods.iter().all(|method| method.customer == Some(owner))
}
