//! A team and its settings.

use crate::boxed;
use std::{collections::BTreeSet, sync::Arc};

use db::Change;
use domain::{
    Fault, Faults,
    audit::{Act, Deed},
    bounded::{TEXT_MAX, bounded},
    caller::Caller,
    customer::Patch,
    id::TeamId,
    redirect::RedirectUrl,
    team::{self, ChosenBy, LIST_MAX, ReturnHost, TeamSettings},
};

use crate::{
    Engine,
    change::Round,
    faults::{EngineError, database, only_fault},
    recent_reads::RecentReads,
};

/// Where settings stand in a fault's `field`.
const FIELD: &str = "settings";
/// Teams whose settings are kept at the same time.
const KEPT: usize = 10_000;

/// A team as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamView {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// What it has set.
    pub settings: Arc<TeamSettings>,
}

/// Changes of a team's settings; what is not mentioned stays, what is cleared is as if it had never been set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateTeam {
    /// What people call it.
    pub name: Option<String>,
    /// Where its logo is.
    pub logo: Patch<String>,
    /// Origins whose pages may call.
    pub allowed_origins: Patch<Vec<String>>,
    /// Hosts that browsers may send customers back to.
    pub return_hosts: Patch<Vec<String>>,
    /// Schemes of its own apps.
    pub return_schemes: Patch<Vec<String>>,
    /// Whether secret keys see fingerprints.
    pub fingerprint: Patch<bool>,
}

impl UpdateTeam {
    /// The names of the settings that are changed.
    fn settings(&self) -> Vec<&'static str> {
        fn is_kept<T>(patch: &Patch<T>) -> bool {
            matches!(patch, Patch::Keep)
        }
        let kept = [
            ("name", self.name.is_none()),
            ("logo", is_kept(&self.logo)),
            ("allowedOrigins", is_kept(&self.allowed_origins)),
            ("returnHosts", is_kept(&self.return_hosts)),
            ("returnSchemes", is_kept(&self.return_schemes)),
            ("fingerprint", is_kept(&self.fingerprint)),
        ];
        let changed = kept.into_iter().filter(|(_, is_kept)| !is_kept);
        changed.map(|(name, _)| name).collect()
    }
}

/// Settings as they were read recently.
pub(crate) struct Cache {
    of_team: RecentReads<TeamId, Arc<TeamSettings>>,
    origins: RecentReads<(), Arc<BTreeSet<String>>>,
}

/// The cache of a node that starts.
pub(crate) fn cache() -> Cache {
    Cache {
        of_team: RecentReads::at_most(KEPT),
        origins: RecentReads::at_most(1),
    }
}

impl Engine {
    /// What a team has set. A change holds within a second on every node.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn team_settings(&self, team: TeamId) -> Result<Arc<TeamSettings>, Fault> {
        let reading = match self.inner.teams.of_team.find(&team, self.inner.world.now()) {
            Ok(known) => return Ok(known),
            Err(reading) => reading,
        };
        let read = store::team_setting::of_team(&self.inner.store, team).await;
        let settings = Arc::new(read.map_err(|error| database(&error))?);
        let kept = Arc::clone(&settings);
        self.inner.teams.of_team.keep(team, kept, reading);
        Ok(settings)
    }

    /// Whether any team lets pages of this origin call. Asked before a browser says whose credential it has.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn is_an_origin(&self, origin: &str) -> Result<bool, Fault> {
        let reading = match self.inner.teams.origins.find(&(), self.inner.world.now()) {
            Ok(known) => return Ok(known.contains(origin)),
            Err(reading) => reading,
        };
        let all = store::team_setting::all(&self.inner.store).await;
        let origins: BTreeSet<String> = all
            .map_err(|error| database(&error))?
            .into_iter()
            .flat_map(|settings| settings.allowed_origins.unwrap_or_default())
            .collect();
        let is_listed = origins.contains(origin);
        self.inner
            .teams
            .origins
            .keep((), Arc::new(origins), reading);
        Ok(is_listed)
    }

    /// The caller's team.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn team(&self, caller: &Caller) -> Result<TeamView, Fault> {
        self.team_view(caller.team).await.map_err(only_fault)
    }

    /// Changes the caller's team. Holds within a second on every node.
    ///
    /// # Errors
    /// `error.validation` with the path of the setting; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn update_team(
        &self,
        caller: &Caller,
        update: UpdateTeam,
    ) -> Result<TeamView, Fault> {
        let mut faults = Faults::default();
        let name = update.name.clone();
        let name = name.map(|name| team::name(&name, &at("name"))).transpose();
        let name = faults.or_default(name);
        faults.or_default(apply(&mut TeamSettings::default(), &update));
        faults.end(())?;
        self.team_updated(caller.team, name.as_deref(), &update)
            .await
            .map_err(only_fault)
    }

    async fn team_updated(
        &self,
        team: TeamId,
        name: Option<&str>,
        update: &UpdateTeam,
    ) -> Result<TeamView, EngineError> {
        self.rounds(None, self.deadline(), || async move {
            let stored = store::team_setting::of_team(&self.inner.store, team).await?;
            let mut settings = stored.clone();
            apply(&mut settings, update)?;
            let named = store::team::of_id(&self.inner.store, team).await?;
            let keeps_name = name.is_none_or(|name| named.is_some_and(|team| team.name == name));
            if keeps_name && settings == stored {
                return Ok(Round::Done(()));
            }
            settings.version += 1;
            let now = self.inner.world.now();
            let mut change = Change::new(self.change_id(), &team.key());
            change.push(store::team_setting::put(team, &settings, now));
            if let Some(name) = name {
                change.push(store::team::rename(team, name));
            }
            let deed = Deed::on_team(team, Act::TeamChanged)
                .with("settings", update.settings())
                .with("version", settings.version);
            change.push(self.audit(&deed));
            Ok(Round::of(self.commit_plain(change).await?, ()))
        })
        .await?;
        self.inner.teams.of_team.forget(&team);
        self.inner.teams.origins.clear();
        // What credentials may see depends on it.
        self.inner.access.clear();
        self.team_view(team).await
    }

    async fn team_view(&self, team: TeamId) -> Result<TeamView, EngineError> {
        let found = store::team::of_id(&self.inner.store, team).await?;
        let name = found.map(|team| team.name).unwrap_or_default();
        let settings = self.team_settings(team).await?;
        Ok(TeamView {
            id: team,
            name,
            settings,
        })
    }

    /// Whether the caller may have customers sent back to this address.
    ///
    /// # Errors
    /// `error.validation` for `field`, with what to set; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn check_return(
        &self,
        caller: &Caller,
        address: &RedirectUrl,
        field: &str,
    ) -> Result<(), Fault> {
        self.check_returns(caller, &[(Some(address), field)]).await
    }

    /// Whether it is the page of ours that tells the shop's page that the customer is back. It leads nowhere else.
    fn is_own_return(&self, address: &RedirectUrl) -> bool {
        let path = address.as_str().strip_prefix(self.public_url());
        let rest = path.and_then(|path| path.strip_prefix(SDK_RETURN));
        !self.public_url().is_empty()
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('?'))
    }

    /// Whether the caller may have customers sent back to these addresses: each with its field in the arguments.
    pub(crate) async fn check_returns(
        &self,
        caller: &Caller,
        addresses: &[(Option<&RedirectUrl>, &str)],
    ) -> Result<(), Fault> {
        if addresses.iter().all(|(address, _)| address.is_none()) {
            return Ok(());
        }
        let settings = self.team_settings(caller.team).await?;
        let by = ChosenBy {
            is_server: caller.is_server(),
            mode: caller.mode,
        };
        for (address, field) in addresses {
            if let Some(address) = address.filter(|address| !self.is_own_return(address)) {
                settings.check_return(address, by, field)?;
            }
        }
        Ok(())
    }
}

/// The page of the browser SDK to which customers come back.
const SDK_RETURN: &str = "/sdk/v1/return";

fn at(name: &str) -> String {
    format!("{FIELD}.{name}")
}

/// Changes what is mentioned. Errors: all that can't be used.
fn apply(settings: &mut TeamSettings, update: &UpdateTeam) -> Result<(), Fault> {
    let mut faults = Faults::default();
    match &update.logo {
        Patch::Keep => {}
        Patch::Clear => settings.logo = None,
        Patch::Set(logo) => settings.logo = faults.good(checked_logo(logo)),
    }
    match &update.allowed_origins {
        Patch::Keep => {}
        Patch::Clear => settings.allowed_origins = None,
        Patch::Set(list) => {
            let rule = "must be an origin in lower case such as https://shop.example";
            let origins = each(list, "allowedOrigins", rule, team::origin);
            settings.allowed_origins = faults.good(origins);
        }
    }
    match &update.return_hosts {
        Patch::Keep => {}
        Patch::Clear => settings.return_hosts = None,
        Patch::Set(list) => {
            let rule = "must be a host such as shop.example or *.shop.example, with a port where it is not the usual one";
            let hosts = each(list, "returnHosts", rule, ReturnHost::parse);
            settings.return_hosts = faults.good(hosts);
        }
    }
    match &update.return_schemes {
        Patch::Keep => {}
        Patch::Clear => settings.return_schemes = Vec::new(),
        Patch::Set(list) => {
            let rule = "must be the scheme of an app of yours, such as com.shop.app, without ://";
            let schemes = each(list, "returnSchemes", rule, team::scheme);
            settings.return_schemes = faults.or_default(schemes);
        }
    }
    match &update.fingerprint {
        Patch::Keep => {}
        Patch::Clear => settings.fingerprint = TeamSettings::default().fingerprint,
        Patch::Set(shown) => settings.fingerprint = *shown,
    }
    faults.end(())
}

fn checked_logo(logo: &str) -> Result<String, Fault> {
    let field = at("logo");
    let is_web = http_client::Url::https(logo).is_ok();
    if !is_web {
        return Err(Fault::invalid(field, "must be an https:// address"));
    }
    bounded(logo.to_owned(), &field, TEXT_MAX)
}

fn each<T>(
    list: &[String],
    name: &str,
    rule: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Fault> {
    if list.len() > LIST_MAX {
        let reason = format!("must have at most {LIST_MAX} entries");
        return Err(Fault::invalid(at(name), reason));
    }
    let mut faults = Faults::default();
    let mut good = Vec::new();
    for (index, text) in list.iter().enumerate() {
        let field = || format!("{}.{index}", at(name));
        let entry = parse(text).ok_or_else(|| Fault::invalid(field(), rule));
        good.extend(faults.good(entry));
    }
    faults.end(good)
}
