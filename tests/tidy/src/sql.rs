//! The SQL statements in source files, and whether each keeps to one team's rows.

use std::collections::BTreeSet;

/// A statement as it stands in a source file.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Its text on one line; what `format!` fills in stands in braces.
    pub sql: String,
    /// The values that are bound to `$1`, `$2`, …, as they are written; `None` where no list of them follows.
    pub bound: Option<Vec<String>>,
}

/// The string literals of a source file that are SQL or begin a part of it.
pub fn statements(source: &str) -> Vec<Statement> {
    let joined = source.replace("\\\n", "\n");
    let mut found = Vec::new();
    let mut rest = joined.as_str();
    while let Some(start) = rest.find('"') {
        let after = &rest[start + 1..];
        let Some(end) = end_of_literal(after) else {
            break;
        };
        let sql = after[..end]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        rest = &after[end + 1..];
        if is_sql(&sql) {
            let bound = bound_after(rest);
            found.push(Statement { sql, bound });
        }
    }
    found
}

fn end_of_literal(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = 0;
    while *bytes.get(end)? != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    Some(end)
}

fn is_sql(literal: &str) -> bool {
    let verb = literal.split(' ').next().unwrap_or_default();
    let begins = matches!(verb, "insert" | "update" | "delete") && literal.contains(' ');
    begins || (literal.contains("select ") && literal.contains(" from "))
}

/// The entries of the first `vec![…]` that follows within the same function.
pub(crate) fn bound_after(rest: &str) -> Option<Vec<String>> {
    let function = rest.find("\nfn ").unwrap_or(rest.len());
    let function = rest.find("\npub").unwrap_or(rest.len()).min(function);
    let (_, list) = rest[..function].split_once("vec![")?;
    let mut depth = 1;
    let mut end = 0;
    for (at, letter) in list.char_indices() {
        match letter {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            end = at;
            break;
        }
    }
    let entries = split_outside_parentheses(&list[..end], ",");
    let entries = entries.iter().map(|entry| entry.trim().to_owned());
    Some(entries.filter(|entry| !entry.is_empty()).collect())
}

/// Splits at a separator where no parenthesis is open.
fn split_outside_parentheses(text: &str, separator: &str) -> Vec<String> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at >= from && text[at..].starts_with(separator) {
            parts.push(text[from..at].to_owned());
            from = at + separator.len();
        }
    }
    parts.push(text[from..].to_owned());
    parts
}

/// The tables of migrations that have a column `team_id`.
pub fn tables_of_teams(migrations: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let lines = migrations.lines();
    let code: Vec<&str> = lines
        .map(|line| line.split("--").next().unwrap_or_default())
        .collect();
    for words in code.join(" ").split(';') {
        let words: Vec<&str> = words.split_whitespace().collect();
        if let ["create" | "alter", "table", name, ..] = words.as_slice()
            && words
                .iter()
                .any(|word| word.trim_start_matches('(') == "team_id")
        {
            found.insert((*name).to_owned());
        }
    }
    found
}

/// What in a statement reaches rows of a team without naming the team: the tables. A table is bound to the team when
/// its `team_id` must equal a parameter or the `team_id` of another table in the statement; an insert must give one.
pub fn unbound(sql: &str, of_teams: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    let (outer, inner) = without_subqueries(sql);
    for part in inner {
        found.extend(unbound(&part, of_teams));
    }
    for part in outer.split(" union all ") {
        found.extend(unbound_tables(part, of_teams));
    }
    found
}

/// The statement with each query in parentheses left out, and those queries.
fn without_subqueries(sql: &str) -> (String, Vec<String>) {
    let (mut outer, mut inner) = (sql.to_owned(), Vec::new());
    while let Some(start) = outer.find("(select ") {
        let mut depth = 0;
        let end = outer[start..].char_indices().find_map(|(at, letter)| {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(start + at)
        });
        // What `format!` joins may end elsewhere.
        let end = end.unwrap_or(outer.len());
        inner.push(outer[start + 1..end].to_owned());
        outer.replace_range(start..(end + 1).min(outer.len()), "(#)");
    }
    (outer, inner)
}

fn unbound_tables(sql: &str, of_teams: &BTreeSet<String>) -> Vec<String> {
    let tables: Vec<(String, String)> = tables(sql)
        .into_iter()
        .filter(|(table, _)| of_teams.contains(table))
        .collect();
    if sql.starts_with("insert into ") {
        if let Some(select) = selects_a_team(sql) {
            return unbound_tables(select, of_teams);
        }
        let given = inserts_a_team(sql);
        return tables
            .into_iter()
            .filter(|_| !given)
            .map(|(table, _)| table)
            .collect();
    }
    let names: BTreeSet<&str> = tables.iter().map(|(_, name)| name.as_str()).collect();
    let conditions = conditions(sql);
    let equal: Vec<(String, String)> = conditions
        .iter()
        .filter_map(|condition| condition.split_once(" = "))
        .flat_map(|(left, right)| [(left, right), (right, left)])
        .filter_map(|(own, given)| Some((whose(own, &names)?, given.to_owned())))
        .collect();
    // What is bound by a parameter or by a table outside binds others in turn.
    let mut bound: BTreeSet<String> = BTreeSet::new();
    loop {
        let before = bound.len();
        for (name, given) in &equal {
            let by_table = given.strip_suffix(".team_id");
            if is_parameter(given)
                || by_table.is_some_and(|table| !names.contains(table) || bound.contains(table))
            {
                bound.insert(name.clone());
            }
        }
        if bound.len() == before {
            break;
        }
    }
    let tables = tables.iter().filter(|(_, name)| !bound.contains(name));
    tables.map(|(table, _)| table.clone()).collect()
}

/// Which table's `team_id` a side of a condition is; without a table's name it is that of the only one.
fn whose(side: &str, names: &BTreeSet<&str>) -> Option<String> {
    match side.strip_suffix(".team_id") {
        Some(name) => names.get(name).map(|name| (*name).to_owned()),
        None if side == "team_id" && names.len() == 1 => {
            names.first().map(|name| (*name).to_owned())
        }
        None => None,
    }
}

/// `$1` and the like; what `format!` fills in after it is no part of it.
fn is_parameter(text: &str) -> bool {
    let digits = text
        .split('{')
        .next()
        .and_then(|text| text.strip_prefix('$'));
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The tables that a statement reads or writes, each with the name that it has there.
fn tables(sql: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = sql
        .split([' ', ',', '('])
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let is_first = n == 0 && *word == "update";
        if is_first || matches!(*word, "from" | "into" | "join") {
            let Some(table) = words.get(n + 1) else {
                continue;
            };
            let table = table.trim_end_matches(')');
            let alias = match words.get(n + 2) {
                Some(&"as") => words.get(n + 3),
                next => next,
            };
            let is_alias = |word: &&&str| word.len() == 1;
            let name = alias.filter(is_alias).map_or(table, |alias| *alias);
            found.push((table.to_owned(), name.to_owned()));
        }
    }
    found
}

/// What must hold of every row: the parts of `where` and `on` that are joined by `and`; nothing where an `or` stands
/// besides them.
fn conditions(sql: &str) -> Vec<String> {
    let mut found = Vec::new();
    for start in [" where ", " on "] {
        for (at, _) in sql.match_indices(start) {
            let rest = &sql[at + start.len()..];
            let end = [
                " order by ",
                " limit ",
                " returning ",
                " group by ",
                " where ",
                " join ",
                " on conflict ",
            ]
            .iter()
            .filter_map(|word| rest.find(word))
            .min();
            let whole = &rest[..end.unwrap_or(rest.len())];
            if split_outside_parentheses(whole, " or ").len() == 1 {
                found.extend(split_outside_parentheses(whole, " and "));
            }
        }
    }
    found
}

/// Of an insert that copies the column `team_id` of another table: what it selects.
fn selects_a_team(sql: &str) -> Option<&str> {
    let (columns, select) = sql.split_once(") select ")?;
    let (_, columns) = columns.split_once('(')?;
    let place = columns.split(", ").position(|column| column == "team_id")?;
    let copied = select.split(", ").nth(place)?;
    let from = sql.len() - "select ".len() - select.len();
    (copied == "team_id").then(|| &sql[from..])
}

/// Whether an insert gives the column `team_id` a parameter.
fn inserts_a_team(sql: &str) -> bool {
    let lists: Vec<&str> = sql
        .split('(')
        .skip(1)
        .filter_map(|part| part.split(')').next())
        .collect();
    let [columns, values, ..] = lists.as_slice() else {
        return false;
    };
    let place = columns.split(", ").position(|column| column == "team_id");
    place
        .and_then(|place| values.split(", ").nth(place))
        .is_some_and(is_parameter)
}

/// The parameters that a statement takes for a team: their numbers, counted from 1.
pub fn parameters_of_team(sql: &str) -> BTreeSet<usize> {
    let number = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    };
    let mut found: BTreeSet<usize> = sql
        .split("team_id = $")
        .skip(1)
        .filter_map(number)
        .collect();
    if sql.starts_with("insert into ") && selects_a_team(sql).is_none() {
        let lists: Vec<&str> = sql
            .split('(')
            .skip(1)
            .filter_map(|part| part.split(')').next())
            .collect();
        if let [columns, values, ..] = lists.as_slice() {
            let place = columns.split(", ").position(|column| column == "team_id");
            let value = place.and_then(|place| values.split(", ").nth(place));
            found.extend(
                value
                    .and_then(|value| value.strip_prefix('$'))
                    .and_then(number),
            );
        }
    }
    found
}

/// The statement with one of its conditions on a team left out, for each of them, and an insert without its team.
pub fn without_team(sql: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in sql.match_indices("team_id = ") {
        let from = sql[..at].rfind([' ', '(']).map_or(0, |space| space + 1);
        let end = sql[at + 10..]
            .find([' ', ')', '{'])
            .map_or(sql.len(), |end| at + 10 + end);
        found.push(format!("{}1 = 1{}", &sql[..from], &sql[end..]));
        found.push(format!("{}team_id = team_id{}", &sql[..from], &sql[end..]));
        found.push(format!(
            "{}(1 = 1 or {}){}",
            &sql[..from],
            &sql[from..end],
            &sql[end..]
        ));
    }
    if sql.starts_with("insert into ") && sql.contains("team_id") {
        found.push(sql.replacen("team_id", "other", 1));
    }
    found
}
