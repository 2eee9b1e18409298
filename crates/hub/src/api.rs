//! The answer to each endpoint of the table: the function of its name, in the folder of its topic.

use crate::context::Scoped;
use crate::{
    account, channels, costs, driving, files, hooks, host, imports, machines, memory, messages, model_context, notices,
    people, push, redaction, requests, retention, routing, runs, schedules, search, sessions, settings, shares, types,
};
use api::contract;
use api::{Access, Api, Endpoint, Nothing, Problem};

/// Calls a function with what there is of path and input.
macro_rules! call {
    ($scoped:ident, $function:path, ($path:ident: Nothing, $input:ident: Nothing)) => {{
        let (Nothing {}, Nothing {}) = ($path, $input);
        $function($scoped).await
    }};
    ($scoped:ident, $function:path, ($path:ident: Nothing, $input:ident: $I:ident)) => {{
        let Nothing {} = $path;
        $function($scoped, $input).await
    }};
    ($scoped:ident, $function:path, ($path:ident: $P:ident, $input:ident: Nothing)) => {{
        let Nothing {} = $input;
        $function($scoped, &$path).await
    }};
    ($scoped:ident, $function:path, ($path:ident: $P:ident, $input:ident: $I:ident)) => {
        $function($scoped, &$path, $input).await
    };
}

macro_rules! answer {
    ($($topic:ident {
        $( $(#[$doc:meta])+ $method:ident $route:literal $name:ident / $Type:ident ($P:ident, $I:ident) -> $R:ident
            [$($access:tt)+]; )*
    })*) => {
        impl Api for Scoped {
            fn authorize(&self, access: &[Access]) -> Result<(), Problem> {
                self.may_use(access)
            }

            $($(
                async fn $name(
                    &self,
                    path: <contract::$Type as Endpoint>::Path,
                    input: <contract::$Type as Endpoint>::Input,
                ) -> Result<<contract::$Type as Endpoint>::Reply, Problem> {
                    self.may_use(contract::$Type::INFO.access)?;
                    call!(self, $topic::$name, (path: $P, input: $I))
                }
            )*)*
        }
    };
}

api::endpoints!(answer);
