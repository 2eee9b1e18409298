//! Closed sets of names: values of attributes, which the server writes and the browser reads.

/// Defines an enum of names, with [`name`](crate::shared::form::As::name) and its counterpart `parse`.
macro_rules! names {
    ($(#[$doc:meta])* $Name:ident { $( $(#[$of:meta])* $Variant:ident = $name:literal, )+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Name { $( $(#[$of])* $Variant, )+ }

        impl $Name {
            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$Variant => $name, )+ }
            }

            /// Reads a name; None if there is no such one.
            pub fn parse(name: &str) -> Option<Self> {
                Some(match name { $( $name => Self::$Variant, )+ _ => return None })
            }
        }
    };
}
pub(crate) use names;
