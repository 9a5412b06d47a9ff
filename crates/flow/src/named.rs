//! The connections that a document names, with their places.

use domain::{id::ConnectionId, spelling::nearest};

use crate::{
    document::{Action, Authorise, Destination, Document, Step},
    problem::Problem,
};

impl Document {
    /// A problem for each connection that is named and not among `known`.
    pub fn unknown_connections(&self, known: &[ConnectionId]) -> Vec<Problem> {
        let mut named = Vec::new();
        collect(&self.steps, "steps", &mut named);
        let words = || known.iter().map(ConnectionId::as_str);
        named
            .into_iter()
            .filter(|(_, connection)| !known.contains(connection))
            .map(|(place, connection)| {
                let listed = words().collect::<Vec<_>>().join(", ");
                let hint = match nearest(connection.as_str(), words()) {
                    Some(near) => format!(" (did you mean `{near}`?)"),
                    None => String::new(),
                };
                let there = match known {
                    [] => "the team has none".to_owned(),
                    _ => format!("there are {listed}"),
                };
                Problem {
                    line: self.line_of(&place),
                    place,
                    message: format!("there is no connection `{connection}`{hint}; {there}"),
                }
            })
            .collect()
    }

    /// The line of a place, or of the nearest place around it that is known.
    pub(crate) fn line_of(&self, place: &str) -> Option<u32> {
        let mut place = place;
        loop {
            if let Some(line) = self.lines.0.get(place) {
                return Some(*line);
            }
            place = place.get(..place.rfind(['.', '['])?)?;
        }
    }
}

fn collect<'a>(steps: &'a [Step], place: &str, named: &mut Vec<(String, &'a ConnectionId)>) {
    for (index, step) in steps.iter().enumerate() {
        let place = format!("{place}[{index}]");
        match &step.action {
            Action::If {
                then, otherwise, ..
            } => {
                collect(then, &format!("{place}.then"), named);
                collect(otherwise, &format!("{place}.else"), named);
            }
            Action::Authorise(to) => destinations(to, &format!("{place}.authorise"), named),
            Action::Offer(_)
            | Action::ThreeDSecure(_)
            | Action::Capture(_)
            | Action::Refund { .. }
            | Action::Cancel { .. }
            | Action::Decline { .. }
            | Action::Delay(_)
            | Action::Approval { .. }
            | Action::AwaitWebhook { .. }
            | Action::CallWebhook { .. }
            | Action::Note(_) => {}
        }
    }
}

fn destinations<'a>(to: &'a Authorise, place: &str, named: &mut Vec<(String, &'a ConnectionId)>) {
    match &to.at {
        Destination::Connection(connection) => {
            named.push((format!("{place}.connection"), connection));
        }
        Destination::Split(shares) => {
            for (index, share) in shares.iter().enumerate() {
                named.push((format!("{place}.split[{index}]"), &share.connection));
            }
        }
    }
    for (index, connection) in to.fallback.iter().flat_map(|after| &after.to).enumerate() {
        named.push((format!("{place}.fallback.to[{index}]"), connection));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_there_is_not_has_its_name_its_place_and_its_line() {
        let text = "name: N\ntrigger: payment\nsteps:\n- if: payment.amount > 5\n  then:\n  - authorise:\n      connection: bank-a\n      fallback:\n        to: [bank-c, bank-b]\n  else:\n  - authorise:\n      connection: nope\n";
        let document = Document::parse(text).unwrap();
        let known = ["bank-a", "bank-b"].map(|id| ConnectionId::parse(id).unwrap());
        let problems: Vec<_> = document
            .unknown_connections(&known)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(problems.len(), 2);
        assert!(
            problems[0].starts_with("steps[0].then[0].authorise.fallback.to[0] (line ")
                && problems[0].contains("there is no connection `bank-c` (did you mean `bank-a`?); there are bank-a, bank-b"),
            "{problems:?}"
        );
        assert!(
            problems[1].starts_with("steps[0].else[0].authorise.connection (line "),
            "{problems:?}"
        );
        assert!(
            document.unknown_connections(&[])[0]
                .message
                .ends_with("the team has none")
        );
    }
}
