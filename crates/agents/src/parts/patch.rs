//! Patches as changes of files: those of `apply_patch`, and unified diffs.

/// The change of one file in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePatch {
    pub path: String,
    /// Where the file was before, if the patch moves it.
    pub moved_from: Option<String>,
    pub change: FileChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileChange {
    /// The whole new text.
    Created(String),
    /// The whole old text, where it is known.
    Deleted(Option<String>),
    Updated(Vec<Hunk>),
}

/// Lines that change, with those around them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The first line before the change, from 1; where the patch says it.
    pub start_line: Option<usize>,
    pub old: String,
    pub new: String,
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The patch that a text holds: alone, or inside a command of a shell, where it is a here-document.
pub(crate) fn in_text(text: &str) -> Option<&str> {
    let start = text.find(BEGIN)?;
    let rest = &text[start..];
    // A line of its own: an added line may say the same.
    Some(rest.find("\n*** End Patch").map_or(rest, |end| &rest[..end + 1 + END.len()]))
}

/// Reads a patch as `apply_patch` takes it. None if it names no file.
pub(crate) fn apply_patch(text: &str) -> Option<Vec<FilePatch>> {
    let mut files: Vec<FilePatch> = Vec::new();
    let file = |path: &str, change| FilePatch { path: path.trim().to_owned(), moved_from: None, change };
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            let mut content = String::new();
            while let Some(added) = lines.next_if(|line| !line.starts_with("***")) {
                content.push_str(added.strip_prefix('+').unwrap_or(added));
            }
            files.push(file(path, FileChange::Created(content)));
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            files.push(file(path, FileChange::Deleted(None)));
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            let moved = lines.next_if(|line| line.starts_with("*** Move to: "));
            let moved = moved.and_then(|line| line.strip_prefix("*** Move to: ")).map(|to| to.trim().to_owned());
            let mut body = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("*** ") || is_end_of_file(line)) {
                if !is_end_of_file(line) {
                    body.push_str(line);
                }
            }
            let mut updated = file(path, FileChange::Updated(hunks(&body)));
            if let Some(to) = moved.filter(|to| *to != updated.path) {
                updated.moved_from = Some(std::mem::replace(&mut updated.path, to));
            }
            files.push(updated);
        }
    }
    (!files.is_empty()).then_some(files)
}

fn is_end_of_file(line: &str) -> bool {
    line.trim_end() == "*** End of File"
}

/// Reads a unified diff with the headers of its files, as `git` and `diff` write them. Nothing for what is none.
pub(crate) fn unified(diff: &str) -> Vec<FilePatch> {
    const NULL: &str = "/dev/null";
    let mut files = Vec::new();
    let mut lines = diff.split_inclusive('\n').peekable();
    let mut renamed = None;
    while let Some(line) = lines.next() {
        if let Some(from) = line.strip_prefix("rename from ") {
            renamed = Some(from.trim_end().to_owned());
        }
        let (Some(old), Some(new)) =
            (line.strip_prefix("--- "), lines.peek().and_then(|next| next.strip_prefix("+++ ")))
        else {
            continue;
        };
        let (old, new) = (header_path(old, "a/"), header_path(new, "b/"));
        lines.next();
        let mut body = String::new();
        let mut left = (0, 0);
        while let Some(line) = lines.next_if(|line| left != (0, 0) || line.starts_with(['@', '\\'])) {
            match line.as_bytes().first() {
                Some(b'@') if left == (0, 0) => left = counts(line),
                Some(b'-') => left.0 = left.0.saturating_sub(1),
                Some(b'+') => left.1 = left.1.saturating_sub(1),
                Some(b'\\') => {}
                _ => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
            }
            body.push_str(line);
        }
        let hunks = hunks(&body);
        let all = |side: fn(&Hunk) -> &str| hunks.iter().map(side).collect::<String>();
        let (path, change) = if old == NULL {
            (new, FileChange::Created(all(|hunk| &hunk.new)))
        } else if new == NULL {
            (old, FileChange::Deleted(Some(all(|hunk| &hunk.old))))
        } else {
            (new, FileChange::Updated(hunks))
        };
        files.push(FilePatch { path: path.to_owned(), moved_from: renamed.take(), change });
    }
    files
}

/// The path in a header, without the prefix of `git` and what stands behind a tab.
fn header_path<'a>(text: &'a str, prefix: &str) -> &'a str {
    let path = text.split('\t').next().unwrap_or(text).trim_end();
    path.strip_prefix(prefix).unwrap_or(path)
}

/// How many lines a hunk has, by its head: `@@ -1,3 +1,4 @@`.
fn counts(head: &str) -> (usize, usize) {
    let mut sides = head.split(' ').skip(1).take(2).map(|side| match side.split_once(',') {
        Some((_, count)) => count.trim_end().parse().unwrap_or(0),
        None => 1,
    });
    (sides.next().unwrap_or(0), sides.next().unwrap_or(0))
}

/// Reads hunks without the header of their file. Their heads may say nothing of their lines, as those of `apply_patch`.
pub(crate) fn hunks(text: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut is_open = false;
    // Which sides the last line was on.
    let mut sides = (false, false);
    for line in text.split_inclusive('\n') {
        if line.starts_with("@@") {
            hunks.push(Hunk { start_line: start_line(line), ..Hunk::default() });
            is_open = true;
            continue;
        }
        if line.starts_with('\\') {
            // No newline at the end of the file.
            if let Some(hunk) = hunks.last_mut() {
                for text in [sides.0.then_some(&mut hunk.old), sides.1.then_some(&mut hunk.new)].into_iter().flatten() {
                    without_end(text);
                }
            }
            continue;
        }
        if !is_open {
            hunks.push(Hunk::default());
            is_open = true;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        sides = (!line.starts_with('+'), !line.starts_with('-'));
        let own = line.strip_prefix([' ', '+', '-']).unwrap_or(line);
        if sides.0 {
            hunk.old.push_str(own);
        }
        if sides.1 {
            hunk.new.push_str(own);
        }
    }
    hunks.retain(|hunk| !(hunk.old.is_empty() && hunk.new.is_empty()));
    hunks
}

fn without_end(text: &mut String) {
    if text.ends_with('\n') {
        text.pop();
    }
}

/// The line that a head names: `@@ -12,3 +12,4 @@`. A hunk that only adds names the line before it.
fn start_line(head: &str) -> Option<usize> {
    let side = head.strip_prefix("@@ -")?.split(' ').next()?;
    let (start, count) = side.split_once(',').unwrap_or((side, "1"));
    let start: usize = start.parse().ok()?;
    Some(if count == "0" { start.saturating_add(1) } else { start }).filter(|line| *line > 0)
}

#[cfg(test)]
mod tests {
    use super::{FileChange, FilePatch, Hunk, apply_patch, in_text, unified};

    fn hunk(start_line: Option<usize>, old: &str, new: &str) -> Hunk {
        Hunk { start_line, old: old.to_owned(), new: new.to_owned() }
    }

    fn file(path: &str, moved_from: Option<&str>, change: FileChange) -> FilePatch {
        FilePatch { path: path.to_owned(), moved_from: moved_from.map(str::to_owned), change }
    }

    #[test]
    fn apply_patch_names_files_and_lines() {
        let command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+one\n+\n+two\n\
            *** Update File: a.rs\n*** Move to: b.rs\n@@ fn main() {\n \tlet x = 1;\n-\told();\n+\tnew();\n@@\n-gone\n*** End of File\n\
            *** Delete File: c.rs\n*** End Patch\nEOF\n";
        let patch = in_text(command).expect("a patch");
        assert!(patch.ends_with("*** End Patch"));
        assert_eq!(
            apply_patch(patch).expect("files"),
            [
                file("new.txt", None, FileChange::Created("one\n\ntwo\n".to_owned())),
                file(
                    "b.rs",
                    Some("a.rs"),
                    FileChange::Updated(vec![
                        hunk(None, "\tlet x = 1;\n\told();\n", "\tlet x = 1;\n\tnew();\n"),
                        hunk(None, "gone\n", ""),
                    ])
                ),
                file("c.rs", None, FileChange::Deleted(None)),
            ]
        );
        assert_eq!(in_text("ls"), None);
        assert_eq!(apply_patch("*** Begin Patch\n*** End Patch"), None);
    }

    #[test]
    fn unified_diffs_of_several_files() {
        let diff = "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\t2026\n+++ b/y\n@@ -3,2 +3,2 @@ fn x\n same\n--- old\n+++ new\n\
            \\ No newline at end of file\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        assert_eq!(
            unified(diff),
            [
                file("y", Some("x"), FileChange::Updated(vec![hunk(Some(3), "same\n-- old\n", "same\n++ new")])),
                file("n", None, FileChange::Created("a\nb\n".to_owned())),
                file("gone", None, FileChange::Deleted(Some("a\n".to_owned()))),
            ]
        );
        assert_eq!(unified("--- nothing\n"), []);
    }
}
