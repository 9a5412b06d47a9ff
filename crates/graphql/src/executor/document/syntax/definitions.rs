//! Definitions of types. A document that has some does not run; that is distinguished from one that is not GraphQL at all.

use apollo_parser::TokenKind as Token;

use super::{
    executable::Variables,
    reader::{Broken, Parsed, Reader},
};

/// Where a directive may be said to stand (GraphQL specification, `DirectiveLocation`).
const LOCATIONS: [&str; 20] = [
    "ARGUMENT_DEFINITION",
    "DIRECTIVE_DEFINITION",
    "ENUM",
    "ENUM_VALUE",
    "FIELD",
    "FIELD_DEFINITION",
    "FRAGMENT_DEFINITION",
    "FRAGMENT_SPREAD",
    "INLINE_FRAGMENT",
    "INPUT_FIELD_DEFINITION",
    "INPUT_OBJECT",
    "INTERFACE",
    "MUTATION",
    "OBJECT",
    "QUERY",
    "SCALAR",
    "SCHEMA",
    "SUBSCRIPTION",
    "UNION",
    "VARIABLE_DEFINITION",
];

impl Reader<'_> {
    /// What follows a description, if there is one.
    pub(super) fn type_definition(&mut self) -> Parsed {
        let keyword = self.keyword();
        self.advance()?;
        match keyword {
            "schema" => {
                self.directives(Variables::Refused)?;
                self.many(Token::LCurly, Token::RCurly, Self::operation_type)
            }
            "directive" => self.directive_definition(),
            _ => {
                self.name()?;
                self.type_body(keyword)?;
                Ok(())
            }
        }
    }

    /// `extend` and what it extends by, which can't be nothing.
    pub(super) fn extension(&mut self) -> Parsed {
        self.advance()?;
        let keyword = self.keyword();
        let extends = match keyword {
            "schema" => {
                self.advance()?;
                let directives = self.directives(Variables::Refused)?;
                self.optional_many(Token::LCurly, Token::RCurly, Self::operation_type)?
                    || directives
            }
            "scalar" | "type" | "interface" | "union" | "enum" | "input" => {
                self.advance()?;
                self.name()?;
                self.type_body(keyword)?
            }
            _ => return Err(self.expected("what is extended")),
        };
        if extends {
            Ok(())
        } else {
            Err(self.expected("something to extend it by"))
        }
    }

    /// What follows the name of a type. Says whether there was anything.
    fn type_body(&mut self, keyword: &str) -> Result<bool, Broken> {
        let implements =
            matches!(keyword, "type" | "interface") && self.eat_keyword("implements")?;
        if implements {
            self.separated(Token::Amp, Self::name)?;
        }
        let directives = self.directives(Variables::Refused)?;
        let (open, close) = (Token::LCurly, Token::RCurly);
        let members = match keyword {
            "type" | "interface" => self.optional_many(open, close, Self::field_definition)?,
            "enum" => self.optional_many(open, close, Self::enum_value)?,
            "input" => self.optional_many(open, close, Self::input_value)?,
            "union" => {
                let members = self.eat(Token::Eq)?;
                if members {
                    self.separated(Token::Pipe, Self::name)?;
                }
                members
            }
            _ => false,
        };
        Ok(implements || directives || members)
    }

    fn operation_type(&mut self) -> Parsed {
        if !matches!(self.keyword(), "query" | "mutation" | "subscription") {
            return Err(self.expected("`query`, `mutation` or `subscription`"));
        }
        self.advance()?;
        self.expect(Token::Colon)?;
        self.name()
    }

    fn field_definition(&mut self) -> Parsed {
        self.description()?;
        self.name()?;
        self.optional_many(Token::LParen, Token::RParen, Self::input_value)?;
        self.expect(Token::Colon)?;
        self.type_reference()?;
        self.directives(Variables::Refused)?;
        Ok(())
    }

    fn input_value(&mut self) -> Parsed {
        self.description()?;
        self.name()?;
        self.expect(Token::Colon)?;
        self.type_reference()?;
        if self.eat(Token::Eq)? {
            self.value(Variables::Refused)?;
        }
        self.directives(Variables::Refused)?;
        Ok(())
    }

    fn enum_value(&mut self) -> Parsed {
        self.description()?;
        if matches!(self.keyword(), "true" | "false" | "null") {
            return Err(self.refused("a value of an enum can't have that name"));
        }
        self.name()?;
        self.directives(Variables::Refused)?;
        Ok(())
    }

    fn directive_definition(&mut self) -> Parsed {
        self.expect(Token::At)?;
        self.name()?;
        self.optional_many(Token::LParen, Token::RParen, Self::input_value)?;
        self.eat_keyword("repeatable")?;
        self.expect_keyword("on")?;
        self.separated(Token::Pipe, |reader| {
            if LOCATIONS.contains(&reader.keyword()) {
                reader.advance()
            } else {
                Err(reader.expected("a place for a directive"))
            }
        })
    }
}
