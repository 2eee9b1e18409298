//! An image for containers: the program alone, for all processors, as an OCI layout in a tar file. No daemon makes it.
use std::collections::BTreeMap;

use anyhow::Result;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    Release, SUMMARY,
    files::{Files, gzip},
    targets::Program,
};

/// Who runs the program unless somebody else is named, and owns `/data`.
pub const USER: u64 = 65_532;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// Contents by their digests.
#[derive(Default)]
struct Layout {
    files: Files,
}

impl Layout {
    /// Stores a content and returns what names it.
    fn put(&mut self, media_type: &str, content: Vec<u8>) -> Value {
        let (sum, size) = (format!("{:x}", Sha256::digest(&content)), content.len());
        self.files.add(&format!("blobs/sha256/{sum}"), content);
        json!({ "mediaType": media_type, "digest": format!("sha256:{sum}"), "size": size })
    }

    fn put_json(&mut self, media_type: &str, content: &Value) -> Value {
        self.put(media_type, content.to_string().into_bytes())
    }
}

/// Makes one image for all programs, each with the name of its processor.
pub fn make(release: &Release, programs: &[(&Program, &str)]) -> Result<()> {
    let mut layout = Layout::default();
    let mut manifests = Vec::new();
    for (program, processor) in programs {
        let tar = layer(release, program)?;
        let config = layout.put_json(CONFIG, &config(release, processor, &tar)?);
        let layer = layout.put(LAYER, gzip(&tar)?);
        let manifest = json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer] });
        let mut named = layout.put_json(MANIFEST, &manifest);
        named["platform"] = json!({ "architecture": processor, "os": "linux" });
        manifests.push(named);
    }
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": manifests });
    let mut index = layout.put_json(INDEX, &index);
    let version = &release.version;
    index["annotations"] = json!({
        "io.containerd.image.name": format!("verbatim:{version}"), "org.opencontainers.image.ref.name": version,
    });
    let mut files = layout.files;
    let entry = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [index] });
    files.add("index.json", entry.to_string());
    files.add("oci-layout", json!({ "imageLayoutVersion": "1.0.0" }).to_string());
    // Not compressed: the layers are.
    release.write(&file_name(version), &files.tar("", release.time)?)
}

pub fn file_name(version: &str) -> String {
    format!("verbatim-{version}-image.tar")
}

fn layer(release: &Release, program: &Program) -> Result<Vec<u8>> {
    let mut files = Files::default();
    files.add_program("usr/bin/verbatim", program.read()?);
    for (path, text) in release.licences(program.target)? {
        files.add(&format!("usr/share/doc/verbatim/{path}"), text);
    }
    // Who runs it as somebody else mounts a folder of theirs over it.
    files.add_folder("data", 0o700, USER);
    files.add_folder("tmp", 0o1777, 0);
    files.add("etc/passwd", format!("verbatim:x:{USER}:{USER}::/data:/usr/bin/verbatim\n"));
    files.add("etc/group", format!("verbatim:x:{USER}:\n"));
    files.tar("", release.time)
}

fn config(release: &Release, processor: &str, layer: &[u8]) -> Result<Value> {
    let made = Timestamp::from_second(release.time.cast_signed())?.to_string();
    let seconds = |seconds: u64| seconds * 1_000_000_000;
    let labels = BTreeMap::from([
        ("org.opencontainers.image.title", "verbatim"),
        ("org.opencontainers.image.description", SUMMARY),
        ("org.opencontainers.image.licenses", "MIT OR Apache-2.0"),
        ("org.opencontainers.image.revision", &release.commit),
        ("org.opencontainers.image.version", &release.version),
    ]);
    Ok(json!({
        "architecture": processor, "os": "linux", "created": made,
        "config": {
            "User": format!("{USER}:{USER}"),
            "Env": ["PATH=/usr/bin", "HOME=/data", "VERBATIM_DATA_DIR=/data"],
            "Entrypoint": ["/usr/bin/verbatim"],
            "Cmd": ["serve"],
            "Volumes": { "/data": {} },
            "WorkingDir": "/data",
            "StopSignal": "SIGTERM",
            // Docker's own field: OCI has none.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/verbatim", "doctor", "--health"],
                "Interval": seconds(30), "Timeout": seconds(5), "StartPeriod": seconds(30), "Retries": 3,
            },
            "Labels": labels,
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{:x}", Sha256::digest(layer))] },
        "history": [{ "created": made, "created_by": "cargo xtask release" }],
    }))
}
