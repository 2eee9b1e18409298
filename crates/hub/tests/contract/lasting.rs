//! Data that stays though an agent deleted it, and data that goes since a person did.

use crate::support::{House, Talk};
use api::Method::{Delete, Post};
use hub::Caller;
use model::Micros;
use serde_json::{Value, json};

async fn found(house: &House) -> Value {
    house.read("/v1/search?q=millstone").await["total"].clone()
}

fn in_days(days: i64) -> Micros {
    Micros(hub::clock::now().0 + days * 24 * 3600 * Micros::SECOND)
}

/// Agents delete their transcripts after 30 days.
#[tokio::test]
async fn a_transcript_that_its_agent_deleted_stays() {
    let talk = Talk::new("mill").user("Turn the millstone").says("It turns");
    let house = House::new().await;
    let file = house.write("projects/mill/mill.jsonl", talk.text());
    house.import(&[house.path("projects")]).await;
    let before = house.read("/v1/sessions/mill/messages").await;
    std::fs::remove_file(&file).unwrap();
    house.write("projects/mill/other.jsonl", Talk::new("other").user("Is the weir open?").text());
    house.import(&[house.path("projects")]).await;
    hub::upkeep::trash::purge_once(&house.hub, in_days(400)).await.unwrap();
    assert_eq!(house.read("/v1/sessions/mill/messages").await["messages"], before["messages"]);
    assert_eq!(found(&house).await, json!(1));
    let id = before["messages"][0]["id"].as_str().unwrap();
    let detail = house.read(&format!("/v1/sessions/mill/messages/{id}")).await;
    assert_eq!(detail["records"][0]["text"].as_str().unwrap(), talk.text().lines().next().unwrap().to_owned() + "\n");
}

/// For 30 days it can be restored. Then nothing of it is found, and its file doesn't bring it back, even where it goes
/// on.
#[tokio::test]
async fn what_a_person_deleted_goes_for_good() {
    let talk = Talk::new("mill").user("Turn the millstone");
    let house = House::with(&talk).await;
    house.import(&[house.write("other.jsonl", Talk::new("other").user("Another millstone").text())]).await;
    let delete = async || house.send(Caller::owner(), Delete, "/v1/sessions/mill", None).await.status;
    let restore = async || house.send(Caller::owner(), Post, "/v1/sessions/mill/restore", None).await.status;
    assert_eq!((delete().await, found(&house).await), (200, json!(1)));
    hub::upkeep::trash::purge_once(&house.hub, in_days(29)).await.unwrap();
    assert_eq!((restore().await, found(&house).await), (200, json!(2)));
    assert_eq!(delete().await, 200);
    hub::upkeep::trash::purge_once(&house.hub, in_days(31)).await.unwrap();
    assert_eq!((restore().await, found(&house).await), (404, json!(1)));
    let bytes = |house: &House| std::fs::read(house.path("data/verbatim.db")).unwrap();
    let word = b"Turn the millstone";
    assert!(!bytes(&house).windows(word.len()).any(|window| window == word));
    house.import(&[house.write("mill.jsonl", talk.says("Round the millstone").text())]).await;
    assert_eq!((house.get("/v1/sessions/mill").await.status, found(&house).await), (404, json!(1)));
}
