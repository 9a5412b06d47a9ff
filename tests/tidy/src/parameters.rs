//! The parameters of functions, as they stand in the source.

/// The functions of a source that take a tuple, each as `name: parameter`.
pub fn tuples(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices("fn ") {
        let is_word = source[..at].ends_with(|letter: char| letter.is_alphanumeric());
        let rest = &source[at + 3..];
        let name: String = rest.chars().take_while(|c| is_of_name(*c)).collect();
        if is_word || name.is_empty() {
            continue;
        }
        let after = &rest[name.len()..];
        let list = match after.chars().next() {
            Some('<') => after.get(inside(after).len() + 2..).unwrap_or_default(),
            _ => after,
        };
        if !list.starts_with('(') {
            continue;
        }
        let parameters = parts(inside(list));
        let taken = parameters
            .into_iter()
            .filter(|parameter| is_tuple(parameter));
        found.extend(taken.map(|parameter| format!("{name}: {}", parameter.trim())));
    }
    found
}

const fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// What stands between the bracket that begins the text and the one that closes it.
fn inside(text: &str) -> &str {
    let mut depth = 0;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            // The arrow of a function's type closes nothing.
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
        before = letter;
    }
    ""
}

/// The parts between the commas that stand in no bracket.
fn parts(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from, mut before) = (0, 0, ' ');
    for (at, letter) in list.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        before = letter;
    }
    parts.push(&list[from..]);
    parts
}

/// Whether the type of a parameter is a tuple, or a reference to one.
fn is_tuple(parameter: &str) -> bool {
    let pattern_ends = if parameter.trim_start().starts_with('(') {
        parameter.find("):").map(|at| at + 1)
    } else {
        parameter.find(':')
    };
    let Some(colon) = pattern_ends else {
        return false;
    };
    let mut of = parameter[colon + 1..].trim_start();
    if let Some(referred) = of.strip_prefix('&') {
        let referred = referred.trim_start();
        of = match referred.strip_prefix('\'') {
            Some(named) => named.trim_start_matches(is_of_name).trim_start(),
            None => referred,
        };
        of = of.strip_prefix("mut ").unwrap_or(of).trim_start();
    }
    of.starts_with('(') && parts(inside(of)).len() > 1
}

#[test]
fn tuples_among_parameters_are_found_and_nothing_else_is() {
    let taken = [
        "fn a(pair: (u8, u8)) {}",
        "fn b<T: Into<(u8, u8)>>((one, two): (T, u8), rest: &str) {}",
        "async fn c(\n    &self,\n    place: &'a mut (i64, &str),\n) {}",
    ];
    for source in taken {
        assert_eq!(tuples(source).len(), 1, "{source}");
    }
    let free = [
        "fn a(unit: (), list: &[(u8, u8)], both: Option<(u8, u8)>) -> (u8, u8) {}",
        "fn b(act: impl Fn((u8, u8)) -> u8, error: &(dyn Error + 'static)) {}",
        "fn c<'a>(self, Pair(one, two): Pair<'a>) {}",
    ];
    for source in free {
        assert_eq!(tuples(source), [""; 0], "{source}");
    }
}
