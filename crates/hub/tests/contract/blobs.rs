//! Files of messages: who brought them reads them, and whose session shows them.

use crate::support::House;
use api::Method::{Delete, Get, Patch, Post};
use api::Problem;
use api::blobs::BlobMade;
use futures::StreamExt as _;
use hub::{Caller, Scoped};
use serde_json::json;

/// Uploads a file in one part.
pub async fn put(scoped: &Scoped, mime: &str, bytes: Vec<u8>) -> Result<(BlobMade, bool), Problem> {
    let mut upload = scoped.begin_blob(mime.to_owned())?;
    upload.add(&bytes).await?;
    upload.finish().await
}

fn file(blob: &str) -> serde_json::Value {
    let files = json!([{"name": "crash.png", "mime": "image/png", "size": 3, "blob": blob, "state": "ready"}]);
    json!({"message_metadata": {"message_type": "FILE", "payload": {"files": files}}})
}

#[tokio::test]
async fn a_file_is_uploaded_attached_and_read() {
    let house = House::new().await;
    let (ada, bea) = (house.agent("ada").await, house.agent("bea").await);
    let scoped = |caller: &Caller| Scoped::new(house.hub.clone(), caller.clone());
    let (made, new) = put(&scoped(&ada), "image/png", b"png".to_vec()).await.unwrap();
    assert_eq!((made.size, made.mime.as_str(), new), (3, "image/png", true));
    let again = put(&scoped(&bea), "text/plain", b"png".to_vec()).await.unwrap();
    assert_eq!((again.0, again.1), (made.clone(), false));

    let (secret, _) = put(&scoped(&ada), "image/png", b"secret".to_vec()).await.unwrap();
    let read = async |caller: &Caller| {
        let scoped = scoped(caller);
        let blob = scoped.blob(&secret.blob).await.map_err(|problem| problem.code)?;
        let parts = scoped.read_blob(&blob, 0..blob.size).await.map_err(|problem| problem.code)?;
        Ok::<_, String>(parts.map(Result::unwrap).collect::<Vec<_>>().await.concat())
    };
    assert_eq!(read(&ada).await.unwrap(), b"secret");
    assert_eq!(read(&Caller::owner()).await.unwrap(), b"secret");
    assert_eq!(read(&bea).await.unwrap_err(), "not_found");

    // Who knows an address can't reach the bytes by naming it.
    for (agent, id) in [(&ada, "s1"), (&bea, "s2")] {
        house.send(agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": id}))).await;
        let path = format!("/v1/sessions/{id}/messages");
        assert_eq!(house.send(agent.clone(), Post, &path, Some(file(&secret.blob))).await.status, 201);
    }
    assert_eq!(read(&bea).await.unwrap_err(), "not_found");
    // A person may show it to the other one.
    let shared = house.send(Caller::owner(), Post, "/v1/sessions/s2/messages", Some(file(&secret.blob))).await;
    assert_eq!(shared.status, 201, "{}", shared.body);
    assert_eq!(read(&bea).await.unwrap(), b"secret");
}

#[tokio::test]
async fn a_file_may_come_with_an_update() {
    let house = House::new().await;
    let (ada, bea) = (house.agent("ada").await, house.agent("bea").await);
    let scoped = |caller: &Caller| Scoped::new(house.hub.clone(), caller.clone());
    let (made, _) = put(&scoped(&Caller::Local), "application/pdf", b"%PDF".to_vec()).await.unwrap();
    house.send(ada.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": "s1"}))).await;
    let posted = json!({"id": "m1", "content": "", "status": "streaming"});
    house.send(ada.clone(), Post, "/v1/sessions/s1/messages", Some(posted)).await;
    let updated = house.send(Caller::Local, Patch, "/v1/sessions/s1/messages/m1", Some(file(&made.blob))).await;
    assert_eq!(updated.status, 200, "{}", updated.body);
    assert_eq!(scoped(&ada).blob(&made.blob).await.unwrap().mime, "application/pdf");
    assert!(scoped(&bea).blob(&made.blob).await.is_err());
    assert_eq!(house.send(ada, Get, "/v1/sessions/s1/messages/m1", None).await.status, 200);
}

#[tokio::test]
async fn what_is_no_blob() {
    let house = House::new().await;
    let owner = Scoped::new(house.hub.clone(), Caller::owner());
    assert_eq!(put(&owner, "image/png", Vec::new()).await.unwrap_err().code, "empty_blob");
    assert_eq!(put(&owner, &"x".repeat(300), vec![1]).await.unwrap_err().field.as_deref(), Some("Content-Type"));
    for mime in ["", "png", "image/", "/png", "image/png\"><script>", "image/p ng", "image/png/x", "image/png;x=y"] {
        let refused = put(&owner, mime, vec![1]).await.unwrap_err();
        assert_eq!((refused.status, refused.field.as_deref()), (400, Some("Content-Type")), "{mime}");
    }
    let large = put(&owner, "image/png", vec![1; api::blobs::MOST_BYTES + 1]).await.unwrap_err();
    assert_eq!((large.status, large.code.as_str()), (413, "too_large"));
    for address in ["", "sha256:", "../../etc/passwd", &"A".repeat(64), &"a".repeat(64), &"\0".repeat(64)] {
        assert_eq!(owner.blob(address).await.unwrap_err().code, "not_found", "{address}");
    }
}

/// An upload that is in no message a day later is deleted; a deleted session's files go with it.
#[tokio::test]
async fn what_nobody_shows_goes() {
    let house = House::new().await;
    let ada = house.agent("ada").await;
    let scoped = Scoped::new(house.hub.clone(), ada.clone());
    let (shown, _) = put(&scoped, "image/png", b"shown".to_vec()).await.unwrap();
    let (unused, _) = put(&scoped, "image/png", b"unused".to_vec()).await.unwrap();
    house.send(ada.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": "s1"}))).await;
    house.send(ada.clone(), Post, "/v1/sessions/s1/messages", Some(file(&shown.blob))).await;
    let there = async || (scoped.blob(&shown.blob).await.is_ok(), scoped.blob(&unused.blob).await.is_ok());
    let in_hours = |hours: i64| model::Micros(hub::clock::now().0 + hours * 3600 * model::Micros::SECOND);
    let mut seen = Vec::new();
    for (hours, deleted) in [(23, false), (25, true), (29 * 24, false), (31 * 24, false)] {
        hub::upkeep::trash::purge_once(&house.hub, in_hours(hours)).await.unwrap();
        seen.push(there().await);
        if deleted {
            house.send(Caller::owner(), Delete, "/v1/sessions/s1", None).await;
        }
    }
    assert_eq!(seen, [(true, true), (true, false), (true, false), (false, false)]);
}

/// On a full disk, what is deleted meanwhile goes after some minutes; what was deleted before stays as long as ever.
#[tokio::test]
async fn what_is_deleted_on_a_full_disk_goes_soon() {
    let house = House::new().await;
    let ada = house.agent("ada").await;
    let of_minute = |minutes: i64| model::Micros(hub::clock::now().0 + minutes * 60 * model::Micros::SECOND);
    for id in ["before", "meanwhile"] {
        house.send(ada.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": id}))).await;
    }
    house.send(Caller::owner(), Delete, "/v1/sessions/before", None).await;
    let full_since = hub::clock::now();
    house.send(Caller::owner(), Delete, "/v1/sessions/meanwhile", None).await;
    let restore =
        async |id: &str| house.send(Caller::owner(), Post, &format!("/v1/sessions/{id}/restore"), None).await.status;
    hub::upkeep::trash::purge_while_full(&house.hub, full_since, of_minute(4)).await.unwrap();
    assert_eq!(restore("meanwhile").await, 200, "it can be undone");
    house.send(Caller::owner(), Delete, "/v1/sessions/meanwhile", None).await;
    hub::upkeep::trash::purge_while_full(&house.hub, full_since, of_minute(6)).await.unwrap();
    assert_eq!((restore("before").await, restore("meanwhile").await), (200, 404));
}
