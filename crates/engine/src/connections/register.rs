//! Having a processor send its notifications here, by its API.
//!
//! A registration is made, then its secret is kept as a rotation keeps it (the secret before counts for a day, since what the processor has
//! sent already is signed with it), and only then what was registered before it is removed: wherever this process dies or an answer is
//! lost, a registration whose secret is known stands. The next call removes what is left.
//!
//! Of two calls at once, one keeps its secret only where the credentials are still those that it began with, and removes only what stood
//! before its own registration was made: neither removes the registration whose secret counts.

use std::future::Future;

use crate::boxed;
use connector::CallError;
use domain::{Fault, caller::Caller, id::ConnectionId};

use super::{ConnectionView, RotateConnection, public::is_reachable};
use crate::{Engine, faults::only_fault, payments::Connected};

impl Engine {
    /// Has the processor of a connection send its notifications to the connection's address, and keeps the secret that it signs them with.
    ///
    /// # Errors
    /// `error.connection.not-found`; `error.validation` for `id` where the processor's API registers nothing, the service can't be reached
    /// from outside, or the processor refuses.
    #[boxed]
    pub async fn register_notifications(
        &self,
        caller: &Caller,
        id: &ConnectionId,
    ) -> Result<ConnectionView, Fault> {
        let stored = self.stored_line(caller.team, id).await;
        let stored = stored.map_err(only_fault)?;
        let registers = stored.connector.registers().ok_or_else(|| {
            invalid("is of a processor at which the address is registered by hand: listConnections has it")
        })?;
        if !is_reachable(self.public_url()) {
            return Err(invalid(
                "can't be registered: server.public_url must begin with https:// and be reachable from the internet. Until then paste the address that listConnections has at the processor",
            ));
        }
        let open = self.open_connection(&stored).await.map_err(only_fault)?;
        let open = open.map_err(|why| {
            tracing::warn!(connection = %id, why, "a connection's notifications can't be registered");
            Fault::unavailable()
        })?;
        let link = self.link(&stored, &open);
        let asked = registers.register(&link);
        let registered = self.asked_about_address(&stored, asked).await;
        let registered = registered.map_err(|why| invalid(why.not_registered()))?;
        let rotation = RotateConnection {
            id: id.clone(),
            credentials: registered.document(),
            ends_earlier: false,
            // It has just answered.
            skips_probe: true,
        };
        let Some(view) = self
            .rotate_unchanged(caller, &rotation, &stored.connection)
            .await?
        else {
            // Nobody keeps its secret.
            let own = [registered.id().to_owned()];
            let asked = registers.retire(&link, &own);
            let _ = self.asked_about_address(&stored, asked).await;
            return Err(invalid(CHANGED));
        };
        let asked = registers.retire(&link, registered.earlier());
        let retired = self.asked_about_address(&stored, asked).await;
        retired.map_err(|_| invalid(EARLIER_STAND))?;
        Ok(view)
    }

    /// What the processor of a connection answers within the time that its calls have.
    async fn asked_about_address<T>(
        &self,
        stored: &Connected,
        asked: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, Why> {
        let patience = stored.connector.descriptor().call_timeout;
        let why = match self.inner.world.timeout(patience, asked).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => {
                tracing::warn!(connection = %stored.connection.id, error = %error, "a registration of notifications failed");
                if matches!(error, CallError::Rejected { .. }) {
                    return Err(Why::Refused);
                }
                Why::NoAnswer
            }
            Err(world::Elapsed) => Why::NoAnswer,
        };
        Err(why)
    }
}

/// Why a processor did not do what it was asked for.
enum Why {
    Refused,
    NoAnswer,
}

impl Why {
    /// A clause for the merchant.
    const fn not_registered(&self) -> &'static str {
        match self {
            Self::Refused => {
                "could not be registered: the processor refuses it. The key of calls may need one more permission, for webhooks; or register the address by hand"
            }
            Self::NoAnswer => "could not be registered: the processor did not answer. Call again",
        }
    }
}

const CHANGED: &str =
    "could not be registered: the connection's credentials were changed meanwhile. Call again";

const EARLIER_STAND: &str = "is registered, and its secret is kept; what was registered for the address before could not be removed: call again, or remove it at the processor";

fn invalid(reason: &str) -> Fault {
    Fault::invalid("id", reason.to_owned())
}
