//! From the portable SQL text to that of each database.

use std::iter;

/// A part of an SQL text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    /// Words and signs.
    Code(&'a str),
    /// A quoted string, a quoted name or a comment: left as it is.
    Opaque(&'a str),
}

/// Splits a text into code and what must be left alone.
fn pieces(sql: &str) -> impl Iterator<Item = Piece<'_>> {
    const OPENINGS: [(&str, &str); 4] = [("'", "'"), ("\"", "\""), ("--", "\n"), ("/*", "*/")];
    let mut rest = sql;
    iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let next = OPENINGS
            .iter()
            .filter_map(|(open, close)| Some((rest.find(open)?, *open, *close)))
            .min();
        let (at, open, close) = next.unwrap_or((rest.len(), "", ""));
        if at > 0 {
            let (code, left) = rest.split_at(at);
            rest = left;
            return Some(Piece::Code(code));
        }
        // A doubled quote ends one string and begins the next: the same text in two pieces.
        let inside = rest.get(open.len()..).unwrap_or("");
        let end = inside
            .find(close)
            .map_or(rest.len(), |length| open.len() + length + close.len());
        let (opaque, left) = rest.split_at(end);
        rest = left;
        Some(Piece::Opaque(opaque))
    })
}

/// Splits code into words (letters, digits, `_`) and single other characters.
fn words(code: &str) -> impl Iterator<Item = &str> {
    let mut rest = code;
    iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, left) = rest.split_at(length);
        rest = left;
        Some(word)
    })
}

/// Writes `$n` as `?n`. SQLite would take `$2` for a name and number it by its first appearance.
pub(crate) fn numbered(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    for piece in pieces(sql) {
        match piece {
            Piece::Opaque(text) => out.push_str(text),
            Piece::Code(code) => {
                let mut letters = code.chars().peekable();
                while let Some(letter) = letters.next() {
                    let numbers = letter == '$' && letters.peek().is_some_and(char::is_ascii_digit);
                    out.push(if numbers { '?' } else { letter });
                }
            }
        }
    }
    out
}

/// The highest number of a parameter: how many it takes.
pub(crate) fn parameters(sql: &str) -> usize {
    let code = pieces(sql).filter_map(|piece| match piece {
        Piece::Code(code) => Some(code),
        Piece::Opaque(_) => None,
    });
    let number = |rest: &str| {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest, |end| rest.split_at(end).0);
        digits.parse().unwrap_or(0)
    };
    code.flat_map(|code| code.split('$').skip(1))
        .map(number)
        .max()
        .unwrap_or(0)
}

/// Lets claimers pass by the rows that others hold: the rows are chosen once, under locks, and no claimer waits.
///
/// It applies to the shape that all claims with a limit have, `… in (select … limit $n) …`; other texts stay as they are.
pub(crate) fn skip_locked(sql: &str) -> String {
    let parts = || {
        let (before, rest) = sql.split_once("(select ")?;
        let (inner, after) = rest.split_once(')')?;
        let limit = inner.rsplit_once(" limit ")?.1;
        (!limit.contains(char::is_whitespace)).then_some((before, inner, after))
    };
    parts().map_or_else(
        || sql.to_owned(),
        |(before, inner, after)| {
            format!(
                "with claimed as materialized (select {inner} for update skip locked) \
                 {before}(select * from claimed){after}"
            )
        },
    )
}

/// The statements of a migration, in lower case and without comments.
pub(crate) fn statements(sql: &str) -> Vec<String> {
    let code: String = sql
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect::<Vec<_>>()
        .join(" ")
        .to_ascii_lowercase();
    code.split(';')
        .map(|one| one.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|one| !one.is_empty())
        .collect()
}

/// An index that a statement makes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Index<'a> {
    pub(crate) name: &'a str,
    pub(crate) table: &'a str,
    /// The statement up to the name.
    pub(crate) beginning: &'static str,
    /// The statement from `on` on.
    pub(crate) rest: &'a str,
}

/// The index that one of [`statements`] makes, if it does.
pub(crate) fn index(statement: &str) -> Option<Index<'_>> {
    let (beginning, rest) = ["create index", "create unique index"]
        .into_iter()
        .find_map(|beginning| Some((beginning, statement.strip_prefix(beginning)?)))?;
    let (name, rest) = rest.trim_start().split_once(' ')?;
    let table = rest.strip_prefix("on ")?.split([' ', '(']).next()?;
    Some(Index {
        name,
        table,
        beginning,
        rest,
    })
}

/// Stands between `create` and `table` where nothing of the table may get into PostgreSQL's write-ahead log.
const UNLOGGED: &str = "/* unlogged */";

/// Turns the text of a migration into PostgreSQL's: every text is ordered by its bytes, whatever the database's locale, and
/// `create /* unlogged */ table` is what it says.
///
/// Errors: the sentence that says which word does not belong into a migration.
pub(crate) fn postgres_schema(sql: &str) -> Result<String, String> {
    let mut out = String::with_capacity(sql.len() + 256);
    for piece in pieces(sql) {
        let code = match piece {
            Piece::Opaque(text) => {
                out.push_str(if text == UNLOGGED { "unlogged" } else { text });
                continue;
            }
            Piece::Code(code) => code,
        };
        for word in words(code) {
            let lower = word.to_ascii_lowercase();
            refuse_unfit(&lower)?;
            out.push_str(word);
            if lower == "text" {
                out.push_str(" collate \"C\"");
            }
        }
    }
    Ok(out)
}

fn refuse_unfit(lower: &str) -> Result<(), String> {
    match UNFIT_FOR_MIGRATIONS
        .iter()
        .find(|(unfit, _)| *unfit == lower)
    {
        Some((unfit, reason)) => Err(format!("`{unfit}` has no place in a migration: {reason}")),
        None => Ok(()),
    }
}

/// Words that have no place in a migration, with the reason.
const UNFIT_FOR_MIGRATIONS: [(&str, &str); 8] = [
    ("autoincrement", "ids are made by the program"),
    ("bigserial", "ids are made by the program"),
    ("blob", "store base64 text"),
    (
        "deferrable",
        "a deferred constraint fails at COMMIT, where it can't be seen which change broke it",
    ),
    ("integer", "write bigint"),
    ("serial", "ids are made by the program"),
    ("trigger", "what a change does stands in the change"),
    ("without", "tables have row ids"),
];

/// Turns the text of a migration into SQLite's: `integer` for `bigint`, and every table `strict`.
///
/// Errors: the sentence that says which word does not belong into a migration.
pub(crate) fn sqlite_schema(sql: &str) -> Result<String, String> {
    let mut out = String::with_capacity(sql.len() + 64);
    // The first two words of the current statement.
    let mut beginning: Vec<String> = Vec::new();
    for piece in pieces(sql) {
        let code = match piece {
            Piece::Opaque(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Code(code) => code,
        };
        for word in words(code) {
            let lower = word.to_ascii_lowercase();
            refuse_unfit(&lower)?;
            if word == ";" {
                finish(&mut out, &mut beginning, " strict");
            } else if beginning.len() < 2 && !word.trim().is_empty() {
                beginning.push(lower.clone());
            }
            out.push_str(if lower == "bigint" { "integer" } else { word });
        }
    }
    // On a line of its own: the text may end with a comment.
    finish(&mut out, &mut beginning, "\nstrict");
    Ok(out)
}

/// Ends a statement: a table becomes strict.
fn finish(out: &mut String, beginning: &mut Vec<String>, strict: &str) {
    if beginning.iter().map(String::as_str).eq(["create", "table"]) {
        out.push_str(strict);
    }
    beginning.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_by_their_number_not_by_their_place() {
        assert_eq!(
            numbered("update t set a = $2, b = $10 where id = $1 and c = $2"),
            "update t set a = ?2, b = ?10 where id = ?1 and c = ?2"
        );
    }

    #[test]
    fn strings_names_and_comments_are_left_alone() {
        let text = "select '$1', 'it''s $2', \"$3\" -- $4\n, /* $5 */ $ from t where price = ";
        assert_eq!(numbered(&format!("{text}$6")), format!("{text}?6"));
        assert_eq!(numbered("select 'open $1"), "select 'open $1");
        assert_eq!(numbered("select 'é' || $1"), "select 'é' || ?1");
    }

    #[test]
    fn tables_become_strict_and_bigint_becomes_integer() {
        let sql = "-- bigint; create table\ncreate table a (id text not null, n BIGINT not null, primary key (id));\n\
                   create index a_n on a (n);\nCreate Table if not exists b (bigints bigint default ';')";
        assert_eq!(
            sqlite_schema(sql).unwrap(),
            "-- bigint; create table\ncreate table a (id text not null, n integer not null, primary key (id)) strict;\n\
             create index a_n on a (n);\nCreate Table if not exists b (bigints integer default ';')\nstrict"
        );
    }

    #[test]
    fn parameters_are_counted_by_their_number() {
        assert_eq!(
            parameters("update t set a = $2, b = $10 where c = '$99' and d = $2 -- $11"),
            10
        );
        assert_eq!(parameters("select 1"), 0);
    }

    #[test]
    fn a_claim_with_a_limit_skips_locked_rows() {
        assert_eq!(
            skip_locked(
                "update t set a = $2 where (b, c) in (select b, c from t where a <= $1 limit $3) and a <= $1"
            ),
            "with claimed as materialized (select b, c from t where a <= $1 limit $3 for update skip locked) \
             update t set a = $2 where (b, c) in (select * from claimed) and a <= $1"
        );
        for other in [
            "update t set a = 1 where b = $1 returning b",
            "delete from t where a in (select a from u)",
        ] {
            assert_eq!(skip_locked(other), other);
        }
    }

    #[test]
    fn texts_are_ordered_by_their_bytes_on_postgresql() {
        let sql = "create table a (id text not null, texts bigint default 'text'); -- text";
        let wanted =
            "create table a (id text collate \"C\" not null, texts bigint default 'text'); -- text";
        assert_eq!(postgres_schema(sql).unwrap(), wanted);
        assert!(postgres_schema("create table a (b serial)").is_err());
        let unlogged = "create /* unlogged */ table a (b bigint)";
        assert_eq!(
            postgres_schema(unlogged).unwrap(),
            "create unlogged table a (b bigint)"
        );
        assert_eq!(
            sqlite_schema(unlogged).unwrap(),
            "create /* unlogged */ table a (b integer)\nstrict"
        );
    }

    #[test]
    fn unportable_words_are_refused_in_migrations() {
        for (word, _) in UNFIT_FOR_MIGRATIONS {
            let error =
                sqlite_schema(&format!("create table t (a {} )", word.to_uppercase())).unwrap_err();
            assert!(
                error.starts_with(&format!("`{word}` has no place")),
                "{error}"
            );
        }
        assert!(sqlite_schema("create table t (a text) -- without integer").is_ok());
    }
}
