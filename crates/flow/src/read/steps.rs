//! Reading steps.

use domain::{decline::DeclineCode, id::ConnectionId, method::Method};

use crate::{
    document::{
        Action, Authorise, CaptureWhen, Destination, Fallback, FallbackTo, RefundAmount, Share,
        Step,
    },
    problem::{did_you_mean, listed},
    tree::Content,
    wish,
};

use super::values::{At, Members, Reader};

/// Most steps of a document, those in branches included.
const STEPS_MAX: usize = 500;
/// Deepest nesting of branches.
pub(super) const NESTING_MAX: usize = 10;
/// Longest condition. Unit: characters.
pub(super) const CONDITION_MAX: usize = 1_000;
/// Longest message, note, title or reason. Unit: characters.
const TEXT_MAX: usize = domain::bounded::TEXT_MAX;
/// Longest address. Unit: characters.
const URL_MAX: usize = 2_000;
/// Largest weight of a split.
const WEIGHT_MAX: i64 = 1_000_000;

/// What a step can do, by its name.
const ACTIONS: [&str; 13] = [
    "offer",
    "if",
    "three_d_secure",
    "authorise",
    "capture",
    "refund",
    "cancel",
    "decline",
    "delay",
    "approval",
    "await_webhook",
    "call_webhook",
    "note",
];
const CAUSES: [&str; 3] = ["soft_decline", "fault", "outage"];

/// What other languages write between `if` and `else`.
const ELSE_IF: [&str; 6] = ["elif", "elsif", "elseif", "else if", "else_if", "elseIf"];

/// A name that no step has, with what was meant.
fn no_such_step(name: &str) -> String {
    if ELSE_IF.contains(&name) {
        return "there is no such step; write `else: [{if: …}]`".to_owned();
    }
    let near = did_you_mean(name, ACTIONS.into_iter().chain(["id", "then", "else"]));
    format!("there is no such step{near}; there are {}", listed(ACTIONS))
}

/// The actions that a step names.
struct Named<'a> {
    actions: &'a [(&'a str, At<'a>)],
    /// Whether all the names in the step are known.
    is_known: bool,
}

impl Reader {
    /// A list of steps at a level of nesting, from 1.
    pub(super) fn steps(&mut self, at: &At<'_>, level: usize) -> Option<Vec<Step>> {
        if level > NESTING_MAX {
            return self.refuse(
                at,
                format!("steps may be nested {NESTING_MAX} levels deep; join conditions with `&&`"),
            );
        }
        let mut steps = Vec::new();
        let mut good = true;
        for item in self.list(at)? {
            self.count += 1;
            if self.count > STEPS_MAX {
                return self.refuse(&item, format!("a flow has at most {STEPS_MAX} steps"));
            }
            match self.step(&item, level) {
                Some(step) => steps.push(step),
                None => good = false,
            }
        }
        good.then_some(steps)
    }

    fn step(&mut self, at: &At<'_>, level: usize) -> Option<Step> {
        let Content::Map(members) = &at.node.content else {
            return self.refuse(at, "a step is an object such as {capture: now}");
        };
        let mut actions: Vec<(&str, At<'_>)> = Vec::new();
        let mut good = true;
        for (name, node) in members {
            let member = At {
                place: at.below(name),
                node,
            };
            if let Some(line) = node.line {
                self.lines.insert(member.place.clone(), line);
            }
            match name.as_str() {
                "id" | "then" | "else" => {}
                name if ACTIONS.contains(&name) => actions.push((name, member)),
                name => good = self.refuse(&member, no_such_step(name)).unwrap_or(false),
            }
        }
        if let Some(line) = at.node.line {
            self.lines.insert(at.place.clone(), line);
        }
        let id = match Self::optional(at, members, "id") {
            None => Some(None),
            Some(id) => self.slug(&id).map(Some),
        };
        let named = Named {
            actions: &actions,
            is_known: good,
        };
        let action = self.actions(at, members, &named, level);
        Some(Step {
            id: id?,
            action: action.filter(|_| good)?,
        })
    }

    /// The one thing that a step does. Whatever else stands there is judged too.
    fn actions(
        &mut self,
        at: &At<'_>,
        members: Members<'_>,
        named: &Named<'_>,
        level: usize,
    ) -> Option<Action> {
        let Named { actions, is_known } = *named;
        let Some(((first, member), others)) = actions.split_first() else {
            if is_known {
                return self.refuse(at, format!("a step needs one of {}", listed(ACTIONS)));
            }
            self.branches(at, members, level);
            return None;
        };
        for (name, member) in others {
            let message = format!("a step does one thing: make `{first}` and `{name}` two steps");
            self.refuse::<()>(member, message);
        }
        if is_known && others.is_empty() {
            return if *first == "if" {
                self.branch(at, member, members, level)
            } else {
                self.lone(at, members, first, member)
            };
        }
        for (name, member) in actions {
            if *name == "if" {
                self.text(member, CONDITION_MAX);
            } else {
                self.action(name, member);
            }
        }
        self.branches(at, members, level);
        None
    }

    /// The action of a step without a condition, which has no branches.
    fn lone(
        &mut self,
        at: &At<'_>,
        members: Members<'_>,
        name: &str,
        member: &At<'_>,
    ) -> Option<Action> {
        let mut branches = ["then", "else"].into_iter();
        let stray = branches.find_map(|branch| Self::optional(at, members, branch));
        let action = self.action(name, member);
        match stray {
            Some(branch) => self.refuse(&branch, "belongs to a step with `if`"),
            None => action,
        }
    }

    /// The branches of a step that is refused already.
    fn branches(&mut self, at: &At<'_>, members: Members<'_>, level: usize) {
        for branch in ["then", "else"] {
            if let Some(branch) = Self::optional(at, members, branch) {
                self.steps(&branch, level + 1);
            }
        }
    }

    fn branch(
        &mut self,
        at: &At<'_>,
        condition: &At<'_>,
        members: Members<'_>,
        level: usize,
    ) -> Option<Action> {
        let condition = self.text(condition, CONDITION_MAX);
        let then = self
            .required(at, members, "then")
            .and_then(|then| self.steps(&then, level + 1));
        let otherwise = match Self::optional(at, members, "else") {
            None => Some(Vec::new()),
            Some(otherwise) => self.steps(&otherwise, level + 1),
        };
        Some(Action::If {
            condition: condition?,
            then: then?,
            otherwise: otherwise?,
        })
    }

    fn action(&mut self, name: &str, at: &At<'_>) -> Option<Action> {
        match name {
            "offer" => self
                .words(at, Method::ALL, Method::parse, Method::code)
                .map(Action::Offer),
            "three_d_secure" => self
                .word(at, &wish::ALL, wish::parse, wish::word)
                .map(Action::ThreeDSecure),
            "authorise" => self.authorise(at).map(Action::Authorise),
            "capture" => self.capture(at).map(Action::Capture),
            "refund" => self.refund(at),
            "cancel" => {
                let members =
                    self.object(at, "such as {reason: \"not shipped\"}, or {}", &["reason"])?;
                let reason = self.text_option(Self::optional(at, members, "reason"), TEXT_MAX);
                Some(Action::Cancel { reason })
            }
            "decline" => self.decline(at),
            "delay" => self.span(at).map(Action::Delay),
            "approval" => {
                let members = self.object(
                    at,
                    "such as {title: \"Large order\", within: 2d}",
                    &["title", "within"],
                )?;
                let title = self
                    .required(at, members, "title")
                    .and_then(|title| self.text(&title, TEXT_MAX));
                let within = self.span_option(Self::optional(at, members, "within"));
                Some(Action::Approval {
                    title: title?,
                    within,
                })
            }
            "await_webhook" => {
                let members = self.object(
                    at,
                    "such as {name: shipped, within: 7d}",
                    &["name", "within"],
                )?;
                let name = self
                    .required(at, members, "name")
                    .and_then(|name| self.slug(&name));
                let within = self.span_option(Self::optional(at, members, "within"));
                Some(Action::AwaitWebhook {
                    name: name?,
                    within,
                })
            }
            "call_webhook" => {
                let members =
                    self.object(at, "such as {url: \"https://example.com/hook\"}", &["url"])?;
                let url = self.required(at, members, "url")?;
                Some(Action::CallWebhook {
                    url: self.url(&url)?,
                })
            }
            _ => self.text(at, TEXT_MAX).map(Action::Note),
        }
    }

    fn authorise(&mut self, at: &At<'_>) -> Option<Authorise> {
        const EXAMPLE: &str = "such as {connection: my-connection}";
        let members = self.object(at, EXAMPLE, &["connection", "split", "fallback"])?;
        let first = match (
            Self::optional(at, members, "connection"),
            Self::optional(at, members, "split"),
        ) {
            (Some(connection), None) => self.connection(&connection).map(Destination::Connection),
            (None, Some(split)) => self.split(&split).map(Destination::Split),
            (None, None) => self.refuse(
                at,
                "say where: `connection`, or `split` for several by weight",
            ),
            (Some(_), Some(split)) => self.refuse(&split, "give `connection` or `split`, not both"),
        };
        let fallback = match Self::optional(at, members, "fallback") {
            None => Some(None),
            Some(fallback) => self.fallback(&fallback, first.as_ref()).map(Some),
        };
        Some(Authorise {
            at: first?,
            fallback: fallback?,
        })
    }

    fn split(&mut self, at: &At<'_>) -> Option<Vec<Share>> {
        let mut shares: Vec<Share> = Vec::new();
        let mut good = true;
        for item in self.list(at)? {
            let share = self.share(&item);
            match share {
                Some(share)
                    if shares
                        .iter()
                        .any(|other| other.connection == share.connection) =>
                {
                    good = self
                        .refuse(&item, "this connection has its weight already")
                        .unwrap_or(false);
                }
                Some(share) => shares.push(share),
                None => good = false,
            }
        }
        good.then_some(shares)
    }

    fn share(&mut self, at: &At<'_>) -> Option<Share> {
        let members = self.object(
            at,
            "such as {connection: my-connection, weight: 70}",
            &["connection", "weight"],
        )?;
        let connection = self
            .required(at, members, "connection")
            .and_then(|connection| self.connection(&connection));
        let weight = self
            .required(at, members, "weight")
            .and_then(|weight| self.int(&weight, 1, WEIGHT_MAX));
        Some(Share {
            connection: connection?,
            weight: u32::try_from(weight?).ok()?,
        })
    }

    fn fallback(&mut self, at: &At<'_>, first: Option<&Destination>) -> Option<FallbackTo> {
        let members = self.object(at, "such as {to: [other-connection]}", &["to", "after"])?;
        let to = self
            .required(at, members, "to")
            .and_then(|to| self.fallback_to(&to, first));
        let after = match Self::optional(at, members, "after") {
            None => Some(Fallback::ALWAYS),
            Some(after) => self.causes(&after),
        };
        Some(FallbackTo {
            to: to?,
            after: after?,
        })
    }

    fn fallback_to(
        &mut self,
        at: &At<'_>,
        first: Option<&Destination>,
    ) -> Option<Vec<ConnectionId>> {
        let mut connections = Vec::new();
        let mut good = true;
        for item in self.list(at)? {
            match self.connection(&item) {
                Some(id) if matches!(first, Some(Destination::Connection(first)) if *first == id) =>
                {
                    good = self
                        .refuse(
                            &item,
                            "this is the connection that is asked first; name another",
                        )
                        .unwrap_or(false);
                }
                Some(id) if connections.contains(&id) => {
                    good = self
                        .refuse(&item, "stands here twice; keep one")
                        .unwrap_or(false);
                }
                Some(id) => connections.push(id),
                None => good = false,
            }
        }
        good.then_some(connections)
    }

    fn causes(&mut self, at: &At<'_>) -> Option<Fallback> {
        let parse = |text: &str| CAUSES.into_iter().find(|cause| *cause == text);
        let causes = self.words(at, &CAUSES, parse, |cause| cause)?;
        let has = |cause| causes.contains(&cause);
        Some(Fallback {
            soft_decline: has("soft_decline"),
            fault: has("fault"),
            outage: has("outage"),
        })
    }

    fn capture(&mut self, at: &At<'_>) -> Option<CaptureWhen> {
        let (word, argument) =
            self.one_of(at, "time of capture", &["now", "after", "api", "webhook"])?;
        match (word, argument) {
            ("now", None) => Some(CaptureWhen::Now),
            ("api", None) => Some(CaptureWhen::Api),
            ("after", Some(at)) => self.span(&at).map(CaptureWhen::After),
            ("webhook", Some(at)) => self.slug(&at).map(CaptureWhen::Webhook),
            ("after", None) => self.refuse(at, "say after how long: {after: 2d}"),
            ("webhook", None) => self.refuse(at, "say which webhook: {webhook: shipped}"),
            (_, Some(at)) => self.refuse(&at, format!("`{word}` stands alone: `capture: {word}`")),
            _ => None,
        }
    }

    fn refund(&mut self, at: &At<'_>) -> Option<Action> {
        let members = self.object(
            at,
            "such as {amount: 500} or {amount: all}",
            &["amount", "reason"],
        )?;
        let amount = self
            .required(at, members, "amount")
            .and_then(|amount| self.refund_amount(&amount));
        let reason = self.text_option(Self::optional(at, members, "reason"), TEXT_MAX);
        Some(Action::Refund {
            amount: amount?,
            reason,
        })
    }

    fn refund_amount(&mut self, at: &At<'_>) -> Option<RefundAmount> {
        match &at.node.content {
            Content::Text(text) if text == "all" => Some(RefundAmount::All),
            Content::Int(_) => self.int(at, 1, i64::MAX).map(RefundAmount::Minor),
            Content::Map(_) => {
                let members = self.object(at, "such as {percent: 50}", &["percent"])?;
                let percent = self.required(at, members, "percent")?;
                let percent = self.int(&percent, 1, 100)?;
                u8::try_from(percent).ok().map(RefundAmount::Percent)
            }
            Content::Null
            | Content::Bool
            | Content::Number
            | Content::Text(_)
            | Content::List(_) => self.refuse(
                at,
                "must be `all`, a whole number of minor units such as 500, or {percent: 50}",
            ),
        }
    }

    fn decline(&mut self, at: &At<'_>) -> Option<Action> {
        let members = self.object(
            at,
            "such as {code: CUSTOM_RULE, message: \"…\"}",
            &["code", "message"],
        )?;
        let code = self.required(at, members, "code").and_then(|code| {
            self.word(
                &code,
                DeclineCode::ALL,
                DeclineCode::parse,
                DeclineCode::code,
            )
        });
        let message = self.text_option(Self::optional(at, members, "message"), TEXT_MAX);
        Some(Action::Decline {
            code: code?,
            message,
        })
    }

    /// An address that may be called: `http` or `https`, a host, no credentials. Whether the host may be reached is judged
    /// when it is called.
    fn url(&mut self, at: &At<'_>) -> Option<String> {
        let url = self.text(at, URL_MAX)?;
        let rest = url
            .strip_prefix("https://")
            .or_else(|| url.strip_prefix("http://"));
        let Some(rest) = rest else {
            return self.refuse(at, "must begin with https:// or http://");
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return self.refuse(at, "must not hold a user name or password");
        }
        if authority.is_empty()
            || authority.starts_with(':')
            || !url.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return self.refuse(at, "must be an address such as https://example.com/hook");
        }
        Some(url)
    }
}
