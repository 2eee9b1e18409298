//! Encryption of a message for one browser: RFC 8291, with the content encoding of RFC 8188.

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{self, SystemRandom};

/// Bytes of a public key: an uncompressed point.
pub(super) const PUBLIC_BYTES: usize = 65;
/// Bytes of the secret that a browser gives beside its key.
pub(super) const SECRET_BYTES: usize = 16;
const SALT_BYTES: usize = 16;
/// Bytes of a record. A message is one.
const RECORD: u32 = 4_096;
/// Marks the last record.
const LAST: u8 = 2;

/// Encrypts a message with a key pair and a salt that are used once.
pub(super) fn seal(
    receiver: &[u8; PUBLIC_BYTES],
    secret: &[u8; SECRET_BYTES],
    text: &[u8],
) -> Result<Vec<u8>, Unspecified> {
    let random = SystemRandom::new();
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let sender = own.compute_public_key()?;
    let salt: [u8; SALT_BYTES] = rand::generate(&random)?.expose();
    agree_ephemeral(own, &UnparsedPublicKey::new(&ECDH_P256, receiver), |shared| {
        seal_with(shared, receiver, secret, sender.as_ref(), &salt, text)
    })?
}

fn seal_with(
    shared: &[u8],
    receiver: &[u8],
    secret: &[u8],
    sender: &[u8],
    salt: &[u8; SALT_BYTES],
    text: &[u8],
) -> Result<Vec<u8>, Unspecified> {
    let material: [u8; 32] = derive(secret, shared, &[b"WebPush: info\0", receiver, sender])?;
    let key: [u8; 16] = derive(salt, &material, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; 12] = derive(salt, &material, &[b"Content-Encoding: nonce\0"])?;
    let mut record = [text, &[LAST]].concat();
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)?;
    let length = u8::try_from(sender.len()).map_err(|_| Unspecified)?;
    Ok([&salt[..], &RECORD.to_be_bytes(), &[length], sender, &record].concat())
}

/// Derives a key (HKDF) for what `info` says.
fn derive<const N: usize>(salt: &[u8], material: &[u8], info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut derived = [0; N];
    Salt::new(HKDF_SHA256, salt).extract(material).expand(info, Length(N))?.fill(&mut derived)?;
    Ok(derived)
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::seal_with;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    /// The example of RFC 8291, section 5 and appendix A.
    #[test]
    fn a_message_is_encrypted_as_the_standard_does_it() {
        let [shared, receiver, secret, sender, salt] = [
            "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs",
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
            "DGv6ra1nlYgDCS1FRnbzlw",
        ]
        .map(|text| URL_SAFE_NO_PAD.decode(text).unwrap());
        let salt = salt.try_into().unwrap();
        let text = b"When I grow up, I want to be a watermelon";
        let sealed = seal_with(&shared, &receiver, &secret, &sender, &salt, text).unwrap();
        assert_eq!(
            URL_SAFE_NO_PAD.encode(sealed),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_\
             yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
                .replace(char::is_whitespace, "")
        );
    }
}
