//! `pointsman page`

use std::process::ExitCode;

use super::{
    arguments::{OfTeam, Pages},
    operate,
};
use crate::admin::{PageAct, PageCheck, PageScriptWanted, PageWanted, Request};

pub(super) fn run(command: Pages) -> anyhow::Result<ExitCode> {
    let (of_team, act) = match command {
        Pages::Save {
            id,
            name,
            url,
            team,
        } => (team, PageAct::Save { id, name, url }),
        Pages::List { json, team } => (team, PageAct::List { json }),
        Pages::Delete(one) => (one.team, PageAct::Delete { id: one.id }),
        Pages::Authorise {
            id,
            address,
            hash,
            purpose,
            by,
            team,
        } => {
            let wanted = PageScriptWanted {
                id,
                address,
                hash,
                purpose,
                by,
            };
            (team, PageAct::Authorise(wanted))
        }
        Pages::Withdraw { id, source, team } => (team, PageAct::Withdraw { id, source }),
        Pages::Policy(one) => (one.team, PageAct::Policy { id: one.id }),
        Pages::Violations { id, json, team } => (team, PageAct::Violations { id, json }),
        Pages::Check {
            url,
            page,
            accept,
            json,
            team,
        } => {
            let check = PageCheck {
                url,
                page,
                accept,
                json,
            };
            (team, PageAct::Check(check))
        }
    };
    let OfTeam { team, place } = of_team;
    operate::operate(&place, &Request::Page(PageWanted { team, act }))
}
