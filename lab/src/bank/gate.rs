//! A connector as one node has it: what the engine calls.

use std::{future::pending, sync::Arc};

use connector::{
    Answer, Authorise, CallError, Called, Cancel, Capture, Complete, Connector, Descriptor,
    Disputes, Finding, FoundResponse, LaterAnswer, Link, LookUp, Notices, Refund, Respond,
    SubmitEvidence,
};
use domain::dispute::{DisputeReport, evidence::EvidenceLimits};
use tokio::sync::oneshot;

use super::{
    Bank, BankKind,
    request::{Reply, Request},
    respond::Response,
};
use crate::stage::{Doorway, Side};

/// A connector of one node's.
pub(crate) struct Gate {
    kind: BankKind,
    descriptor: Descriptor,
    bank: Arc<Bank>,
    doorway: Doorway,
}

impl Gate {
    /// The connector of a sort of processor, for the node that goes through this doorway.
    pub(crate) fn new(kind: BankKind, bank: &Arc<Bank>, doorway: Doorway) -> Self {
        let descriptor = kind.descriptor(bank.simulator.descriptor());
        Self {
            kind,
            descriptor,
            bank: Arc::clone(bank),
            doorway,
        }
    }

    async fn carry(&self, request: Request) -> Result<Reply, CallError> {
        let verb = request.verb();
        self.doorway.call(Side::Before, verb).await;
        let plan = self.bank.plan(&self.kind, &request);
        let (back, answer) = oneshot::channel();
        // A task of nobody's: what was sent goes on when the sender dies.
        self.bank
            .world
            .spawn(Arc::clone(&self.bank).deliver(request, plan, back));
        let Ok(reply) = answer.await else {
            return pending().await;
        };
        self.doorway.call(Side::After, verb).await;
        reply
    }

    async fn later(&self, request: Request) -> Result<LaterAnswer, CallError> {
        self.carry(request).await?.later()
    }

    /// Whether it can say what became of a response: without that it takes none.
    const fn takes_responses(&self) -> bool {
        self.kind.final_after.is_some()
    }

    /// Sends a response.
    async fn respond(
        &self,
        link: &Link<'_>,
        response: Response,
    ) -> Result<DisputeReport, CallError> {
        self.bank.note_response(response.note("sent"));
        let request = Request::respond(link, response);
        self.carry(request).await?.responded()
    }
}

/// A look-up that is under way; ends when it is dropped.
struct Look<'a>(&'a Bank, String);

impl<'a> Look<'a> {
    fn begin(bank: &'a Bank, reference: &str) -> Self {
        bank.look(reference);
        Self(bank, reference.to_owned())
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        self.0.looked(&self.1);
    }
}

impl Connector for Gate {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn authorise<'a>(&'a self, link: &'a Link<'a>, call: &'a Authorise<'a>) -> Called<'a, Answer> {
        Box::pin(async move { self.carry(Request::authorise(link, call)).await?.answer() })
    }

    fn capture<'a>(&'a self, link: &'a Link<'a>, call: &'a Capture<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(self.later(Request::capture(link, call)))
    }

    fn cancel<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(self.later(Request::cancel(link, call)))
    }

    fn refund<'a>(&'a self, link: &'a Link<'a>, call: &'a Refund<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(self.later(Request::refund(link, call)))
    }

    fn look_up<'a>(&'a self, link: &'a Link<'a>, call: &'a LookUp<'a>) -> Called<'a, Finding> {
        Box::pin(async move {
            // Of a processor that proves nothing people ask too.
            let proves = self.kind.final_after.is_some();
            let _look = proves.then(|| Look::begin(&self.bank, call.asked.reference.as_str()));
            self.carry(Request::look_up(link, call)).await?.finding()
        })
    }

    fn complete<'a>(&'a self, link: &'a Link<'a>, call: &'a Complete<'a>) -> Called<'a, Answer> {
        Box::pin(async move { self.carry(Request::complete(link, call)).await?.answer() })
    }

    fn check_settings(&self, settings: &serde_json::Value) -> Result<(), String> {
        self.bank.simulator.check_settings(settings)
    }

    fn notices(&self) -> Option<&dyn Notices> {
        Some(&*self.bank.simulator)
    }

    fn disputes(&self) -> Option<&dyn Disputes> {
        Some(self)
    }
}

impl Disputes for Gate {
    fn limits(&self) -> Option<&EvidenceLimits> {
        let takes = self.takes_responses();
        self.bank.simulator.limits().filter(|_| takes)
    }

    fn accepts(&self) -> bool {
        self.takes_responses()
    }

    fn submit<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a SubmitEvidence<'a>,
    ) -> Called<'a, DisputeReport> {
        Box::pin(self.respond(link, Response::submit(call)))
    }

    fn accept<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a Respond<'a>,
    ) -> Called<'a, DisputeReport> {
        Box::pin(self.respond(link, Response::accept(call)))
    }

    fn find_response<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a Respond<'a>,
    ) -> Called<'a, FoundResponse> {
        Box::pin(async move {
            let response = Response::find(call);
            let (found, absent) = (response.note("found"), response.note("absent"));
            let request = Request::respond(link, response);
            let reply = self.carry(request).await?.response()?;
            let note = match reply {
                FoundResponse::Taken(_) => found,
                FoundResponse::Absent(_) => absent,
            };
            self.bank.note_response(note);
            Ok(reply)
        })
    }

    fn read<'a>(&'a self, link: &'a Link<'a>, id: &'a str) -> Called<'a, Option<DisputeReport>> {
        Box::pin(async move {
            self.doorway.call(Side::Before, "dispute").await;
            let read = if self.bank.draws_failure() {
                Err(CallError::unknown("the connection broke"))
            } else {
                Disputes::read(&*self.bank.simulator, link, id).await
            };
            self.doorway.call(Side::After, "dispute").await;
            read
        })
    }
}
