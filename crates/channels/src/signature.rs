//! Signed webhooks, as the [Standard Webhooks](https://www.standardwebhooks.com) specification has them: the headers
//! `webhook-id`, `webhook-timestamp` and `webhook-signature`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// The header with the id of an event: the same at each repetition.
pub const ID: &str = "webhook-id";
/// The header with the time of signing, in seconds since 1970.
pub const TIMESTAMP: &str = "webhook-timestamp";
/// The header with signatures, separated by spaces: `v1,` and base64.
pub const SIGNATURE: &str = "webhook-signature";

/// Prefix of every secret.
const PREFIX: &str = "whsec_";
/// Seconds that a signature may be old, or ahead of our clock.
const TOLERANCE: i64 = 5 * 60;
/// Bytes of a secret.
const BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The shared signing secret.
#[derive(Clone)]
pub struct Secret(hmac::Key);

/// Why a request isn't believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// A header is absent or can't be read.
    #[error("the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are needed")]
    Header,
    /// It was signed too long ago, or will be.
    #[error("the request was signed more than 5 minutes from now")]
    Time,
    /// It was signed with another secret, or changed since.
    #[error("no signature of the request is made with this channel's secret")]
    Signature,
}

impl Secret {
    /// Reads `whsec_` and 24 to 64 bytes in base64. None for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.trim().strip_prefix(PREFIX)?).ok()?;
        BYTES.contains(&bytes.len()).then(|| Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    /// Writes a secret of random bytes, at least 24 of them.
    pub fn write(bytes: &[u8]) -> String {
        format!("{PREFIX}{}", STANDARD.encode(bytes))
    }

    /// Returns the value of the header `webhook-signature`.
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let tag = hmac::sign(&self.0, &signed(id, timestamp, body));
        format!("v1,{}", STANDARD.encode(tag.as_ref()))
    }

    /// Checks the headers of a request at a time, in seconds since 1970.
    ///
    /// # Errors
    ///
    /// [`Rejected`] says why the request isn't believed.
    pub fn verify(
        &self,
        (id, timestamp, signatures): (Option<&str>, Option<&str>, Option<&str>),
        body: &[u8],
        now: i64,
    ) -> Result<(), Rejected> {
        let id = id.filter(|id| !id.is_empty()).ok_or(Rejected::Header)?;
        let timestamp = timestamp.and_then(|text| text.parse::<i64>().ok()).ok_or(Rejected::Header)?;
        let signatures = signatures.ok_or(Rejected::Header)?;
        let message = signed(id, timestamp, body);
        // During a change of secrets the other side signs with both.
        let mut tags = signatures.split(' ').filter_map(|each| STANDARD.decode(each.strip_prefix("v1,")?).ok());
        if !tags.any(|tag| hmac::verify(&self.0, &message, &tag).is_ok()) {
            return Err(Rejected::Signature);
        }
        if now.saturating_sub(timestamp).saturating_abs() > TOLERANCE { Err(Rejected::Time) } else { Ok(()) }
    }
}

fn signed(id: &str, timestamp: i64, body: &[u8]) -> Vec<u8> {
    [format!("{id}.{timestamp}.").as_bytes(), body].concat()
}
