//! Islands: parts of a page that hold state in signals and draw it with `view!`. The server draws them first, and their
//! browser half is behind the feature `hydrate`. Modules that place what the server drew are in `frontend`.

/// Defines functions of an island that only the browser has. On the server they do nothing.
macro_rules! in_browser {
    ($( $module:ident { $( fn $name:ident($($of:ty),*); )* } )*) => { $(
        #[cfg(feature = "hydrate")]
        mod $module;
        #[cfg(not(feature = "hydrate"))]
        mod $module {
            $( pub fn $name($(_: $of),*) {} )*
        }
    )* };
}

/// Starts what signals and views need in the browser.
fn wake() {
    #[cfg(feature = "hydrate")]
    crate::browser::wake();
}

pub mod agent_bar;
pub mod comments;
pub mod composer;
pub mod new_session;
pub mod palette;
pub mod schedules;
