//! `bench abuse`: sends hostile input to a running server and measures what everybody else notices of it.
//!
//! | File | What it is |
//! |---|---|
//! | `posts` | the table of message bodies, and the pages and answers that show them |
//! | `attacks` | the table of everything else: many requests, connections, queries, headers, a mix |
//! | `files` | what can lie in a followed folder |
//! | `stage` | one server with a data directory of its own, and the measurement of a step |
//! | `wire` | requests, whole and broken |
//!
//! Each step starts the server anew on the same data, so that no step inherits the memory of the one before. The server runs
//! with a limited address space, and a step that exceeds its timeout ends it.
//!
//! How to add one: a line in `posts::POSTS` or `attacks::ATTACKS`.
use std::{path::Path, time::Duration};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use self::stage::Row;
use super::{machine::Machine, program::Scratch};
use crate::step;

mod attacks;
mod files;
mod posts;
mod stage;
mod wire;

#[derive(Clone, Args)]
pub struct AbuseArguments {
    /// Only inputs whose name contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Address space of the server
    #[arg(long, value_name = "GB", default_value_t = 8)]
    memory: u64,
    /// Time limit of one step
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
}

/// The settings and results that all inputs share.
pub struct Lab<'a> {
    program: &'a Path,
    scratch: &'a Path,
    runtime: &'a Runtime,
    /// Bytes of address space.
    memory: u64,
    timeout: Duration,
    rows: Vec<Row>,
}

/// Runs the inputs one by one and in a mix. The second value is the number of steps that ended or froze the server.
pub fn measure(program: &Path, arguments: &AbuseArguments) -> Result<(Value, usize)> {
    let scratch = Scratch::new("abuse")?;
    let machine = Machine::measure(&scratch.0)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut lab = Lab {
        program,
        scratch: &scratch.0,
        runtime: &runtime,
        memory: arguments.memory << 30,
        timeout: Duration::from_secs(arguments.timeout),
        rows: Vec::new(),
    };
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    step::say(&stage::heading());
    for post in posts::POSTS.iter().filter(|post| wanted(post.name)) {
        posts::run(post, &mut lab)?;
    }
    for attack in attacks::ATTACKS.iter().filter(|attack| wanted(attack.name)) {
        (attack.run)(attack.name, &mut lab)?;
    }
    step::say(&machine.line());
    let failures = lab.rows.iter().filter(|row| row.is_failure()).count();
    let rows: Vec<Value> = lab.rows.iter().map(Row::json).collect();
    Ok((json!({ "machine": machine.json(), "steps": rows }), failures))
}
