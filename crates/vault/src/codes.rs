//! Security codes: sealed in memory under a key that dies with the process. Losing them in a crash is accepted.

use std::{collections::BTreeMap, time::Duration};

use domain::{Timestamp, card_number::SecurityCode};
use parking_lot::Mutex;
use world::World;

use crate::{
    envelope::{decrypt, encrypt},
    keyring::Key,
};

/// More codes than this are not kept at once: the oldest goes.
const MOST: usize = 100_000;

/// The codes that are kept.
pub(crate) struct Codes {
    key: Key,
    lifetime: Duration,
    kept: Mutex<BTreeMap<String, (Timestamp, String)>>,
}

impl Codes {
    pub(crate) fn new(world: &World, lifetime: Duration) -> Self {
        Self { key: Key::random(world), lifetime, kept: Mutex::new(BTreeMap::new()) }
    }

    pub(crate) fn keep(&self, world: &World, holder: &str, code: &SecurityCode) {
        let Some(sealed) = encrypt(&self.key, world, code.expose().as_bytes(), holder.as_bytes()) else { return };
        let mut kept = self.kept.lock();
        if kept.len() >= MOST {
            let oldest = kept.iter().min_by_key(|(_, (until, _))| *until).map(|(holder, _)| holder.clone());
            if let Some(oldest) = oldest {
                kept.remove(&oldest);
            }
        }
        kept.insert(holder.to_owned(), (world.now().after(self.lifetime), sealed));
    }

    pub(crate) fn open(&self, world: &World, holder: &str) -> Option<SecurityCode> {
        let mut kept = self.kept.lock();
        let (until, sealed) = kept.get(holder)?;
        if *until <= world.now() {
            kept.remove(holder);
            return None;
        }
        let clear = decrypt(&self.key, sealed, holder.as_bytes())?;
        SecurityCode::parse(String::from_utf8(clear.to_vec()).ok()?).ok()
    }

    pub(crate) fn erase(&self, holder: &str) {
        self.kept.lock().remove(holder);
    }

    pub(crate) fn sweep(&self, now: Timestamp) -> usize {
        let mut kept = self.kept.lock();
        let before = kept.len();
        kept.retain(|_, (until, _)| *until > now);
        before - kept.len()
    }
}
