//! Times stay true while a page is open, and speak the reader's own time zone on hover.

mod clock;

pub(crate) use clock::{day_and_hour, refresh, start};
