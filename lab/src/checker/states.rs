//! The contract's table of states.

/// The statuses that follow a status at once. One that stays as it is follows itself.
fn followers(status: &str) -> &'static [&'static str] {
    match status {
        "ACTIVE" | "NO_ANSWER_FROM_PSP" => &[
            "AUTHORISED",
            "SUCCEEDED",
            "DECLINED",
            "FAILED",
            "CANCELLED",
            "NEEDS_3D_SECURE",
            "NEEDS_APM_AUTHORIZATION",
            "GATEWAY_HOLD",
            "NO_ANSWER_FROM_PSP",
            "DISPUTED",
        ],
        "NEEDS_3D_SECURE" | "NEEDS_APM_AUTHORIZATION" | "GATEWAY_HOLD" => &[
            "AUTHORISED",
            "SUCCEEDED",
            "DECLINED",
            "CANCELLED",
            "GATEWAY_HOLD",
            "NO_ANSWER_FROM_PSP",
            "FAILED",
            "DISPUTED",
        ],
        // A dispute may be reported before the capture is known.
        "AUTHORISED" => &["SUCCEEDED", "CANCELLED", "DISPUTED"],
        "DISPUTED" => &[
            "SUCCEEDED",
            "PARTIAL_REFUNDED",
            "REFUNDED",
            "REFUND_PENDING",
            "REFUND_FAILED",
        ],
        "REFUNDED" => &["DISPUTED"],
        "SUCCEEDED" => &[
            "PARTIAL_REFUNDED",
            "REFUNDED",
            "REFUND_PENDING",
            "REFUND_FAILED",
            "DISPUTED",
        ],
        "PARTIAL_REFUNDED" => &["REFUNDED", "REFUND_PENDING", "REFUND_FAILED", "DISPUTED"],
        // A refund whose outcome was unknown shows as pending; when it turns out that nothing happened, it is taken back.
        "REFUND_PENDING" => &[
            "REFUNDED",
            "PARTIAL_REFUNDED",
            "REFUND_FAILED",
            "SUCCEEDED",
            "DISPUTED",
        ],
        "REFUND_FAILED" => &[
            "REFUND_PENDING",
            "REFUNDED",
            "PARTIAL_REFUNDED",
            "SUCCEEDED",
            "DISPUTED",
        ],
        _ => &[],
    }
}

/// The events that lead to a status.
fn leading(status: &str) -> &'static [&'static str] {
    match status {
        "AUTHORISED" => &["payment.authorised"],
        "SUCCEEDED" => &[
            "payment.captured",
            "payment.released",
            "payment.imported",
            "payment.capture_imported",
            "payment.refund_failed",
            "payment.dispute_ended",
        ],
        "DISPUTED" => &["payment.disputed"],
        "DECLINED" => &["payment.declined"],
        "FAILED" => &["payment.failed"],
        "CANCELLED" => &["payment.cancelled"],
        "NO_ANSWER_FROM_PSP" => &["payment.unknown"],
        "GATEWAY_HOLD" => &["payment.held"],
        "NEEDS_3D_SECURE" | "NEEDS_APM_AUTHORIZATION" => &["payment.action_required"],
        "REFUNDED" | "PARTIAL_REFUNDED" => &[
            "payment.refunded",
            "payment.refund_imported",
            "payment.capture_imported",
            "payment.refund_failed",
            "payment.dispute_ended",
        ],
        "REFUND_PENDING" => &[
            "payment.refund_pending",
            "payment.unknown",
            "payment.dispute_ended",
        ],
        "REFUND_FAILED" => &[
            "payment.refund_failed",
            "payment.refunded",
            "payment.refund_imported",
            "payment.dispute_ended",
        ],
        _ => &[],
    }
}

/// Whether what happened leads to a status.
pub(super) fn leads_to(kind: &str, status: &str) -> bool {
    leading(status).contains(&kind)
}

/// Whether one status may follow another in one step.
pub(crate) fn may_follow(from: &str, to: &str) -> bool {
    from == to || followers(from).contains(&to)
}

/// Whether one status may follow another because a refund failed that had taken effect.
pub(super) fn may_go_back(from: &str, to: &str) -> bool {
    matches!(
        (from, to),
        ("REFUNDED", "PARTIAL_REFUNDED" | "SUCCEEDED") | ("PARTIAL_REFUNDED", "SUCCEEDED")
    )
}

/// Whether one status may follow another in any number of steps.
pub(super) fn may_come_after(from: &str, to: &str) -> bool {
    let mut reached: Vec<&str> = vec![from];
    let mut next = 0;
    while let Some(status) = reached.get(next).copied() {
        if status == to {
            return true;
        }
        next += 1;
        for follower in followers(status) {
            if !reached.contains(follower) {
                reached.push(follower);
            }
        }
    }
    false
}

/// Whether the outcome is still to come.
pub(super) fn is_open(status: &str) -> bool {
    matches!(
        status,
        "ACTIVE"
            | "NO_ANSWER_FROM_PSP"
            | "GATEWAY_HOLD"
            | "REFUND_PENDING"
            | "NEEDS_3D_SECURE"
            | "NEEDS_APM_AUTHORIZATION"
    )
}
