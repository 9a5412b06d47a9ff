//! Why a payment can't go to a connection that exists and is switched on, where the request itself is the reason.

use connector::Connector;
use domain::{
    Fault,
    id::ConnectionId,
    money::Money,
    payment::{Operation, Payment},
};

use super::{route::Connected, tokenised::field_misfit};
use crate::{Engine, faults::EngineError};

/// What of a request a connection can't take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Misfit {
    field: &'static str,
    why: &'static str,
}

impl Misfit {
    /// Why a payment does not fit a connection; `None`: it does.
    pub(crate) fn of(line: &Connected, payment: &Payment) -> Option<Self> {
        let of_fields = field_misfit(line, payment).map(|why| Self {
            field: "paymentMethod",
            why,
        });
        of_fields.or_else(|| Self::of_amount(line.connector.as_ref(), payment.money()))
    }

    fn of_amount(connector: &dyn Connector, money: Money) -> Option<Self> {
        let why = connector.check_amount(money).err()?;
        Some(Self {
            field: "amount",
            why,
        })
    }

    /// A clause about the connection, for the timeline.
    pub(crate) fn clause(self) -> String {
        if self.field == "amount" {
            format!("the amount {}", self.why)
        } else {
            self.why.to_owned()
        }
    }

    /// The fault of a payment that fits none of the connections that it may go to, by the first of them.
    pub(crate) fn fault(self, connection: &ConnectionId) -> Fault {
        let reason = if self.field == "amount" {
            format!("{} (the connection {connection})", self.why)
        } else {
            format!("does not fit the connection {connection}: {}", self.why)
        };
        Fault::invalid(self.field, reason)
    }
}

/// Refuses a capture or a refund of an amount that the processor can't express.
pub(super) fn check_later(
    line: Option<&Connected>,
    payment: &Payment,
    operation: Option<&Operation>,
) -> Result<(), Fault> {
    let (Some(line), Some(operation)) = (line, operation) else {
        return Ok(());
    };
    let money = Money::new(operation.amount, payment.money().currency());
    let misfit = Misfit::of_amount(line.connector.as_ref(), money);
    misfit.map_or(Ok(()), |misfit| Err(misfit.fault(&line.connection.id)))
}

impl Engine {
    /// Why none of these connections can take the payment, where the request is the reason.
    pub(super) async fn misfit_of_all(
        &self,
        payment: &Payment,
        candidates: &[ConnectionId],
    ) -> Result<Option<Fault>, EngineError> {
        for id in candidates {
            let line = self.line(payment.team(), id).await?;
            let Some(line) = line.filter(|line| line.connection.enabled) else {
                continue;
            };
            if let Some(misfit) = Misfit::of(&line, payment) {
                return Ok(Some(misfit.fault(id)));
            }
        }
        Ok(None)
    }
}
