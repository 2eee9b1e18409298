//! Folders and the owner's word on them: nothing is read without consent, nothing is left when it is forgotten.

use crate::support::{House, Talk, in_time, texts};
use hub::imports::Jobs;
use hub::{Caller, Consent};
use insta::assert_snapshot;
use serde_json::{Value, json};

const MILL: &str = "projects/-home-ada-mill";
const BAKERY: &str = "projects/-home-ada-bakery";

async fn two_folders(consent: Consent) -> House {
    let house = House::with_projects(consent).await;
    house.write(&format!("{MILL}/mill.jsonl"), Talk::new("mill").user("Grind").says("Ground.").text());
    house.write(&format!("{BAKERY}/bakery.jsonl"), Talk::new("bakery").user("Bake").text());
    house
}

async fn states(house: &House) -> Vec<String> {
    let listed = house.read("/v1/projects").await;
    let state =
        |p: &Value| format!("{} {} {}", p["name"].as_str().unwrap(), p["state"].as_str().unwrap(), p["sessions"]);
    listed["projects"].as_array().unwrap().iter().map(state).collect()
}

async fn set(house: &House, state: &str, folder: &str) {
    let body = json!({"paths": [house.path(folder)], "state": state});
    let answer = house.send(Caller::owner(), api::Method::Put, "/v1/projects", Some(body)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    all_imports(house).await;
}

async fn all_imports(house: &House) {
    for job in house.hub.state::<Jobs>().list() {
        house.finished(job.id).await;
    }
}

#[tokio::test]
async fn found_folders_wait() {
    let house = two_folders(Consent::Asked).await;
    assert_snapshot!(house.shown(&house.get("/v1/projects").await));
    assert_eq!(house.read("/v1/sessions").await["all"], 0);
}

#[tokio::test]
async fn no_folders() {
    let house = House::with_projects(Consent::Asked).await;
    assert_snapshot!(house.shown(&house.get("/v1/projects").await));
}

#[tokio::test]
async fn one_click_follows_all_that_wait() {
    let house = two_folders(Consent::Asked).await;
    set(&house, "excluded", BAKERY).await;
    let answer = house.put("/v1/projects", json!({"state": "following"})).await;
    assert_eq!(answer.status, 200);
    all_imports(&house).await;
    assert_eq!(states(&house).await, ["home-ada-bakery excluded 0", "/home/ada/mill following 1"]);
    assert_eq!(texts(&house.read("/v1/sessions").await["sessions"], "agent_session_id"), ["mill"]);
}

#[tokio::test]
async fn from_waiting_to_forgotten() {
    let house = two_folders(Consent::Asked).await;
    set(&house, "following", MILL).await;
    assert_eq!(states(&house).await, ["home-ada-bakery waiting 0", "/home/ada/mill following 1"]);
    set(&house, "paused", MILL).await;
    assert_eq!(states(&house).await, ["home-ada-bakery waiting 0", "/home/ada/mill paused 1"]);
    set(&house, "excluded", MILL).await;
    assert_eq!(states(&house).await, ["home-ada-bakery waiting 0", "/home/ada/mill excluded 1"]);
    let id = house.read("/v1/sessions/mill").await["session"]["id"].as_str().unwrap().to_owned();
    let forgotten = house.post("/v1/projects/forget", json!({ "path": house.path(MILL) })).await;
    assert_eq!((forgotten.status, forgotten.body), (200, json!({"sessions": 1})));
    assert_eq!(states(&house).await, ["home-ada-bakery waiting 0", "home-ada-mill excluded 0"]);
    // Nothing is left, by whatever name.
    for path in ["/v1/sessions/mill".to_owned(), format!("/v1/sessions/{id}"), format!("/v1/sessions/{id}/messages")] {
        assert_eq!(house.get(&path).await.status, 404, "{path}");
    }
    let list = house.read("/v1/sessions").await;
    assert_eq!((&list["all"], &list["facets"]), (&json!(0), &json!({"projects": [], "agents": []})));
    assert_eq!(house.read("/v1/search?q=grind").await["total"], 0);
    let health = house.read("/v1/health").await;
    assert_eq!((&health["sources"], &health["source_bytes"]), (&json!(0), &json!(0)));
    // Asked for again, it comes back whole.
    set(&house, "following", MILL).await;
    assert_eq!(house.read("/v1/sessions/mill").await["session"]["message_count"], 2);
}

/// A session that was imported from elsewhere stays when a folder is forgotten.
#[tokio::test]
async fn forgetting_a_folder_leaves_the_others() {
    let house = two_folders(Consent::Given).await;
    house.import(&[house.path("projects")]).await;
    house.import(&[house.write("elsewhere/farm.jsonl", Talk::new("farm").user("Sow").text())]).await;
    house.post("/v1/projects/forget", json!({ "path": house.path(BAKERY) })).await;
    assert_eq!(texts(&house.read("/v1/sessions?sort=title").await["sessions"], "agent_session_id"), ["mill", "farm"]);
    // The beginning of a name is another folder.
    let almost = house.path("projects/-home-ada-mi");
    // And what holds all of them is no folder.
    for path in [almost, house.path("projects"), "/".into(), "".into()] {
        let refused = house.post("/v1/projects/forget", json!({ "path": path })).await;
        assert_eq!((refused.status, &refused.body["field"]), (400, &json!("/path")), "{}", path.display());
    }
    assert_eq!(house.read("/v1/sessions").await["all"], 2);
}

#[tokio::test]
async fn forgetting_tells_open_pages() {
    use futures::StreamExt as _;
    let house = two_folders(Consent::Given).await;
    house.import(&[house.path("projects")]).await;
    let id = house.read("/v1/sessions/mill").await["session"]["id"].as_str().unwrap().to_owned();
    let mut events = Box::pin(hub::feed::stream(
        house.hub.clone(),
        house.hub.feed.pos(),
        Some(id.clone()),
        store::Sight::All,
        hub::feed::Until::Shutdown,
    ));
    house.post("/v1/projects/forget", json!({ "path": house.path(MILL) })).await;
    let event = in_time(events.next()).await.unwrap();
    assert_eq!((event.session.clone(), event.kind), (id, api::events::FeedKind::Session));
}

/// Once something of it is read, a folder goes by the directory that its name stands for, whatever others its sessions
/// were started in; a name that stands for none goes by the only directory there is.
#[tokio::test]
async fn a_folder_goes_by_its_directory() {
    let house = House::with_projects(Consent::Given).await;
    for (file, directory) in [
        ("-home-ada-my-mill/one", "/home/ada/my-mill"),
        ("-home-ada-my-mill/two", "/home/ada/bakery"),
        ("renamed/three", "/home/ada/farm"),
        ("several/four", "/home/ada/farm"),
        ("several/five", "/home/ada/pond"),
    ] {
        let talk = Talk::new(file.rsplit('/').next().unwrap()).of(directory, "main").user("One");
        house.write(&format!("projects/{file}.jsonl"), talk.text());
    }
    let names = async || {
        let listed = house.read("/v1/projects").await;
        texts(&listed["projects"], "name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["home-ada-my-mill", "renamed", "several"]);
    house.import(&[house.path("projects")]).await;
    assert_eq!(names().await, ["/home/ada/my-mill", "/home/ada/farm", "several"]);
}

/// The owner's word is asked for each file, not when the list of them is made.
#[tokio::test]
async fn what_is_queued_is_not_read_once_its_folder_is_excluded() {
    let house = two_folders(Consent::Given).await;
    let files: Vec<_> = [format!("{MILL}/mill.jsonl"), format!("{BAKERY}/bakery.jsonl")]
        .into_iter()
        .map(|name| house.path(&name))
        .chain([house.write("elsewhere/farm.jsonl", Talk::new("farm").user("Sow").text())])
        .collect();
    set(&house, "excluded", MILL).await;
    let id = hub::imports::start(&house.hub, files, hub::imports::Why::Followed);
    let job = house.finished(id).await;
    assert_eq!((&job["files_done"], &job["failed"]), (&json!(3), &json!([])));
    assert_eq!(texts(&house.read("/v1/sessions").await["sessions"], "agent_session_id"), ["bakery"]);
}

/// Forgotten while it is being read: nothing of it comes back.
#[tokio::test]
async fn a_folder_is_forgotten_while_it_is_imported() {
    let house = House::with_projects(Consent::Given).await;
    let file = house.write(&format!("{MILL}/mill.jsonl"), long());
    let id = hub::imports::start(&house.hub, vec![file], hub::imports::Why::Followed);
    begun(&house, id).await;
    let forgotten = house.post("/v1/projects/forget", json!({ "path": house.path(MILL) })).await;
    assert_eq!(forgotten.body, json!({"sessions": 1}));
    let job = house.finished(id).await;
    assert_eq!((&job["files_done"], &job["failed"]), (&json!(1), &json!([])));
    assert!(job["bytes_done"].as_u64() < job["bytes"].as_u64(), "it was read to its end before: {job}");
    assert_eq!(house.read("/v1/sessions").await["all"], 0);
}

/// An import that a person started goes on without a file whose session was forgotten meanwhile.
#[tokio::test]
async fn a_file_that_fails_is_named_and_the_others_are_read() {
    let house = House::with_projects(Consent::Given).await;
    house.write(&format!("{MILL}/mill.jsonl"), long());
    house.write(&format!("{MILL}/small.jsonl"), Talk::new("small").at(600).user("Later").text());
    let started = house.post("/v1/imports", json!({ "paths": [house.path(MILL)] })).await;
    let id = started.body["id"].as_u64().unwrap();
    begun(&house, id).await;
    house.post("/v1/projects/forget", json!({ "path": house.path(MILL) })).await;
    let job = house.finished(id).await;
    assert_eq!(texts(&job["failed"], "path"), [house.path(MILL).join("mill.jsonl").to_str().unwrap()]);
    assert_eq!(texts(&house.read("/v1/sessions").await["sessions"], "agent_session_id"), ["small"]);
}

/// Many times what is read and written at once.
fn long() -> String {
    let line = "x".repeat(100_000);
    (0..160).fold(Talk::new("mill").user("Grind"), |talk, _| talk.user(&line)).text()
}

/// Waits until something of the import is stored.
async fn begun(house: &House, id: u64) {
    let mut changes = house.hub.state::<Jobs>().subscribe();
    in_time(async {
        while house.hub.state::<Jobs>().get(id).unwrap().bytes_done == 0 {
            changes.changed().await.unwrap();
        }
    })
    .await;
}
