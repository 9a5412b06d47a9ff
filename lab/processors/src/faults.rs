//! What goes wrong between the machine and its clients, as it is asked for.

use std::time::Duration;

use crate::{Request, draw::Draw, form::Form};

/// One thing that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection is closed; the request had no effect.
    LostBefore,
    /// The request had its effect; the connection is closed.
    LostAfter,
    /// 500; the request had no effect.
    ErrorBefore,
    /// 500; the request had its effect.
    ErrorAfter,
    /// 502 with an HTML page; the request had its effect.
    Html,
    /// 429; the request had no effect.
    RateLimit,
    /// The answer comes after this time; the effect is there at once.
    Slow(Duration),
    /// The answer ends after so many bytes; the request had its effect.
    Cut(usize),
    /// The webhook is sent twice.
    HookTwice,
    /// The webhook comes behind later ones.
    HookReordered,
    /// An altered webhook with a wrong signature comes before the true one.
    HookForged,
    /// The webhook comes after this time.
    HookLate(Duration),
    /// Search answers as of this time ago.
    SearchLag(Duration),
}

/// A fault with the requests that it befalls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Armed {
    fault: Fault,
    /// One in so many requests.
    one_in: u64,
    /// How often still; `None` is without end.
    times: Option<u64>,
    /// Only requests of this method.
    method: Option<String>,
    /// Only paths that begin so.
    path: Option<String>,
}

/// The text names no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no fault: say NAME, NAME=NUMBER or NAME@ONE_IN. Names: lost-before, lost-after, error-before, error-after, html, rate-limit, \
     slow=MILLISECONDS, cut=BYTES, hook-twice, hook-reordered, hook-forged, hook-late=SECONDS, search-lag=SECONDS"
)]
pub struct BadFault(String);

impl Armed {
    /// Reads `NAME[=NUMBER][@ONE_IN]`.
    pub fn parse(text: &str) -> Result<Self, BadFault> {
        let bad = || BadFault(text.to_owned());
        let (rest, one_in) = match text.split_once('@') {
            Some((rest, one_in)) => (rest, one_in.parse().map_err(|_| bad())?),
            None => (text, 1),
        };
        let (name, number) = match rest.split_once('=') {
            Some((name, number)) => (name, Some(number.parse::<u32>().map_err(|_| bad())?)),
            None => (rest, None),
        };
        let fault = fault_named(name, number).ok_or_else(bad)?;
        if one_in == 0 {
            return Err(bad());
        }
        Ok(Self {
            fault,
            one_in,
            times: None,
            method: None,
            path: None,
        })
    }

    /// Reads the fields `fault`, `times` and `path`.
    pub(crate) fn of_form(form: &Form) -> Result<Self, BadFault> {
        let mut armed = Self::parse(form.text("fault").unwrap_or_default())?;
        if let Some(times) = form.integer("times") {
            let bad = |_| BadFault(format!("times={times}"));
            armed = armed.times(u64::try_from(times).map_err(bad)?);
        }
        if let Some(path) = form.text("path") {
            armed = armed.at(path);
        }
        Ok(armed)
    }

    /// The same, so many times only.
    #[must_use]
    pub fn times(self, times: u64) -> Self {
        Self {
            times: Some(times),
            ..self
        }
    }

    /// The same, for paths that begin so; a method and a space may stand before it.
    #[must_use]
    pub fn at(self, path: &str) -> Self {
        let (method, path) = match path.split_once(' ') {
            Some((method, path)) => (Some(method.to_owned()), path),
            None => (None, path),
        };
        Self {
            method,
            path: Some(path.to_owned()),
            ..self
        }
    }

    fn fits(&self, request: Option<&Request>) -> bool {
        let is = |wanted: &Option<String>, fits: fn(&Request, &str) -> bool| {
            let fits = |wanted: &String| request.is_some_and(|request| fits(request, wanted));
            wanted.as_ref().is_none_or(fits)
        };
        is(&self.method, |request, method| request.method == method)
            && is(&self.path, |request, path| request.path.starts_with(path))
    }
}

fn fault_named(name: &str, number: Option<u32>) -> Option<Fault> {
    let seconds = || number.map(|number| Duration::from_secs(number.into()));
    let plain = |fault| number.is_none().then_some(fault);
    match name {
        "lost-before" => plain(Fault::LostBefore),
        "lost-after" => plain(Fault::LostAfter),
        "error-before" => plain(Fault::ErrorBefore),
        "error-after" => plain(Fault::ErrorAfter),
        "html" => plain(Fault::Html),
        "rate-limit" => plain(Fault::RateLimit),
        "slow" => number.map(|number| Fault::Slow(Duration::from_millis(number.into()))),
        "cut" => number
            .and_then(|number| usize::try_from(number).ok())
            .map(Fault::Cut),
        "hook-twice" => plain(Fault::HookTwice),
        "hook-reordered" => plain(Fault::HookReordered),
        "hook-forged" => plain(Fault::HookForged),
        "hook-late" => seconds().map(Fault::HookLate),
        "search-lag" => seconds().map(Fault::SearchLag),
        _ => None,
    }
}

/// What a fault befalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Answer,
    Webhook,
    Search,
}

impl Fault {
    const fn target(self) -> Target {
        match self {
            Self::LostBefore
            | Self::LostAfter
            | Self::ErrorBefore
            | Self::ErrorAfter
            | Self::Html
            | Self::RateLimit
            | Self::Slow(_)
            | Self::Cut(_) => Target::Answer,
            Self::HookTwice | Self::HookReordered | Self::HookForged | Self::HookLate(_) => {
                Target::Webhook
            }
            Self::SearchLag(_) => Target::Search,
        }
    }
}

/// The faults of one machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults(Vec<Armed>);

impl Faults {
    pub(crate) fn arm(&mut self, armed: Armed) {
        self.0.push(armed);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What befalls the answer to a request, if anything.
    pub(crate) fn of_answer(&mut self, request: &Request, draw: &mut Draw) -> Option<Fault> {
        self.strike(Target::Answer, Some(request), draw)
    }

    /// What befalls a webhook, if anything. Faults of webhooks have no path.
    pub(crate) fn of_webhook(&mut self, draw: &mut Draw) -> Option<Fault> {
        self.strike(Target::Webhook, None, draw)
    }

    /// How far search lags behind, where that is asked for.
    pub(crate) fn search_lag(&self) -> Option<Duration> {
        self.0.iter().rev().find_map(|armed| match armed.fault {
            Fault::SearchLag(lag) => Some(lag),
            _ => None,
        })
    }

    fn strike(
        &mut self,
        target: Target,
        request: Option<&Request>,
        draw: &mut Draw,
    ) -> Option<Fault> {
        let fits = |armed: &Armed| {
            armed.fault.target() == target && armed.times != Some(0) && armed.fits(request)
        };
        let armed = self
            .0
            .iter_mut()
            .find(|armed| fits(armed) && (armed.one_in == 1 || draw.one_in(armed.one_in)))?;
        armed.times = armed.times.map(|times| times.saturating_sub(1));
        Some(armed.fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, path: &str) -> Request {
        Request {
            method: method.to_owned(),
            path: path.to_owned(),
            ..Request::default()
        }
    }

    #[test]
    fn faults_are_read_and_befall_what_they_are_armed_for() {
        let post = |path| request("POST", path);
        let mut draw = Draw::new(1);
        let mut faults = Faults::default();
        let armed = |path| Armed::parse("lost-after").unwrap().times(1).at(path);
        faults.arm(armed("/v1/refunds"));
        faults.arm(armed("GET /v1/events"));
        faults.arm(Armed::parse("hook-late=30").unwrap());
        faults.arm(Armed::parse("search-lag=60").unwrap());
        assert_eq!(
            faults.of_answer(&post("/v1/payment_intents"), &mut draw),
            None
        );
        assert_eq!(
            faults.of_answer(&post("/v1/refunds"), &mut draw),
            Some(Fault::LostAfter)
        );
        assert_eq!(
            faults.of_answer(&post("/v1/refunds"), &mut draw),
            None,
            "once only"
        );
        assert_eq!(faults.of_answer(&post("/v1/events"), &mut draw), None);
        assert_eq!(
            faults.of_answer(&request("GET", "/v1/events"), &mut draw),
            Some(Fault::LostAfter)
        );
        let late = Fault::HookLate(Duration::from_secs(30));
        assert_eq!(faults.of_webhook(&mut draw), Some(late));
        assert_eq!(faults.search_lag(), Some(Duration::from_mins(1)));
    }

    #[test]
    fn one_in_ten_is_about_one_in_ten() {
        let (mut draw, mut faults) = (Draw::new(3), Faults::default());
        faults.arm(Armed::parse("cut=5@10").unwrap());
        let any = request("GET", "/");
        let struck = (0..1000).filter(|_| faults.of_answer(&any, &mut draw).is_some());
        assert!((60..140).contains(&struck.count()));
    }

    #[test]
    fn what_is_no_fault_is_refused() {
        for text in [
            "",
            "lost",
            "slow",
            "slow=",
            "slow=-1",
            "lost-after=3",
            "lost-after@0",
            "cut=x",
        ] {
            assert!(Armed::parse(text).is_err(), "{text}");
        }
    }
}
