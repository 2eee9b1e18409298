//! `npm install`: a package with a launcher, and a package with the program for each system, of which npm installs the one that fits.
//! No script runs while they are installed.
use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::{
    PACKAGE, Release, SUMMARY,
    files::{Files, gzip},
    targets::{DEFAULT, Program, TARGETS, Target},
    text,
};

const LAUNCHER: &str = include_str!("../files/launcher.js");

/// Makes the package with the launcher, which names the packages of these systems.
pub fn make_launcher(release: &Release, programs: &[Program]) -> Result<()> {
    let version = &release.version;
    // With those of the other systems: the package is the same whatever was built beside it.
    let released = TARGETS.iter().filter(|target| DEFAULT.contains(&target.triple) || target.linux.is_none());
    let of_programs = programs.iter().map(|program| program.target);
    let platforms: Map<String, Value> =
        released.chain(of_programs).map(|target| (platform_name(target), json!(version))).collect();
    let mut manifest = manifest(release, PACKAGE);
    manifest["bin"] = json!({ "verbatim": "verbatim.js" });
    manifest["engines"] = json!({ "node": ">=18" });
    manifest["optionalDependencies"] = Value::Object(platforms);
    let mut files = Files::default();
    files.add_program("verbatim.js", LAUNCHER.replace("PACKAGE", PACKAGE));
    files.add("README.md", text("README.md")?);
    pack(release, PACKAGE, manifest, files)
}

/// Makes the package with the program of one system.
pub fn make(release: &Release, program: &Program) -> Result<()> {
    let target = program.target;
    let name = platform_name(target);
    let (os, cpu) = target.node;
    let mut manifest = manifest(release, &name);
    manifest["os"] = json!([os]);
    manifest["cpu"] = json!([cpu]);
    let mut files = Files::default();
    files.add_program("verbatim", program.read()?);
    files.add("README.md", format!("# {name}\n\nThe program of [`{PACKAGE}`] for {os} on {cpu}: install that one.\n"));
    for (path, text) in release.licences(target)? {
        files.add(path, text);
    }
    pack(release, &name, manifest, files)
}

/// The name of the package of a system: a launcher finds it by Node.js' own names.
pub fn platform_name(target: &Target) -> String {
    let (os, cpu) = target.node;
    format!("{PACKAGE}-{os}-{cpu}")
}

fn manifest(release: &Release, name: &str) -> Value {
    json!({
        "name": name, "version": release.version, "description": SUMMARY, "license": "MIT OR Apache-2.0",
    })
}

fn pack(release: &Release, name: &str, manifest: Value, mut files: Files) -> Result<()> {
    files.add("package.json", format!("{manifest:#}\n"));
    release.write(&file_name(name, &release.version), &gzip(&files.tar("package/", release.time)?)?)
}

pub fn file_name(package: &str, version: &str) -> String {
    format!("{package}-{version}.tgz")
}
