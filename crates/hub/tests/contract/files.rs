//! Files of a followed folder that aren't transcripts: links, files beside transcripts, names that aren't text.

#![cfg(unix)]

use crate::support::{House, Talk, in_time, lines, texts};
use hub::imports::Jobs;
use hub::{Caller, Consent};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

const MILL: &str = "projects/-home-ada-mill";
const BAKERY: &str = "projects/-home-ada-bakery";
const LINK: &str = "projects/-home-ada-weir";

async fn all_imports(house: &House) {
    for job in house.hub.state::<Jobs>().list() {
        house.finished(job.id).await;
    }
}

/// The sessions that are stored, by the agent's own id.
async fn sessions(house: &House) -> Vec<String> {
    let list = house.read("/v1/sessions?sort=title").await;
    let mut ids: Vec<String> = texts(&list["sessions"], "agent_session_id").into_iter().map(str::to_owned).collect();
    ids.sort();
    ids
}

async fn project(house: &House, folder: &str) -> Value {
    let path = house.path(folder);
    let listed = house.read("/v1/projects").await;
    let projects = listed["projects"].as_array().unwrap();
    projects.iter().find(|project| project["path"] == json!(path)).unwrap_or(&Value::Null).clone()
}

/// Returns the skipped files of a folder: file name and reason.
async fn skipped(house: &House, folder: &str) -> Vec<String> {
    let project = project(house, folder).await;
    let skipped = project["skipped"].as_array().cloned().unwrap_or_default();
    let name = |path: &Value| Path::new(path.as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
    skipped.iter().map(|file| format!("{} {}", name(&file["path"]), file["reason"].as_str().unwrap())).collect()
}

async fn set(house: &House, state: &str, folder: &str, leads_to: Option<&Path>) -> u16 {
    let path = house.path(folder);
    let mut body = json!({"paths": [path], "state": state});
    if let Some(place) = leads_to {
        body["links"] = json!({ path.to_str().unwrap(): place });
    }
    let answer = house.send(Caller::owner(), api::Method::Put, "/v1/projects", Some(body)).await;
    all_imports(house).await;
    answer.status
}

/// A link to a file is read if the file lies in a folder that is followed. One to a file of the person's, or into an
/// excluded folder, isn't, and the folder says so.
#[tokio::test]
async fn links_to_files() {
    let house = House::with_projects(Consent::Given).await;
    house.write(&format!("{MILL}/mill.jsonl"), Talk::new("mill").user("Grind").text());
    let secret = house.write("secret/weir.jsonl", Talk::new("weir").user("Secret").text());
    let excluded = house.write(&format!("{BAKERY}/bakery.jsonl"), Talk::new("bakery").user("Bake").text());
    let farm = house.write("projects/-home-ada-farm/deeper/farm.jsonl", Talk::new("farm").user("Sow").text());
    assert_eq!(set(&house, "excluded", BAKERY, None).await, 200);
    let at = |name: &str| house.path(&format!("{MILL}/{name}.jsonl"));
    symlink(&secret, at("out")).unwrap();
    symlink(&excluded, at("excluded")).unwrap();
    symlink(&farm, at("within")).unwrap();
    symlink("nothing", at("nowhere")).unwrap();
    symlink(house.path("secret"), house.path(&format!("{MILL}/folder"))).unwrap();
    house.follow().await;
    assert_eq!(sessions(&house).await, ["farm", "mill"]);
    assert_eq!(
        skipped(&house, MILL).await,
        [
            "folder is a link to a folder",
            "nowhere.jsonl leads nowhere",
            "excluded.jsonl leads into an excluded folder",
            "out.jsonl leads out of the folders that are read",
        ]
    );
    // Created while it follows, behind a file that is read after it.
    symlink(&secret, at("later")).unwrap();
    house.write(&format!("{MILL}/second.jsonl"), Talk::new("second").user("Again").text());
    in_time(async {
        while !sessions(&house).await.contains(&"second".to_owned()) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(sessions(&house).await, ["farm", "mill", "second"]);
}

/// To name a folder is to agree to what lies in it, not to where links in it lead.
#[tokio::test]
async fn links_in_a_folder_that_is_named() {
    let house = House::new().await;
    let talk = |name: &str| Talk::new(name).user(name).text();
    let inside = house.write("all/deeper/mill.jsonl", talk("mill"));
    let secret = house.write("secret/weir.jsonl", talk("weir"));
    symlink(&secret, house.path("all/out.jsonl")).unwrap();
    symlink(house.path("secret"), house.path("all/folder")).unwrap();
    symlink(&inside, house.path("all/in.jsonl")).unwrap();
    symlink(house.path("all"), house.path("named")).unwrap();
    let job = house.import(&[house.path("named")]).await;
    assert_eq!(sessions(&house).await, ["mill"]);
    let reason = |place: &Path| format!("leads to {}, which wasn't named", place.display());
    let failed = json!([
        {"path": house.path("all/folder"), "reason": reason(&house.path("secret"))},
        {"path": house.path("all/out.jsonl"), "reason": reason(&secret)},
    ]);
    assert_eq!((&job["files"], &job["files_done"], &job["failed"]), (&json!(3), &json!(3), &failed));
    // A link that is named itself is agreed to.
    house.import(&[house.path("all/out.jsonl")]).await;
    assert_eq!(sessions(&house).await, ["mill", "weir"]);
}

/// A folder that is a link waits for agreement to the place that it leads to, in a folder that the person named, too.
#[tokio::test]
async fn a_linked_folder_waits_for_agreement_which_can_be_taken_back() {
    for consent in [Consent::Asked, Consent::Given] {
        let house = House::with_projects(consent).await;
        house.write("weir/weir.jsonl", Talk::new("weir").user("Open").text());
        house.write("other/other.jsonl", Talk::new("other").user("Other").text());
        let (weir, other) = (house.path("weir"), house.path("other"));
        symlink(&weir, house.path(LINK)).unwrap();
        let found = project(&house, LINK).await;
        let listed = (&found["state"], &found["leads_to"], &found["files"]);
        assert_eq!(listed, (&json!("waiting"), &json!(weir), &json!(1)));
        // All that wait are those that lead nowhere else; and nobody agrees to what they didn't see.
        let all = house.put("/v1/projects", json!({"state": "following"})).await;
        assert_eq!(all.status, 200);
        for seen in [None, Some(other.as_path())] {
            assert_eq!(set(&house, "following", LINK, seen).await, 400);
        }
        assert_eq!(sessions(&house).await, [""; 0]);
        assert_eq!(set(&house, "following", LINK, Some(&weir)).await, 200);
        assert_eq!(project(&house, LINK).await["state"], "following");
        assert_eq!(sessions(&house).await, ["weir"]);
        // It leads elsewhere now: nobody agreed to that.
        std::fs::remove_file(house.path(LINK)).unwrap();
        symlink(&other, house.path(LINK)).unwrap();
        let found = project(&house, LINK).await;
        assert_eq!((&found["state"], &found["leads_to"]), (&json!("waiting"), &json!(other)));
        let id =
            hub::imports::start(&house.hub, vec![house.path(LINK).join("other.jsonl")], hub::imports::Why::Followed);
        house.finished(id).await;
        assert_eq!(sessions(&house).await, ["weir"]);
        // Taken back, it waits.
        assert_eq!(set(&house, "following", LINK, Some(&other)).await, 200);
        assert_eq!(set(&house, "waiting", LINK, None).await, 200);
        assert_eq!(project(&house, LINK).await["state"], "waiting");
        house.write("other/late.jsonl", Talk::new("late").user("Late").text());
        let id =
            hub::imports::start(&house.hub, vec![house.path(LINK).join("late.jsonl")], hub::imports::Why::Followed);
        house.finished(id).await;
        assert_eq!(sessions(&house).await, ["other", "weir"]);
        // The audit log says which place each word was about.
        let log = house.read("/v1/audit").await;
        let all = log["entries"].as_array().unwrap().iter().rev().map(|entry| &entry["what"]);
        let of_link = all.filter(|what| what["folder"] == json!(house.path(LINK)));
        let words: Vec<_> = of_link.map(|what| (what["state"].clone(), what["leads_to"].clone())).collect();
        let expected = [("following", &weir), ("following", &other), ("waiting", &other)];
        assert_eq!(words, expected.map(|(state, place)| (json!(state), json!(place))));
    }
}

/// Links into an excluded folder aren't followed, whichever way they lead there.
#[tokio::test]
async fn a_linked_folder_that_leads_into_an_excluded_one() {
    let house = House::with_projects(Consent::Given).await;
    house.write(&format!("{BAKERY}/bakery.jsonl"), Talk::new("bakery").user("Bake").text());
    house.write("vault/deeper/weir.jsonl", Talk::new("weir").user("Open").text());
    house.write("vault/deeper/pond/pond.jsonl", Talk::new("pond").user("Fish").text());
    assert_eq!(set(&house, "excluded", BAKERY, None).await, 200);
    let (pond, vault) = (house.path("vault/deeper/pond"), house.path("vault"));
    symlink(&pond, house.path("projects/pond")).unwrap();
    assert_eq!(set(&house, "excluded", "projects/pond", None).await, 200);
    symlink(&vault, house.path(LINK)).unwrap();
    symlink(house.path(BAKERY), house.path("projects/again")).unwrap();
    assert_eq!(set(&house, "following", LINK, Some(&vault)).await, 200);
    assert_eq!(set(&house, "following", "projects/again", Some(&house.path(BAKERY))).await, 200);
    assert_eq!(sessions(&house).await, ["weir"]);
    assert_eq!(skipped(&house, LINK).await, ["pond.jsonl leads into an excluded folder"]);
    assert_eq!(skipped(&house, "projects/again").await, ["bakery.jsonl leads into an excluded folder"]);
}

/// Who wants all to be read without asking is asked about links neither.
#[tokio::test]
async fn all_that_is_found_is_read_wherever_it_leads() {
    let house = House::with_projects(Consent::All).await;
    house.write("weir/weir.jsonl", Talk::new("weir").user("Open").text());
    symlink(house.path("weir"), house.path(LINK)).unwrap();
    house.follow().await;
    assert_eq!(sessions(&house).await, ["weir"]);
}

/// The task of a sub-agent is read from a small file beside its transcript, and from nothing else.
#[tokio::test]
async fn files_beside_transcripts() {
    let house = House::with_projects(Consent::Given).await;
    let below = format!("{MILL}/mill/subagents");
    house.write(&format!("{MILL}/mill.jsonl"), Talk::new("mill").user("Grind").text());
    let told = |spaces: usize| format!("{{\"description\":\"Look around\"{}}}", " ".repeat(spaces));
    let agent = |name: &str| {
        let line = json!({"type": "user", "isSidechain": true, "sessionId": "mill", "agentId": name, "cwd": "/home/ada/mill",
            "uuid": format!("{name}-1"), "timestamp": "2026-03-01T09:00:09.000Z", "message": {"role": "user", "content": name}});
        house.write(&format!("{below}/agent-{name}.jsonl"), format!("{line}\n"));
    };
    for name in ["small", "large", "link"] {
        agent(name);
    }
    house.write(&format!("{below}/agent-small.meta.json"), told(1_000));
    house.write(&format!("{below}/agent-large.meta.json"), told(2 << 20));
    symlink(house.write("secret.json", told(0)), house.path(&format!("{below}/agent-link.meta.json"))).unwrap();
    house.follow().await;
    let titled = async |name: &str| {
        let path = format!("/v1/sessions/{}", format!("mill/{name}").replace('/', "%2F"));
        house.read(&path).await["session"]["title"] == "Look around"
    };
    assert_eq!((titled("small").await, titled("large").await, titled("link").await), (true, false, false));
    assert_eq!(
        skipped(&house, MILL).await,
        ["agent-large.meta.json has more than 1 MiB", "agent-link.meta.json is a link"]
    );
}

/// Two files whose names differ in bytes that are no UTF-8 alone are two, and stay so.
#[tokio::test]
async fn names_that_are_no_text() {
    let house = House::with_projects(Consent::Given).await;
    let folder = house.path("projects").join(OsStr::from_bytes(b"mill\xf0"));
    std::fs::create_dir(&folder).unwrap();
    for (byte, session) in [(b"\xff", "one"), (b"\xfe", "two")] {
        let name = [b"a", &byte[..], b".jsonl"].concat();
        std::fs::write(folder.join(OsStr::from_bytes(&name)), Talk::new(session).user(session).text()).unwrap();
    }
    house.follow().await;
    assert_eq!(sessions(&house).await, ["one", "two"]);
    let source = async |session: &str| house.read(&format!("/v1/sessions/{session}")).await["sources"][0].clone();
    let path = |name: &str| json!(format!("{}/mill\u{fffd}f0/a\u{fffd}{name}.jsonl", house.path("projects").display()));
    let before = [source("one").await, source("two").await];
    assert_eq!([&before[0]["path"], &before[1]["path"]], [&path("ff"), &path("fe")]);
    // Nothing is written when all files are looked at again.
    let feed = house.hub.feed.pos();
    let files = hub::discover::allowed(&house.hub, None).await.unwrap();
    assert_eq!(files.len(), 2);
    let id = hub::imports::start(&house.hub, files, hub::imports::Why::Followed);
    assert_eq!(house.finished(id).await["messages"], 0);
    assert_eq!([source("one").await, source("two").await], before);
    assert_eq!(house.hub.feed.pos(), feed);
    // Its folder is spoken of by the same name.
    let listed = house.read("/v1/projects").await;
    let paused = house.put("/v1/projects", json!({"paths": [listed["projects"][0]["path"]], "state": "paused"})).await;
    assert_eq!(
        (&paused.body["projects"][0]["state"], &paused.body["projects"][0]["sessions"]),
        (&json!("paused"), &json!(2))
    );
    assert_eq!(lines(&house.read("/v1/sessions/two/messages").await), ["1 user TEXT shown: two"]);
}
