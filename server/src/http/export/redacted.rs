//! Lines of an imported file with what is secret masked. A line that can't be text is passed on with what isn't UTF-8
//! replaced.

use futures::{Stream, StreamExt as _, stream};
use redact::Redactor;
use std::io;
use std::sync::Arc;

/// Bytes after which lines go on although a private key that began in them hasn't ended.
const KEY: usize = 64 * 1024;
const BEGIN: &[u8] = b"-----BEGIN";
const END: &[u8] = b"-----END";

/// Masks the lines of a stream of bytes. A private key is masked as a whole, on however many lines it stands.
pub fn masked(
    bytes: impl Stream<Item = io::Result<Vec<u8>>> + Send + 'static,
    redactor: Arc<Redactor>,
) -> impl Stream<Item = io::Result<Vec<u8>>> {
    let start = (Box::pin(bytes), Vec::new(), redactor);
    stream::try_unfold(start, async |(mut bytes, mut held, redactor): (_, Vec<u8>, Arc<Redactor>)| {
        loop {
            match bytes.next().await.transpose()? {
                Some(more) => {
                    held.extend_from_slice(&more);
                    let whole = held.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                    let lines = held.get(..whole).unwrap_or_default();
                    if whole == 0 || (is_within_key(lines) && held.len() < KEY) {
                        continue;
                    }
                    let rest = held.split_off(whole);
                    return Ok(Some((mask(&redactor, &held), (bytes, rest, redactor))));
                }
                None if held.is_empty() => return Ok(None),
                None => return Ok(Some((mask(&redactor, &held), (bytes, Vec::new(), redactor)))),
            }
        }
    })
}

fn is_within_key(lines: &[u8]) -> bool {
    let last = |mark: &[u8]| lines.windows(mark.len()).rposition(|window| window == mark);
    last(BEGIN).is_some_and(|begin| last(END).is_none_or(|end| end < begin))
}

fn mask(redactor: &Redactor, lines: &[u8]) -> Vec<u8> {
    redactor.text(&String::from_utf8_lossy(lines), &mut |_| {}).into_owned().into_bytes()
}
