//! The image, unpacked as a container engine does, and run with its own root, user and health check.
use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use sha2::{Digest, Sha256};
use xtask::{step, tools};

use super::{Trial, image_name, not_tried, use_it};
use crate::image::USER;

/// Checks each digest from the index to the layer, and uses the program.
pub fn image(trial: &Trial<'_>) -> Result<()> {
    let processor = trial.target.linux.context("this target has no image")?;
    let layout = trial.path("layout");
    fs::create_dir(&layout)?;
    step::run(Command::new("tar").arg("-xf").arg(image_name(trial)).arg("-C").arg(&layout))?;
    let entry: Value = serde_json::from_slice(&fs::read(layout.join("index.json"))?)?;
    let index = read_json(&layout, &entry["manifests"][0])?;
    let manifests = index["manifests"].as_array().context("the index lists no manifests")?;
    let manifest = manifests.iter().find(|manifest| manifest["platform"]["architecture"] == processor);
    let manifest = read_json(&layout, manifest.context("the index has no manifest for this processor")?)?;
    let config = read_json(&layout, &manifest["config"])?;
    let packed = trial.path("layer.tar.gz");
    fs::write(&packed, read(&layout, &manifest["layers"][0])?)?;
    let layer = Command::new("gzip").arg("-dc").arg(&packed).output()?.stdout;
    if config["rootfs"]["diff_ids"][0] != format!("sha256:{:x}", Sha256::digest(&layer)) {
        bail!("the configuration names another layer");
    }
    let root = trial.path("root");
    fs::create_dir(&root)?;
    step::run(Command::new("tar").args(["--same-owner", "-xpzf"]).arg(&packed).arg("-C").arg(&root))?;
    let config = &config["config"];
    if config["User"] != format!("{USER}:{USER}") || config["Volumes"]["/data"].is_null() {
        bail!("the configuration is {config}");
    }
    if !trial.target.is_static {
        not_tried("a program that needs libraries doesn't run on a root without any");
        return Ok(());
    }
    let words = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let chroot = tools::installed("chroot", "coreutils")?;
    let mut before = Vec::new();
    if let Some((emulator, package)) = trial.target.emulator {
        fs::copy(tools::installed(emulator, package)?, root.join("emulator"))?;
        before.push("/emulator".to_owned());
    }
    let start = |user: u64, arguments: &[String]| {
        // By its path: the image's `PATH` has no `chroot`.
        let mut command = Command::new(&chroot);
        command.arg(format!("--userspec={user}:{user}")).arg(&root).args(&before).args(arguments).env_clear();
        for pair in words(&config["Env"]) {
            if let Some((name, value)) = pair.split_once('=') {
                command.env(name, value);
            }
        }
        command.env("VERBATIM_LISTEN", "127.0.0.1:0");
        command
    };
    let entry = words(&config["Entrypoint"]);
    let used = |user: u64| {
        use_it::used(&trial.release.version, "/data", &|arguments| {
            let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
            let mut command = start(user, &[entry.clone(), arguments].concat());
            command.env("HOME", "/home/ada");
            Ok(command)
        })
    };
    // The command that an engine starts, and its health check.
    let server = use_it::Server::start(&mut start(USER, &[&*entry, &words(&config["Cmd"])].concat()))?;
    let asked = words(&config["Healthcheck"]["Test"]);
    step::output(&mut start(USER, asked.get(1..).unwrap_or_default()))?;
    server.end()?;
    used(USER)?;
    // A person who mounts a folder of theirs, as `compose.yaml` does.
    fs::remove_dir_all(root.join("data"))?;
    step::run(Command::new("install").args(["--directory", "--mode=700", "--owner=1000"]).arg(root.join("data")))?;
    used(1000)
}

fn read_json(layout: &Path, named: &Value) -> Result<Value> {
    Ok(serde_json::from_slice(&read(layout, named)?)?)
}

/// Reads what a descriptor names, and checks it.
fn read(layout: &Path, named: &Value) -> Result<Vec<u8>> {
    let digest = named["digest"].as_str().context("a descriptor has no digest")?;
    let sum = digest.strip_prefix("sha256:").context("a digest isn't SHA-256")?;
    let content = fs::read(layout.join("blobs/sha256").join(sum)).with_context(|| format!("{digest} is missing"))?;
    if format!("{:x}", Sha256::digest(&content)) != sum || named["size"] != content.len() {
        bail!("{digest} has another content");
    }
    Ok(content)
}
