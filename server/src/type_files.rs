//! Message types that files of the data directory declare: `types/*.json`.

use hub::Hub;
use std::fs;
use std::path::Path;

/// Larger files aren't read.
const MAX_BYTES: u64 = 256 * 1024;

/// Adds what the files declare. A file that can't be read is named in the log, and the others are read.
pub fn read(hub: &Hub, dir: &Path) {
    let Ok(files) = fs::read_dir(dir.join("types")) else { return };
    let mut paths: Vec<_> = files.filter_map(Result::ok).map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    for path in paths {
        if let Err(problem) = read_file(hub, &path) {
            tracing::warn!("{} declares no message type: {problem}", path.display());
        }
    }
}

fn read_file(hub: &Hub, path: &Path) -> Result<(), String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(format!("it isn't a file of at most {} KiB", MAX_BYTES / 1024));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let document = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let name = path.file_name().map(|name| format!("types/{}", name.to_string_lossy())).unwrap_or_default();
    hub.declare_from_file(&name, document)
}
