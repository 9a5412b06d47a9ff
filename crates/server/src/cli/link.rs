//! `pointsman link`

use std::process::ExitCode;

use super::{
    arguments::{CreateLink, Links},
    operate,
};
use crate::admin::{LinkAct, LinkSave, LinkWanted, Request};

pub(super) fn run(command: Links) -> anyhow::Result<ExitCode> {
    let (team, act, place) = match command {
        Links::Create(flags) => return create(flags),
        Links::List { first, team, place } => (team, LinkAct::List { first }, place),
        Links::Show { id, team, place } => (team, LinkAct::Show { id }, place),
        Links::End { id, team, place } => (team, LinkAct::End { id }, place),
    };
    operate::operate(&place, &Request::Link(LinkWanted { team, act }))
}

fn create(flags: CreateLink) -> anyhow::Result<ExitCode> {
    let wanted = LinkSave {
        amount: flags.amount,
        currency: flags.currency,
        description: flags.description,
        order_id: flags.order_id,
        flow: flags.flow,
        intent: flags.intent,
        expires: flags.expires,
        return_url: flags.return_url,
        many: flags.many,
    };
    let wanted = LinkWanted {
        team: flags.team,
        act: LinkAct::Create(wanted),
    };
    operate::operate(&flags.place, &Request::Link(wanted))
}
