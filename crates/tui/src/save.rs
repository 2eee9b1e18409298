//! Files of a message, saved where the person works.

use api::Problem;
use model::hidden::hides;
use sdk::Verbatim;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Names that are tried for a file: `plan.pdf`, `plan-2.pdf`.
const NAMES: u32 = 1000;

/// Saves files, each by its name and blob, and returns the names that they got. Nothing is overwritten.
///
/// # Errors
///
/// The server's problem, or `not_saved` with what is wrong with the folder.
pub async fn save(verbatim: &Verbatim, folder: &Path, files: &[(String, String)]) -> Result<Vec<String>, Problem> {
    let mut saved = Vec::with_capacity(files.len());
    for (name, blob) in files {
        let bytes = verbatim.read_blob(blob).await.map_err(|error| {
            error.problem().cloned().unwrap_or_else(|| Problem::new(0, "not_saved", error.to_string()))
        })?;
        let (folder, name) = (folder.to_owned(), plain(name));
        let written = tokio::task::spawn_blocking(move || write(&folder, &name, &bytes)).await;
        let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        saved.push(written.map_err(|error| {
            Problem::new(0, "not_saved", format!("The file can't be written here: {error}"))
                .hint("Start `verbatim tui` in a folder that you can write to")
        })?);
    }
    Ok(saved)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<String> {
    for number in 1..=NAMES {
        let name = numbered(name, number);
        match std::fs::File::create_new(folder.join(&name)) {
            Ok(mut file) => return file.write_all(bytes).map(|()| name),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn numbered(name: &str, number: u32) -> String {
    if number == 1 {
        return name.to_owned();
    }
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}-{number}.{ending}"),
        None => format!("{name}-{number}"),
    }
}

/// The name without a folder, without what can't be seen, and not hidden: it is an agent's.
fn plain(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !hides(*c) && !c.is_control() && *c != ':').take(120).collect();
    let name = name.trim().trim_start_matches('.').trim_end_matches('.').to_owned();
    if name.is_empty() { "file".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::{numbered, plain};

    #[test]
    fn a_name_stays_in_the_folder() {
        for (name, expected) in [
            ("plan.pdf", "plan.pdf"),
            ("../../.ssh/authorized_keys", "authorized_keys"),
            ("C:\\Users\\ada\\.profile", "profile"),
            ("gpj.\u{202e}exe", "gpj.exe"),
            ("..", "file"),
        ] {
            assert_eq!(plain(name), expected, "{name:?}");
        }
        assert_eq!(numbered("plan.pdf", 2), "plan-2.pdf");
    }
}
