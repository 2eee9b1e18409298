//! `verbatim tls`: an authority of one's own, and a certificate by it.

use super::print;
use crate::authority::{self, Authority, Issued};
use crate::cli::{TlsCommand, TlsInit};
use crate::data_dir;
use anyhow::{Context as _, Result};

pub fn run(command: &TlsCommand) -> Result<()> {
    match command {
        TlsCommand::Init(args) => init(args),
    }
}

fn init(args: &TlsInit) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    data_dir::create(&dir).with_context(|| format!("{} can't be created", dir.display()))?;
    let authority = Authority::of(&dir);
    let issued = authority.init(&args.names, args.replace, authority::today()?)?;
    let Issued { names, is_new, fingerprint, until } = issued;
    let name = names.first().map_or("", String::as_str);
    let first = if is_new { "An authority and a certificate were created" } else { "The certificate was renewed" };
    let (chain, key, certificate) = (authority.chain(), authority.key(), authority.certificate());
    print(&format!(
        "{first}, for {}. It is valid until {until}.\n\n\
         Start the server with\n  --public-url https://{} --tls-cert {} --tls-key {}\n\
         One that runs with them takes a renewed certificate within seconds.\n\n\
         Devices have to trust the authority, once: it vouches for these names alone.\n\
         It is {}, and at /authority.crt of the server. Compare its fingerprint before:\n  SHA-256 {fingerprint}\n",
        names.join(", "),
        host(name),
        chain.display(),
        key.display(),
        certificate.display(),
    ))
}

/// A name as URLs have it.
fn host(name: &str) -> String {
    if name.contains(':') { format!("[{name}]") } else { name.to_owned() }
}
