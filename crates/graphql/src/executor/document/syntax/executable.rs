//! Operations, fragments, and what they are made of.

use apollo_parser::TokenKind as Token;

use super::reader::{Broken, Parsed, Reader};

/// Whether a variable may stand in a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Variables {
    Allowed,
    /// In a default, in a directive of a variable, and in a type definition.
    Refused,
}

impl Reader<'_> {
    /// The whole document.
    pub(super) fn document(&mut self) -> Parsed {
        if self.at(Token::Eof) {
            return Err(self.refused("it is empty"));
        }
        while !self.at(Token::Eof) {
            self.definition()?;
        }
        Ok(())
    }

    fn definition(&mut self) -> Parsed {
        if self.at(Token::LCurly) {
            return self.selection_set();
        }
        let place = self.span();
        let described = self.description()?;
        if described
            && matches!(
                self.keyword(),
                "query" | "mutation" | "subscription" | "fragment"
            )
        {
            self.descriptions.push(place);
        }
        match self.keyword() {
            "query" | "mutation" | "subscription" => self.operation(),
            "fragment" => self.fragment(),
            "extend" if !described => self.extension(),
            "schema" | "scalar" | "type" | "interface" | "union" | "enum" | "input"
            | "directive" => self.type_definition(),
            _ => Err(self.expected("an operation or a fragment")),
        }
    }

    /// Says whether there was a description.
    pub(super) fn description(&mut self) -> Result<bool, Broken> {
        self.eat(Token::StringValue)
    }

    fn operation(&mut self) -> Parsed {
        self.advance()?;
        self.eat(Token::Name)?;
        self.optional_many(Token::LParen, Token::RParen, Self::variable_definition)?;
        self.directives(Variables::Allowed)?;
        self.selection_set()
    }

    fn variable_definition(&mut self) -> Parsed {
        let place = self.span();
        if self.description()? {
            self.descriptions.push(place);
        }
        self.variable()?;
        self.expect(Token::Colon)?;
        self.type_reference()?;
        if self.eat(Token::Eq)? {
            self.value(Variables::Refused)?;
        }
        self.directives(Variables::Refused)?;
        Ok(())
    }

    fn variable(&mut self) -> Parsed {
        self.expect(Token::Dollar)?;
        self.name()
    }

    fn fragment(&mut self) -> Parsed {
        self.advance()?;
        self.fragment_name()?;
        self.expect_keyword("on")?;
        self.name()?;
        self.directives(Variables::Allowed)?;
        self.selection_set()
    }

    fn fragment_name(&mut self) -> Parsed {
        if self.keyword() == "on" {
            return Err(self.refused("a fragment can't be named `on`"));
        }
        self.name()
    }

    fn selection_set(&mut self) -> Parsed {
        self.nested(|reader| reader.many(Token::LCurly, Token::RCurly, Self::selection))
    }

    fn selection(&mut self) -> Parsed {
        if self.eat(Token::Spread)? {
            self.fragment_use()
        } else {
            self.field()
        }
    }

    fn field(&mut self) -> Parsed {
        self.name()?;
        if self.eat(Token::Colon)? {
            self.name()?;
        }
        self.arguments(Variables::Allowed)?;
        self.directives(Variables::Allowed)?;
        if self.at(Token::LCurly) {
            self.selection_set()?;
        }
        Ok(())
    }

    fn fragment_use(&mut self) -> Parsed {
        if self.eat_keyword("on")? {
            self.name()?;
        } else if self.eat(Token::Name)? {
            self.directives(Variables::Allowed)?;
            return Ok(());
        }
        self.directives(Variables::Allowed)?;
        self.selection_set()
    }

    fn arguments(&mut self, variables: Variables) -> Parsed {
        self.optional_many(Token::LParen, Token::RParen, |reader| {
            reader.named_value(variables)
        })?;
        Ok(())
    }

    /// An argument, or a field of an input object: never a name alone.
    fn named_value(&mut self, variables: Variables) -> Parsed {
        self.name()?;
        if !self.eat(Token::Colon)? {
            return Err(self.expected("`:` and a value after the name"));
        }
        self.value(variables)
    }

    pub(super) fn value(&mut self, variables: Variables) -> Parsed {
        if self.at(Token::LBracket) {
            return self.nested(|reader| {
                reader.any(Token::LBracket, Token::RBracket, |reader| {
                    reader.value(variables)
                })
            });
        }
        if self.at(Token::LCurly) {
            return self.nested(|reader| {
                reader.any(Token::LCurly, Token::RCurly, |reader| {
                    reader.named_value(variables)
                })
            });
        }
        if self.at(Token::Dollar) {
            return match variables {
                Variables::Allowed => self.variable(),
                Variables::Refused => Err(self.refused("a variable can't stand here")),
            };
        }
        let literals = [Token::Name, Token::Int, Token::Float, Token::StringValue];
        if literals.into_iter().any(|kind| self.at(kind)) {
            self.advance()
        } else {
            Err(self.expected("a value"))
        }
    }

    /// Says whether there were directives.
    pub(super) fn directives(&mut self, variables: Variables) -> Result<bool, Broken> {
        let there = self.at(Token::At);
        while self.eat(Token::At)? {
            self.name()?;
            self.arguments(variables)?;
        }
        Ok(there)
    }

    pub(super) fn type_reference(&mut self) -> Parsed {
        if self.at(Token::LBracket) {
            self.nested(|reader| {
                reader.advance()?;
                reader.type_reference()?;
                reader.expect(Token::RBracket)
            })?;
        } else if !self.eat(Token::Name)? {
            return Err(self.expected("a type"));
        }
        self.eat(Token::Bang)?;
        Ok(())
    }
}
