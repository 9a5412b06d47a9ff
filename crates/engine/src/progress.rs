//! How far a request has come: what the answer says when the database is away or the request's time is over.
//!
//! From a payment's first commit on every answer names it. What the request's own task knows is lost with its error, so each
//! commit of a payment is noted here for the requests that wait for it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};

use domain::{
    id::PaymentId,
    payment::{OperationState, Payment},
};
use parking_lot::Mutex;

use crate::Engine;

/// How far one request has come. Clones share it.
#[derive(Clone)]
pub(crate) struct Progress(Arc<Shared>);

struct Shared {
    stage: Mutex<Stage>,
    watching: Arc<Watching>,
}

/// What has become of a request's first commit.
#[derive(Clone)]
pub(crate) enum Stage {
    /// It was not submitted, or nothing was written.
    Nothing,
    /// It was submitted, and nobody knows yet what became of it. With the id of what it is about.
    Submitted(String),
    /// It is on disk.
    OnDisk(Box<Known>),
}

/// What is known of a payment without asking the database.
#[derive(Clone)]
pub(crate) struct Known {
    /// The payment as this process committed it last.
    pub(crate) payment: Payment,
    /// The operation that the first commit began.
    pub(crate) own: Option<u32>,
}

impl Progress {
    /// A request that has not begun. What this process commits of its payment is noted through `watching`.
    pub(crate) fn new(watching: &Arc<Watching>) -> Self {
        Self(Arc::new(Shared {
            stage: Mutex::new(Stage::Nothing),
            watching: Arc::clone(watching),
        }))
    }

    /// How far it is.
    pub(crate) fn stage(&self) -> Stage {
        self.0.stage.lock().clone()
    }

    /// Whether its first commit is on disk.
    pub(crate) fn is_on_disk(&self) -> bool {
        matches!(*self.0.stage.lock(), Stage::OnDisk(_))
    }

    /// The first commit is on its way.
    pub(crate) fn submitted(&self, id: impl std::fmt::Display) {
        *self.0.stage.lock() = Stage::Submitted(id.to_string());
    }

    /// Nothing of the first commit was written.
    pub(crate) fn refused(&self) {
        *self.0.stage.lock() = Stage::Nothing;
    }

    /// The first commit is on disk; later ones are noted.
    pub(crate) fn begun(&self, payment: &Payment) {
        let own = payment
            .operations()
            .last()
            .filter(|last| last.state == OperationState::Sent)
            .map(|last| last.n);
        *self.0.stage.lock() = Stage::OnDisk(Box::new(Known {
            payment: payment.clone(),
            own,
        }));
        self.0.watching.add(payment.id(), &self.0);
    }
}

impl Shared {
    fn note(&self, payment: &Payment) {
        if let Stage::OnDisk(known) = &mut *self.stage.lock()
            && known.payment.version() < payment.version()
        {
            known.payment = payment.clone();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Stage::OnDisk(known) = self.stage.get_mut() {
            self.watching.remove(known.payment.id());
        }
    }
}

/// The requests that wait here, by their payments.
#[derive(Default)]
pub(crate) struct Watching(Mutex<BTreeMap<PaymentId, Vec<Weak<Shared>>>>);

impl Watching {
    /// Notes a commit.
    pub(crate) fn note(&self, payment: &Payment) {
        // Their last handles may be dropped here, and that takes the lock too.
        let waiting: Vec<Arc<Shared>> = self
            .0
            .lock()
            .get(&payment.id())
            .map(|all| all.iter().filter_map(Weak::upgrade).collect())
            .unwrap_or_default();
        for request in waiting {
            request.note(payment);
        }
    }

    fn add(&self, id: PaymentId, request: &Arc<Shared>) {
        let mut waiting = self.0.lock();
        waiting.entry(id).or_default().push(Arc::downgrade(request));
    }

    /// Forgets the requests about a payment that have ended.
    fn remove(&self, id: PaymentId) {
        let mut waiting = self.0.lock();
        if let Some(all) = waiting.get_mut(&id) {
            all.retain(|one| one.strong_count() > 0);
            if all.is_empty() {
                waiting.remove(&id);
            }
        }
    }
}

/// What a root field is about, in case that its time is over before it has an answer. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Named(Arc<Mutex<About>>);

/// What may have been made.
#[derive(Default)]
enum About {
    /// Nothing, as far as is known.
    #[default]
    Nothing,
    /// The thing with this id, whose commit is under way.
    Thing(String),
    /// A payment.
    Payment(Progress),
}

impl Named {
    /// Forgets what an earlier root field was about.
    pub(crate) fn clear(&self) {
        *self.0.lock() = About::Nothing;
    }

    /// The id of what may have been made.
    pub(crate) fn id(&self) -> Option<String> {
        match &*self.0.lock() {
            About::Nothing => None,
            About::Thing(id) => Some(id.clone()),
            About::Payment(progress) => match progress.stage() {
                Stage::Nothing => None,
                Stage::Submitted(id) => Some(id),
                Stage::OnDisk(known) => Some(known.payment.id().to_string()),
            },
        }
    }
}

/// Names something until it is dropped.
pub(crate) struct Naming(Named);

impl Drop for Naming {
    fn drop(&mut self) {
        self.0.clear();
    }
}

impl Engine {
    /// A commit about this thing is under way for the request, until what this returns is dropped.
    pub(crate) fn naming(&self, id: &impl std::fmt::Display) -> Option<Naming> {
        // Without a request nobody asks.
        self.answer_by?;
        let mut about = self.named.0.lock();
        if let About::Payment(_) = *about {
            // What is committed on the way to a payment does not hide it.
            return None;
        }
        *about = About::Thing(id.to_string());
        Some(Naming(self.named.clone()))
    }

    /// The root field makes, or changes, a payment.
    pub(crate) fn naming_payment(&self, progress: &Progress) {
        if self.answer_by.is_some() {
            *self.named.0.lock() = About::Payment(progress.clone());
        }
    }
}
