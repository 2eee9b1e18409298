//! Web Push: notifications that a browser shows while no page is open (RFC 8030, 8291 and 8292).
//!
//! The browser names an address of its maker's push service and two keys. What is sent there is encrypted for that browser
//! alone, and signed with the server's own key.

mod seal;
mod vapid;

pub use vapid::PushKey;

use crate::failure::{Failure, SettingError};
use crate::http::Http;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use ring::digest;

/// Most bytes of a message: push services take 4,096 with what encryption adds.
pub const MOST_BYTES: usize = 3_000;
/// Most characters of an address.
const ADDRESS_CHARS: usize = 2_000;
/// Bytes of a `Topic`, before Base64: it has 32 characters at most.
const TOPIC_BYTES: usize = 24;

/// A browser that takes messages.
#[derive(Clone)]
pub struct PushAddress {
    url: Url,
    receiver: [u8; seal::PUBLIC_BYTES],
    secret: [u8; seal::SECRET_BYTES],
}

/// A message to a browser.
#[derive(Debug, Clone, Copy)]
pub struct PushMessage<'a> {
    /// The text that the browser's worker gets.
    pub body: &'a str,
    /// Messages about the same thing replace each other while the browser can't be reached.
    pub topic: &'a str,
    /// Whether a phone that saves power is woken up.
    pub is_urgent: bool,
    /// Seconds for which the push service tries.
    pub seconds: u32,
}

impl PushAddress {
    /// Reads what a browser gives as its subscription: the address, and the keys in Base64 for URLs.
    ///
    /// # Errors
    ///
    /// Names the field, one of `endpoint`, `p256dh` and `auth`.
    pub fn read(http: &Http, endpoint: &str, p256dh: &str, auth: &str) -> Result<Self, SettingError> {
        if endpoint.chars().count() > ADDRESS_CHARS {
            return Err(SettingError::new("endpoint", format!("at most {ADDRESS_CHARS} characters")));
        }
        let url = http.url("endpoint", endpoint)?;
        let receiver = bytes("p256dh", p256dh, "a public key of P-256: 65 bytes in Base64 for URLs")?;
        let secret = bytes("auth", auth, "16 bytes in Base64 for URLs")?;
        Ok(Self { url, receiver, secret })
    }

    /// Checks that something can be encrypted for the browser.
    ///
    /// # Errors
    ///
    /// Names `p256dh` if it isn't a point on the curve.
    pub fn check(&self) -> Result<(), SettingError> {
        let sealed = seal::seal(&self.receiver, &self.secret, b"");
        sealed.map(drop).map_err(|_| SettingError::new("p256dh", "a point on the curve P-256"))
    }

    /// Sends a message. `subject` is an address at which the push service finds who sends, `now` the time in seconds since
    /// 1970.
    ///
    /// # Errors
    ///
    /// A [`Failure::Never`] with the status 404 or 410 says that the browser takes no messages any more.
    pub async fn send(
        &self,
        http: &Http,
        key: &PushKey,
        subject: &str,
        now: i64,
        message: PushMessage<'_>,
    ) -> Result<(), Failure> {
        let unusable = |_| Failure::never("the message can't be encrypted");
        let sealed = seal::seal(&self.receiver, &self.secret, message.body.as_bytes()).map_err(unusable)?;
        let audience = self.url.origin().ascii_serialization();
        let authorization = key.authorization(&audience, subject, now).map_err(unusable)?;
        let topic = digest::digest(&digest::SHA256, message.topic.as_bytes());
        let topic = URL_SAFE_NO_PAD.encode(topic.as_ref().get(..TOPIC_BYTES).unwrap_or_default());
        let request = http
            .request("POST", self.url.clone())
            .header("authorization", authorization)
            .header("content-type", "application/octet-stream")
            .header("content-encoding", "aes128gcm")
            .header("ttl", message.seconds.to_string())
            .header("urgency", if message.is_urgent { "high" } else { "normal" })
            .header("topic", topic)
            .body(sealed);
        http.send(request).await.map(drop)
    }
}

fn bytes<const N: usize>(field: &'static str, text: &str, expected: &str) -> Result<[u8; N], SettingError> {
    let decoded = URL_SAFE_NO_PAD.decode(text.trim().trim_end_matches('=')).ok();
    decoded.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| SettingError::new(field, expected))
}
