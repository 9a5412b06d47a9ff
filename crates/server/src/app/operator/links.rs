//! `pointsman link`.

use domain::{
    Fault, caller::Caller, id::LinkId, money::Currency, page::Page, processor_text::one_line,
    redirect::RedirectUrl,
};
use engine::{CreatePaymentLink, PaymentLinkView};

use super::Local;
use crate::admin::{LinkAct, LinkSave, LinkWanted, Say};

impl Local {
    pub(super) async fn link(&self, wanted: LinkWanted, say: Say<'_>) -> Result<(), String> {
        let caller = self.caller(wanted.team).await?;
        match wanted.act {
            LinkAct::Create(save) => self.create_link(&caller, save, say).await,
            LinkAct::List { first } => self.list_links(&caller, first, say).await,
            LinkAct::Show { id } => self.show_link(&caller, &id, say).await,
            LinkAct::End { id } => {
                let link = link_id(&id)?;
                let ended = self.engine.end_payment_link(&caller, link).await;
                ended.map_err(words)?;
                say(format!("The link {id} has ended."));
                Ok(())
            }
        }
    }

    async fn create_link(
        &self,
        caller: &Caller,
        save: LinkSave,
        say: Say<'_>,
    ) -> Result<(), String> {
        if save.amount <= 0 {
            return Err("--amount must be greater than zero".to_owned());
        }
        let currency = Currency::parse(&save.currency)
            .ok_or("--currency must be a currency of ISO 4217, such as EUR")?;
        let expires_at = save.expires.map(|when| self.engine.key_expiry(&when));
        let expires_at = expires_at.transpose().map_err(|error| error.to_string())?;
        let return_url = save.return_url;
        let return_url = return_url.map(|url| RedirectUrl::parse(&url, "--return-url"));
        let reference = |text: Option<String>, field| {
            let text =
                text.map(|text| domain::bounded::reference(text, field, domain::bounded::TEXT_MAX));
            text.transpose().map_err(words)
        };
        let description = save.description.map(|text| {
            domain::bounded::bounded_lines(text, "--description", domain::bounded::TEXT_MAX)
        });
        let wanted = CreatePaymentLink {
            amount: save.amount,
            currency,
            flow: save.flow,
            intent: save.intent,
            order_id: reference(save.order_id, "--order-id")?,
            description: description.transpose().map_err(words)?,
            expires_at,
            single_use: !save.many,
            return_url: return_url.transpose().map_err(words)?,
        };
        let made = self.engine.create_payment_link(caller, None, Ok(wanted));
        let made = made.await.result.map_err(words)?;
        say(in_a_line(&made));
        say(made.url);
        Ok(())
    }

    async fn show_link(&self, caller: &Caller, id: &str, say: Say<'_>) -> Result<(), String> {
        let link = self.engine.payment_link(caller, link_id(id)?).await;
        let link = link.map_err(words)?;
        say(in_a_line(&link));
        say(link.url.clone());
        let link = self.engine.with_payments_by_link(link).await;
        let payments = link.map_err(words)?.payments.unwrap_or_default();
        if payments.is_empty() {
            say("Nobody has paid by it yet.".to_owned());
        }
        for payment in &payments {
            say(format!(
                "  {}  {}  {}  {}",
                payment.id(),
                payment.money().formatted(),
                payment.status(),
                payment.created_at().rfc3339_seconds()
            ));
        }
        Ok(())
    }

    async fn list_links(&self, caller: &Caller, first: u16, say: Say<'_>) -> Result<(), String> {
        let page = Page::parse(Some(i32::from(first)), None, None, None).map_err(words)?;
        let found = self.engine.payment_links(caller, &page).await;
        let found = found.map_err(words)?;
        if found.views.is_empty() {
            say("There are no payment links.".to_owned());
        }
        for (_, link) in &found.views {
            let what = [&link.link.description, &link.link.order_id];
            let what: Vec<&str> = what.into_iter().flatten().map(String::as_str).collect();
            say(format!(
                "{}  {}  {}",
                in_a_line(link),
                link.url,
                one_line(&what.join(", "))
            )
            .trim_end()
            .to_owned());
        }
        Ok(())
    }
}

fn link_id(text: &str) -> Result<LinkId, String> {
    LinkId::parse(text).ok_or_else(|| words(engine::no_such_link()))
}

fn in_a_line(view: &PaymentLinkView) -> String {
    let link = &view.link;
    let use_of = if link.is_single_use() {
        "one payment"
    } else {
        "any number of payments"
    };
    let end = link.expires_at.map_or_else(String::new, |at| {
        format!(", until {}", at.rfc3339_seconds())
    });
    format!(
        "{}  {}  {}  {use_of}{end}",
        link.id,
        link.money.formatted(),
        view.status
    )
}

/// Why something can't be done, for the person at the terminal.
fn words(fault: Fault) -> String {
    fault.message
}
