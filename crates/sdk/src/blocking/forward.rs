//! Runs async methods in blocking ones.

use crate::Error;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime on the calling thread.
#[derive(Clone)]
pub struct Alone(Arc<Runtime>);

impl Alone {
    pub fn new() -> Result<Self, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.map(|runtime| Self(Arc::new(runtime))).map_err(|error| Error::Setup(format!("Can't wait: {error}")))
    }

    /// Blocks on a future. Fails inside an async runtime, which it would stop.
    pub fn wait<F: Future>(&self, future: F) -> Result<F::Output, Error> {
        if Handle::try_current().is_ok() {
            let hint = "Use the async client here: `sdk::Verbatim`";
            return Err(Error::Setup(format!("The blocking client was called within an async runtime\n{hint}")));
        }
        Ok(self.0.block_on(future))
    }
}

/// Converts a result of the async client to one of the blocking client.
pub trait Twin<T> {
    fn twin(self, alone: &Alone) -> T;
}

/// Types that are the same in both clients.
impl<T> Twin<T> for T {
    fn twin(self, _: &Alone) -> T {
        self
    }
}

/// Defines a type of the blocking client, with the async methods of its counterpart that take `&self`.
macro_rules! forward {
    ($(#[doc = $doc:literal])+ $Name:ident for $Async:ty:
        $( $name:ident($($argument:ident: $Type:ty),*) -> $R:ty; )*) => {
        $(#[doc = $doc])+
        pub struct $Name {
            inner: $Async,
            alone: Alone,
        }

        impl forward::Twin<$Name> for $Async {
            fn twin(self, alone: &Alone) -> $Name {
                $Name { inner: self, alone: alone.clone() }
            }
        }

        impl $Name {
            $( #[doc = concat!("Waits for [`", stringify!($name), "`](", stringify!($Async), "::", stringify!($name), ").")]
               #[doc = "\n# Errors\n\nThose of the async method, and [`Error::Setup`] within an async runtime."]
               pub fn $name(&self, $($argument: $Type),*) -> Result<$R, Error> {
                   let answer = self.alone.wait(self.inner.$name($($argument),*))??;
                   Ok(forward::Twin::twin(answer, &self.alone))
               } )*
        }
    };
}
pub(super) use forward;
