//! Security codes, where nobody shares the database: sealed in memory under a key that dies with the process. Losing them in a crash is accepted.
//!
//! A task erases codes whose life time is over; it runs while there are any. There is room for a fixed number: beyond it
//! the code that would end first makes room, since the loss of one is accepted and an unbounded memory is not.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Weak},
    time::Duration,
};

use domain::{Timestamp, card_number::SecurityCode};
use parking_lot::Mutex;
use world::World;
use zeroize::Zeroizing;

use crate::{
    envelope::{decrypt, encrypt},
    keyring::Key,
};

/// More codes than this are not kept at once.
const MOST: usize = 100_000;

/// No setting makes a code live longer (behaviour contract, section 6).
const LONGEST: Duration = Duration::from_hours(1);

/// Codes are padded to this length, so that a sealed one doesn't tell its own.
const PADDED: usize = 4;

/// What is kept. It is bound to the sealed text and the holder, so that one is never taken for the other.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    SecurityCode,
    Cryptogram,
}

/// By what a code is found: whose it is, and what it is.
#[derive(Clone, Copy)]
pub(crate) struct CodeName<'a> {
    pub(crate) holder: &'a str,
    pub(crate) purpose: Purpose,
}

impl Purpose {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::SecurityCode => b"security code\0",
            Self::Cryptogram => b"cryptogram\0",
        }
    }
}

/// The codes that are kept.
pub(crate) struct Codes(Arc<Inner>);

struct Inner {
    key: Key,
    lifetime: Duration,
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    codes: BTreeMap<Arc<str>, Code>,
    /// The same by the time at which they end.
    ends: BTreeSet<(Timestamp, Arc<str>)>,
    cleaner: Cleaner,
}

struct Code {
    until: Timestamp,
    sealed: Zeroizing<String>,
}

/// The task that erases codes whose life time is over.
#[derive(Default, PartialEq, Eq)]
enum Cleaner {
    #[default]
    Resting,
    Working,
}

impl Codes {
    /// Room for codes that live for `lifetime`, an hour at most.
    pub(crate) fn new(world: &World, lifetime: Duration) -> Self {
        Self::bounded(world, lifetime, MOST)
    }

    fn bounded(world: &World, lifetime: Duration, most: usize) -> Self {
        let lifetime = lifetime.min(LONGEST);
        Self(Arc::new(Inner {
            key: Key::random(world),
            lifetime,
            most,
            kept: Mutex::default(),
        }))
    }

    /// Keeps a code or a cryptogram; what the holder had is erased.
    pub(crate) fn keep(&self, world: &World, name: CodeName<'_>, clear: &[u8]) {
        let CodeName { holder, purpose } = name;
        let Some(sealed) = encrypt(&self.0.key, world, clear, &bound(purpose, holder)) else {
            return;
        };
        let now = world.now();
        let until = now.after(self.0.lifetime);
        let mut kept = self.0.kept.lock();
        kept.sweep(now, self.0.lifetime);
        kept.erase(holder);
        while kept.codes.len() >= self.0.most && kept.erase_first() {}
        let holder: Arc<str> = holder.into();
        kept.ends.insert((until, Arc::clone(&holder)));
        kept.codes.insert(
            holder,
            Code {
                until,
                sealed: Zeroizing::new(sealed),
            },
        );
        if std::mem::replace(&mut kept.cleaner, Cleaner::Working) == Cleaner::Resting {
            drop(kept);
            world.spawn(clean(Arc::downgrade(&self.0), world.clone()));
        }
    }

    /// What a holder has. It stays.
    pub(crate) fn open(&self, world: &World, name: CodeName<'_>) -> Option<Zeroizing<Vec<u8>>> {
        let CodeName { holder, purpose } = name;
        let mut kept = self.0.kept.lock();
        kept.sweep(world.now(), self.0.lifetime);
        decrypt(
            &self.0.key,
            &kept.codes.get(holder)?.sealed,
            &bound(purpose, holder),
        )
    }

    pub(crate) fn erase(&self, holder: &str) {
        self.0.kept.lock().erase(holder);
    }

    /// Erases the codes whose life time is over. Returns how many.
    pub(crate) fn sweep(&self, now: Timestamp) -> usize {
        self.0.kept.lock().sweep(now, self.0.lifetime)
    }

    /// How many are kept.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.0.kept.lock().codes.len()
    }
}

impl Kept {
    fn erase(&mut self, holder: &str) {
        if let Some((holder, code)) = self.codes.remove_entry(holder) {
            self.ends.remove(&(code.until, holder));
        }
    }

    fn erase_first(&mut self) -> bool {
        let first = self.ends.pop_first();
        first.is_some_and(|(_, holder)| self.codes.remove(&holder).is_some())
    }

    fn sweep(&mut self, now: Timestamp, lifetime: Duration) -> usize {
        let before = self.codes.len();
        while self.ends.first().is_some_and(|(until, _)| *until <= now) {
            self.erase_first();
        }
        // What ends later than a whole life from now was kept before the clock was set back, and could live too long.
        let latest = now.after(lifetime);
        while self.ends.last().is_some_and(|(until, _)| *until > latest) {
            if let Some((_, holder)) = self.ends.pop_last() {
                self.codes.remove(&holder);
            }
        }
        before - self.codes.len()
    }
}

impl Inner {
    /// Erases what is over. How long to wait for the next one; the cleaner rests when there is none.
    fn clean(&self, now: Timestamp) -> Option<Duration> {
        let mut kept = self.kept.lock();
        kept.sweep(now, self.lifetime);
        let next = kept.ends.first().map(|(until, _)| until.since(now));
        if next.is_none() {
            kept.cleaner = Cleaner::Resting;
        }
        next
    }
}

/// Works until no code is kept. It does not keep the codes alive while it waits.
async fn clean(codes: Weak<Inner>, world: World) {
    loop {
        let Some(wait) = codes.upgrade().and_then(|codes| codes.clean(world.now())) else {
            return;
        };
        world.sleep(wait).await;
    }
}

/// A code as it is sealed: with room after it.
pub(crate) fn padded(code: &SecurityCode) -> Zeroizing<[u8; PADDED]> {
    let mut padded = Zeroizing::new([0_u8; PADDED]);
    for (slot, byte) in padded.iter_mut().zip(code.expose().bytes()) {
        *slot = byte;
    }
    padded
}

/// The code that was padded.
pub(crate) fn unpadded(padded: &[u8]) -> Option<SecurityCode> {
    let digits = padded.split(|byte| *byte == 0).next()?;
    SecurityCode::parse(std::str::from_utf8(digits).ok()?.to_owned()).ok()
}

/// A wallet's cryptogram with its indicator, in the place of a security code: a payment has one of the two.
pub(crate) fn joined(cryptogram: &str, eci: Option<&str>) -> Zeroizing<String> {
    // Neither holds a blank; the indicator may be absent.
    Zeroizing::new(format!("{} {cryptogram}", eci.unwrap_or_default()))
}

/// The cryptogram and the indicator that were joined.
pub(crate) fn parted(clear: &[u8]) -> Option<(Zeroizing<String>, Option<String>)> {
    let (eci, cryptogram) = std::str::from_utf8(clear).ok()?.split_once(' ')?;
    Some((
        Zeroizing::new(cryptogram.to_owned()),
        Some(eci.to_owned()).filter(|eci| !eci.is_empty()),
    ))
}

pub(crate) fn bound(purpose: Purpose, holder: &str) -> Vec<u8> {
    [purpose.label(), holder.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);
    const MINUTE: Duration = Duration::from_mins(1);

    fn code(digits: &str) -> SecurityCode {
        SecurityCode::parse(digits.to_owned()).ok().unwrap()
    }

    fn keep(codes: &Codes, world: &World, holder: &str, digits: &str) {
        codes.keep(
            world,
            CodeName {
                holder,
                purpose: Purpose::SecurityCode,
            },
            padded(&code(digits)).as_slice(),
        );
    }

    fn keep_cryptogram(
        codes: &Codes,
        world: &World,
        holder: &str,
        cryptogram: &str,
        eci: Option<&str>,
    ) {
        codes.keep(
            world,
            CodeName {
                holder,
                purpose: Purpose::Cryptogram,
            },
            joined(cryptogram, eci).as_bytes(),
        );
    }

    fn shown(codes: &Codes, world: &World, holder: &str) -> Option<String> {
        unpadded(&codes.open(
            world,
            CodeName {
                holder,
                purpose: Purpose::SecurityCode,
            },
        )?)
        .map(|code| code.expose().to_owned())
    }

    #[test]
    fn a_code_opens_for_its_holder_as_often_as_it_is_needed_until_it_is_erased() {
        let (world, _sim) = World::simulated(1);
        let codes = Codes::new(&world, HOUR);
        keep(&codes, &world, "one", "123");
        keep(&codes, &world, "two", "0045");
        for _ in 0..3 {
            assert_eq!(shown(&codes, &world, "one").as_deref(), Some("123"));
            assert_eq!(shown(&codes, &world, "two").as_deref(), Some("0045"));
        }
        assert_eq!(shown(&codes, &world, "three"), None);
        codes.erase("one");
        codes.erase("one");
        assert_eq!(shown(&codes, &world, "one"), None);
        keep(&codes, &world, "two", "999");
        assert_eq!(shown(&codes, &world, "two").as_deref(), Some("999"));
        assert_eq!((codes.count(), codes.0.kept.lock().ends.len()), (1, 1));
    }

    #[test]
    fn a_cryptogram_opens_as_itself_alone() {
        let (world, _sim) = World::simulated(1);
        let codes = Codes::new(&world, HOUR);
        keep_cryptogram(&codes, &world, "one", "AgAA+/8=", Some("05"));
        keep_cryptogram(&codes, &world, "two", "BgAA", None);
        keep(&codes, &world, "three", "123");
        let open = |holder: &str| {
            parted(&codes.open(
                &world,
                CodeName {
                    holder,
                    purpose: Purpose::Cryptogram,
                },
            )?)
            .map(|(cryptogram, eci)| (cryptogram.to_string(), eci))
        };
        assert_eq!(
            open("one"),
            Some(("AgAA+/8=".to_owned(), Some("05".to_owned())))
        );
        assert_eq!(open("two"), Some(("BgAA".to_owned(), None)));
        assert_eq!(open("three"), None);
        assert_eq!(shown(&codes, &world, "one"), None);
        codes.erase("one");
        assert_eq!(open("one"), None);
    }

    #[test]
    fn what_is_kept_shows_no_digit_and_no_length_and_opens_for_no_other_holder() {
        let (world, _sim) = World::simulated(1);
        let codes = Codes::new(&world, HOUR);
        keep(&codes, &world, "one", "1234");
        keep(&codes, &world, "two", "567");
        let mut kept = codes.0.kept.lock();
        let (one, two) = (
            kept.codes["one"].sealed.clone(),
            kept.codes["two"].sealed.clone(),
        );
        assert!(!one.contains("1234") && !two.contains("567"));
        assert_eq!(one.len(), two.len());
        kept.codes.get_mut("two").unwrap().sealed = one;
        drop(kept);
        assert_eq!(shown(&codes, &world, "two"), None);
        assert_eq!(shown(&codes, &world, "one").as_deref(), Some("1234"));
    }

    #[test]
    fn a_code_ends_with_its_life_time_and_its_memory_is_freed_without_anyone_asking() {
        let (world, sim) = World::simulated(1);
        let codes = Codes::new(&world, HOUR);
        keep(&codes, &world, "one", "123");
        sim.run_until(world.sleep(30 * MINUTE)).unwrap();
        keep(&codes, &world, "two", "456");
        sim.run_until(world.sleep(Duration::from_micros(30 * 60_000_000 - 1)))
            .unwrap();
        assert_eq!(shown(&codes, &world, "one").as_deref(), Some("123"));
        sim.run_until(world.sleep(Duration::from_micros(1)))
            .unwrap();
        assert_eq!(shown(&codes, &world, "one"), None);
        assert_eq!(shown(&codes, &world, "two").as_deref(), Some("456"));
        sim.run_until(world.sleep(31 * MINUTE)).unwrap();
        assert_eq!(codes.count(), 0, "counting does not sweep");
        keep(&codes, &world, "three", "789");
        sim.run_until(world.sleep(61 * MINUTE)).unwrap();
        assert_eq!(codes.count(), 0, "the cleaner has begun again");
    }

    #[test]
    fn no_setting_and_no_clock_that_is_set_back_makes_a_code_live_longer_than_an_hour() {
        let (world, sim) = World::simulated(1);
        let codes = Codes::new(&world, 24 * HOUR);
        keep(&codes, &world, "one", "123");
        sim.run_until(world.sleep(HOUR)).unwrap();
        assert_eq!(shown(&codes, &world, "one"), None);
        keep(&codes, &world, "two", "123");
        sim.jump(-1);
        assert_eq!(shown(&codes, &world, "two"), None);
    }

    #[test]
    fn the_oldest_code_makes_room_when_there_is_none() {
        let (world, sim) = World::simulated(1);
        let codes = Codes::bounded(&world, HOUR, 3);
        for holder in ["one", "two", "three", "four"] {
            keep(&codes, &world, holder, "123");
            sim.run_until(world.sleep(MINUTE)).unwrap();
        }
        assert_eq!(codes.count(), 3);
        assert_eq!(shown(&codes, &world, "one"), None);
        keep(&codes, &world, "four", "456");
        assert!(
            shown(&codes, &world, "two").is_some(),
            "a holder's second code takes the place of the first"
        );
        assert_eq!(codes.count(), 3);
    }

    #[test]
    fn the_cleaner_does_not_keep_the_codes_alive() {
        let (world, sim) = World::simulated(1);
        let codes = Codes::new(&world, HOUR);
        keep(&codes, &world, "one", "123");
        sim.run_until(world.sleep(MINUTE)).unwrap();
        let watch = Arc::downgrade(&codes.0);
        drop(codes);
        assert!(watch.upgrade().is_none());
    }
}
