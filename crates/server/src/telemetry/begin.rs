//! What is shown at nothing from the start on: to Prometheus an increase from nothing is none, so the first error would be missed.

use domain::Code;

/// Shows every counter of the interface whose labels are known.
pub(super) fn counting() {
    for operation in graphql::operations() {
        for code in ["ok", Code::Unavailable.text(), Code::Unknown.text()] {
            let labels = [("operation", operation.name), ("code", code)];
            metrics::counter!("pointsman_http_requests_total", &labels).increment(0);
        }
    }
    for operation in graphql::operations().filter(|operation| operation.takes_key) {
        let operation = operation.name;
        metrics::counter!("pointsman_idempotent_replays_total", "operation" => operation)
            .increment(0);
        // A histogram is shown once it is known, with nothing in it.
        drop(metrics::histogram!(
            "pointsman_http_request_duration_seconds", "operation" => operation
        ));
    }
    for credential in ["secret", "public", "client"] {
        metrics::counter!("pointsman_http_rate_limited_total", "credential" => credential)
            .increment(0);
    }
    for level in ["info", "warn", "error"] {
        metrics::counter!("pointsman_log_lines_total", "level" => level).increment(0);
    }
    for name in [
        "pointsman_log_lines_lost_total",
        "pointsman_http_connections_refused_total",
        "pointsman_http_connections_stalled_total",
        "pointsman_tls_handshakes_failed_total",
    ] {
        metrics::counter!(name).increment(0);
    }
}
