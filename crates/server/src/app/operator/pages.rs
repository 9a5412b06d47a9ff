//! `pointsman page`.

use domain::{
    Fault,
    caller::Caller,
    id::PageId,
    page_guard::{GuardedPage, PageScript, ScriptGiven},
};
use engine::{CheckPage, CheckedPage, GROUPS_MAX, GuardedPageView, PageViolationView, SavePage};
use serde_json::{Value, json};

use super::Local;
use crate::admin::{PageAct, PageCheck, PageScriptWanted, PageWanted, Say};

impl Local {
    pub(super) async fn page(&self, wanted: PageWanted, say: Say<'_>) -> Result<(), String> {
        let caller = self.caller(wanted.team).await?;
        match wanted.act {
            PageAct::Save { id, name, url } => {
                let id = match id {
                    Some(id) => Some(self.page_id(&caller, &id).await?),
                    None => None,
                };
                let page = GuardedPage::new(&name, &url).map_err(words)?;
                let command = SavePage { id, page };
                let saved = self.engine.save_guarded_page(&caller, command).await;
                in_lines(&saved.map_err(words)?).for_each(say);
            }
            PageAct::List { json } => self.list_pages(&caller, json, say).await?,
            PageAct::Delete { id } => {
                let page = self.page_id(&caller, &id).await?;
                let deleted = self.engine.delete_guarded_page(&caller, page).await;
                deleted.map_err(words)?;
                say(format!("The page {id} is removed."));
            }
            PageAct::Authorise(wanted) => self.authorise_script(&caller, wanted, say).await?,
            PageAct::Withdraw { id, source } => {
                let page = self.page_id(&caller, &id).await?;
                let changed = self
                    .engine
                    .withdraw_page_script(&caller, page, &source)
                    .await;
                in_lines(&changed.map_err(words)?).for_each(say);
            }
            PageAct::Policy { id } => self.show_policy(&caller, &id, say).await?,
            PageAct::Violations { id, json } => {
                let page = self.page_id(&caller, &id).await?;
                let most = i32::try_from(GROUPS_MAX).ok();
                let found = self.engine.page_violations(&caller, page, most).await;
                show_violations(&found.map_err(words)?, json, say);
            }
            PageAct::Check(check) => self.check_page(&caller, check, say).await?,
        }
        Ok(())
    }

    async fn list_pages(&self, caller: &Caller, json: bool, say: Say<'_>) -> Result<(), String> {
        let pages = self.engine.guarded_pages(caller).await.map_err(words)?;
        if json {
            say(pages.iter().map(document).collect::<Value>().to_string());
        } else if pages.is_empty() {
            say("There are no guarded pages.".to_owned());
        } else {
            pages.iter().flat_map(in_lines).for_each(say);
        }
        Ok(())
    }

    async fn authorise_script(
        &self,
        caller: &Caller,
        wanted: PageScriptWanted,
        say: Say<'_>,
    ) -> Result<(), String> {
        let id = self.page_id(caller, &wanted.id).await?;
        let given = ScriptGiven {
            address: wanted.address,
            hash: wanted.hash,
            purpose: wanted.purpose,
            authorised_by: wanted.by,
        };
        let changed = self.engine.authorise_page_script(caller, id, given).await;
        in_lines(&changed.map_err(words)?).for_each(say);
        Ok(())
    }

    async fn show_policy(&self, caller: &Caller, id: &str, say: Say<'_>) -> Result<(), String> {
        let id = self.page_id(caller, id).await?;
        let pages = self.engine.guarded_pages(caller).await.map_err(words)?;
        let page = pages.into_iter().find(|page| page.id == id);
        let page = page.ok_or_else(|| words(engine::no_such_page("id")))?;
        if page.report_url.starts_with('/') {
            return Err("the public address is not known while no server runs: start it, or set server.public_url".to_owned());
        }
        say(format!("Content-Security-Policy: {}", page.snippets.policy));
        say(format!("Reporting-Endpoints: {}", page.snippets.reporting));
        page.snippets.tags.into_iter().for_each(say);
        Ok(())
    }

    async fn check_page(
        &self,
        caller: &Caller,
        check: PageCheck,
        say: Say<'_>,
    ) -> Result<(), String> {
        let page = match check.page {
            Some(page) => Some(self.page_id(caller, &page).await?),
            None => None,
        };
        let command = CheckPage {
            url: check.url,
            page,
            accepts: check.accept,
        };
        let checked = self
            .engine
            .check_page(caller, command)
            .await
            .map_err(words)?;
        if check.json {
            say(checked_document(&checked).to_string());
        } else {
            checked_lines(&checked).for_each(say);
        }
        if check.accept {
            if !check.json {
                say("Later looks are compared with what was found now.".to_owned());
            }
            return Ok(());
        }
        let alarms = checked.findings.iter().filter(|one| one.is_alarm()).count();
        if alarms == 0 {
            return Ok(());
        }
        Err(format!(
            "the page is not as it was authorised; findings: {alarms}"
        ))
    }

    /// The page that a person names by its id, its name or its address.
    async fn page_id(&self, caller: &Caller, named: &str) -> Result<PageId, String> {
        if let Some(id) = PageId::parse(named) {
            return Ok(id);
        }
        let pages = self.engine.guarded_pages(caller).await.map_err(words)?;
        let is_named = |page: &&GuardedPageView| page.name == named || page.url == named;
        let mut found = pages.iter().filter(is_named);
        match (found.next(), found.next()) {
            (Some(page), None) => Ok(page.id),
            (Some(_), Some(_)) => Err(format!(
                "several guarded pages are called {named}: name one by its id (`pointsman page list`)"
            )),
            (None, _) => Err(format!(
                "no guarded page has the id, the name or the address {named}: `pointsman page list` shows all"
            )),
        }
    }
}

fn checked_lines(checked: &CheckedPage) -> impl Iterator<Item = String> {
    let findings = checked.findings.iter();
    let lines =
        findings.map(|one| format!("{:8} {}\n         {}", one.word, one.source, one.message));
    let end = match checked.findings.iter().filter(|one| one.is_alarm()).count() {
        0 => format!(
            "ok       scripts: {}, all as they were authorised",
            checked.scripts
        ),
        _ => format!("scripts: {}", checked.scripts),
    };
    lines.chain([end])
}

fn checked_document(checked: &CheckedPage) -> Value {
    let findings = checked.findings.iter().map(|one| {
        json!({"word": one.word.code(), "source": one.source, "message": one.message, "alarm": one.is_alarm()})
    });
    json!({
        "page": checked.id.to_string(),
        "scripts": checked.scripts,
        "findings": findings.collect::<Value>(),
    })
}

fn show_violations(found: &[PageViolationView], json: bool, say: Say<'_>) {
    if json {
        let documents = found.iter().map(|one| {
            let counted = one;
            json!({
                "directive": counted.violation.directive,
                "blocked": counted.violation.blocked,
                "enforced": counted.violation.is_enforced,
                "reports": counted.reports,
                "first": counted.first_at.rfc3339_seconds(),
                "last": counted.last_at.rfc3339_seconds(),
                "authorised": one.is_authorised,
            })
        });
        say(documents.collect::<Value>().to_string());
        return;
    }
    if found.is_empty() {
        say("Browsers have reported nothing in the last 90 days.".to_owned());
    }
    for one in found {
        let counted = one;
        let known = if one.is_authorised {
            "  authorised by now"
        } else {
            ""
        };
        let how = if counted.violation.is_enforced {
            "blocked"
        } else {
            "reported only"
        };
        say(format!(
            "{}  {}  {how}  {} times  {} to {}{known}",
            counted.violation.directive,
            counted.violation.blocked,
            counted.reports,
            counted.first_at.rfc3339_seconds(),
            counted.last_at.rfc3339_seconds()
        ));
    }
}

fn in_lines(page: &GuardedPageView) -> impl Iterator<Item = String> {
    let head = format!("{}  {}  {}", page.id, page.name, page.url);
    let scripts = page.scripts.iter().map(script_line);
    [head].into_iter().chain(scripts)
}

fn script_line(script: &PageScript) -> String {
    let hash = match (&script.address, &script.hash) {
        (Some(_), Some(hash)) => format!("  {hash}"),
        _ => String::new(),
    };
    format!(
        "  {}{hash}  {}  by {}, {}",
        script.source(),
        script.purpose,
        script.authorised_by,
        script.authorised_at.rfc3339_seconds()
    )
}

fn document(page: &GuardedPageView) -> Value {
    let scripts = page.scripts.iter().map(|script| {
        json!({
            "address": script.address,
            "hash": script.hash,
            "purpose": script.purpose,
            "authorisedBy": script.authorised_by,
            "authorisedAt": script.authorised_at.rfc3339_seconds(),
        })
    });
    json!({
        "id": page.id.to_string(),
        "name": page.name,
        "url": page.url,
        "reportUrl": page.report_url,
        "scripts": scripts.collect::<Value>(),
        "acceptedAt": page.accepted_at.map(domain::Timestamp::rfc3339_seconds),
    })
}

/// Why something can't be done, for the person at the terminal.
fn words(fault: Fault) -> String {
    fault.message
}
