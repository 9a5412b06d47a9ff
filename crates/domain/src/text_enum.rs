//! Enumerations whose values have a text in the contract: one list gives both directions.

/// Declares an enum whose every value has one text, with `ALL`, `code`, `parse`, `Display` and serde by that text.
macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $(#[$variant_doc])*
                #[serde(rename = $text)]
                $variant,
            )+
        }

        impl $name {
            /// Every value, in the order of its declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The value's text.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// Reads the exact text; `None` for any other.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.code())
            }
        }
    };
}

pub(crate) use text_enum;

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro is made for public modules")]
mod tests {
    text_enum!(
        /// A sample.
        Sample {
            First = "FIRST_ONE",
            Second = "SECOND",
        }
    );

    #[test]
    fn texts_are_read_and_written_exactly() {
        assert_eq!(Sample::ALL, [Sample::First, Sample::Second]);
        for sample in Sample::ALL {
            assert_eq!(Sample::parse(sample.code()), Some(*sample));
            assert_eq!(sample.to_string(), sample.code());
            let json = serde_json::to_string(sample).unwrap();
            assert_eq!(json, format!("\"{}\"", sample.code()));
            assert_eq!(serde_json::from_str::<Sample>(&json).unwrap(), *sample);
        }
        assert_eq!(Sample::parse("first_one"), None);
        assert_eq!(Sample::parse("First"), None);
        assert!(serde_json::from_str::<Sample>("\"First\"").is_err());
    }
}
