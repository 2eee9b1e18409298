//! Notices: computed anew for each run, given in that run only, and bounded whatever a provider does.

use crate::live::Talk;
use api::Method::{Get, Patch, Post};
use hub::notices::{BYTES, NoticeSettings};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A session with these settings, of which `dir` is the temporary folder.
async fn talk(settings: impl FnOnce(&str) -> Value) -> Talk {
    let talk = Talk::new().await;
    let dir = talk.house.path("");
    let settings = settings(dir.to_str().unwrap().trim_end_matches('/')).to_string();
    let environment = vec![("PATH".into(), std::env::var_os("PATH").unwrap()), ("HOME".into(), dir.into())];
    let settings = NoticeSettings { environment, ..NoticeSettings::read(&settings).unwrap() };
    assert!(talk.house.hub.notices.configure(settings));
    talk
}

/// The notices of one run.
async fn notices(talk: &Talk) -> Vec<String> {
    let run = talk.agent(Post, "/runs", json!({})).await;
    assert_eq!(run.status, 201, "{}", run.body);
    let end = format!("/runs/{}/end", run.body["run"].as_str().unwrap());
    assert_eq!(talk.agent(Post, &end, json!({})).await.status, 200);
    run.body["system_notices"].as_array().unwrap().iter().map(|notice| notice.as_str().unwrap().to_owned()).collect()
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"];
    let done = Command::new("git").args(identity).args(arguments).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[tokio::test]
async fn the_state_of_the_folder_is_told_for_one_run_and_never_stored() {
    let talk = talk(|dir| json!({"git": {"folders": [format!("{dir}/src")]}})).await;
    let folder = talk.house.path("src/mill");
    std::fs::create_dir_all(&folder).unwrap();
    talk.agent(Patch, "", json!({"cwd": folder})).await;
    assert_eq!(notices(&talk).await, [""; 0], "it is no repository");
    git(&folder, &["init", "--quiet"]);
    std::fs::write(folder.join("a name.rs"), "fn a() {}").unwrap();
    assert_eq!(notices(&talk).await, ["git: branch `main`. Not committed: 1 file\n- a name.rs"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "First"]);
    assert_eq!(notices(&talk).await, ["git: branch `main`. Everything is committed"]);
    git(&folder, &["mv", "a name.rs", "b.rs"]);
    std::fs::write(folder.join("c.rs"), "").unwrap();
    assert_eq!(notices(&talk).await, ["git: branch `main`. Not committed: 2 files\n- b.rs\n- c.rs"]);
    let stored = talk.owner(Get, "/messages?dev=1", Value::Null).await;
    assert_eq!(stored.body["messages"], json!([]), "a notice is no message");
    let log = talk.owner(Get, "/context-log", Value::Null).await.body;
    let logged: Vec<&str> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|e| e["kind"] == "notice")
        .map(|e| e["text"].as_str().unwrap())
        .collect();
    assert_eq!(logged.len(), 3, "the context log is their only trace");
}

#[tokio::test]
async fn git_runs_only_below_folders_that_the_owner_named() {
    let talk = talk(|dir| json!({"git": {"folders": [format!("{dir}/src")]}})).await;
    let outside = talk.house.path("outside");
    std::fs::create_dir_all(&outside).unwrap();
    git(&outside, &["init", "--quiet"]);
    std::fs::create_dir_all(talk.house.path("src")).unwrap();
    std::os::unix::fs::symlink(&outside, talk.house.path("src/link")).unwrap();
    for cwd in [outside, talk.house.path("src/link"), talk.house.path("src/none")] {
        talk.agent(Patch, "", json!({"cwd": cwd})).await;
        assert_eq!(notices(&talk).await, [""; 0]);
    }
}

#[tokio::test]
async fn deployment_comes_from_a_file_or_a_command() {
    let talk = talk(|dir| json!({"deployment": {"file": format!("{dir}/DEPLOYED")}})).await;
    let unknown = notices(&talk).await.remove(0);
    assert!(unknown.starts_with("Deployment: unknown: "), "{unknown}");
    talk.house.write("DEPLOYED", "1.2 on staging\n");
    assert_eq!(notices(&talk).await, ["Deployment: 1.2 on staging"]);
    talk.house.write("DEPLOYED", "é".repeat(1 << 20));
    let cut = notices(&talk).await.remove(0);
    assert!(cut.ends_with("\n(cut after 16 KiB)") && cut.len() < BYTES + 64, "{}", cut.len());
}

#[tokio::test]
async fn a_command_may_hang_flood_fail_or_be_missing() {
    let command = |name: &str, command: Value| json!({"name": name, "command": command, "timeout_seconds": 1});
    let settings = json!({"commands": [
        command("Fine", json!(["sh", "-c", "echo $HOME; echo secret=$VERBATIM_KEY"])),
        command("Hangs", json!(["sh", "-c", "sleep 600 & sleep 600"])),
        command("Floods", json!(["sh", "-c", "yes | head -c 1048576"])),
        command("Fails", json!(["sh", "-c", "echo half; exit 3"])),
        command("Missing", json!(["/nowhere/at/all"])),
        command("Silent", json!(["true"])),
    ]});
    let talk = talk(|_| settings).await;
    let notices = notices(&talk).await;
    let home = talk.house.path("");
    assert_eq!(notices[0], format!("Fine: {}\nsecret=", home.display()));
    assert_eq!(notices[1], "Hangs: unknown: `sh` took longer than 1 seconds");
    assert_eq!(notices[2], format!("Floods: {}\n(cut after 16 KiB)", "y\n".repeat(BYTES / 2)));
    assert_eq!(notices[3], "Fails: half\n(the command failed: exit status: 3)");
    assert!(notices[4].starts_with("Missing: unknown: `/nowhere/at/all` can't be started: "), "{}", notices[4]);
    assert_eq!(notices.len(), 5, "one that says nothing is none");
}

#[test]
fn mistakes_in_the_settings_are_named() {
    let mistake = |settings: Value| NoticeSettings::read(&settings.to_string()).unwrap_err();
    let command = |field: &str, value: Value| {
        let mut command = json!({"name": "Tests", "command": ["true"]});
        command[field] = value;
        mistake(json!({"commands": [command]}))
    };
    insta::assert_snapshot!(
        [
            mistake(json!({"gits": {}})),
            mistake(json!({"git": {"folders": ["src"]}})),
            mistake(json!({"deployment": {}})),
            mistake(json!({"deployment": {"file": "/a", "command": ["b"]}})),
            command("command", json!([])),
            command("name", json!(" ")),
            command("timeout_seconds", json!(61)),
            command("folders", json!(["."])),
        ]
        .join("\n")
    );
}
