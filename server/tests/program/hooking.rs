//! `verbatim hook`: settings are changed and given back, and events go to the server.

use crate::support::{Place, Server, wait_until};
use serde_json::{Value, json};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

/// Settings as somebody wrote them: their own order, indent and hooks.
const BEFORE: &str = "{\n    \"model\": \"opus\",\n    \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]},\n    \"env\": {\"A\": \"1\"}\n}\n";

/// A session of Claude Code that the server has read.
const SESSION: &str = "5e551007-0000-4000-8000-000000000007";

fn settings(place: &Place) -> PathBuf {
    place.path("home/.claude/settings.json")
}

fn read(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(settings(place)).unwrap()).unwrap()
}

fn install(place: &Place, more: &[&str]) -> Output {
    place.run(&[&["hook", "install", "--server", "http://127.0.0.1:7117"], more].concat())
}

fn error(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn settings_are_changed_once_and_given_back_byte_for_byte() {
    let place = Place::new();
    place.write("home/.claude/settings.json", BEFORE);
    let told = install(&place, &[]);
    let told = place.mask(&String::from_utf8(told.stdout).unwrap());
    assert!(told.starts_with("Changed [dir]/home/.claude/settings.json\n  + hooks.SessionStart: runs "), "{told}");
    assert!(
        told.contains("  + hooks.PermissionRequest: POST http://127.0.0.1:7117/v1/hooks/claude_code/3600\n"),
        "{told}"
    );
    assert!(told.contains("What it was before is in [dir]/home/.claude/settings.json.before-verbatim.1\n"), "{told}");
    let now = read(&place);
    assert_eq!(now.as_object().unwrap().keys().collect::<Vec<_>>(), ["model", "hooks", "env"]);
    assert_eq!(now["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
    for (event, at) in [("SessionStart", 1), ("Stop", 2)] {
        let wakes = &now["hooks"][event][at]["hooks"][0];
        assert_eq!((&wakes["asyncRewake"], &wakes["timeout"]), (&json!(true), &json!(604_810)), "{wakes}");
        let command = wakes["command"].as_str().unwrap();
        assert!(
            command.starts_with("exec ") && command.contains(" hook wait --server http://127.0.0.1:7117 "),
            "{command}"
        );
    }
    let hook = &now["hooks"]["PermissionRequest"][0]["hooks"][0];
    let expected = json!({"type": "http", "url": "http://127.0.0.1:7117/v1/hooks/claude_code/3600", "timeout": 3610,
        "headers": {"Authorization": "Bearer $VERBATIM_HOOK_KEY"}, "allowedEnvVars": ["VERBATIM_HOOK_KEY"]});
    assert_eq!(*hook, expected);
    let key = std::fs::read_to_string(place.path("data/hooks.key")).unwrap();
    assert_eq!(now["env"], json!({"A": "1", "VERBATIM_HOOK_KEY": key.trim()}));
    let mode = std::fs::metadata(settings(&place)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "as it was");

    let again = install(&place, &[]);
    assert!(String::from_utf8_lossy(&again.stdout).ends_with("has the hooks already: nothing was changed\n"));
    assert_eq!(read(&place), now, "never twice");

    let back = place.out(&["hook", "uninstall"]);
    assert!(back.contains("which is as it was before"), "{back}");
    assert_eq!(std::fs::read_to_string(settings(&place)).unwrap(), BEFORE);
    let none = place.out(&["hook", "uninstall"]);
    assert!(none.ends_with("has no hooks of Verbatim: nothing was changed\n"), "{none}");
}

/// Changes that others made since stay.
#[test]
fn what_others_changed_since_stays() {
    let place = Place::new();
    place.write("home/.claude/settings.json", BEFORE);
    install(&place, &["--wait", "60"]);
    let mut now = read(&place);
    now["theme"] = json!("dark");
    std::fs::write(settings(&place), now.to_string()).unwrap();
    place.out(&["hook", "uninstall"]);
    let mut expected: Value = serde_json::from_str(BEFORE).unwrap();
    expected["theme"] = json!("dark");
    assert_eq!(read(&place), expected);
}

#[test]
fn a_project_has_a_file_of_its_own_that_goes_again() {
    let place = Place::new();
    std::fs::create_dir(place.path("mill")).unwrap();
    install(&place, &["--project", "mill", "--command"]);
    let file = place.path("mill/.claude/settings.local.json");
    let now: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(now.as_object().unwrap().keys().collect::<Vec<_>>(), ["hooks"], "no key is in it");
    let command = now["hooks"]["PermissionRequest"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    assert!(command.contains(" hook send --server http://127.0.0.1:7117 --key-file "), "{command}");
    assert!(!settings(&place).exists());
    let status = place.out(&["hook", "status", "--project", "mill"]);
    assert!(status.ends_with("No server is running: the agent works as without hooks\n"), "{status}");
    place.out(&["hook", "uninstall", "--project", "mill"]);
    assert!(!file.exists());
    let status = place.out(&["hook", "status", "--project", "mill"]);
    assert!(status.contains("Not installed in"), "{status}");
}

#[test]
fn settings_that_cannot_be_changed_stay_as_they_are() {
    let place = Place::new();
    for (text, words) in [
        ("{\n  // mine\n  \"model\": \"opus\"\n}\n", "is no plain JSON: "),
        ("{\"model\": \"opus\",}", "Comments and commas at the end of a list aren't JSON"),
        ("[]", "should hold a JSON object"),
        ("{\"hooks\": []}", "`hooks` should be an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "`hooks.Stop` should be an array"),
        ("{\"env\": 1}", "`env` should be an object"),
    ] {
        place.write("home/.claude/settings.json", text);
        let said = error(&install(&place, &[]));
        assert!(said.contains(words) && said.contains("Nothing was changed"), "{text}: {said}");
        assert_eq!(std::fs::read_to_string(settings(&place)).unwrap(), text);
    }
    place.write("home/.claude/settings.json", BEFORE);
    std::fs::set_permissions(settings(&place), std::fs::Permissions::from_mode(0o400)).unwrap();
    let said = error(&install(&place, &[]));
    assert!(said.contains("is read-only\nMake it writable"), "{said}");
    assert_eq!(std::fs::read_to_string(settings(&place)).unwrap(), BEFORE);
    let said = error(&install(&place, &["--project", "nowhere"]));
    assert!(said.contains("nowhere isn't a folder"), "{said}");
}

/// A link to the file stays a link.
#[test]
fn a_linked_file_is_changed_where_it_is() {
    let place = Place::new();
    place.write("dotfiles/settings.json", BEFORE);
    std::fs::create_dir_all(place.path("home/.claude")).unwrap();
    std::os::unix::fs::symlink(place.path("dotfiles/settings.json"), settings(&place)).unwrap();
    install(&place, &[]);
    assert!(std::fs::symlink_metadata(settings(&place)).unwrap().is_symlink());
    place.out(&["hook", "uninstall"]);
    assert_eq!(std::fs::read_to_string(place.path("dotfiles/settings.json")).unwrap(), BEFORE);
}

/// Runs `verbatim hook send` with an event.
fn send(place: &Place, server: &str, event: &Value) -> (String, String) {
    let key = place.path("data/hooks.key");
    let arguments = ["hook", "send", "--server", server, "--key-file", key.to_str().unwrap()];
    let mut command = place.program(&arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "a hook that fails would be shown to the agent");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Starts `verbatim hook wait` as Claude Code does, in a terminal or elsewhere.
fn wait(place: &Place, server: &str, entrypoint: &str, event: &Value) -> Child {
    let key = place.path("data/hooks.key");
    let arguments = ["hook", "wait", "--server", server, "--key-file", key.to_str().unwrap()];
    let mut command = place.program(&arguments);
    command.env("CLAUDE_CODE_ENTRYPOINT", entrypoint);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    child
}

/// Exit code and both outputs of a hook.
fn ended(child: Child) -> (i32, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Writes to the agent, as a person.
fn write(server: &Server, text: &str) {
    let message = json!({"role": "user", "content": text}).to_string();
    let sent = server.with_key("POST", &format!("/v1/sessions/{SESSION}/messages"), &message);
    assert_eq!(sent.status, 201, "{}", sent.text());
}

/// Exit code 2 wakes Claude Code in its terminal. Everything else leaves it as it is without the hook.
#[test]
fn what_a_person_writes_wakes_the_terminal() {
    let server = Server::with_sessions();
    let place = &server.place;
    place.out(&["hook", "install"]);
    let stop = json!({"session_id": SESSION, "hook_event_name": "Stop"});
    let nothing = (0, String::new(), String::new());
    for entrypoint in ["sdk-cli", "sdk-ts", ""] {
        assert_eq!(ended(wait(place, &server.origin(), entrypoint, &stop)), nothing, "{entrypoint}");
    }
    assert_eq!(ended(wait(place, "http://127.0.0.1:1", "cli", &stop)), nothing, "no server");
    assert_eq!(ended(wait(place, &server.origin(), "cli", &json!([1]))), nothing, "no event");

    let session = format!("/v1/sessions/{SESSION}");
    let state = || server.with_key("GET", &format!("{session}/agent"), "").json()["state"].clone();
    let first = wait(place, &server.origin(), "cli", &stop);
    wait_until("the hook waits", || state() == "terminal");
    let second = wait(place, &server.origin(), "cli", &stop);
    assert_eq!(ended(first), nothing, "another hook took its place");
    write(&server, "Sweep the **mill**");
    let told = "<verbatim-message>\nSweep the **mill**\n</verbatim-message>\n".to_owned();
    assert_eq!(ended(second), (2, String::new(), told));
    assert_eq!(state(), "terminal_busy");

    let third = wait(place, &server.origin(), "cli", &stop);
    wait_until("the next hook waits", || state() == "terminal");
    let end = json!({"session_id": SESSION, "hook_event_name": "SessionEnd", "reason": "other"});
    assert_eq!(send(place, &server.origin(), &end), (String::new(), String::new()));
    assert_eq!(ended(third), nothing, "the session ended");
}

/// A server that comes back within minutes finds the terminal again.
#[test]
fn a_hook_waits_for_a_server_that_comes_back() {
    let mut server = Server::with_sessions();
    server.place.out(&["hook", "install"]);
    let stop = json!({"session_id": SESSION, "hook_event_name": "Stop"});
    let hook = wait(&server.place, &server.origin(), "cli", &stop);
    let agent = format!("/v1/sessions/{SESSION}/agent");
    let waits = |server: &Server| {
        wait_until("the hook waits", || server.with_key("GET", &agent, "").json()["state"] == "terminal");
    };
    waits(&server);
    server.terminate();
    server.ended(Duration::from_secs(20));
    let server = server.again();
    waits(&server);
    write(&server, "Sweep");
    assert_eq!(ended(hook).0, 2);
}

/// A dead server, a wrong and a revoked key say so in a line, and the agent goes on.
#[test]
fn an_event_never_stops_the_agent() {
    let server = Server::start();
    let place = &server.place;
    place.out(&["hook", "install"]);
    let event = json!({"session_id": "mill", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    assert_eq!(send(place, &server.origin(), &event), (String::new(), String::new()));
    let (out, err) = send(place, "http://127.0.0.1:1", &event);
    assert!(out.is_empty() && err.starts_with("verbatim: "), "{out} {err}");
    let (out, err) = send(place, &server.origin(), &json!([1]));
    assert!(out.is_empty() && err.contains("isn't an event of a hook"), "{out} {err}");
    let key = std::fs::read_to_string(place.path("data/hooks.key")).unwrap();
    let id = key.split('_').nth(1).unwrap().to_owned();
    let status = place.out(&["hook", "status"]);
    assert!(status.ends_with(" responds, and the key is valid\n"), "{status}");
    place.out(&["key", "revoke", &id]);
    let (out, err) = send(place, &server.origin(), &event);
    assert!(out.is_empty() && err.contains("The key is unknown"), "{out} {err}");
    let status = place.out(&["hook", "status"]);
    assert!(status.contains("refuses the key"), "{status}");
    // Over HTTP it is the same plain answer.
    let bearer = format!("Bearer {}", key.trim());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let refused = server.send("POST", "/v1/hooks/claude_code/5", &headers, &event.to_string());
    assert_eq!((refused.status, &refused.json()["code"]), (401, &json!("key_refused")));
    // A new installation makes another key.
    place.out(&["hook", "install"]);
    assert_eq!(send(place, &server.origin(), &event), (String::new(), String::new()));
}

/// One key is of all sessions. The next one goes on with them, also where the file of the one before was lost.
#[test]
fn the_next_key_goes_on_with_the_sessions_of_the_one_before() {
    let server = Server::start();
    let place = &server.place;
    let file = place.path("data/hooks.key");
    let asks = |session: &str| {
        let key = std::fs::read_to_string(&file).unwrap();
        let bearer = format!("Bearer {}", key.trim());
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let event = json!({"session_id": session, "hook_event_name": "PermissionRequest", "tool_name": "Bash",
            "tool_input": {"command": "ls"}});
        let answer = server.send("POST", "/v1/hooks/claude_code/1", &headers, &event.to_string());
        (answer.status, answer.json())
    };
    let before = || std::fs::read_to_string(&file).unwrap();
    place.out(&["hook", "install"]);
    assert_eq!(asks("mill"), (200, json!({})));
    assert_eq!(asks("farm"), (200, json!({})));
    // Another key with the scope isn't one that was installed: it stays, and reports neither.
    let made: Value =
        serde_json::from_str(&place.out(&["key", "create", "--name", "mine", "--scope", "hooks", "--json"])).unwrap();
    let first = before();
    std::fs::write(&file, made["key"].as_str().unwrap()).unwrap();
    assert_eq!(asks("mill").1["code"], "not_yours");
    std::fs::remove_file(&file).unwrap();
    place.out(&["hook", "install"]);
    assert_ne!(before(), first);
    assert_eq!(asks("mill"), (200, json!({})));
    assert_eq!(asks("farm"), (200, json!({})));
    let keys: Value = serde_json::from_str(&place.out(&["key", "list", "--json"])).unwrap();
    let holds = |key: &&Value| key["revoked_at"].is_null();
    let names: Vec<&str> =
        keys.as_array().unwrap().iter().filter(holds).map(|key| key["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Claude Code hooks", "mine"]);
}
