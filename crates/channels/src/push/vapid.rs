//! The server's own key, by which push services know who sends: RFC 8292.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::error::Unspecified;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

/// Seconds for which a signature holds. Push services take 24 hours at most.
const LIFE: i64 = 12 * 60 * 60;

/// A key pair of P-256.
pub struct PushKey(EcdsaKeyPair);

impl PushKey {
    /// Makes a key, as a text to be stored.
    ///
    /// # Errors
    ///
    /// The system has no randomness.
    pub fn make() -> Result<String, Unspecified> {
        let pair = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())?;
        Ok(URL_SAFE_NO_PAD.encode(pair.as_ref()))
    }

    /// Reads a key that was stored. None for anything else.
    pub fn read(text: &str) -> Option<Self> {
        let pair = URL_SAFE_NO_PAD.decode(text).ok()?;
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &pair, &SystemRandom::new()).ok().map(Self)
    }

    /// Returns the public key, as browsers take it: Base64 for URLs.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key().as_ref())
    }

    /// Returns the value of the header `Authorization` for a push service.
    pub(super) fn authorization(&self, audience: &str, subject: &str, now: i64) -> Result<String, Unspecified> {
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let head = part(json!({ "typ": "JWT", "alg": "ES256" }));
        let claims = part(json!({ "aud": audience, "exp": now + LIFE, "sub": subject }));
        let signed = format!("{head}.{claims}");
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes())?;
        Ok(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature.as_ref()), self.public()))
    }
}

#[cfg(test)]
mod tests {
    use super::{PushKey, URL_SAFE_NO_PAD};
    use base64::Engine as _;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    #[test]
    fn the_signature_holds_for_its_push_service() {
        let key = PushKey::read(&PushKey::make().unwrap()).unwrap();
        let header = key.authorization("https://push.example", "https://agents.example", 1_000_000).unwrap();
        let (token, public) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(public, key.public());
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(public));
        assert!(public.verify(signed.as_bytes(), &decode(signature)).is_ok());
        let parts: Vec<_> = signed.split('.').map(|part| String::from_utf8(decode(part)).unwrap()).collect();
        assert_eq!(
            parts,
            [
                r#"{"typ":"JWT","alg":"ES256"}"#,
                r#"{"aud":"https://push.example","exp":1043200,"sub":"https://agents.example"}"#
            ]
        );
    }

    #[test]
    fn anything_else_is_no_key() {
        for text in ["", "abc", "!", &"A".repeat(200)] {
            assert!(PushKey::read(text).is_none(), "{text}");
        }
    }
}
