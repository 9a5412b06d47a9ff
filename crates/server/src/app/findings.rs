//! What a look at an installation has found, for people and for programs.

use serde_json::{Value, json};

/// What a finding means for a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Right.
    Ok,
    /// A start refuses it.
    Problem,
    /// A start goes on, and somebody should mend it.
    Warning,
    /// Worth knowing; nothing is to be done.
    Note,
}

impl Verdict {
    /// The word for programs.
    const fn code(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Problem => "problem",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }

    /// The word at the beginning of a line.
    const fn word(self) -> &'static str {
        match self {
            Self::Problem => "PROBLEM",
            other => other.code(),
        }
    }
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// What it belongs to: `configuration`, `data directory`, `key file`, `address`, `database`, `data`.
    area: &'static str,
    /// Which of the area's things: a setting's name, a database.
    name: &'static str,
}

impl Subject {
    /// A thing of an area.
    pub const fn new(area: &'static str, name: &'static str) -> Self {
        Self { area, name }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// What was looked at.
    subject: Subject,
    /// What it means.
    verdict: Verdict,
    /// What was found, in words.
    message: String,
}

/// What was found so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds what is right.
    pub fn ok(&mut self, subject: Subject, message: impl Into<String>) {
        self.add(subject, Verdict::Ok, message.into());
    }

    /// Adds what a start refuses.
    pub fn problem(&mut self, subject: Subject, message: impl Into<String>) {
        self.add(subject, Verdict::Problem, message.into());
    }

    /// Adds what a start accepts and somebody should mend.
    pub fn warning(&mut self, subject: Subject, message: impl Into<String>) {
        self.add(subject, Verdict::Warning, message.into());
    }

    /// Adds what is worth knowing; nothing is to be done about it.
    pub fn note(&mut self, subject: Subject, message: impl Into<String>) {
        self.add(subject, Verdict::Note, message.into());
    }

    fn add(&mut self, subject: Subject, verdict: Verdict, message: String) {
        self.0.push(Finding {
            subject,
            verdict,
            message,
        });
    }

    /// Whether a start refuses something.
    pub fn has_problem(&self) -> bool {
        self.0
            .iter()
            .any(|finding| finding.verdict == Verdict::Problem)
    }

    /// A line for each, which begins with `ok`, `PROBLEM`, `warning` or `note`.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|finding| {
            let Finding {
                subject: Subject { area, name },
                verdict,
                message,
            } = finding;
            // One line each, whatever an error has to say.
            let message = message.replace(['\n', '\r'], " ");
            format!("{:<8} {area}: {name}: {message}", verdict.word())
        })
    }

    /// The last line: how many problems, warnings and notes there are, or that all is well.
    pub fn verdict(&self) -> String {
        let count = |verdict: Verdict, word: &str| {
            let count = self.0.iter().filter(|one| one.verdict == verdict).count();
            format!("{count} {word}{}", if count == 1 { "" } else { "s" })
        };
        if self.0.iter().all(|one| one.verdict == Verdict::Ok) {
            return "all well".to_owned();
        }
        let end = if self.has_problem() {
            "a start would be refused"
        } else {
            "a start would go on"
        };
        let problems = count(Verdict::Problem, "problem");
        let warnings = count(Verdict::Warning, "warning");
        let notes = count(Verdict::Note, "note");
        format!("{problems}, {warnings}, {notes}: {end}")
    }

    /// An array of `{area, name, status, message}`.
    pub fn json(&self) -> Value {
        let each = |finding: &Finding| {
            json!({
                "area": finding.subject.area,
                "name": finding.subject.name,
                "status": finding.verdict.code(),
                "message": finding.message,
            })
        };
        self.0.iter().map(each).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_lines_that_begin_with_their_verdict_and_an_array_for_programs() {
        let mut findings = Findings::default();
        findings.ok(Subject::new("configuration", "settings"), "complete");
        assert_eq!(findings.verdict(), "all well");
        findings.note(Subject::new("key file", "mode"), "not there\nyet");
        assert!(!findings.has_problem());
        assert_eq!(
            findings.verdict(),
            "0 problems, 0 warnings, 1 note: a start would go on"
        );
        findings.warning(Subject::new("key file", "mode"), "others can read it");
        findings.problem(Subject::new("address", "server.listen"), "taken");
        assert!(findings.has_problem());
        assert_eq!(
            findings.verdict(),
            "1 problem, 1 warning, 1 note: a start would be refused"
        );
        let lines: Vec<String> = findings.lines().collect();
        assert_eq!(
            lines,
            [
                "ok       configuration: settings: complete",
                "note     key file: mode: not there yet",
                "warning  key file: mode: others can read it",
                "PROBLEM  address: server.listen: taken"
            ]
        );
        assert_eq!(
            findings.json()[3],
            json!({"area": "address", "name": "server.listen", "status": "problem", "message": "taken"})
        );
    }
}
