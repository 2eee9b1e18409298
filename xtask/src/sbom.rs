//! `sbom`: the crates inside the program, as `CycloneDX` 1.5 in JSON.
//!
//! The program holds the server and, embedded, the interface: two crates that are compiled for two targets. What only compiles them
//! (build scripts, procedural macros and their dependencies) is listed with the scope `excluded`. `SQLite`, which is C inside a crate, is a
//! component of its own, because advisories name it and not the crate.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use anyhow::{Context, Result};
use rustsec::Lockfile;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    step, tools,
    workspace::{self, cargo},
};

/// Name and version.
type Name = (String, String);

/// Writes `target/release/verbatim.cdx.json`, which is the same for the same `Cargo.lock`.
pub fn write() -> Result<()> {
    let file = workspace::target().join("release/verbatim.cdx.json");
    let sbom = make()?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&file, format!("{sbom:#}\n"))?;
    let components = sbom["components"].as_array().map_or(0, Vec::len);
    step::say(&format!("made {}, {components} components", file.display()));
    Ok(())
}

fn make() -> Result<Value> {
    let host = step::output(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let parts = [("server", host.trim()), ("frontend", tools::WASM)];
    let linked = crates(&parts, "normal,no-proc-macro")?;
    let built = crates(&parts, "normal,build")?;
    let metadata = step::output(&mut cargo(["metadata", "--format-version", "1", "--locked"]))?;
    let lockfile = Lockfile::load(workspace::root().join("Cargo.lock"))?;
    assemble(&serde_json::from_str(&metadata)?, &lockfile, &linked, &built)
}

/// The crates that cargo compiles for these packages and targets, along such edges.
fn crates(parts: &[(&str, &str)], edges: &str) -> Result<BTreeSet<Name>> {
    let mut all = BTreeSet::new();
    for (package, target) in parts {
        let arguments = ["tree", "--locked", "--package", package, "--target", target, "--edges", edges];
        let tree = step::output(cargo(arguments).args(["--prefix", "none", "--format", "{p}"]))?;
        all.extend(tree.lines().filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
        }));
    }
    Ok(all)
}

fn assemble(metadata: &Value, lockfile: &Lockfile, linked: &BTreeSet<Name>, built: &BTreeSet<Name>) -> Result<Value> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let checksums: BTreeMap<Name, String> = lockfile
        .packages
        .iter()
        .filter_map(|package| {
            Some((named(package.name.as_str(), &package.version), package.checksum.as_ref()?.to_string()))
        })
        .collect();
    let packages: BTreeMap<Name, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| ((text(&package["name"]), text(&package["version"])), package))
        .filter(|(name, _)| built.contains(name))
        .collect();
    let ids: BTreeMap<String, &Name> = packages.iter().map(|(name, package)| (text(&package["id"]), name)).collect();

    let mut components = Vec::new();
    let mut sqlite = None;
    for (name, package) in &packages {
        let mut component = json!({
            "type": "library",
            "bom-ref": purl(name),
            "name": name.0,
            "version": name.1,
            "scope": if linked.contains(name) { "required" } else { "excluded" },
        });
        if let Some(licence) = package["license"].as_str() {
            // The older way to write a choice is no SPDX expression.
            component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
        }
        if let Some(checksum) = checksums.get(name) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
            component["purl"] = purl(name).into();
        }
        components.push(component);
        if name.0 == "libsqlite3-sys" {
            let version = sqlite_version(Path::new(&text(&package["manifest_path"])))?;
            sqlite = Some((name, format!("pkg:generic/sqlite@{version}"), version));
        }
    }
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        let Some(name) = ids.get(&text(&node["id"])) else { continue };
        let below = list(&node["dependencies"]);
        edges.insert(purl(name), below.iter().filter_map(|id| ids.get(&text(id)).copied()).map(purl).collect());
    }
    if let Some((owner, purl_of_sqlite, version)) = sqlite {
        components.push(json!({
            "type": "library",
            "bom-ref": purl_of_sqlite,
            "name": "sqlite",
            "version": version,
            "scope": "required",
            "licenses": [{ "license": { "id": "blessing" } }],
            "purl": purl_of_sqlite,
        }));
        edges.entry(purl(owner)).or_default().insert(purl_of_sqlite.clone());
        edges.insert(purl_of_sqlite, BTreeSet::new());
    }
    let server = packages.keys().find(|(name, _)| name == "server").context("`cargo metadata` has no server")?;
    let parts = packages.keys().filter(|(name, _)| name == "server" || name == "frontend").map(purl);
    edges.insert("verbatim".to_owned(), parts.collect());
    let edges: Vec<Value> = edges.iter().map(|(of, on)| json!({ "ref": of, "dependsOn": on })).collect();

    let mut sbom = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "verbatim",
                "name": "verbatim",
                "version": server.1,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
        "dependencies": edges,
    });
    sbom["serialNumber"] = serial(&sbom.to_string()).into();
    Ok(sbom)
}

fn named(name: &str, version: &impl ToString) -> Name {
    (name.to_owned(), version.to_string())
}

/// The name that advisories and registries know it by. A `+` in a version means a space there.
fn purl((name, version): &Name) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// A UUID of version 8 that follows from the content.
fn serial(content: &str) -> String {
    let mut bytes: Vec<u8> = Sha256::digest(content).to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: Vec<String> = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let groups = [&hex[..4], &hex[4..6], &hex[6..8], &hex[8..10], &hex[10..]];
    format!("urn:uuid:{}", groups.map(<[String]>::concat).join("-"))
}

/// The version of the `SQLite` that the crate with this manifest compiles.
fn sqlite_version(manifest: &Path) -> Result<String> {
    let header = manifest.with_file_name("sqlite3").join("sqlite3.h");
    let text = fs::read_to_string(&header).with_context(|| format!("{} isn't there", header.display()))?;
    let line = text.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "));
    Ok(line.context("`sqlite3.h` has no version")?.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclonedx_bom::prelude::{Bom, Validate as _};

    #[test]
    fn it_names_each_crate_and_is_valid() {
        let sbom = make().expect("made");
        assert_eq!(sbom, make().expect("made"), "the same lock file, the same SBOM");

        let read = Bom::parse_from_json_v1_5(sbom.to_string().as_bytes()).expect("CycloneDX 1.5");
        let result = read.validate();
        assert!(result.passed(), "{result:?}");

        let components = sbom["components"].as_array().expect("components");
        let find = |name: &str| components.iter().find(|component| component["name"] == name);
        let scope = |name: &str| find(name).map(|component| component["scope"].clone());
        // Of the server, of the interface, to compile them, and of neither.
        assert_eq!(scope("axum"), Some("required".into()));
        assert_eq!(scope("gloo-net"), Some("required".into()));
        assert_eq!(scope("sqlite"), Some("required".into()));
        assert_eq!(scope("serde_derive"), Some("excluded".into()));
        assert_eq!(scope("walrus"), None);
        assert_eq!(scope("xtask"), None);
        assert_eq!(scope("insta"), None);

        let refs: BTreeSet<&str> = components.iter().filter_map(|component| component["bom-ref"].as_str()).collect();
        assert_eq!(refs.len(), components.len(), "each is listed once");
        for component in components {
            let (name, ours) = (&component["name"], component["purl"].is_null());
            assert!(component["licenses"].is_array(), "{name} has a licence");
            assert!(ours || name == "sqlite" || component["hashes"].is_array(), "{name} has a checksum");
        }
        for edge in sbom["dependencies"].as_array().expect("dependencies") {
            let on = edge["dependsOn"].as_array().expect("a list").iter().filter_map(Value::as_str);
            let mut on = on.chain(edge["ref"].as_str()).filter(|name| *name != "verbatim");
            assert!(on.all(|name| refs.contains(name)), "{edge} names what is listed");
        }
    }
}
