//! The audit trail, as commands show it.

use std::time::Duration;

use domain::{Timestamp, audit::Act, audit::INSTALLATION, id::TeamId};
use engine::{Listed, TrailFilter, Verified};
use serde_json::json;

use super::{Local, in_words};
use crate::admin::{AuditWanted, Say};

impl Local {
    pub(super) async fn list_audit(&self, wanted: AuditWanted, say: Say<'_>) -> Result<(), String> {
        let now = self.engine.now();
        let filter = TrailFilter {
            team: self.wanted_team(wanted.team).await?,
            since: wanted.since.map(|text| since(&text, now)).transpose()?,
            act: wanted.act,
        };
        let show = |listed: Listed| {
            say(if wanted.json {
                json_of(&listed)
            } else {
                line(&listed)
            });
        };
        self.engine
            .list_audit(&filter, show)
            .await
            .map_err(in_words)
    }

    pub(super) async fn export_audit(
        &self,
        team: Option<String>,
        say: Say<'_>,
    ) -> Result<(), String> {
        let team = self.wanted_team(team).await?;
        let exported = self.engine.export_audit(team, |line| say(json_of(&line)));
        exported.await.map_err(in_words)
    }

    pub(super) async fn verify_audit(
        &self,
        team: Option<String>,
        json: bool,
        say: Say<'_>,
    ) -> Result<(), String> {
        let team = self.wanted_team(team).await?;
        let verified = self.engine.verify_audit(team).await.map_err(in_words)?;
        verdict(&verified, Keyed::Yes, json)
            .into_iter()
            .for_each(say);
        if verified.iter().all(|chain| chain.broken.is_none()) {
            Ok(())
        } else {
            Err(BROKEN.to_owned())
        }
    }

    pub(super) async fn note_backup(&self) -> Result<(), String> {
        let recorded = self
            .engine
            .record_of_installation(Act::BackupTaken, "databases");
        recorded.await.map_err(in_words)
    }

    async fn wanted_team(&self, wanted: Option<String>) -> Result<Option<TeamId>, String> {
        match wanted {
            Some(wanted) if wanted == "installation" => Ok(Some(INSTALLATION)),
            Some(wanted) => self.team(Some(wanted)).await.map(Some),
            None => Ok(None),
        }
    }
}

/// The error of a trail that does not hold.
const BROKEN: &str = "the audit trail is broken";

/// Whether the keyed hashes were verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyed {
    /// With the vault's keys.
    Yes,
    /// Only the links: the keys were not there.
    No,
}

/// What is said of chains that were verified.
pub fn verdict(verified: &[Verified], keyed: Keyed, json: bool) -> Vec<String> {
    if json {
        let chains: Vec<_> = verified
            .iter()
            .map(|chain| {
                json!({
                    "team": chain.team,
                    "entries": chain.entries,
                    "last": chain.last,
                    "broken": chain.broken.as_ref().map(|broken| json!({"seq": broken.seq, "why": broken.why})),
                })
            })
            .collect();
        return vec![json!({"keyed": keyed == Keyed::Yes, "chains": chains}).to_string()];
    }
    let mut lines: Vec<String> = verified
        .iter()
        .map(|chain| match &chain.broken {
            None => format!(
                "ok      {}  entries: {}, the last number: {}",
                shown_team(&chain.team),
                chain.entries,
                chain.last
            ),
            Some(broken) => format!(
                "BROKEN  {}  at number {}: {}",
                shown_team(&chain.team),
                broken.seq,
                broken.why
            ),
        })
        .collect();
    lines.push(looked_at(verified, keyed).to_owned());
    lines
}

/// What was looked at, and what that says.
fn looked_at(verified: &[Verified], keyed: Keyed) -> &'static str {
    if keyed == Keyed::No {
        return "Only the links were looked at, since the vault's keys were not there: a chain that was written again from its beginning \
                on can't be recognised. Give the keys with --key-file.";
    }
    if !verified.is_empty() && verified.iter().all(Verified::has_another_key) {
        return "No chain begins under this key: it is another installation's key, or every chain was written again.";
    }
    if verified.iter().all(|chain| chain.broken.is_none()) {
        "The links and the keyed hashes were verified."
    } else {
        "The links and the keyed hashes were looked at."
    }
}

fn shown_team(team: &str) -> &str {
    if team == INSTALLATION.key() {
        "installation                        "
    } else {
        team
    }
}

fn line(listed: &Listed) -> String {
    let what = &listed.what;
    let optional = |text: &Option<String>| text.as_deref().unwrap_or("-").to_owned();
    let details = if what.details == "{}" {
        ""
    } else {
        what.details.as_str()
    };
    let team = shown_team(&what.team).trim_end();
    format!(
        "{}  {team}  {}  {}  by {} {} from {}  {} {}  {details}",
        listed.at,
        what.act,
        what.outcome,
        what.actor,
        optional(&what.actor_id),
        optional(&what.address),
        what.subject,
        optional(&what.subject_id),
    )
}

fn json_of(value: &impl serde::Serialize) -> String {
    // Texts and numbers can always be written.
    serde_json::to_string(value).unwrap_or_default()
}

/// Reads a time in the past: a day, a time, or so long ago.
fn since(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let ago = |unit: u64, number: &str| {
        let number = number.parse::<u64>().ok()?;
        Some(now.before(Duration::from_secs(number.checked_mul(unit)?)))
    };
    let read = if let Some(days) = text.strip_suffix('d') {
        ago(86_400, days)
    } else if let Some(hours) = text.strip_suffix('h') {
        ago(3_600, hours)
    } else {
        Timestamp::day_start(text).or_else(|| Timestamp::parse(text))
    };
    read.ok_or_else(|| {
        "the time must be such as 24h, 7d, 2026-11-22 or 2026-11-22T18:00:00Z".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_span_a_day_or_a_time() {
        let now = Timestamp::parse("2026-11-22T12:00:00Z").unwrap();
        let read = |text: &str| since(text, now).map(Timestamp::rfc3339_seconds);
        assert_eq!(read("24h").unwrap(), "2026-11-21T12:00:00Z");
        assert_eq!(read("7d").unwrap(), "2026-11-15T12:00:00Z");
        assert_eq!(read("2026-11-20").unwrap(), "2026-11-20T00:00:00Z");
        assert_eq!(
            read("2026-11-20T01:00:00+01:00").unwrap(),
            "2026-11-20T00:00:00Z"
        );
        for wrong in ["", "d", "h", "-1h", "soon", "99999999999999999999d"] {
            assert!(
                read(wrong).unwrap_err().starts_with("the time must be"),
                "{wrong}"
            );
        }
    }
}
