//! Steps with their times: what each command shows while it works.
#![expect(clippy::disallowed_methods, reason = "the clock measures how long a step takes")]

use std::{
    io::{BufRead, BufReader, IsTerminal, Read, Write},
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use anyhow::{Context, Result, bail};

/// One line to the person in front of the terminal. Standard output is left to the program that we start.
pub fn say(line: &str) {
    // With standard error gone there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Runs one step, named before and timed after.
pub fn timed<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    say(&format!("======= {name}"));
    let start = Instant::now();
    let result = work();
    let verdict = if result.is_ok() { "done" } else { "FAILED" };
    say(&format!("{:5.1} s {name}: {verdict}", start.elapsed().as_secs_f32()));
    result
}

/// Like [`timed`], with the seconds in the answer instead of on the terminal.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, f32) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f32())
}

/// Runs a command to its end; anything but success is an error that names it.
pub fn run(command: &mut Command) -> Result<()> {
    let name = spelled(command);
    let status = command.status().with_context(|| format!("`{name}` did not start"))?;
    if !status.success() {
        bail!("`{name}` failed: {status}");
    }
    Ok(())
}

/// Runs a command to its end and returns what it wrote to standard output; anything but success is an error.
pub fn output(command: &mut Command) -> Result<String> {
    let name = spelled(command);
    let output = command.stderr(Stdio::piped()).output().with_context(|| format!("`{name}` did not start"))?;
    if !output.status.success() {
        bail!("`{name}` failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command, passes its lines on as they come, and gives each of them to `seen` as well.
pub fn run_reading(command: &mut Command, seen: impl Fn(&str) + Sync) -> Result<()> {
    let name = spelled(command);
    if std::io::stderr().is_terminal() {
        // They see a pipe, but a person sees them.
        command.env("CARGO_TERM_COLOR", "always").env("FORCE_COLOR", "1");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{name}` did not start"))?;
    let streams: [Option<Box<dyn Read + Send>>; 2] =
        [child.stdout.take().map(|s| Box::new(s) as _), child.stderr.take().map(|s| Box::new(s) as _)];
    thread::scope(|scope| {
        for stream in streams.into_iter().flatten() {
            scope.spawn(|| {
                for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                    let line = String::from_utf8_lossy(&line);
                    say(&line);
                    seen(&line);
                }
            });
        }
    });
    let status = child.wait()?;
    if !status.success() {
        bail!("`{name}` failed: {status}");
    }
    Ok(())
}

fn spelled(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}
