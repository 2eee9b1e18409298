//! Changes as unified diffs: for the clipboard.

use api::net::NetPart;
use diff::Fragment;

/// Unchanged lines around a change.
pub const CONTEXT: u32 = 3;

/// The changes of a file.
pub struct Changed<'c> {
    pub path: &'c str,
    /// The path that it had before.
    pub moved_from: Option<&'c str>,
    pub parts: Vec<Part<'c>>,
    /// Diffs of what isn't known as texts.
    pub patches: Vec<&'c str>,
}

/// A part of a file before and after. Without `old` the file wasn't there, without `new` it is gone.
pub struct Part<'c> {
    pub old: Option<&'c str>,
    pub new: Option<&'c str>,
    /// Where both begin in their files, from 1; None where unknown.
    pub first_line: Option<(u32, u32)>,
    /// The texts are the whole file.
    pub whole: bool,
}

impl<'c> From<&'c NetPart> for Part<'c> {
    fn from(NetPart { old, new, first_line, whole, .. }: &'c NetPart) -> Self {
        Self { old: old.as_deref(), new: new.as_deref(), first_line: *first_line, whole: *whole }
    }
}

impl<'c> From<&'c Fragment<'_>> for Part<'c> {
    fn from(Fragment { old, new, first_line, is_whole }: &'c Fragment<'_>) -> Self {
        Self { old: old.as_deref(), new: new.as_deref(), first_line: *first_line, whole: *is_whole }
    }
}

/// A unified diff that `git apply` and `patch` read, as far as it is known where the changes are.
pub fn unified(file: &Changed<'_>, folder: &str) -> String {
    use std::fmt::Write;
    let Changed { path, moved_from, parts, patches } = file;
    let mut out = String::new();
    if parts.iter().any(|part| part.old != part.new) || moved_from.is_some() {
        let path = within(path, folder);
        let from = moved_from.map_or(path, |from| within(from, folder));
        let (old, new) = (quoted("a/", from), quoted("b/", path));
        let was_there = parts.iter().all(|part| part.old.is_some());
        let is_there = parts.iter().all(|part| part.new.is_some());
        let placed = |part: &Part<'_>| part.first_line.is_some() || part.whole;
        // A head of git's without a hunk that it reads is an error to it.
        if parts.iter().any(placed) || from != path {
            let _ = writeln!(out, "diff --git {old} {new}");
            if !was_there {
                out.push_str("new file mode 100644\n");
            } else if !is_there {
                out.push_str("deleted file mode 100644\n");
            } else if from != path {
                let _ = writeln!(out, "rename from {}\nrename to {}", quoted("", from), quoted("", path));
            }
        }
        if !parts.is_empty() {
            let side = |name: &str, is_there: bool| match name {
                _ if !is_there => "/dev/null".to_owned(),
                // A tab ends a name that has spaces.
                name if name.contains(' ') => format!("{name}\t"),
                name => name.to_owned(),
            };
            let _ = writeln!(out, "--- {}\n+++ {}", side(&old, was_there), side(&new, is_there));
        }
    }
    // Parts of unknown position come last. Their headers have no numbers, so that no program applies them.
    let (placed, loose): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.first_line.is_some() || part.whole);
    for part in placed.into_iter().chain(loose) {
        let (old, new) = (part.old.unwrap_or_default(), part.new.unwrap_or_default());
        for hunk in diff::hunks(old, new, CONTEXT) {
            let at = |first: u32, range: &std::ops::Range<u32>| match range.len() {
                // git names the line before an empty side.
                0 => format!("{},0", (first + range.start).saturating_sub(1)),
                length => format!("{},{length}", first + range.start),
            };
            let _ = match part.first_line.or(part.whole.then_some((1, 1))) {
                Some((old, new)) => writeln!(out, "@@ -{} +{} @@", at(old, &hunk.old), at(new, &hunk.new)),
                None => writeln!(out, "@@ place in the file not recorded @@"),
            };
            out.push_str(&hunk.text);
        }
    }
    for patch in patches {
        out.push_str(patch);
        if !patch.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

fn within<'p>(path: &'p str, folder: &str) -> &'p str {
    let inside = path.strip_prefix(folder).filter(|rest| !folder.is_empty() && rest.starts_with('/'));
    inside.unwrap_or(path).trim_start_matches('/')
}

/// A name as git writes it: in quotes, where a character in it would end it or the line.
fn quoted(prefix: &str, path: &str) -> String {
    if !path.contains(['"', '\\', '\n', '\t', '\r']) {
        return format!("{prefix}{path}");
    }
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{prefix}{}\"", escaped.replace('\r', "\\r"))
}
