//! The limit on open files: connections are open files too, and those of deliveries must leave enough for payments.

use engine::WebhookSettings;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Of the files that may be open, one in so many is a connection that a delivery uses.
const DELIVERIES_PART: u64 = 8;

/// Files that are open besides connections of clients and deliveries: databases, calls to processors, listeners, the log.
const OTHERS: u64 = 512;

/// Raises the limit to what the system lets this process have. Many systems begin with 1,024, and let it have far more.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // Where it is refused, the limit stays as it is, and the log says which one holds.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// How many files this process may have open.
pub(crate) fn allowed() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// How many connections deliveries may use at a time where so many files may be open.
pub(crate) fn for_deliveries(allowed: u64) -> u32 {
    let share = allowed.checked_div(DELIVERIES_PART).unwrap_or_default();
    let share = u32::try_from(share).unwrap_or(u32::MAX);
    share.min(WebhookSettings::CONNECTIONS_MAX)
}

/// How many connections of deliveries may be there at a time, those included that are kept for the next event.
pub(crate) fn kept_for_deliveries(allowed: u64) -> usize {
    let used = usize::try_from(for_deliveries(allowed)).unwrap_or(usize::MAX);
    used.saturating_mul(2).max(1)
}

/// How many files a node needs at most that serves so many connections and keeps so many for deliveries.
pub(crate) fn wanted(max_connections: u32, deliveries: usize) -> u64 {
    let deliveries = u64::try_from(deliveries).unwrap_or(u64::MAX);
    u64::from(max_connections)
        .saturating_add(deliveries)
        .saturating_add(OTHERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_have_at_most_a_quarter_of_the_files() {
        for allowed in [0, 256, 1_024, 4_096, 65_536, 1_048_576, u64::MAX] {
            let kept = u64::try_from(kept_for_deliveries(allowed)).unwrap();
            assert!(kept <= (allowed / 4).max(1), "{allowed}: {kept}");
            assert!(kept <= 2 * u64::from(WebhookSettings::CONNECTIONS_MAX));
        }
        assert_eq!(for_deliveries(1_024), 128);
        assert_eq!(for_deliveries(65_536), WebhookSettings::CONNECTIONS_MAX);
        let wanted = wanted(4_096, kept_for_deliveries(65_536));
        assert!(wanted < 65_536, "{wanted}");
    }
}
