//! Feeding a page to the parser in pieces, and stopping where reading it would take too long.
//!
//! The parser takes quadratic time for some pages: it looks through all open elements at a tag, and through all attributes of a tag at
//! each of them. So it gets one tag at a time, after its attributes were counted here, and its work is counted between tags. Where a
//! tag ends is found here as the tokeniser finds it. Source: WHATWG HTML, section 13.2.5.

use std::cell::Cell;

use html5ever::{
    Attribute, TokenizerResult,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
    tree_builder::{TreeBuilder, TreeBuilderOpts},
};

use super::elements::Sink;

/// Elements within elements. Browsers build no deeper trees either.
const DEPTH_MAX: usize = 512;
/// Attributes of a tag.
const ATTRIBUTES_MAX: usize = 256;
/// Work for a byte of a page. One whose elements are a hundred deep takes some ten. Unit: steps.
const STEPS_PER_BYTE: usize = 64;
/// Work for any page, however small. Unit: steps.
const STEPS: usize = 1 << 20;

/// What was built of a page, and whether a part of it was not read.
pub(super) fn parsed(html: &str) -> (Sink, bool) {
    let feeder = Feeder::new(html.len());
    let is_cut = feeder.feed_page(html).is_none();
    feeder.tokenizer.end();
    (feeder.tokenizer.sink.builder.sink, is_cut)
}

/// A piece that can't be fed.
type Fed<T> = Option<T>;

struct Feeder {
    tokenizer: Tokenizer<Watched>,
    queue: BufferQueue,
    steps_max: usize,
}

impl Feeder {
    fn new(length: usize) -> Self {
        let watched = Watched {
            builder: TreeBuilder::new(Sink::default(), TreeBuilderOpts::default()),
            tokens: Cell::new(0),
            is_text: Cell::new(false),
        };
        Self {
            tokenizer: Tokenizer::new(watched, TokenizerOpts::default()),
            queue: BufferQueue::default(),
            steps_max: length.saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS),
        }
    }

    /// `None`: it stopped before the end.
    fn feed_page(&self, html: &str) -> Fed<()> {
        let mut rest = html;
        while let Some(text) = rest.find('<') {
            rest = self.feed(rest, text);
            rest = if self.tokenizer.sink.is_text.get() {
                self.feed_in_text(rest)?
            } else {
                self.feed_markup(rest)?
            };
            let built = &self.tokenizer.sink.builder.sink;
            if built.deepest() > DEPTH_MAX || built.steps() > self.steps_max {
                return None;
            }
        }
        self.feed(rest, rest.len());
        Some(())
    }

    /// Feeds what begins with `<` where markup is read as such.
    fn feed_markup<'a>(&self, rest: &'a str) -> Fed<&'a str> {
        let behind = rest.strip_prefix('<').unwrap_or_default();
        let name = behind.strip_prefix('/').unwrap_or(behind);
        if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            let length = tag_length(name, Part::Name)?;
            return Some(self.feed(rest, rest.len() - name.len() + length));
        }
        let is_foreign = || {
            let sink = &self.tokenizer.sink;
            sink.adjusted_current_node_present_but_not_in_html_namespace()
        };
        let end = if let Some(comment) = behind.strip_prefix("!--") {
            comment_length(comment).map(|length| length + "<!--".len())
        } else if behind.starts_with("![CDATA[") && is_foreign() {
            rest.find("]]>").map(|end| end + "]]>".len())
        } else if behind.starts_with(['!', '?', '/']) {
            rest.find('>').map(|end| end + 1)
        } else {
            Some(1)
        };
        Some(self.feed(rest, end.unwrap_or(rest.len())))
    }

    /// Feeds what begins with `<` where no tag is read but the one that ends the element.
    fn feed_in_text<'a>(&self, rest: &'a str) -> Fed<&'a str> {
        let Some(name) = rest.strip_prefix("</") else {
            return Some(self.feed(rest, 1));
        };
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
        let length = name.bytes().take_while(is_letter).count();
        let attributes = name.get(length..).unwrap_or_default();
        if !attributes.starts_with(|first: char| first == '/' || is_blank(first)) {
            // Its end is fed with the text behind it.
            return Some(self.feed(rest, "</".len() + length));
        }
        // What may still wait in the tokeniser, such as the beginning of another tag, is given on before.
        let rest = self.feed(rest, 1);
        let before = self.tokenizer.sink.tokens.get();
        let rest = self.feed(rest, "/".len() + length + 1);
        if self.tokenizer.sink.tokens.get() != before {
            // It was text.
            return Some(rest);
        }
        let length = tag_length(rest, Part::BeforeName)?;
        Some(self.feed(rest, length))
    }

    /// Feeds so many bytes, and gives what follows.
    fn feed<'a>(&self, text: &'a str, length: usize) -> &'a str {
        let (piece, rest) = text.split_at_checked(length).unwrap_or((text, ""));
        self.queue.push_back(StrTendril::from_slice(piece));
        while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
        rest
    }
}

/// The parser, with an eye on what the tokeniser gives it.
struct Watched {
    builder: TreeBuilder<usize, Sink>,
    /// How many tokens there were.
    tokens: Cell<usize>,
    /// Whether the tokeniser reads text in which no tag counts but one.
    is_text: Cell<bool>,
}

impl TokenSink for Watched {
    type Handle = usize;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<usize> {
        if let Token::TagToken(tag) = &token {
            self.is_text.set(false);
            self.builder.sink.take_steps(self.steps_of(tag));
        }
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get().wrapping_add(1));
        }
        let result = self.builder.process_token(token, line);
        if matches!(
            result,
            TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext
        ) {
            self.is_text.set(true);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Watched {
    /// The work that a tag makes which is not seen otherwise: elements of fonts are looked for in a list of their own, which is as long
    /// as the page was deep.
    fn steps_of(&self, tag: &Tag) -> usize {
        let is_listed = matches!(
            &*tag.name,
            "a" | "b"
                | "big"
                | "code"
                | "em"
                | "font"
                | "i"
                | "nobr"
                | "s"
                | "small"
                | "strike"
                | "strong"
                | "tt"
                | "u"
        );
        if !is_listed {
            return 1;
        }
        let attributes: &Vec<Attribute> = &tag.attrs;
        let each = attributes.len().saturating_add(2);
        self.builder.sink.deepest().saturating_mul(each)
    }
}

/// Where in a tag.
#[derive(Clone, Copy)]
enum Part {
    /// In its name.
    Name,
    /// Before an attribute's name.
    BeforeName,
    /// In an attribute's name.
    AttributeName,
    /// Behind an attribute's name and white space.
    AfterName,
    /// Behind an attribute's `=`.
    BeforeValue,
    /// In a value without quotes.
    Plain,
    /// In a value with these quotes.
    Quoted(u8),
}

/// How many bytes there are up to the end of a tag, with `>`, or to the end of the page. `None`: it has too many attributes.
fn tag_length(text: &str, part: Part) -> Fed<usize> {
    let (mut part, mut attributes) = (part, 0_usize);
    for (place, byte) in text.bytes().enumerate() {
        let is_quoted = matches!(part, Part::Quoted(_));
        if byte == b'>' && !is_quoted {
            return Some(place + 1);
        }
        let next = part.behind(byte);
        let begins = matches!(next, Part::AttributeName) && !matches!(part, Part::AttributeName);
        attributes += usize::from(begins);
        if attributes > ATTRIBUTES_MAX {
            return None;
        }
        part = next;
    }
    Some(text.len())
}

impl Part {
    /// Where in the tag the next letter is. Source: WHATWG HTML, sections 13.2.5.8 and 13.2.5.32 to 13.2.5.40.
    fn behind(self, byte: u8) -> Self {
        let blank = is_blank(char::from(byte));
        match self {
            Self::Quoted(quote) if byte == quote => Self::BeforeName,
            Self::Plain if blank => Self::BeforeName,
            Self::Name | Self::BeforeName if blank || byte == b'/' => Self::BeforeName,
            Self::AttributeName | Self::AfterName if byte == b'/' => Self::BeforeName,
            Self::AttributeName | Self::AfterName if byte == b'=' => Self::BeforeValue,
            Self::AttributeName | Self::AfterName if blank => Self::AfterName,
            Self::BeforeName | Self::AttributeName | Self::AfterName => Self::AttributeName,
            Self::BeforeValue if matches!(byte, b'"' | b'\'') => Self::Quoted(byte),
            Self::BeforeValue if !blank => Self::Plain,
            Self::Name | Self::BeforeValue | Self::Plain | Self::Quoted(_) => self,
        }
    }
}

fn is_blank(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | '\x0c' | ' ')
}

/// How many bytes a comment has behind `<!--`, with its end; `None` where it has none.
fn comment_length(comment: &str) -> Option<usize> {
    if comment.starts_with('>') {
        return Some(1);
    }
    if comment.starts_with("->") {
        return Some(2);
    }
    let mut from = 0;
    loop {
        let dashes = from + comment.get(from..)?.find("--")?;
        let behind = comment.get(dashes + 2..)?;
        if behind.starts_with('>') {
            return Some(dashes + 3);
        }
        if behind.starts_with("!>") {
            return Some(dashes + 4);
        }
        from = dashes + 1;
    }
}

#[cfg(test)]
mod tests;
