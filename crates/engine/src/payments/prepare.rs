//! What is decided before a payment's first commit: its intent, its money, its flow or connection, and its instrument.

use domain::{
    Fault,
    caller::{Caller, Credential},
    id::ConnectionId,
    intent::Intent,
    money::Money,
    payment::{Initiator, NewPayment, PaidWith, Recurring},
};

use super::{
    Authorise, Target, command::trusts_intent, instrument::Paying, money::wanted_money,
    route::Connected,
};
use crate::{Engine, faults::EngineError, flows::Runnable, request::Request, wallets::OneUse};

/// Where the customer's ways back stand in the command.
const THREE_DS_REDIRECT: &str = "perform3DSecure.redirectUrl";
const APM_REDIRECT: &str = "apmRedirectUrl";

/// What is decided before the first commit.
pub(super) struct Plan {
    /// What is asked for.
    pub(super) asked: NewPayment,
    /// What it goes by.
    pub(super) path: Path,
    /// Of an instrument that is used once.
    pub(super) single_use: Option<OneUse>,
}

/// What a payment goes by.
pub(super) enum Path {
    /// A flow.
    Flow(Runnable),
    /// The connection that the merchant named.
    Connection(Connected),
}

impl Engine {
    /// Prepares a payment. A raw card's number is sealed when this ends well; nothing else is kept.
    pub(super) async fn prepare(
        &self,
        mut command: Box<Authorise>,
        request: &Request,
    ) -> Result<Plan, EngineError> {
        let caller = &request.caller;
        let redirects = [
            (command.three_ds_redirect.as_ref(), THREE_DS_REDIRECT),
            (command.apm_redirect.as_ref(), APM_REDIRECT),
        ];
        self.check_returns(caller, &redirects).await?;
        let intent = match &command.intent {
            Some(intent) => Some(self.paying_intent(caller, intent).await?),
            None => None,
        };
        trusts_intent(caller, intent.as_ref())?;
        let given_method = self.given_method(caller, command.instrument.take()).await?;
        let money = wanted_money(&command, &given_method.money(), intent.as_ref())?;
        let path = self.path(caller, &command, intent.as_ref()).await?;
        let mut paying = self
            .instrument(caller, given_method, command.payer.take())
            .await?;
        command.recurring = agree(command.recurring, command.initiator, &mut paying.method)?;
        let single_use = paying.once.take();
        let asked = new_payment(caller, *command, intent.as_ref(), money, paying);
        Ok(Plan {
            asked,
            path,
            single_use,
        })
    }

    /// The flow or the connection that the payment goes by.
    async fn path(
        &self,
        caller: &Caller,
        command: &Authorise,
        intent: Option<&Intent>,
    ) -> Result<Path, EngineError> {
        let of_intent = intent.map(|intent| intent.flow.as_str());
        match &command.target {
            Target::Connection(id) => {
                let Some(id) = ConnectionId::parse(id) else {
                    return Err(self.no_open_line(caller.team).await?);
                };
                Ok(Path::Connection(self.open_line(caller.team, &id).await?))
            }
            Target::Flow(Some(wanted)) if of_intent.is_some_and(|flow| flow != wanted) => {
                Err(Fault::invalid("flowId", "must be the flow of the intent").into())
            }
            Target::Flow(wanted) => {
                let wanted = wanted.as_deref().or(of_intent);
                Ok(Path::Flow(self.runnable(caller.team, wanted).await?))
            }
        }
    }
}

/// What is said of an agreement on a stored card, checked and made whole.
///
/// # Errors
/// `error.validation` when it doesn't fit what the payment is paid with.
fn agree(
    given: Option<Recurring>,
    initiator: Initiator,
    method: &mut PaidWith,
) -> Result<Option<Recurring>, Fault> {
    if given.is_some() && !method.is_card_number() {
        let reason = "fits payments with a stored card or a card's number alone: what else there is pays once, or has a mandate of its own";
        return Err(Fault::invalid("recurring", reason));
    }
    let kept = method.network.take();
    match initiator {
        Initiator::Merchant if given.is_some_and(|given| given.first) => {
            let reason = "must be false where initiator is MERCHANT: the customer agrees in a payment of their own";
            return Err(Fault::invalid("recurring.first", reason));
        }
        Initiator::Merchant => method.network = kept,
        Initiator::Customer => method.network_weight = kept.map(|kept| kept.weight),
    }
    let usual = Recurring::usual(initiator).filter(|_| method.is_card_number());
    Ok(given.or(usual))
}

/// What is asked for.
fn new_payment(
    caller: &Caller,
    command: Authorise,
    intent: Option<&Intent>,
    money: Money,
    paying: Paying,
) -> NewPayment {
    NewPayment {
        team: caller.team,
        money,
        method: paying.method,
        initiator: command.initiator,
        recurring: command.recurring,
        three_ds: command.three_ds,
        customer: paying.payer,
        intent: intent.map(|intent| intent.id),
        made_by: matches!(caller.credential, Credential::Client(_)).then_some(caller.key),
        order_id: command.order_id,
        transaction_id: command.transaction_id,
        description: command.description,
        statement_descriptor: command.statement_descriptor,
        metadata: command.metadata,
        fraud: command.fraud,
        three_ds_redirect: command
            .three_ds_redirect
            .map(|address| address.as_str().to_owned()),
        browser: command.browser,
        apm_redirect: command
            .apm_redirect
            .map(|address| address.as_str().to_owned()),
    }
}
