//! Which keys speak for which sessions: hooks for those that they were the first to report, and agents for those that
//! they made.

use crate::hooks::{FOLDER, HOOK, Mill, allows, bash, call, denies, event, outcome};
use crate::support::{Answer, House, Talk, in_time, lines};
use api::Method::{Get, Patch, Post};
use api::keys::Scope;
use futures::StreamExt as _;
use hub::Caller;
use hub::feed::{Until, stream};
use serde_json::{Value, json};

async fn report(mill: &Mill, key: &Caller, event: Value) -> Answer {
    mill.house.send(key.clone(), Post, HOOK, Some(event)).await
}

async fn revoke(house: &House, key: &Caller) {
    house.hub.revoke_key(&house.hub.workspace, key.key_id().unwrap()).await.unwrap();
}

fn cards(page: &Value) -> Vec<String> {
    let approvals = page["messages"].as_array().unwrap().iter().filter(|m| m["message_type"] == "APPROVAL");
    approvals.map(|m| m["metadata"]["payload"]["state"].as_str().unwrap().to_owned()).collect()
}

/// Whoever asks for the same call again, the person is asked again: an earlier yes was for the request that waited for
/// it.
#[tokio::test]
async fn a_decision_is_used_up_by_the_request_that_waited_for_it() {
    let mill = Mill::new().await;
    let asks = || bash("PermissionRequest", "rm -rf build");
    mill.report(call("PreToolUse", "toolu_1", "rm -rf build")).await;
    assert_eq!(mill.asked(asks(), json!({"selected": ["allow"]})).await, allows(Value::Null));
    // The same request again, and once more after its call was told of anew.
    assert_eq!(mill.asked(asks(), json!({"selected": ["deny"]})).await, denies("A person denied this"));
    mill.report(call("PreToolUse", "toolu_1", "rm -rf build")).await;
    assert_eq!(mill.asked(asks(), json!({"selected": ["deny"]})).await, denies("A person denied this"));
    let mut named = asks();
    named["tool_use_id"] = json!("toolu_1");
    assert_eq!(mill.asked(named, json!({"selected": ["deny"]})).await, denies("A person denied this"));
    let page = mill.house.read("/v1/sessions/mill/messages").await;
    assert_eq!(cards(&page), ["allowed_once", "denied", "denied", "denied"]);
    // An open request isn't answered by earlier decisions either.
    let asked = mill.report_to("/v1/hooks/claude_code/1", asks()).await;
    assert_eq!((asked.status, asked.body), (200, json!({})));
}

/// A request that is repeated while its card is open joins it. What was decided for both is used up by both.
#[tokio::test]
async fn a_repeated_request_joins_the_open_card() {
    let mill = Mill::new().await;
    mill.report(call("PreToolUse", "toolu_1", "ls")).await;
    let asks = || bash("PermissionRequest", "ls");
    let mut lost = Box::pin(mill.report(asks()));
    let card = in_time(async {
        tokio::select! {
            answer = &mut lost => panic!("answered: {answer:?}"),
            card = mill.card() => card,
        }
    })
    .await;
    let again = async {
        let answer = mill.report(asks()).await;
        assert_eq!(answer.body, allows(Value::Null));
    };
    let decided = async {
        // It joins by saying until when it waits.
        let mut changes = Box::pin(stream(mill.house.hub.clone(), 0, None, store::Sight::All, Until::Shutdown));
        while mill.message(&card).await["revision"] == card["revision"] {
            changes.next().await.unwrap();
        }
        assert_eq!(mill.decide(&card, json!({"selected": ["allow"]})).await.status, 200);
    };
    let (first, (), ()) = in_time(async { tokio::join!(lost, again, decided) }).await;
    assert_eq!(first.body, allows(Value::Null));
    let page = mill.house.read("/v1/sessions/mill/messages").await;
    assert_eq!(cards(&page), ["allowed_once"]);
}

/// Another key ends no card, tells nothing of the session, and notes no call in it.
#[tokio::test]
async fn a_key_speaks_for_the_sessions_that_it_reported_first() {
    let mill = Mill::new().await;
    let other = mill.house.agent_with("Other hooks", &[Scope::Hooks]).await;
    let denied = async {
        let card = mill.card().await;
        for told in [
            event("Stop", json!({})),
            event("SessionEnd", json!({"reason": "other"})),
            event("UserPromptSubmit", json!({"prompt": "x"})),
            call("PreToolUse", "toolu_1", "ls"),
            call("PostToolUse", "toolu_1", "ls"),
            bash("PermissionRequest", "ls"),
        ] {
            let refused = report(&mill, &other, told).await;
            assert_eq!((refused.status, &refused.body["code"]), (403, &json!("not_yours")), "{}", refused.body);
        }
        assert_eq!(outcome(&mill.message(&card).await), ("open", &Value::Null));
        let session = mill.house.read("/v1/sessions/mill").await["session"].clone();
        assert_eq!(session["state"], "needs_you");
        assert_eq!(mill.decide(&card, json!({"selected": ["deny"]})).await.status, 200);
    };
    let (answer, ()) = in_time(async { tokio::join!(mill.report(bash("PermissionRequest", "ls")), denied) }).await;
    assert_eq!(answer.body, denies("A person denied this"));
    // A call that the other key told of names none of this key's cards.
    let decided = async {
        let card = mill.card().await;
        assert_ne!(card["id"], "toolu_1~approval~0");
        mill.decide(&card, json!({"selected": ["deny"]})).await;
    };
    in_time(async { tokio::join!(mill.report(bash("PermissionRequest", "ls")), decided) }).await;
}

/// One key is of all sessions on a machine; who owns them outlasts a restart, and the next key takes over from one that
/// is gone.
#[tokio::test]
async fn a_key_takes_over_from_one_that_is_gone() {
    let mut mill = Mill::new().await;
    let next = mill.house.agent_with("Next hooks", &[Scope::Hooks]).await;
    for session in ["mill", "farm"] {
        mill.house
            .import(&[mill.house.write(&format!("{session}.jsonl"), Talk::new(session).user("Grind").text())])
            .await;
        let mut told = event("UserPromptSubmit", json!({"prompt": "Grind"}));
        told["session_id"] = json!(session);
        assert_eq!(mill.report(told.clone()).await.status, 200);
        assert_eq!(report(&mill, &next, told).await.status, 403, "{session}");
    }
    mill.house = mill.house.restarted().await;
    assert_eq!(report(&mill, &next, event("Stop", json!({}))).await.status, 403);
    assert_eq!(mill.report(event("Stop", json!({}))).await.status, 200);
    revoke(&mill.house, &mill.hooks.clone()).await;
    assert_eq!(report(&mill, &next, event("Stop", json!({}))).await.status, 200);
    // It is this one's from now on.
    let third = mill.house.agent_with("Third hooks", &[Scope::Hooks]).await;
    assert_eq!(report(&mill, &third, event("Stop", json!({}))).await.status, 403);
}

/// A key that names a session before its transcript is read gets nothing of the transcript, nor of what hooks ask in
/// it.
#[tokio::test]
async fn a_key_that_names_a_transcript_first_does_not_own_it() {
    for hooks_first in [false, true] {
        let mill = Mill::new().await;
        let house = &mill.house;
        let squatter = house.agent_with("squatter", &[Scope::Post, Scope::Read]).await;
        let named = json!({"agent": "claude_code", "agent_session_id": "mill", "title": "Mine", "cwd": FOLDER});
        let made = house.send(squatter.clone(), Post, "/v1/sessions", Some(named.clone())).await;
        assert_eq!(made.status, 201, "{}", made.body);
        let own = made.body["id"].as_str().unwrap().to_owned();
        let own_path = format!("/v1/sessions/{own}");
        let child = json!({"agent": "claude_code", "agent_session_id": "child", "parent": own});
        assert_eq!(house.send(squatter.clone(), Post, "/v1/sessions", Some(child)).await.status, 201);
        let said = json!({"id": "toolu_1~approval~0", "content": "Mine"});
        let posted = house.send(squatter.clone(), Post, &format!("{own_path}/messages"), Some(said)).await;
        assert_eq!(posted.status, 201);
        let talk = Talk::new("mill").user("Grind").says("Flour is there.");
        if !hooks_first {
            house.import(&[house.write("mill.jsonl", talk.text())]).await;
        }
        mill.report(call("PreToolUse", "toolu_1", "ls")).await;
        let decided = async {
            let card = mill.card().await;
            let session = card["session_id"].as_str().unwrap();
            assert_ne!(session, own);
            let path = format!("/v1/sessions/{session}");
            let card_path = format!("{path}/messages/{}", card["id"].as_str().unwrap());
            let cancelled = json!({"message_metadata": {"message_type": "APPROVAL", "version": 1, "payload":
                {"kind": "permission", "title": "x", "questions": [], "state": "cancelled"}}});
            for (method, path, body) in [
                (Get, path.clone(), None),
                (Get, format!("{path}/messages"), None),
                (Patch, path.clone(), Some(json!({"title": "Mine"}))),
                (Patch, card_path, Some(cancelled)),
            ] {
                let refused = house.send(squatter.clone(), method, &path, body).await;
                assert_eq!(refused.status, 404, "{path}: {}", refused.body);
            }
            assert_eq!(mill.decide(&card, json!({"selected": ["allow"]})).await.status, 200);
        };
        let (answer, ()) = in_time(async { tokio::join!(mill.report(bash("PermissionRequest", "ls")), decided) }).await;
        assert_eq!(answer.body, allows(Value::Null), "{}", answer.status);
        if hooks_first {
            house.import(&[house.write("mill.jsonl", talk.text())]).await;
        }
        // The transcript's session is the owner's, and whole.
        let alone = House::with(&talk).await;
        let of_talk = |page: &Value| {
            let said = lines(page).into_iter().filter(|line| line.contains(" TEXT "));
            said.map(|line| line.split_once(' ').unwrap().1.to_owned()).collect::<Vec<_>>()
        };
        let read = house.read("/v1/sessions/mill/messages").await;
        assert_eq!(of_talk(&read), of_talk(&alone.read("/v1/sessions/mill/messages").await));
        assert_eq!(house.read("/v1/sessions/mill").await["session"]["key_id"], Value::Null);
        assert_eq!(house.read("/v1/sessions/mill/children").await["sessions"], json!([]));
        // The key's own messages stay its own, under its own name.
        let kept = house.send(squatter.clone(), Get, &format!("{own_path}/messages"), None).await;
        assert_eq!((kept.status, &kept.body["messages"][0]["content"]), (200, &json!("Mine")));
        let session = house.send(squatter.clone(), Get, &own_path, None).await.body["session"].clone();
        assert_eq!((&session["agent_session_id"], &session["title"]), (&json!(own), &json!("Mine")));
        let children = house.read(&format!("{own_path}/children")).await;
        assert_eq!(children["sessions"][0]["agent_session_id"], "child");
        let path = format!("{own_path}/messages");
        let more = house.send(squatter.clone(), Post, &path, Some(json!({"content": "More"})));
        assert_eq!(more.await.status, 201);
        assert_eq!(house.send(squatter, Post, "/v1/sessions", Some(named)).await.status, 409);
    }
}

/// The name that the key's session would get is taken: the transcript is read all the same.
#[tokio::test]
async fn a_key_cannot_keep_a_transcript_out() {
    let house = House::new().await;
    let squatter = house.agent_with("squatter", &[Scope::Post, Scope::Read]).await;
    for named in [
        json!({"agent": "claude_code", "id": "s1", "agent_session_id": "mill"}),
        json!({"agent": "claude_code", "id": "s2", "agent_session_id": "s1"}),
    ] {
        assert_eq!(house.send(squatter.clone(), Post, "/v1/sessions", Some(named)).await.status, 201);
    }
    house.import(&[house.write("mill.jsonl", Talk::new("mill").user("Grind").text())]).await;
    assert_eq!(house.read("/v1/sessions/mill").await["session"]["key_id"], Value::Null);
    let own = house.send(squatter, Get, "/v1/sessions/s1", None).await.body["session"]["agent_session_id"].clone();
    assert!(own.as_str().unwrap().starts_with("s1~"), "{own}");
}
