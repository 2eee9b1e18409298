//! Closed sets of words, which are most of what crosses the wire.

/// Writes a closed set of words: the enum, its tags, its reading, and its schema where the crate has a feature `schema`.
#[macro_export]
macro_rules! words {
    ($( $(#[doc = $doc:literal])* $Name:ident { $( $(#[doc = $vdoc:literal])* $Variant:ident = $tag:literal, )+ } )*) => { $(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $Name { $( $(#[doc = $vdoc])* #[serde(rename = $tag)] $Variant, )+ }

        impl $Name {
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];
            pub const WORDS: &'static [&'static str] = &[$($tag),+];
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$Variant => $tag,)+ }
            }
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($tag => Some(Self::$Variant),)+ _ => None }
            }
            /// For people: `partly applied`.
            pub fn label(self) -> String {
                self.as_str().replace('_', " ")
            }
        }
        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )* };
}
