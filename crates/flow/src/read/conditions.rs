//! What is judged of a document that can't be read as a whole, so that its other mistakes are reported in the same round.

use std::collections::BTreeSet;

use crate::{condition::Condition, tree::Content};

use super::{
    steps::{CONDITION_MAX, NESTING_MAX},
    values::{At, Reader},
};

impl Reader {
    /// Notes the conditions that are wrong and the ids that stand twice, wherever there are steps. In a document that is
    /// read these are judged when it is compiled.
    pub(super) fn judge_unread(&mut self, document: &At<'_>) {
        let mut ids = BTreeSet::new();
        if let Some(steps) = member(document, "steps") {
            self.judge_steps(&steps, NESTING_MAX, &mut ids);
        }
        self.problems.sort_by_key(|problem| problem.line);
    }

    fn judge_steps<'n>(&mut self, at: &At<'n>, levels: usize, ids: &mut BTreeSet<&'n str>) {
        let (Content::List(items), Some(below)) = (&at.node.content, levels.checked_sub(1)) else {
            return;
        };
        for step in at.items(items) {
            if let Some((id, at)) = text(&step, "id")
                && !ids.insert(id)
            {
                self.refuse::<()>(&at, "another step has this id; give each its own");
            }
            // A text that is no condition for its length was refused already.
            if let Some((condition, at)) = text(&step, "if")
                && !condition.trim().is_empty()
                && condition.chars().count() <= CONDITION_MAX
                && let Err(message) = Condition::parse(condition)
            {
                self.refuse::<()>(&at, message);
            }
            for branch in ["then", "else"] {
                if let Some(branch) = member(&step, branch) {
                    self.judge_steps(&branch, below, ids);
                }
            }
        }
    }
}

fn member<'n>(at: &At<'n>, name: &str) -> Option<At<'n>> {
    match &at.node.content {
        Content::Map(members) => Reader::optional(at, members, name),
        Content::Null
        | Content::Bool
        | Content::Int(_)
        | Content::Number
        | Content::Text(_)
        | Content::List(_) => None,
    }
}

fn text<'n>(at: &At<'n>, name: &str) -> Option<(&'n str, At<'n>)> {
    let found = member(at, name)?;
    match &found.node.content {
        Content::Text(text) => Some((text.as_str(), found)),
        Content::Null
        | Content::Bool
        | Content::Int(_)
        | Content::Number
        | Content::List(_)
        | Content::Map(_) => None,
    }
}
