//! Authentication: log-ins, keys, and the audit log.

pub mod audit;
pub mod audit_log;
pub mod endpoints;
pub mod keys;
pub mod login;
pub mod methods;
mod passkey_site;
mod passkeys;
mod passwords;

pub(crate) use audit_log::{check_audit, list_audit};
pub(crate) use endpoints::*;
pub(crate) use methods::{begin_single_sign_on, list_login_methods, remove_login_method};
pub(crate) use passkeys::{add_passkey, create_passkey_options};
pub(crate) use passwords::set_password;
