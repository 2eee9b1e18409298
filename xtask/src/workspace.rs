//! Where things lie.
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the workspace's `Cargo.toml`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The browser's files. Always below the workspace, whatever `CARGO_TARGET_DIR` says: the server embeds them from here.
pub fn interface() -> PathBuf {
    root().join("target/interface")
}

/// The packages of the program, as cargo is told of them: all at once, so that dependencies have the same features in
/// every command and are built once. The interface is built by itself; our own dependencies are built already, with the
/// features that we alone need.
pub const PROGRAM: [&str; 5] = ["--workspace", "--exclude", "frontend", "--exclude", "xtask"];

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
