//! All that the machine remembers.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    charges::Charge,
    delivery::SCHEDULE,
    disputes::Dispute,
    endpoints::Endpoint,
    files::Upload,
    intents::Intent,
    later::Later,
    methods::{Customer, Method},
    movements::Movement,
    refunds::Refund,
    refusal::Refusal,
    setups::Setup,
};
use crate::{delivery::Outbox, draw::Draw};

/// Something that has an id and can be shown.
pub(super) trait Row {
    /// The word in messages, and the member `object`.
    const OBJECT: &'static str;
    fn id(&self) -> &str;
    /// Seconds since 1970.
    fn created(&self) -> u64;
    /// The object on the wire.
    fn view(&self, books: &Books) -> Value;
}

/// Objects of one sort, in the order in which they were made.
#[derive(Debug, Clone)]
pub(super) struct Table<T> {
    rows: Vec<T>,
    index: BTreeMap<String, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            index: BTreeMap::new(),
        }
    }
}

impl<T: Row> Table<T> {
    pub(super) fn add(&mut self, row: T) {
        self.index.insert(row.id().to_owned(), self.rows.len());
        self.rows.push(row);
    }

    pub(super) fn find(&self, id: &str) -> Option<&T> {
        self.rows.get(*self.index.get(id)?)
    }

    pub(super) fn find_mut(&mut self, id: &str) -> Option<&mut T> {
        self.rows.get_mut(*self.index.get(id)?)
    }

    /// The object that an address or `param` names.
    pub(super) fn get(&self, id: &str, param: &str) -> Result<&T, Refusal> {
        self.find(id)
            .ok_or_else(|| Refusal::missing(T::OBJECT, id, param))
    }

    pub(super) fn get_mut(&mut self, id: &str, param: &str) -> Result<&mut T, Refusal> {
        self.find_mut(id)
            .ok_or_else(|| Refusal::missing(T::OBJECT, id, param))
    }

    /// All, the newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().rev()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.rows.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Forgets what was added after there were `rows` rows.
    pub(super) fn truncate(&mut self, rows: usize) {
        for row in self.rows.drain(rows.min(self.rows.len())..) {
            self.index.remove(row.id());
        }
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.rows.retain(keep);
        self.index = self
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| (row.id().to_owned(), at))
            .collect();
    }
}

/// The request that causes an event.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) request_id: String,
    pub(super) key: Option<String>,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) name: &'static str,
    pub(super) object: Value,
    pub(super) origin: Option<Origin>,
}

impl Row for Event {
    const OBJECT: &'static str = "event";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, books: &Books) -> Value {
        let request = self.origin.as_ref().map_or(
            json!({"id": null, "idempotency_key": null}),
            |origin| json!({"id": origin.request_id, "idempotency_key": origin.key}),
        );
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "api_version": super::VERSION,
            "created": self.created,
            "data": {"object": self.object},
            "livemode": false,
            "pending_webhooks": books.outbox.pending_of(&self.id),
            "request": request,
            "type": self.name,
        })
    }
}

/// All that the machine remembers.
#[derive(Debug, Clone)]
pub(super) struct Books {
    /// The time of the call. Since 1970.
    pub(super) now: Duration,
    pub(super) draw: Draw,
    /// The request that is worked on.
    pub(super) origin: Option<Origin>,
    /// Where pages for shoppers are reached.
    pub(super) public: String,
    pub(super) intents: Table<Intent>,
    pub(super) setups: Table<Setup>,
    pub(super) charges: Table<Charge>,
    pub(super) refunds: Table<Refund>,
    pub(super) methods: Table<Method>,
    pub(super) customers: Table<Customer>,
    /// Tokens of security codes that were not used yet.
    pub(super) cvc_tokens: BTreeSet<String>,
    pub(super) disputes: Table<Dispute>,
    pub(super) movements: Table<Movement>,
    pub(super) events: Table<Event>,
    pub(super) endpoints: Table<Endpoint>,
    pub(super) uploads: Table<Upload>,
    pub(super) later: Vec<Later>,
    pub(super) outbox: Outbox,
}

/// How much there was before a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    intents: usize,
    setups: usize,
    methods: usize,
    events: usize,
}

impl Books {
    /// How much there is.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            intents: self.intents.len(),
            setups: self.setups.len(),
            methods: self.methods.len(),
            events: self.events.len(),
        }
    }

    /// Forgets what a request made that was refused before it began.
    pub(super) fn undo(&mut self, mark: Mark) {
        self.intents.truncate(mark.intents);
        self.setups.truncate(mark.setups);
        self.methods.truncate(mark.methods);
        for event in self.events.rows.get(mark.events..).unwrap_or_default() {
            self.outbox.drop_event(&event.id);
        }
        self.events.truncate(mark.events);
    }

    pub(super) fn new(seed: u64, public: &str) -> Self {
        Self {
            now: Duration::ZERO,
            draw: Draw::new(seed),
            origin: None,
            public: public.trim_end_matches('/').to_owned(),
            intents: Table::default(),
            setups: Table::default(),
            charges: Table::default(),
            refunds: Table::default(),
            methods: Table::default(),
            customers: Table::default(),
            cvc_tokens: BTreeSet::new(),
            disputes: Table::default(),
            movements: Table::default(),
            events: Table::default(),
            endpoints: Table::default(),
            uploads: Table::default(),
            later: Vec::new(),
            outbox: Outbox::new(&SCHEDULE),
        }
    }

    /// The time in whole seconds.
    pub(super) const fn seconds(&self) -> u64 {
        self.now.as_secs()
    }

    pub(super) fn id(&mut self, prefix: &str) -> String {
        self.draw.id(prefix, 24)
    }

    /// Notes an event about an object as it is now, for the endpoints that want it.
    pub(super) fn emit(&mut self, name: &'static str, id: &str) {
        let Some(object) = self.show(id) else { return };
        let event = Event {
            id: self.draw.id("evt_", 24),
            created: self.seconds(),
            name,
            object,
            origin: self.origin.clone(),
        };
        let wanting = self
            .endpoints
            .iter()
            .filter(|endpoint| endpoint.wants(name));
        for endpoint in wanting {
            self.outbox.queue(&endpoint.id, &event.id, self.now);
        }
        self.events.add(event);
    }

    /// Any object by its id.
    pub(super) fn show(&self, id: &str) -> Option<Value> {
        fn view<T: Row>(table: &Table<T>, id: &str, books: &Books) -> Option<Value> {
            table.find(id).map(|row| row.view(books))
        }
        match id.split_once('_')?.0 {
            "pi" => view(&self.intents, id, self),
            "seti" => view(&self.setups, id, self),
            "ch" => view(&self.charges, id, self),
            "re" => view(&self.refunds, id, self),
            "pm" => view(&self.methods, id, self),
            "cus" => view(&self.customers, id, self),
            "du" => view(&self.disputes, id, self),
            "txn" => view(&self.movements, id, self),
            "evt" => view(&self.events, id, self),
            "file" => view(&self.uploads, id, self),
            "we" => view(&self.endpoints, id, self),
            _ => None,
        }
    }
}
