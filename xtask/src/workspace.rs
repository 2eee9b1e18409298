//! Where things lie.
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;
use serde_json::Value;

use crate::step;

/// The folder of the workspace's `Cargo.toml`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The folders of the workspace's crates.
pub fn members() -> Result<Vec<PathBuf>> {
    let metadata = step::output(&mut cargo(["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let manifests = packages.iter().filter_map(|package| package["manifest_path"].as_str());
    Ok(manifests.filter_map(|manifest| Path::new(manifest).parent().map(Path::to_path_buf)).collect())
}

/// The options by which rustc names the sources in what it makes by the same paths on every machine.
pub fn remapped() -> Vec<String> {
    let cargo = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))
        .map(|home| format!("--remap-path-prefix={}=/cargo", home.display()));
    cargo.into_iter().chain([format!("--remap-path-prefix={}=/verbatim", root().display())]).collect()
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The browser's files. Always below the workspace, whatever `CARGO_TARGET_DIR` says: the server embeds them from here.
pub fn interface() -> PathBuf {
    root().join("target/interface")
}

/// The cargo that runs us, started in the workspace's root.
pub fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    as_by_hand(&mut command);
    command
}

/// Removes the variables in which cargo describes our own package. Some build scripts depend on them, such as that of `ring`: where
/// they change, it runs again, and all crates above `ring` are compiled again.
pub fn as_by_hand(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        let of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        if name.to_str().is_some_and(of_package) {
            command.env_remove(name);
        }
    }
    command
}
