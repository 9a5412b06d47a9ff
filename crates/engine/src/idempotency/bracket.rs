//! The bracket around an operation that must not happen twice.

use std::{future::Future, sync::Arc};

use db::Change;
use domain::{Fault, caller::Caller};

use super::{
    Kept, Once, Response, Snapshot,
    record::{Found, Reader, in_progress},
};
use crate::{
    Engine,
    faults::{EngineError, only_fault},
    request::Request,
};

impl Engine {
    /// Carries out `run` once for the key; the same request gets its response again.
    ///
    /// `run` inserts the request's claim in its first commit, and stops with [`EngineError::Taken`] when that was refused.
    pub(crate) async fn once<C, T, R>(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<C, Fault>,
        run: impl FnOnce(C, Arc<Request>) -> R,
    ) -> Response<T>
    where
        C: Send,
        T: Kept,
        R: Future<Output = Result<T, EngineError>> + Send,
    {
        let claim = once.as_ref().map(|once| self.claim_of(caller, once));
        let request = self.request(caller, claim);
        let (Some(once), Some(claim)) = (&once, &request.claim) else {
            let result = carried_out(parsed, run, &request).await;
            return Response::now(result.map_err(only_fault));
        };
        let reader = Reader::repeat(claim, caller, &once.scope);
        match self.find_response(reader, request.deadline).await {
            Ok(Found::Free) => {}
            Ok(Found::Response(reported)) => return reported,
            Err(stop) => return Response::now(Err(only_fault(stop))),
        }
        match carried_out(parsed, run, &request).await {
            Ok(value) => Response::now(Ok(value)),
            Err(EngineError::Fault(fault)) if fault.is_remembered() => {
                self.remember(reader, fault, &request).await
            }
            // What is under way may be this very request, sent twice at the same moment: then its response counts.
            Err(EngineError::Fault(fault)) if fault.is_for_now() => {
                self.response_or(reader, fault, &request).await
            }
            Err(stop @ (EngineError::Fault(_) | EngineError::Outdated)) => {
                Response::now(Err(only_fault(stop)))
            }
            Err(EngineError::Taken) => self.response_or(reader, in_progress(), &request).await,
        }
    }

    /// Writes a fault with its key, unless the operation has taken the key already (then its response is written).
    async fn remember<T: Kept>(
        &self,
        reader: Reader<'_>,
        fault: Fault,
        request: &Request,
    ) -> Response<T> {
        let claim = reader.claim;
        let is_outcome = fault.is_outcome();
        let fault = Fault {
            is_early: false,
            ..fault
        };
        let snapshot = Snapshot::<T::Stored>::Fault(fault.clone()).text();
        let mut change = Change::new(self.change_id(), &claim.once.key);
        change.push(self.claim(claim, None, Some(&snapshot)));
        match self.commit_plain(change).await {
            Ok(None) => Response::now(Err(fault)),
            // The key is taken: by this very operation, whose first commit took it, or by another request.
            Ok(Some(_)) => {
                let mut reported = self.response_or(reader, in_progress(), request).await;
                match &reported.result {
                    Err(unread) if unread.is_ours() && is_outcome => Response::now(Err(fault)),
                    Err(reported_fault) => {
                        reported.replayed &= *reported_fault != fault;
                        reported
                    }
                    Ok(_) => reported,
                }
            }
            // The commit that brought the outcome has stored the response already.
            Err(_) if is_outcome => Response::now(Err(fault)),
            Err(stop) => Response::now(Err(only_fault(stop))),
        }
    }

    /// The response under the key; the fault when there is none.
    async fn response_or<T: Kept>(
        &self,
        reader: Reader<'_>,
        fault: Fault,
        request: &Request,
    ) -> Response<T> {
        match self.find_response(reader, request.deadline).await {
            Ok(Found::Response(reported)) => reported,
            Ok(Found::Free) => Response::now(Err(fault)),
            Err(stop) => Response::now(Err(only_fault(stop))),
        }
    }
}

async fn carried_out<C, T, R>(
    parsed: Result<C, Fault>,
    run: impl FnOnce(C, Arc<Request>) -> R,
    request: &Arc<Request>,
) -> Result<T, EngineError>
where
    R: Future<Output = Result<T, EngineError>>,
{
    Box::pin(run(parsed?, Arc::clone(request))).await
}
