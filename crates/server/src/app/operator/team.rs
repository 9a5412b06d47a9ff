//! `pointsman team`.

use domain::{
    caller::{Caller, Mode},
    customer::Patch,
};
use engine::{TeamView, UpdateTeam};

use super::{Local, in_words};
use crate::{
    admin::{Say, TeamChanges},
    app::seed,
};

impl Local {
    pub(super) async fn create_team(&self, name: &str, say: Say<'_>) -> Result<(), String> {
        let made = match self.mode {
            Mode::Test => self.engine.create_team_with(&seed::of_team(name)).await,
            Mode::Live => self.engine.create_team(name).await,
        };
        let team = made.map_err(in_words)?;
        say(format!(
            "Team {team} is made. Give it a key: pointsman key create --team {team} --kind secret"
        ));
        Ok(())
    }

    pub(super) async fn list_teams(&self, say: Say<'_>) -> Result<(), String> {
        let teams = self.engine.teams().await.map_err(in_words)?;
        if teams.is_empty() {
            say("There are no teams.".to_owned());
        }
        for team in teams {
            let closed = team.closed_at.map_or_else(String::new, |at| {
                format!("  closed {}", at.rfc3339_seconds())
            });
            say(format!("{}  {}{closed}", team.id, team.name));
        }
        Ok(())
    }

    pub(super) async fn close_team(&self, team: String, say: Say<'_>) -> Result<(), String> {
        let team = self.team(Some(team)).await?;
        say(if self.engine.close_team(team).await.map_err(in_words)? {
            format!(
                "Team {team} is closed: none of its keys is accepted. Its data stay, and payments under way are carried on. \
                 Open it again: pointsman team reopen {team}"
            )
        } else {
            format!("Team {team} was closed already.")
        });
        Ok(())
    }

    pub(super) async fn reopen_team(&self, team: String, say: Say<'_>) -> Result<(), String> {
        let team = self.team(Some(team)).await?;
        say(if self.engine.reopen_team(team).await.map_err(in_words)? {
            format!("Team {team} is open: its keys are accepted again.")
        } else {
            format!("Team {team} was open already.")
        });
        Ok(())
    }

    pub(super) async fn set_team(&self, changes: TeamChanges, say: Say<'_>) -> Result<(), String> {
        let team = self.team(changes.team.clone()).await?;
        let caller = Caller::operator(team, self.mode);
        let updated = self.engine.update_team(&caller, update(&changes)).await;
        for line in lines(&updated.map_err(|fault| fault.message)?) {
            say(line);
        }
        Ok(())
    }
}

fn update(changes: &TeamChanges) -> UpdateTeam {
    let is_cleared = |name: &str| changes.clear.iter().any(|cleared| cleared == name);
    let list = |given: &Vec<String>, name: &str| {
        if is_cleared(name) {
            Patch::Clear
        } else if given.is_empty() {
            Patch::Keep
        } else {
            Patch::Set(given.clone())
        }
    };
    let logo = match changes.logo.clone() {
        _ if is_cleared("logo") => Patch::Clear,
        Some(logo) => Patch::Set(logo),
        None => Patch::Keep,
    };
    UpdateTeam {
        name: changes.name.clone(),
        logo,
        allowed_origins: list(&changes.allowed_origins, "allowed-origin"),
        return_hosts: list(&changes.return_hosts, "return-host"),
        return_schemes: list(&changes.return_schemes, "return-scheme"),
        fingerprint: changes.fingerprint.map_or(Patch::Keep, Patch::Set),
    }
}

fn lines(team: &TeamView) -> Vec<String> {
    let settings = &team.settings;
    let list = |entries: Option<Vec<&str>>, unset: &str| match entries {
        Some(entries) if entries.is_empty() => "none".to_owned(),
        Some(entries) => entries.join(", "),
        None => unset.to_owned(),
    };
    let origins = settings.allowed_origins.as_ref();
    let hosts = settings.return_hosts.as_ref();
    let schemes = settings.return_schemes.iter().map(String::as_str).collect();
    vec![
        format!("Team {}: {}", team.id, team.name),
        format!(
            "logo             {}",
            settings.logo.as_deref().unwrap_or("none")
        ),
        format!(
            "allowed origins  {}",
            list(
                origins.map(|list| list.iter().map(String::as_str).collect()),
                "not set: server.allowed_origins counts"
            )
        ),
        format!(
            "return hosts     {}",
            list(
                hosts.map(|list| list.iter().map(domain::team::ReturnHost::text).collect()),
                "not set: any in test mode; in live mode none for browsers"
            )
        ),
        format!("return schemes   {}", list(Some(schemes), "none")),
        format!(
            "fingerprint      {}",
            if settings.fingerprint {
                "shown to secret keys"
            } else {
                "never shown"
            }
        ),
    ]
}
