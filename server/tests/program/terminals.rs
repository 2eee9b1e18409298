//! Every command on a terminal: no stored text commands it.

use crate::support::{Place, Server, said, wait_until};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Stdio;

/// Sets the title, writes the clipboard, clears the screen, steps back, turns the direction, resets the terminal.
const HOSTILE: &str = "X\u{1b}]0;PWN\u{7}\u{1b}]52;c;UFdO\u{7}\u{9b}2J\u{8}\u{202e}\u{1b}c";
/// The sequences that draw a progress bar.
const OWN: [&str; 3] = ["\u{1b}[2K", "\u{1b}[1A", "\r"];

/// Runs a command on a terminal of its own. Returns what the terminal got until the command ended or, to be ended then,
/// until it wrote this.
fn on_terminal(place: &Place, arguments: &[&str], until: Option<&str>) -> (String, Option<i32>) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let no_control = rustix::fs::OFlags::NOCTTY.bits().cast_signed();
    let terminal =
        File::options().read(true).write(true).custom_flags(no_control).open(name.to_str().unwrap()).unwrap();
    let mut child = place
        .program(arguments)
        .stdin(Stdio::null())
        .stdout(terminal.try_clone().unwrap())
        .stderr(terminal)
        .spawn()
        .unwrap();
    let (mut got, mut master, mut piece) = (Vec::new(), File::from(master), [0; 4096]);
    // Once nobody has the other side open, reading is an error.
    while let Ok(count @ 1..) = master.read(&mut piece) {
        got.extend(&piece[..count]);
        if until.is_some_and(|until| String::from_utf8_lossy(&got).contains(until)) {
            child.kill().unwrap();
        }
    }
    (String::from_utf8(got).unwrap(), child.wait().unwrap().code())
}

/// All commands, as their help lists them: `key list`.
fn commands(place: &Place, above: &str) -> Vec<String> {
    let arguments: Vec<&str> = above.split_whitespace().chain(["--help"]).collect();
    let help = place.out(&arguments);
    let Some((_, list)) = help.split_once("Commands:\n") else { return vec![above.to_owned()] };
    let names = list.lines().take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.flat_map(|name| commands(place, format!("{above} {name}").trim())).collect()
}

fn made(server: &Server, path: &str, body: &Value) -> Value {
    let reply = server.with_key("POST", path, &body.to_string());
    assert!(matches!(reply.status, 200 | 201), "{path}: {}", reply.text());
    reply.json()
}

/// A session whose texts are hostile, and the run in which its agent was given some; their ids.
fn hostile(server: &Server) -> (String, String) {
    let new =
        json!({"agent": format!("a{HOSTILE}"), "title": format!("T {HOSTILE}"), "project": format!("/p{HOSTILE}")});
    let session = made(server, "/v1/sessions", &new)["id"].as_str().unwrap().to_owned();
    let messages = format!("/v1/sessions/{session}/messages");
    let call = |name: &str| {
        json!({"message_metadata": {"message_type": "TOOL_CALL", "version": 1, "payload":
            {"tool_name": name, "input": {"command": HOSTILE}, "output": HOSTILE, "exit_code": 1}}})
    };
    let mail = format!("ada@example.org {HOSTILE} ");
    for message in [
        json!({"role": "user", "content": format!("{mail} says"), "sender_name": HOSTILE}),
        json!({"content": format!("# {HOSTILE}\n\n```\n{HOSTILE}\n```"), "sender_name": HOSTILE}),
        json!({"role": "model", "content": HOSTILE}),
        json!({"role": "system", "content": HOSTILE}),
        call(HOSTILE),
        json!({"message_metadata": {"message_type": HOSTILE, "version": 1, "payload": {HOSTILE: HOSTILE}}, "content": HOSTILE}),
    ] {
        let reply = server.with_key("POST", &messages, &message.to_string());
        assert!(matches!(reply.status, 201 | 422), "{}", reply.text());
    }
    let run = made(server, &format!("/v1/sessions/{session}/runs"), &json!({"history_after": 0}))["run"].clone();
    made(server, &messages, &json!({"content": "last words"}));
    (session, run.as_str().unwrap().to_owned())
}

#[test]
fn no_command_passes_stored_text_to_a_terminal_that_would_obey_it() {
    let server = Server::start();
    let (session, run) = hostile(&server);
    let (session, run, place) = (session.as_str(), run.as_str(), &server.place);
    let key = |name: &str| place.out(&["key", "create", "--name", name, "--json"]);
    let known: Value = serde_json::from_str(&key("bot")).unwrap();
    let key_id = known["id"].as_str().unwrap();
    let schedule = place.out(&["schedule", "add", session, HOSTILE, "--cron", "0 9 * * 1-5", "--json"]);
    let schedule: Value = serde_json::from_str(&schedule).unwrap();
    let schedule = schedule["id"].as_str().unwrap();
    let types = json!({"type": "bot.note", "version": 1, "title": HOSTILE, "schema": {"type": "object"}});
    let types = place.write("note.json", types.to_string());
    let types = types.to_str().unwrap();
    let transcript = place.write("projects/-p/5e550000-0000-4000-8000-000000000001.jsonl", said("5e55", 1, HOSTILE));
    let transcript = transcript.to_str().unwrap();
    let broken = place.write("broken.db", "SQLite format 3\0");
    let broken = broken.to_str().unwrap();
    place.out(&["backup", "backups"]);
    let label = HOSTILE.replace(char::is_control, "");
    let cases: &[(&str, &[&[&str]])] = &[
        ("serve", &[]),
        ("tail", &[&[session]]),
        // Draws its screen itself: `tui_screens.rs`.
        ("tui", &[]),
        ("import", &[&[transcript], &[broken], &["--list"], &[transcript, "--json"]]),
        ("sessions", &[&[], &["--json"]]),
        ("show", &[&[session], &[session, "--dev"], &[session, "--json"], &["none"]]),
        ("open", &[&[]]),
        ("pair", &[&[]]),
        ("tls init", &[&["agents.example.org"], &[HOSTILE]]),
        ("run", &[&["--agent", HOSTILE]]),
        ("send", &[&["--session", session, HOSTILE], &["--session", session, HOSTILE, "--json"]]),
        ("attach", &[&[], &[HOSTILE], &["--json"]]),
        ("notify", &[&["--session", session, HOSTILE], &[HOSTILE, "--json"]]),
        ("ask", &[&["--session", session, "--timeout", "1", HOSTILE]]),
        ("schedule list", &[&[], &["--json"]]),
        ("schedule add", &[&[session, HOSTILE, "--cron", HOSTILE]]),
        ("schedule pause", &[&[schedule], &[schedule, "--resume"]]),
        ("schedule run", &[&[schedule]]),
        ("schedule remove", &[&[schedule]]),
        ("channels list", &[&[], &["--json"]]),
        ("channels test", &[&[HOSTILE]]),
        ("channels refused", &[&[HOSTILE]]),
        ("channels retry", &[&[HOSTILE]]),
        ("channels clear", &[&[HOSTILE]]),
        ("mcp", &[&[]]),
        ("key create", &[&["--name", HOSTILE]]),
        ("key list", &[&[], &["--json"]]),
        ("key quota", &[&[key_id, "--most-messages", "5"]]),
        ("key revoke", &[&[key_id], &[HOSTILE]]),
        ("user add", &[&["Ines"], &[HOSTILE]]),
        ("user list", &[&[], &["--json"]]),
        ("user invite", &[&["Ines"], &[HOSTILE]]),
        ("user role", &[&["Ines", "viewer"]]),
        ("user rename", &[&["Ines", "Bo"], &["Bo", HOSTILE]]),
        ("user project", &[&[HOSTILE, "--only", "Bo"], &["/p", "--all"]]),
        ("user remove", &[&["Bo"]]),
        ("machine add", &[&["laptop"], &[HOSTILE]]),
        ("machine list", &[&[], &["--json"]]),
        ("machine rename", &[&["laptop", "old"], &["old", HOSTILE]]),
        ("machine remove", &[&[HOSTILE]]),
        ("forward", &[&["--to", HOSTILE, "--key", HOSTILE]]),
        ("share create", &[&[session, "--label", &label], &[session, "--unmasked", "--json"]]),
        ("share list", &[&[], &["--json"]]),
        ("share revoke", &[&[HOSTILE]]),
        ("hook install", &[&[]]),
        ("hook status", &[&[]]),
        ("hook uninstall", &[&[]]),
        // An agent gives them an event through a pipe, and reads their answer from one.
        ("hook send", &[]),
        ("hook wait", &[]),
        ("service install", &[&["--print"]]),
        ("service status", &[&[]]),
        ("service uninstall", &[&[]]),
        ("backup list", &[&["backups"], &["backups", "--json"]]),
        ("backup verify", &[&["backups"], &["backups", "--json"]]),
        ("restore", &[&["backups"]]),
        ("migrate-store", &[&["--to", HOSTILE]]),
        ("config show", &[&[], &["--json"]]),
        ("completions", &[&["bash"]]),
        ("types put", &[&[types]]),
        ("types list", &[&[], &["--json"]]),
        ("types remove", &[&["bot.note"]]),
        (
            "export",
            &[
                &[session, "--format", "markdown"],
                &[session, "--format", "html"],
                &[session, "--format", "json"],
                &[session, "--format", "jsonl"],
                &[session, "--format", "anthropic"],
                &[session, "--format", "markdown", "--redact"],
                &[session, "--redact", "--preview"],
            ],
        ),
        (
            "context",
            &[
                &[session],
                &[session, "--diff"],
                &[session, "--json"],
                &[session, "--format", "text"],
                &[session, "--format", "anthropic"],
            ],
        ),
        (
            "context-log",
            &[&[session], &[session, "--check"], &[session, "--json"], &[session, "--run", run, "--part", "prompt"]],
        ),
        ("erase", &[&[session, "--preview"]]),
        ("audit", &[&[], &["--json"]]),
        ("doctor", &[&[]]),
    ];
    let cases: BTreeMap<&str, &[&[&str]]> = cases.iter().copied().collect();
    let mut all = commands(place, "");
    all.sort();
    assert_eq!(all, cases.keys().copied().collect::<Vec<_>>(), "each command has its line above");
    let mut shown = 0;
    for (command, cases) in cases {
        for arguments in cases {
            let all: Vec<&str> = command.split(' ').chain(arguments.iter().copied()).collect();
            let until = (command == "tail").then_some("last words");
            let (got, code) = on_terminal(place, &all, until);
            assert_ne!(code, Some(2), "{all:?} isn't a command: {got}");
            let got = OWN.iter().fold(got, |got, own| got.replace(own, ""));
            let obeyed =
                |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(!got.contains(obeyed), "{all:?}: {got:?}");
            shown += usize::from(got.contains("PWN"));
            if arguments.contains(&"--json") && code == Some(0) {
                for line in got.lines() {
                    serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{all:?}: {error}: {line}"));
                }
            }
        }
    }
    assert!(shown > 20, "the text is there: {shown}");
    // A file gets the text as it is stored.
    // A command before may still add to the session.
    wait_until("a file gets what is stored", || {
        let written = place.run(&["export", session, "--format", "markdown"]).stdout;
        let exported = server.with_key("GET", &format!("/v1/sessions/{session}/export?format=markdown"), "").body;
        written == exported && String::from_utf8(written).unwrap().contains("\u{1b}]0;PWN")
    });
    // A line of fields stays one, wherever it goes.
    let listed = place.out(&["sessions"]);
    assert!(listed.contains("PWN") && !listed.contains(|c: char| c.is_control() && c != '\n'), "{listed:?}");
    let (got, _) = on_terminal(&Place::new(), &["serve", "--listen", "127.0.0.1:0", "--no-discover"], Some("/#c="));
    assert!(!got.contains('\u{1b}'), "{got:?}");
}
