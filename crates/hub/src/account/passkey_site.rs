//! For which name browsers keep passkeys.

use crate::context::Hub;
use api::{Problem, ProblemCode};
use std::net::IpAddr;
use webauthn_rp::request::{AsciiDomain, RpId};

/// The name for which browsers keep passkeys, and the origin of the pages that use them.
pub(super) struct Site {
    pub name: RpId,
    pub origin: String,
}

impl Site {
    /// That of the public URL, otherwise this machine's own. None for a public URL without a name.
    pub fn of(hub: &Hub) -> Option<Self> {
        let (scheme, rest) = hub.settings.base_url.split_once("://")?;
        let authority = rest.split('/').next().unwrap_or_default();
        let port = authority.rsplit_once(':').map(|(_, port)| port).filter(|port| port.parse::<u16>().is_ok());
        let host = port.map_or(authority, |port| &authority[..authority.len() - port.len() - 1]);
        let host = if hub.settings.is_public() { host } else { "localhost" };
        if host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() {
            return None;
        }
        let origin = format!("{scheme}://{host}{}", port.map(|port| format!(":{port}")).unwrap_or_default());
        Some(Self { name: RpId::Domain(AsciiDomain::try_from(host.to_ascii_lowercase()).ok()?), origin })
    }

    pub fn needed(hub: &Hub) -> Result<Self, Problem> {
        Self::of(hub).ok_or_else(|| {
            let problem = Problem::new(ProblemCode::NotFound, "Browsers create passkeys for names alone");
            problem.hint("Start the server with `--public-url https://NAME`")
        })
    }
}
