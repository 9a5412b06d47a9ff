//! Tokens one after the other, and the words about one that does not fit.

use std::ops::Range;

use apollo_parser::{Error, Lexer, TokenKind};
use domain::Code;

use crate::executor::document::{diagnostics::TOO_DEEP, limits::Limits};

/// Why a text is not GraphQL, or too much of it.
pub(super) struct Broken {
    pub(super) code: Code,
    pub(super) message: String,
    /// Bytes from the beginning of the text.
    pub(super) index: usize,
}

/// Whether the text fits the grammar so far.
pub(super) type Parsed = Result<(), Broken>;

/// A token that is neither white space, comma nor comment.
#[derive(Clone, Copy)]
struct Token<'a> {
    kind: TokenKind,
    text: &'a str,
    index: usize,
}

/// Reads tokens, one ahead.
pub(super) struct Reader<'a> {
    lexer: Lexer<'a>,
    next: Token<'a>,
    nesting: usize,
    most_nesting: usize,
    /// Where operations, fragments and variables have descriptions.
    pub(super) descriptions: Vec<Range<usize>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, limits: &Limits) -> Result<Self, Broken> {
        let mut lexer = Lexer::new(text).with_limit(limits.tokens);
        let next = read(&mut lexer, text.len())?;
        Ok(Self {
            lexer,
            next,
            nesting: 0,
            descriptions: Vec::new(),
            most_nesting: limits.nesting,
        })
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.next.kind == kind
    }

    /// Where the next token stands.
    pub(super) fn span(&self) -> Range<usize> {
        self.next.index..self.next.index.saturating_add(self.next.text.len())
    }

    /// The name that comes next; empty when something else does.
    pub(super) fn keyword(&self) -> &'a str {
        if self.at(TokenKind::Name) {
            self.next.text
        } else {
            ""
        }
    }

    /// Takes the next token, whatever it is.
    pub(super) fn advance(&mut self) -> Parsed {
        let end = self.next.index.saturating_add(self.next.text.len());
        self.next = read(&mut self.lexer, end)?;
        Ok(())
    }

    /// Takes the next token if it is of this kind, and says whether it was.
    pub(super) fn eat(&mut self, kind: TokenKind) -> Result<bool, Broken> {
        let there = self.at(kind);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    /// Takes the next token if it is this name, and says whether it was.
    pub(super) fn eat_keyword(&mut self, word: &str) -> Result<bool, Broken> {
        let there = self.keyword() == word;
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Parsed {
        if self.eat(kind)? {
            Ok(())
        } else {
            Err(self.expected(describe(kind)))
        }
    }

    pub(super) fn expect_keyword(&mut self, word: &str) -> Parsed {
        if self.eat_keyword(word)? {
            Ok(())
        } else {
            Err(self.expected(&format!("`{word}`")))
        }
    }

    pub(super) fn name(&mut self) -> Parsed {
        self.expect(TokenKind::Name)
    }

    /// Items between brackets, at least one.
    pub(super) fn many(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        item: impl Fn(&mut Self) -> Parsed,
    ) -> Parsed {
        self.expect(open)?;
        item(self)?;
        while !self.eat(close)? {
            item(self)?;
        }
        Ok(())
    }

    /// Nothing, or items between brackets, at least one. Says whether there were brackets.
    pub(super) fn optional_many(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        item: impl Fn(&mut Self) -> Parsed,
    ) -> Result<bool, Broken> {
        let there = self.at(open);
        if there {
            self.many(open, close, item)?;
        }
        Ok(there)
    }

    /// Items between brackets, or none.
    pub(super) fn any(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        item: impl Fn(&mut Self) -> Parsed,
    ) -> Parsed {
        self.expect(open)?;
        while !self.eat(close)? {
            item(self)?;
        }
        Ok(())
    }

    /// Items with this mark between them, and perhaps before the first.
    pub(super) fn separated(
        &mut self,
        mark: TokenKind,
        item: impl Fn(&mut Self) -> Parsed,
    ) -> Parsed {
        self.eat(mark)?;
        item(self)?;
        while self.eat(mark)? {
            item(self)?;
        }
        Ok(())
    }

    /// One level deeper. The program's stack is finite.
    pub(super) fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.nesting = self.nesting.saturating_add(1);
        if self.nesting > self.most_nesting {
            return Err(Broken {
                code: Code::GraphqlLimit,
                message: TOO_DEEP.to_owned(),
                index: self.next.index,
            });
        }
        inner(self)?;
        self.nesting = self.nesting.saturating_sub(1);
        Ok(())
    }

    /// The next token does not fit: what would.
    pub(super) fn expected(&self, what: &str) -> Broken {
        let found = describe(self.next.kind);
        broken(&format!("expected {what}, found {found}"), self.next.index)
    }

    /// The next token can't stand here, for this reason.
    pub(super) fn refused(&self, reason: &str) -> Broken {
        broken(reason, self.next.index)
    }
}

fn broken(detail: &str, index: usize) -> Broken {
    Broken {
        code: Code::GraphqlSyntax,
        message: format!("The document can't be parsed: {detail}."),
        index,
    }
}

fn read<'a>(lexer: &mut Lexer<'a>, end: usize) -> Result<Token<'a>, Broken> {
    for token in lexer.by_ref() {
        let token = token.map_err(|error| lexical(&error))?;
        let (kind, text, index) = (token.kind(), token.data(), token.index());
        match kind {
            TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma => {}
            // The lexer overlooks a line break that is the first character of a string.
            TokenKind::StringValue if !is_block(text) && text.contains(['\n', '\r']) => {
                return Err(broken(LINE_BREAK, index));
            }
            _ => return Ok(Token { kind, text, index }),
        }
    }
    Ok(Token {
        kind: TokenKind::Eof,
        text: "",
        index: end,
    })
}

fn is_block(string: &str) -> bool {
    string.starts_with("\"\"\"")
}

const LINE_BREAK: &str =
    "a string ends before its line does: write a line break as `\\n`, or use `\"\"\"`";

/// What the lexer did not like. Its own words quote the text.
fn lexical(error: &Error) -> Broken {
    if error.is_limit() {
        return Broken {
            code: Code::GraphqlLimit,
            message: "The document has too many tokens; white space and comments count.".to_owned(),
            index: error.index(),
        };
    }
    let said = error.message();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let detail = if has(&["unterminated string", "lexing string"]) {
        "a string is not closed"
    } else if has(&["line terminator"]) {
        LINE_BREAK
    } else if has(&["escape", "surrogate"]) {
        "a string has an escape that there is not"
    } else if has(&["zeroes", "suffix", "digit", "float value"]) {
        "a number is not well formed"
    } else if has(&["spread"]) {
        "expected `...`"
    } else {
        "unexpected character"
    };
    broken(detail, error.index())
}

/// A kind of token in the words of people who write GraphQL.
fn describe(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Bang => "`!`",
        TokenKind::Dollar => "`$`",
        TokenKind::Amp => "`&`",
        TokenKind::Spread => "`...`",
        TokenKind::Colon => "`:`",
        TokenKind::Eq => "`=`",
        TokenKind::At => "`@`",
        TokenKind::LParen => "`(`",
        TokenKind::RParen => "`)`",
        TokenKind::LBracket => "`[`",
        TokenKind::RBracket => "`]`",
        TokenKind::LCurly => "`{`",
        TokenKind::RCurly => "`}`",
        TokenKind::Pipe => "`|`",
        TokenKind::Eof => "the end of the document",
        TokenKind::Name => "a name",
        TokenKind::StringValue => "a string",
        TokenKind::Int | TokenKind::Float => "a number",
        TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma => "white space",
    }
}
