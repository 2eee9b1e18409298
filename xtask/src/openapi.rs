//! `openapi`: the description of the HTTP API, written anew by the test that keeps it fresh, and what the SDKs have from it.
use std::process::Command;

use anyhow::Result;

use crate::{
    step,
    workspace::{cargo, root},
};

/// Says to the test that it shall write.
const VARIABLE: &str = "VERBATIM_WRITE_OPENAPI";

pub fn write() -> Result<()> {
    step::run(cargo(["test", "--quiet", "--test", "openapi"]).env(VARIABLE, "1"))?;
    step::run(Command::new("node").arg(root().join("clients/generate.mjs")))
}
