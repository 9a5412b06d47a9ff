//! Metrics for Prometheus. They never hold a body or a credential.

mod begin;
mod catalogue;
mod process;

use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use world::World;

/// Bounds of the histograms of durations, in seconds: from a point read to the end of a request's time.
const SECONDS: [f64; 17] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 25.0,
];
/// Bounds of the histogram of changes in one commit.
const CHANGES: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
/// The commit that this was built from, where the build was given it: `POINTSMAN_COMMIT=$(git rev-parse --short HEAD) cargo build …`.
pub const COMMIT: Option<&str> = option_env!("POINTSMAN_COMMIT");
/// How often samples are put into their histograms. Between two times they are kept one by one.
const UPKEEP: Duration = Duration::from_secs(5);

/// Where measurements go.
#[derive(Clone)]
pub struct Metrics(Option<PrometheusHandle>);

impl Metrics {
    /// Starts measuring; the process measures into one place, so a second start gets nothing of its own.
    pub fn start() -> Self {
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
            .and_then(|builder| {
                builder.set_buckets_for_metric(Matcher::Suffix("_changes".to_owned()), &CHANGES)
            });
        let handle = builder.and_then(PrometheusBuilder::install_recorder).ok();
        catalogue::describe();
        metrics::gauge!(
            "pointsman_build_info", "version" => env!("CARGO_PKG_VERSION"), "commit" => COMMIT.unwrap_or("unknown")
        )
        .set(1.0);
        metrics::gauge!("pointsman_connections_resting").set(0.0);
        begin::counting();
        Self(handle)
    }

    /// For a command while the server runs: nothing is measured.
    pub fn absent() -> Self {
        Self(None)
    }

    /// Everything measured, in the text format of Prometheus.
    pub fn render(&self) -> String {
        self.0
            .as_ref()
            .map(|handle| handle.render() + &process::render())
            .unwrap_or_default()
    }

    /// Keeps the samples from piling up where nobody collects them.
    pub fn keep_up(&self, world: &World) {
        let Some(handle) = self.0.clone() else { return };
        let clock = world.clone();
        world.spawn(async move {
            loop {
                clock.sleep(UPKEEP).await;
                handle.run_upkeep();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_shown_with_its_buckets() {
        let measured = Metrics::start();
        metrics::counter!("pointsman_http_requests_total", "operation" => "getPayment", "code" => "ok").increment(2);
        metrics::histogram!("pointsman_http_request_duration_seconds", "operation" => "getPayment")
            .record(0.003);
        let text = measured.render();
        assert!(text.contains("pointsman_build_info{version=\""), "{text}");
        assert!(
            text.contains("pointsman_http_requests_total{operation=\"getPayment\",code=\"ok\"} 2"),
            "{text}"
        );
        assert!(
            text.contains("pointsman_http_request_duration_seconds_bucket{operation=\"getPayment\",le=\"0.005\"} 1"),
            "{text}"
        );
    }
}
