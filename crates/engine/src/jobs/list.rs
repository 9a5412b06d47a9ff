//! The list of all jobs. What is not in it does not run.

use super::{
    apply_notifications::ApplyNotifications, deactivate_intents::DeactivateIntents,
    deliver_events::DeliverEvents, erase_deleted_methods::EraseDeletedMethods,
    erase_earlier_credentials::EraseEarlierCredentials, erase_hidden_cards::EraseHiddenCards,
    erase_orphan_secrets::EraseOrphanSecrets, erase_orphans::EraseOrphans,
    erase_people::ErasePeople, erase_security_codes::EraseSecurityCodes,
    forget_browser_made::ForgetBrowserMade, forget_client_tokens::ForgetClientTokens,
    forget_idempotency_keys::ForgetIdempotencyKeys, forget_notifications::ForgetNotifications,
    forget_number_quotas::ForgetNumberQuotas, forget_page_violations::ForgetPageViolations,
    forget_token_requests::ForgetTokenRequests, forget_wallet_tokens::ForgetWalletTokens,
    forget_webhook_deliveries::ForgetWebhookDeliveries, job::Job, note_key_uses::NoteKeyUses,
    recover::Recover, remove_objects::RemoveObjects, remove_old_audit::RemoveOldAudit,
    run_flow_instances::RunFlowInstances, seal_audit::SealAudit, watch_disputes::WatchDisputes,
    watch_overdue::WatchOverdue,
};

/// Each runs in a task of its own.
pub(super) static ALL: [&dyn Job; 27] = [
    // They wait for no other job.
    &Recover,
    &DeactivateIntents,
    &RunFlowInstances,
    &DeliverEvents,
    &SealAudit,
    &ApplyNotifications,
    &WatchDisputes,
    &WatchOverdue,
    // Sweeps: two at a time.
    &EraseHiddenCards,
    &ErasePeople,
    &EraseDeletedMethods,
    &EraseSecurityCodes,
    &ForgetIdempotencyKeys,
    &NoteKeyUses,
    &ForgetBrowserMade,
    &ForgetNumberQuotas,
    &ForgetClientTokens,
    &ForgetWalletTokens,
    &ForgetTokenRequests,
    &ForgetNotifications,
    &EraseOrphans,
    &EraseOrphanSecrets,
    &EraseEarlierCredentials,
    &RemoveOldAudit,
    &RemoveObjects,
    &ForgetWebhookDeliveries,
    &ForgetPageViolations,
];

#[cfg(test)]
mod tests {
    use super::{
        super::job::{Bound, Pace},
        *,
    };

    /// The beginning of a job's row in the documents.
    fn row(job: &dyn Job) -> String {
        let looks = match job.pace() {
            Pace::Prompt => "at every poll".to_owned(),
            Pace::Every(rest) => format!("every {} s", rest.as_secs()),
            Pace::Sweep => "sweep".to_owned(),
        };
        let Bound { rows, lease } = job.bound();
        let lease = match lease.as_secs() {
            0 => String::new(),
            seconds => format!(" {} min", seconds / 60),
        };
        format!("| `{}` | {looks} | {rows} |{lease} | ", job.name())
    }

    #[test]
    fn the_documents_list_every_job_with_its_pace_and_bound() {
        let page = include_str!("../../../../docs/jobs.md");
        let documented: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("| `"))
            .collect();
        assert_eq!(documented.len(), ALL.len(), "in the order of the list");
        for (job, line) in ALL.into_iter().zip(documented) {
            let row = row(job);
            assert!(
                line.starts_with(&row) && line.len() > row.len(),
                "{row:?} is not {line:?}"
            );
        }
    }

    #[test]
    fn each_job_has_a_name_of_its_own_and_a_bound() {
        let mut names: Vec<&str> = ALL.iter().map(|job| job.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        for job in ALL {
            assert!(job.bound().rows > 0, "{}", job.name());
        }
    }
}
