//! Whether the policies of a page let authorised scripts alone run. Source: W3C CSP level 3, sections 6.1 and 6.7.

/// What is wrong with the policies of a page. Each further policy only takes away, so that one that is right is enough.
pub(super) fn lack(policies: &[String]) -> Option<&'static str> {
    let mut lacks = policies.iter().map(|policy| lack_of(policy));
    let nothing = "no policy is enforced: any script that comes onto the page runs. Put the header of `pointsman page policy` on it";
    let first = lacks.next().unwrap_or(Some(nothing));
    if lacks.any(|lack| lack.is_none()) {
        return None;
    }
    first
}

/// What a policy lacks to let only authorised scripts run.
fn lack_of(policy: &str) -> Option<&'static str> {
    let policy = Policy::read(policy);
    let (Some(scripts), Some(handlers)) = (
        policy.first(&["script-src-elem", "script-src", "default-src"]),
        policy.first(&["script-src-attr", "script-src", "default-src"]),
    ) else {
        return Some("its policy says nothing of scripts, or nothing of some: any script runs");
    };
    if !scripts.is_strict() && scripts.0.iter().any(|source| is_wide(source)) {
        return Some("its policy is too wide: it lets scripts of any host run");
    }
    // Which addresses it lists does not matter for attributes.
    if scripts.allows_markup() || handlers.allows_markup() {
        return Some(
            "its policy lets any script run that comes into the page's markup ('unsafe-inline')",
        );
    }
    if policy.first(&["report-uri"]).is_none() && policy.first(&["report-to"]).is_none() {
        return Some("its policy reports nothing: nobody learns of a script that was blocked");
    }
    None
}

/// The directives of a policy, in small letters, in order.
struct Policy(Vec<Vec<String>>);

impl Policy {
    fn read(policy: &str) -> Self {
        let directives = policy.split(';').map(|directive| {
            let words = directive.split_ascii_whitespace();
            words.map(str::to_ascii_lowercase).collect()
        });
        Self(directives.collect())
    }

    /// The sources of the first directive that is there. Of two of one name the first one counts.
    fn first(&self, names: &[&str]) -> Option<Sources<'_>> {
        names.iter().find_map(|wanted| {
            self.0.iter().find_map(|words| match words.as_slice() {
                [name, sources @ ..] if name == wanted => Some(Sources(sources)),
                _ => None,
            })
        })
    }
}

/// The sources that a directive allows.
struct Sources<'a>(&'a [String]);

impl Sources<'_> {
    /// Whether only scripts with a nonce or a hash run, and those that they load: addresses don't count then.
    fn is_strict(&self) -> bool {
        self.0.iter().any(|source| source == "'strict-dynamic'")
    }

    /// Whether any script runs that stands in the page. Browsers ignore the word beside a nonce or a hash.
    fn allows_markup(&self) -> bool {
        let is_pin = |source: &&String| {
            ["'nonce-", "'sha256-", "'sha384-", "'sha512-"]
                .iter()
                .any(|start| source.starts_with(start))
        };
        let has_word = self.0.iter().any(|source| source == "'unsafe-inline'");
        has_word && !self.is_strict() && !self.0.iter().any(|source| is_pin(&source))
    }
}

/// Whether a source stands for hosts that nobody chose: `*`, `https:`, `data:`, `https://*`, `*:443`, `*.com`.
fn is_wide(source: &str) -> bool {
    if source.starts_with('\'') {
        return false;
    }
    if source.ends_with(':') {
        return true;
    }
    let host = source.split_once("://").map_or(source, |(_, host)| host);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let below = host
        .strip_prefix("*.")
        .map(|name| name.trim_end_matches('.'));
    matches!(host, "*" | "") || below.is_some_and(|name| !name.contains('.'))
}
