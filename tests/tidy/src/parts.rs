//! The statements that are declared by their parts (`db::Insert`, `db::Update`, `db::Select`), as texts.

use crate::sql::{Statement, bound_after};

/// The statements that a source file declares by their parts.
pub fn declared(source: &str) -> Vec<Statement> {
    let joined = source.replace("\\\n", "\n");
    let mut found = Vec::new();
    for kind in ["Insert", "Update", "Select"] {
        let declares = format!(": {kind} = {kind}::");
        for (at, _) in joined.match_indices(&declares) {
            let name = joined[..at].rsplit(' ').next().unwrap_or_default();
            let rest = &joined[at + declares.len()..];
            let whole = rest.split_once(");\n").map_or(rest, |(whole, _)| whole);
            found.push(Statement {
                sql: text(kind, whole),
                bound: bound(&joined, name),
            });
        }
    }
    found
}

/// The text of a declaration, from its constructor on.
fn text(kind: &str, whole: &str) -> String {
    let lists: Vec<Vec<&str>> = whole
        .split("&[")
        .skip(1)
        .filter_map(|list| list.split_once(']'))
        .map(|(list, _)| literals(list))
        .collect();
    let [first, second, third] = [0, 1, 2].map(|n| lists.get(n).cloned().unwrap_or_default());
    let head = whole.split("&[").next().unwrap_or_default();
    let table = literals(head).first().copied().unwrap_or_default();
    let condition = whole
        .split_once(".only_if(")
        .and_then(|(_, rest)| literals(rest).first().copied())
        .map(|condition| format!(" and {condition}"))
        .unwrap_or_default();
    let mut number = 0;
    let mut param = || {
        number += 1;
        format!("${number}")
    };
    match kind {
        "Insert" => {
            let values: Vec<String> = first.iter().map(|_| param()).collect();
            let tail = second.join("#");
            let tail = tail.split_whitespace().collect::<Vec<_>>().join(" ");
            let (columns, values) = (first.join(", "), values.join(", "));
            format!("insert into {table} ({columns}) values ({values}) {tail}")
                .trim_end()
                .to_owned()
        }
        "Update" => {
            let mut equal = |columns: &[&str]| -> Vec<String> {
                let one = |column: &&str| format!("{column} = {}", param());
                columns.iter().map(one).collect()
            };
            let (key, set, expected) = (equal(&first), equal(&second), equal(&third));
            let conditions = [key, expected].concat().join(" and ");
            format!(
                "update {table} set {} where {conditions}{condition}",
                set.join(", ")
            )
        }
        _ => {
            let one = |column: &&str| format!("{column} = {}", param());
            let by: Vec<String> = second.iter().map(one).collect();
            let (columns, by) = (first.join(", "), by.join(" and "));
            format!("select {columns} from {table} where {by}{condition}")
        }
    }
}

fn literals(text: &str) -> Vec<&str> {
    text.split('"').skip(1).step_by(2).collect()
}

/// The values that the declaration is used with first.
fn bound(source: &str, name: &str) -> Option<Vec<String>> {
    let used = [
        format!("    {name}\n"),
        format!("{name}.with("),
        format!("&{name}"),
    ];
    let at = used.iter().filter_map(|used| source.find(used)).min()?;
    bound_after(&source[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_become_the_texts_that_they_stand_for() {
        let source = r#"
/// A new row.
static NEW: Insert = Insert::new("t", &["team_id", "a"]);
static OR: Insert = Insert::or("t", &["a"], &["on conflict (a) do update set a = ", ""]);
static NEXT: Update = Update::new("t", &["team_id", "id"], &["a"])
    .expecting(&["version"])
    .only_if("b is null");
static BY_ID: Select = Select::new("t", &["a", "b"], &["team_id", "id"]);

fn insert() -> Statement {
    NEW.with(vec![team.key().into(), 1.into()])
}
"#;
        let found = declared(source);
        let texts: Vec<&str> = found.iter().map(|one| one.sql.as_str()).collect();
        assert_eq!(
            texts,
            [
                "insert into t (team_id, a) values ($1, $2)",
                "insert into t (a) values ($1) on conflict (a) do update set a = #",
                "update t set a = $3 where team_id = $1 and id = $2 and version = $4 and b is null",
                "select a, b from t where team_id = $1 and id = $2",
            ]
        );
        let bound = found[0].bound.as_ref().unwrap();
        assert_eq!(bound[0], "team.key().into()");
    }
}
