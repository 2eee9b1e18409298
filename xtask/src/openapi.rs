//! `openapi`: the description of the HTTP API, written anew by the test that keeps it fresh.
use anyhow::Result;

use crate::{step, workspace::cargo};

/// Says to the test that it shall write.
const VARIABLE: &str = "VERBATIM_WRITE_OPENAPI";

pub fn write() -> Result<()> {
    let arguments = ["test", "--quiet", "--test", "openapi"];
    step::run(cargo(arguments).env(VARIABLE, "1"))
}
