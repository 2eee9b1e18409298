//! Notices: computed anew for each run, given in that run only, and bounded whatever a provider does.

use crate::live::Talk;
use api::Method::{Delete, Get, Patch, Post, Put};
use hub::Caller;
use hub::notices::Notices;
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
    assert!(talk.house.hub.state::<Notices>().configure(settings));
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

#[tokio::test]
async fn people_set_notices_and_the_next_run_has_them() {
    let talk = talk(|_| json!({"commands": [{"name": "Tide", "command": ["/bin/echo", "rising"]}]})).await;
    let house = &talk.house;
    let set = async |name: &str, body: Value| {
        let answer = house.send(Caller::owner(), Put, &format!("/v1/settings/notices/{name}"), Some(body)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    };
    let folder = house.path("src/mill");
    std::fs::create_dir_all(&folder).unwrap();
    git(&folder, &["init", "--quiet"]);
    std::fs::write(house.path("DEPLOYED"), "lantern 1.2\n").unwrap();
    talk.agent(Patch, "", json!({"cwd": folder})).await;
    set("Fridays", json!({"value": " Nothing is deployed on Fridays "})).await;
    set("Deployed", json!({"kind": "file", "value": house.path("DEPLOYED")})).await;
    let all = set("Git%20state", json!({"kind": "git", "value": format!("{}\n\n", house.path("src").display())})).await;
    assert_eq!(
        all,
        json!({
            "notices": [
                {"name": "Fridays", "kind": "text", "value": "Nothing is deployed on Fridays", "on": true},
                {"name": "Deployed", "kind": "file", "value": house.path("DEPLOYED"), "on": true},
                {"name": "Git state", "kind": "git", "value": house.path("src"), "on": true},
            ],
            "from_file": ["Tide"],
        })
    );
    let told = [
        "Tide: rising",
        "Nothing is deployed on Fridays",
        "Deployed: lantern 1.2",
        "git: branch `main`. Everything is committed",
    ];
    assert_eq!(notices(&talk).await, told);
    set("Fridays", json!({"on": false})).await;
    set("Deployed", json!({"kind": "text", "value": "lantern 1.3"})).await;
    assert_eq!(notices(&talk).await, [told[0], "lantern 1.3", told[3]]);
    set("Fridays", json!({"on": true})).await;
    let left = house.send(Caller::owner(), Delete, "/v1/settings/notices/Git%20state", None).await;
    assert_eq!((left.status, left.body["notices"].as_array().unwrap().len()), (200, 2), "{}", left.body);
    assert_eq!(notices(&talk).await, [told[0], told[1], "lantern 1.3"]);
    let audited = house.read("/v1/audit?limit=1").await;
    let change =
        json!([{"field": "Notice Git state", "old": format!("git, on: {}", house.path("src").display()), "new": ""}]);
    assert_eq!(audited["entries"][0]["what"]["changes"], change, "{audited}");
    // One that was removed comes back where it was; what stands there goes on behind it.
    let names = |all: &Value| {
        let names = all["notices"].as_array().unwrap().iter().map(|notice| notice["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let back = set("Git%20state", json!({"kind": "git", "value": house.path("src"), "position": 1})).await;
    assert_eq!(names(&back), ["Fridays", "Git state", "Deployed"]);
    assert_eq!(names(&set("Fridays", json!({"position": 9})).await), ["Git state", "Deployed", "Fridays"]);
    assert_eq!(names(&set("Fridays", json!({"on": false})).await), ["Git state", "Deployed", "Fridays"]);
}

#[tokio::test]
async fn a_notice_that_does_not_fit_is_named_and_agents_set_none() {
    let talk = Talk::new().await;
    let house = &talk.house;
    let put = async |name: &str, body: Value| {
        house.send(Caller::owner(), Put, &format!("/v1/settings/notices/{name}"), Some(body)).await
    };
    let long = "x".repeat(81);
    for (name, body, field) in [
        ("a", json!({}), "/value"),
        ("a", json!({"value": " "}), "/value"),
        ("a", json!({"value": "x".repeat(BYTES + 1)}), "/value"),
        ("a", json!({"kind": "file", "value": "DEPLOYED"}), "/value"),
        ("a", json!({"kind": "git", "value": "/src\nmill"}), "/value"),
        ("a", json!({"kind": "command", "value": "/bin/echo"}), "/kind"),
        ("%20", json!({"value": "x"}), "notice"),
        (long.as_str(), json!({"value": "x"}), "notice"),
    ] {
        let refused = put(name, body.clone()).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some(field)), "{body}: {}", refused.body);
    }
    for n in 0..50 {
        assert_eq!(put(&format!("n{n}"), json!({"value": "x"})).await.status, 200);
    }
    assert_eq!(put("one-more", json!({"value": "x"})).await.status, 400);
    assert_eq!(put("n0", json!({"value": "y"})).await.status, 200);
    let none = house.send(Caller::owner(), Delete, "/v1/settings/notices/none", None).await;
    assert_eq!(none.status, 404);
    let agent = house.agent("other").await;
    for (method, path) in
        [(Get, "/v1/settings/notices"), (Put, "/v1/settings/notices/n0"), (Delete, "/v1/settings/notices/n0")]
    {
        let body = (method == Put).then(|| json!({"value": "mine"}));
        assert_eq!(house.send(agent.clone(), method, path, body).await.status, 403);
    }
}
