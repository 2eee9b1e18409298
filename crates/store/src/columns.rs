//! Types for the columns that a statement selects and writes.

use std::borrow::Cow;

/// Declares a struct and reads it from columns of the same names; with `of field: Type`, another such struct from the
/// same row.
///
/// `sqlx`'s own derive does the same, but it builds `SQLite` a second time, for the compiler: minutes of each cold
/// build.
macro_rules! columns {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Name:ident $(of $of_vis:vis $of:ident: $Of:ty)? {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $Type:ty,)+
        }
    ) => {
        $(#[$meta])*
        $vis struct $Name {
            $($of_vis $of: $Of,)?
            $($(#[$field_meta])* $field_vis $field: $Type,)+
        }

        impl<'r, R: sqlx::Row> sqlx::FromRow<'r, R> for $Name
        where
            &'static str: sqlx::ColumnIndex<R>,
            $($Of: sqlx::FromRow<'r, R>,)?
            $($Type: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,)+
        {
            fn from_row(row: &'r R) -> sqlx::Result<Self> {
                Ok(Self {
                    $($of: <$Of>::from_row(row)?,)?
                    $($field: row.try_get(stringify!($field))?,)+
                })
            }
        }
    };
}
pub(crate) use columns;

/// A text column's value: `PostgreSQL` refuses NUL there.
pub(crate) fn text(value: &str) -> Cow<'_, str> {
    if value.contains('\0') { Cow::Owned(value.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(value) }
}
