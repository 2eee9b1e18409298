//! The program that the tests start in place of an agent. Its only argument is a script; each line of it is one step:
//!
//! - `say TEXT` writes a line, `half TEXT` one without its end, `err TEXT` one on standard error
//! - `read` waits for a line of its input; `echo` writes what it reads next
//! - `big BYTES` writes a line of so many bytes, `flood LINES` so many lines
//! - `env` writes the names of its environment, sorted; `folder` its folder
//! - `child` starts a process that keeps its output open for ever, and writes its id
//! - `compute MILLISECONDS` takes so much time without a word, `mumble TIMES` writes on standard error, at each tenth of a second
//! - `hang` waits for ever, `wait` until its input ends, `exit CODE` ends it

#![expect(
    clippy::unwrap_used,
    clippy::zombie_processes,
    reason = "a stand-in that a test starts, and whose child outlives it on purpose"
)]

use std::io::{BufRead as _, Write as _};

fn main() {
    let script = std::env::args().nth(1).unwrap_or_default();
    if script == "child" {
        sleep_for_ever();
    }
    let mut input = std::io::stdin().lock().lines();
    for step in script.lines() {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        match verb {
            "say" => write(&format!("{rest}\n")),
            "half" => write(rest),
            "err" => drop(writeln!(std::io::stderr(), "{rest}")),
            "read" => drop(input.next()),
            "echo" => write(&format!("{}\n", input.next().and_then(Result::ok).unwrap_or_default())),
            "big" => write(&format!("{}\n", "x".repeat(rest.parse().unwrap_or(0)))),
            "flood" => (0..rest.parse().unwrap_or(0)).for_each(|number: u64| write(&format!("{number}\n"))),
            "env" => {
                let mut names: Vec<_> = std::env::vars_os().map(|(name, _)| name.into_string().unwrap()).collect();
                names.sort();
                write(&format!("{}\n", names.join(",")));
            }
            "folder" => write(&format!("{}\n", std::env::current_dir().unwrap().display())),
            "child" => {
                let program = std::env::current_exe().unwrap();
                let child = std::process::Command::new(program).arg("child").spawn().unwrap();
                write(&format!("{}\n", child.id()));
            }
            "compute" => compute(rest.parse().unwrap_or(0)),
            "mumble" => (0..rest.parse().unwrap_or(0)).for_each(|_: u64| {
                drop(writeln!(std::io::stderr(), "..."));
                std::thread::park_timeout(std::time::Duration::from_millis(100));
            }),
            "wait" => input.by_ref().for_each(drop),
            "hang" => sleep_for_ever(),
            "exit" => std::process::exit(rest.parse().unwrap_or(0)),
            other => panic!("an unknown step: {other}"),
        }
    }
}

fn compute(milliseconds: u64) {
    let until = std::time::Duration::from_millis(milliseconds);
    let began = tokio::time::Instant::now();
    while began.elapsed() < until {
        std::hint::spin_loop();
    }
}

fn write(text: &str) {
    let mut out = std::io::stdout();
    // Whoever reads may be gone.
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}
