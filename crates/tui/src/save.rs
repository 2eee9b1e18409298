//! Files of a message, saved where the person works.

use api::Problem;
use model::hidden::hides;
use sdk::Verbatim;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Names that are tried for a file: `plan.pdf`, `plan-2.pdf`.
const NAMES: u32 = 1000;
/// Bytes of a name: file systems take 255, and a number may be put into it.
const NAME_BYTES: usize = 240;

/// Saves files, each by its name and blob, and returns the names that they got. Nothing is overwritten.
///
/// # Errors
///
/// The server's problem, or `not_saved` with what is wrong with the folder.
pub async fn save(verbatim: &Verbatim, folder: &Path, files: &[(String, String)]) -> Result<Vec<String>, Problem> {
    let mut saved = Vec::with_capacity(files.len());
    for (name, blob) in files {
        let bytes = verbatim.read_blob(blob).await.map_err(|error| {
            error.problem().cloned().unwrap_or_else(|| Problem::outside(0, "not_saved", error.to_string()))
        })?;
        let (folder, name) = (folder.to_owned(), plain(name));
        let written = tokio::task::spawn_blocking(move || write(&folder, &name, &bytes)).await;
        let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        saved.push(written.map_err(|error| {
            Problem::outside(0, "not_saved", format!("The file can't be written here: {error}"))
                .hint("Start `verbatim tui` in a folder that you can write to")
        })?);
    }
    Ok(saved)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<String> {
    for number in 1..=NAMES {
        let name = numbered(name, number);
        match std::fs::File::create_new(folder.join(&name)) {
            Ok(mut file) => {
                return match file.write_all(bytes) {
                    Ok(()) => Ok(name),
                    // Half a file under this name would pass for the whole one.
                    Err(error) => {
                        let _ = std::fs::remove_file(folder.join(&name));
                        Err(error)
                    }
                };
            }
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
    let name: String = name.chars().filter(|c| !hides(*c) && !c.is_control() && *c != ':').collect();
    let name = name.trim_matches(|c: char| c == '.' || c.is_whitespace());
    if name.is_empty() {
        return "file".to_owned();
    }
    let is_ending = |(_, ending): &(&str, &str)| ending.len() <= 20;
    let (stem, ending) =
        name.rsplit_once('.').filter(is_ending).map_or((name, String::new()), |(stem, end)| (stem, format!(".{end}")));
    let stem = stem.get(..stem.floor_char_boundary(NAME_BYTES - ending.len())).unwrap_or(stem);
    format!("{stem}{ending}")
}

#[cfg(test)]
mod tests {
    use super::{numbered, plain};

    #[test]
    fn a_name_stays_in_the_folder() {
        let [long, cut] = [200, 78].map(|many| format!("{}.pdf", "\u{6f22}".repeat(many)));
        for (name, expected) in [
            ("plan.pdf", "plan.pdf"),
            ("../../.ssh/authorized_keys", "authorized_keys"),
            ("C:\\Users\\ada\\.profile", "profile"),
            ("gpj.\u{202e}exe", "gpj.exe"),
            ("..", "file"),
            ("...  .", "file"),
            (long.as_str(), cut.as_str()),
        ] {
            assert_eq!(plain(name), expected, "{name:?}");
        }
        assert_eq!(numbered("plan.pdf", 2), "plan-2.pdf");
    }
}
