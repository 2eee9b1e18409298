//! Enums of words, the most common type in the API.

use serde::Deserializer;
use serde::de::{Error, Visitor};
use std::fmt;

/// Parses a word of a closed set, for the `Deserialize` of `words!`. The error of any other value lists the words.
pub fn read_word<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    parse: fn(&str) -> Option<T>,
    words: &'static [&'static str],
) -> Result<T, D::Error> {
    struct Word<T>(fn(&str) -> Option<T>, &'static [&'static str]);
    impl<T> Visitor<'_> for Word<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "one of `{}`", self.1.join("`, `"))
        }
        fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
            (self.0)(word).ok_or_else(|| E::unknown_variant(word, self.1))
        }
    }
    deserializer.deserialize_str(Word(parse, words))
}

/// Defines an enum of words: its tags, parser, serializer, and schema if the crate has a feature `schema`.
///
/// ```
/// model::words! {
///     /// Who speaks next.
///     Turn {
///         /// Somebody at a keyboard.
///         Person = "person",
///         /// A program.
///         Agent = "agent",
///     }
/// }
/// assert_eq!(Turn::parse("agent"), Some(Turn::Agent));
/// assert_eq!(Turn::Person.as_str(), "person");
/// ```
#[macro_export]
macro_rules! words {
    ($( $(#[doc = $doc:literal])* $Name:ident { $( $(#[doc = $vdoc:expr])* $Variant:ident = $tag:literal, )+ } )*) => { $(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $Name { $( $(#[doc = $vdoc])* #[serde(rename = $tag)] $Variant, )+ }

        impl $Name {
            /// All variants, in the order of their definition.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];
            /// The words as in JSON, in the order of [`Self::ALL`].
            pub const WORDS: &'static [&'static str] = &[$($tag),+];
            /// Returns the word as in JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$Variant => $tag,)+ }
            }
            /// Returns the variant of a word as in JSON; None for any other word. Case-sensitive.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($tag => Some(Self::$Variant),)+ _ => None }
            }
            /// Returns the word for display, with spaces: `partly applied`.
            pub fn label(self) -> String {
                self.as_str().replace('_', " ")
            }
        }
        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::read_word(deserializer, Self::parse, Self::WORDS)
            }
        }
        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )* };
}
