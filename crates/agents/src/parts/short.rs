//! A record in one line.

use super::blocks::cut;
use super::obj::{Obj, string};
use model::terminal::plain;

/// Fields that every line has; no summary needs them.
const COMMON: [&str; 17] = [
    "agentId",
    "cwd",
    "entrypoint",
    "gitBranch",
    "isMeta",
    "isSidechain",
    "level",
    "parentUuid",
    "sessionId",
    "sessionKind",
    "session_id",
    "slug",
    "subtype",
    "timestamp",
    "type",
    "userType",
    "uuid",
];

/// Any line in one line: its kind and its first few plain values.
pub(crate) fn fields_in_short(kind: &str, line: &Obj) -> String {
    const MOST: usize = 5;
    let mut parts = Vec::new();
    for (key, raw) in line.fields() {
        if COMMON.contains(&key) {
            continue;
        }
        let text = match raw.as_bytes() {
            [b'"', ..] => string(raw).map(|text| cut(plain(&text).trim(), 80)).unwrap_or_default(),
            [b'{' | b'[', ..] | b"null" => continue,
            _ => raw.to_owned(),
        };
        if text.is_empty() {
            continue;
        }
        if parts.len() == MOST {
            parts.push("...".to_owned());
            break;
        }
        parts.push(format!("{key}: {}", text.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    let words = kind.replace(['-', '_'], " ");
    if parts.is_empty() { words } else { format!("{words} ({})", parts.join(", ")) }
}
