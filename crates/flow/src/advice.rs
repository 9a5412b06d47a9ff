//! What is not wrong with a document, and yet hardly what its author wants.

use crate::{
    document::{Action, Document, Step, Trigger},
    problem::Problem,
};

/// Facts that come with a processor's answer alone.
const KNOWN_LATER: [&str; 2] = ["card.country", "card.funding"];

impl Document {
    /// Warnings, each with its place: conditions that ask before the authorisation for what is known only after it, where no table of
    /// card ranges (`cards.ranges`) tells it before.
    pub fn warnings(&self, has_card_ranges: bool) -> Vec<Problem> {
        let mut found = Vec::new();
        if !has_card_ranges && self.trigger == Trigger::Payment {
            ask_too_early(&self.steps, "steps", &mut false, &mut found);
        }
        found
            .into_iter()
            .map(|(place, fact)| Problem {
                line: self.line_of(&place),
                place,
                message: format!(
                    "`{fact}` is null here: it comes with the processor's answer, so it is known after the authorisation alone, unless a table of card ranges is configured (`cards.ranges`)"
                ),
            })
            .collect()
    }
}

fn ask_too_early(
    steps: &[Step],
    place: &str,
    authorised: &mut bool,
    found: &mut Vec<(String, &'static str)>,
) {
    for (index, step) in steps.iter().enumerate() {
        let place = format!("{place}[{index}]");
        match &step.action {
            Action::Authorise(_) => *authorised = true,
            Action::If {
                condition,
                then,
                otherwise,
            } => {
                let early = KNOWN_LATER.iter().filter(|fact| condition.contains(**fact));
                if !*authorised {
                    found.extend(early.map(|fact| (format!("{place}.if"), *fact)));
                }
                let (mut first, mut second) = (*authorised, *authorised);
                ask_too_early(then, &format!("{place}.then"), &mut first, found);
                ask_too_early(otherwise, &format!("{place}.else"), &mut second, found);
                *authorised = first || second;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_on_what_is_known_later_is_warned_of() {
        let text = "name: N\ntrigger: payment\nsteps:\n- if: card.country != 'IE'\n  then:\n  - three_d_secure: request\n- authorise:\n    connection: a\n- if: card.funding == 'DEBIT'\n  then:\n  - note: debit\n";
        let problems: Vec<_> = Document::parse(text)
            .unwrap()
            .warnings(false)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("steps[0].if (line 4): `card.country` is null here"),
            "{problems:?}"
        );
        assert_eq!(Document::parse(text).unwrap().warnings(true), []);
    }
}
