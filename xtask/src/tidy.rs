//! `tidy`: what must hold and clippy can't see. Each finding says where, what, and why.
//!
//! How to add one: a file in `tidy/` with a function from the [`Tree`] to findings, and a line in [`tidy`].
use std::fmt::{self, Display};

use anyhow::{Result, bail};

use crate::{step, workspace};

mod attributes;
mod circles;
mod directions;
mod floors;
mod migrations;
mod sizes;
mod snapshots;
mod style;
mod tours;
mod tree;
mod unused;
mod words;

use tree::Tree;

/// Something that must not stay.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// Below the workspace, as `path` or `path:line`.
    place: String,
    what: String,
    why: &'static str,
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.place, self.what, self.why)
    }
}

/// Looks everything over; findings are an error.
pub fn tidy() -> Result<()> {
    let tree = Tree::read(&workspace::root())?;
    let mut findings = floors::check()?;
    findings.extend(attributes::check(&tree));
    findings.extend(circles::check(&tree));
    findings.extend(directions::check(&tree));
    findings.extend(sizes::check(&tree));
    findings.extend(words::check(&tree));
    findings.extend(migrations::check(&tree));
    findings.extend(snapshots::check(&tree));
    findings.extend(style::check(&tree));
    findings.extend(tours::check(&tree));
    findings.extend(unused::check(&tree));
    for finding in &findings {
        step::say(&finding.to_string());
    }
    match findings.len() {
        0 => Ok(()),
        1 => bail!("1 finding"),
        many => bail!("{many} findings"),
    }
}
