//! What is in the database, for the checker.

use serde_json::{Value, json};

use super::{House, broke};
use crate::Broke;

impl House {
    /// Every event's row as JSON, by stream and number: those of the team, and those of its neighbours.
    pub(crate) fn all_events(&self) -> Result<(Vec<Value>, Vec<Value>), Broke> {
        let neighbours = self.neighbours.get().map(|team| json!(team));
        let is_own = |row: &Value| row.get("team") != neighbours.as_ref();
        Ok(self.events()?.into_iter().partition(is_own))
    }

    /// The same, of all teams together.
    pub(crate) fn events(&self) -> Result<Vec<Value>, Broke> {
        let sql =
            "select stream, seq, at, kind, data, team_id, stamp from event order by stream, seq";
        let rows = self.store.rows(sql, Vec::new()).map_err(broke)?;
        let read = |row: &db::Row| -> Result<Value, Broke> {
            let data: Value = serde_json::from_str(row.text(4).map_err(broke)?).map_err(broke)?;
            Ok(json!({
                "stream": row.text(0).map_err(broke)?,
                "seq": row.int(1).map_err(broke)?,
                "at": row.int(2).map_err(broke)?,
                "kind": row.text(3).map_err(broke)?,
                "data": data,
                "team": row.text(5).map_err(broke)?,
                "stamp": row.int(6).map_err(broke)?,
            }))
        };
        rows.iter().map(read).collect()
    }
}
