//! A client of server-sent events whose connections break again and again, and that goes on where it was.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use testkit::{PATIENCE, Shop, Streamed, until};

use crate::{
    Chance, Fleet,
    listener::{ALL_WITHIN, id_of, listed},
};

const EVENTS: &str = "subscription { events { id sequence } }";
/// A stream that shows nothing for so long is opened again at another node.
const SILENCE: Duration = Duration::from_secs(2);
/// Before a node is asked again that has refused or was away.
const PAUSE: Duration = Duration::from_millis(50);
/// The client breaks its connection off after at most so many events.
const BREAKS_AFTER: u64 = 60;

/// What a client of the stream of events has got.
pub(crate) struct Streamer {
    begin: String,
    /// What it sends as `Last-Event-ID`.
    place: String,
    seen: Vec<String>,
}

impl Streamer {
    /// Begins at the present end of the feed.
    pub(crate) fn begin(shop: &Shop) -> Self {
        let mut stream = shop.follow(None);
        let begin = until(PATIENCE, "the place where a stream begins", || {
            stream.read_block();
            stream.place.clone()
        });
        Self {
            place: begin.clone(),
            begin,
            seen: Vec::new(),
        }
    }

    /// Follows until the street closes, at another node for each connection.
    pub(crate) fn follow(
        mut self,
        fleet: &Fleet,
        shop: &Shop,
        closed: &AtomicBool,
        mut chance: Chance,
    ) -> Self {
        while !closed.load(Ordering::Relaxed) {
            let node = chance.index(fleet.len());
            self.connect(fleet, shop, node, 1 + chance.below(BREAKS_AFTER));
        }
        self
    }

    /// Follows on until it has got every event that there is. Panics with the first one that it has missed, or got twice or out of the feed's
    /// order. Returns how many it has got.
    pub(crate) fn finish(mut self, fleet: &Fleet, shop: &Shop) -> usize {
        let begun = Instant::now();
        loop {
            let listed = self.listed(fleet, shop);
            let first_wrong = self.seen.iter().zip(&listed).position(|(a, b)| a != b);
            if let Some(n) = first_wrong {
                let (seen, listed) = (self.seen.get(n), listed.get(n));
                panic!("event {n} of a stream: {seen:?} in place of {listed:?}");
            }
            // Nothing is streamed that is not listed: what is more has happened since it was listed.
            if self.seen.len() >= listed.len() {
                break;
            }
            let missing = listed.len() - self.seen.len();
            assert!(begun.elapsed() < ALL_WITHIN, "a stream lacks {missing}");
            self.connect(fleet, shop, 0, u64::try_from(missing).unwrap_or(u64::MAX));
        }
        self.seen.len()
    }

    /// The ids of the events that the list shows behind the place where the stream began.
    fn listed(&self, fleet: &Fleet, shop: &Shop) -> Vec<String> {
        let begin = self.begin.clone().into();
        let listed = until(ALL_WITHIN, "the events are listed", || {
            listed(fleet, shop, &begin)
        });
        listed.iter().map(id_of).collect()
    }

    /// Reads so many events, or until the connection breaks.
    fn connect(&mut self, fleet: &Fleet, shop: &Shop, node: usize, most: u64) {
        let opened = shop.try_subscribe(fleet.address(node), EVENTS, &self.place, SILENCE);
        let Some(mut stream) = opened.ok().filter(|stream| stream.status == 200) else {
            return thread::sleep(PAUSE);
        };
        for _ in 0..most {
            let next = stream.try_next();
            if let Some(place) = stream.place.take() {
                self.place = place;
            }
            match next {
                Ok(Some(event)) if self.is_taken(&event) => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Takes an event; false where the node says that it ends the stream.
    fn is_taken(&mut self, event: &Streamed) -> bool {
        let shown = event.data.pointer("/data/events");
        let Some(shown) = shown.filter(|shown| shown.is_object()) else {
            let code = event.data.pointer("/errors/0/extensions/code");
            let code = code.and_then(serde_json::Value::as_str);
            let is_away = matches!(code, Some("error.unavailable" | "error.rate-limited"));
            assert!(
                is_away || event.event == "complete",
                "a stream says {event:?}"
            );
            return false;
        };
        self.seen.push(id_of(shown));
        true
    }
}
