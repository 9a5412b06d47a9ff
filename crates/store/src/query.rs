//! Puts a query together from fixed pieces. A value never becomes a part of the text: it is bound and stands as `$n`.

use db::Value;
use domain::id::TeamId;

/// The conditions of a query on a team's table, with the parameters of the whole query.
#[derive(Clone)]
pub(crate) struct Conditions {
    text: String,
    params: Vec<Value>,
}

impl Conditions {
    /// Begins with the team, which is `$1`. The query itself says `team_id = $1`.
    pub(crate) fn of_team(team: TeamId) -> Self {
        Self {
            text: String::new(),
            params: vec![team.key().into()],
        }
    }

    /// Binds a value. Returns the place where it stands in the text: `$n`.
    pub(crate) fn bind(&mut self, value: impl Into<Value>) -> String {
        self.params.push(value.into());
        format!("${}", self.params.len())
    }

    /// Binds values. Returns their places: `$n, $m, …`.
    pub(crate) fn bind_all<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> String {
        let places: Vec<String> = texts.into_iter().map(|text| self.bind(text)).collect();
        places.join(", ")
    }

    /// Adds a condition, which must hold with all the others.
    pub(crate) fn and(&mut self, condition: &str) {
        self.text.push_str(" and ");
        self.text.push_str(condition);
    }

    /// Takes the conditions back to what they were when this was their text. What was bound since stays.
    pub(crate) fn back_to(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    /// The conditions as they follow `team_id = $1`: each begins with ` and `.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The parameters of the whole query.
    pub(crate) fn into_params(self) -> Vec<Value> {
        self.params
    }
}
