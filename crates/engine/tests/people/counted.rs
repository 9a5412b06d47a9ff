//! Counters that a story looks at.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use parking_lot::Mutex;

/// The counters of this thread, which is the one that plays the world.
#[derive(Default)]
pub(crate) struct Counters(Mutex<BTreeMap<String, Arc<AtomicU64>>>);

impl Counters {
    /// A counter's value, by its name and the values of its labels in their order.
    pub(crate) fn of(&self, name: &str, labels: &[&str]) -> u64 {
        let counters = self.0.lock();
        let counter = counters.get(&named(name, labels.iter().copied()));
        counter.map_or(0, |counter| counter.load(Ordering::SeqCst))
    }
}

fn named<'a>(name: &'a str, labels: impl Iterator<Item = &'a str>) -> String {
    std::iter::once(name)
        .chain(labels)
        .collect::<Vec<_>>()
        .join(" ")
}

impl Recorder for Counters {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let name = named(key.name(), key.labels().map(metrics::Label::value));
        Counter::from_arc(Arc::clone(self.0.lock().entry(name).or_default()))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}
