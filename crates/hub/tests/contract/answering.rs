//! Answers to approvals: each option has an id of its own, and a text.

use crate::live::{Talk, contents};
use crate::support::Answer;
use api::Method::{Delete, Get, Patch, Post};
use hub::Caller;
use serde_json::{Value, json};

fn option(id: &str, label: &str) -> Value {
    json!({"id": id, "label": label})
}

async fn post(talk: &Talk, id: &str, payload: Value) -> Answer {
    let metadata = json!({"message_type": "APPROVAL", "payload": payload});
    talk.agent(Post, "/messages", json!({"id": id, "message_metadata": metadata})).await
}

async fn decide(talk: &Talk, id: &str, mut decision: Value) -> Answer {
    let shown = talk.owner(Get, &format!("/messages/{id}"), Value::Null).await;
    decision["shown_sha256"] = shown.body["entry"]["shown_sha256"].clone();
    talk.owner(Post, &format!("/messages/{id}/decision"), decision).await
}

/// Status, field and title of a refusal.
fn refusal(answer: &Answer) -> (u16, &str, &str) {
    let word = |name: &str| answer.body[name].as_str().unwrap_or_default();
    (answer.status, word("field"), word("title"))
}

/// Ids alone say what was chosen: nothing that has the same one as something else could be.
#[tokio::test]
async fn what_nobody_could_answer_is_not_asked() {
    let talk = Talk::new().await;
    let yes_or_no = || json!([option("yes", "Yes"), option("no", "No")]);
    let question = |options: Value| json!({"question": "This one?", "options": options});
    let of = |questions: Value, fields: Value| json!({"kind": "form", "title": "Two", "state": "open", "questions": questions, "fields": fields});
    let field = json!({"id": "day", "label": "Day", "type": "date"});
    for (payload, pointer) in [
        (of(json!([question(yes_or_no()), question(yes_or_no())]), json!([])), "/questions/1/options/0/id"),
        (of(json!([question(json!([option("a", "A"), option("a", "B")]))]), json!([])), "/questions/0/options/1/id"),
        (of(json!([]), json!([field, field])), "/fields/1/id"),
    ] {
        let at = format!("/message_metadata/payload{pointer}");
        let title = format!("`{at}` should be an id that is unique in this approval");
        assert_eq!(refusal(&post(&talk, "a1", payload).await), (400, &*at, &*title));
    }
    // A required choice needs options.
    for options in [Value::Null, json!([]), json!([""]), json!([" ", ""])] {
        let select = json!({"id": "size", "label": "Size", "type": "select", "required": true, "options": options});
        let at = "/message_metadata/payload/fields/1/options";
        let title = format!("`{at}` should be an array of at least one option, because the field is required");
        assert_eq!(refusal(&post(&talk, "a1", of(json!([]), json!([field, select]))).await), (400, at, &*title));
    }
    assert_eq!(talk.owner(Get, "/messages", Value::Null).await.body["last_seq"], 0);
}

/// Who decides an approval hasn't answered what was asked besides.
#[tokio::test]
async fn a_decision_answers_no_question() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "q1", "content": "Which port?", "requires_user_input": true})).await;
    post(&talk, "a1", json!({"kind": "permission", "title": "Run it?", "state": "open"})).await;
    let decided = decide(&talk, "a1", json!({"state": "denied"})).await;
    assert_eq!(decided.status, 200, "{}", decided.body);
    assert_eq!(talk.state().await, "needs_you");
    let asks = talk.house.send(Caller::owner(), Get, "/v1/asks", None).await;
    assert_eq!(asks.body["asks"][0]["entry"]["id"], "q1");
    talk.owner(Post, "/messages", json!({"content": "7117", "reply_to": "q1"})).await;
    assert_eq!(talk.state().await, "working");
}

/// A question without options is answered in words.
#[tokio::test]
async fn where_nothing_is_offered_words_are_taken() {
    let talk = Talk::new().await;
    for (id, kind) in [("a1", "question"), ("a2", "form")] {
        post(&talk, id, json!({"kind": kind, "title": "Which port?", "state": "open", "questions": []})).await;
        let blank = decide(&talk, id, json!({"text": " \u{200b}\u{a0}\u{2060}"})).await;
        let title = "`/selected` should be an option, `text` or `values`";
        assert_eq!(refusal(&blank), (400, "/selected", title));
        assert_eq!(decide(&talk, id, json!({"text": "7117"})).await.status, 200);
        let pending = talk.agent(Post, "/pending", json!({})).await;
        assert_eq!(contents(&pending.body["messages"]), ["Selected: 7117"]);
    }
}

#[tokio::test]
async fn an_answer_says_what_was_asked_for() {
    let talk = Talk::new().await;
    let question = |question: &str, header: Value, options: Value| json!({"question": question, "header": header, "options": options});
    let questions = json!([
        question("What do we take?", json!("Fruit"), json!([option("p", "Pears"), option("q", "Quinces")])),
        question("By what?", Value::Null, json!([option("c", "Cart"), option("b", "Boat")])),
    ]);
    let fields = json!([
        {"id": "ok", "label": "I agree", "type": "checkbox", "required": true},
        {"id": "n", "label": "Boxes", "type": "number"},
    ]);
    post(
        &talk,
        "a1",
        json!({"kind": "form", "title": "Market", "state": "open", "questions": questions, "fields": fields}),
    )
    .await;
    let agreed = |selected: Value| json!({"selected": selected, "values": {"ok": true}});
    let each = "`/selected` should be an option of each question, or give `text`";
    for (decision, field, title) in [
        (agreed(json!(["p", "p"])), "/selected/1", "`/selected/1` should be an option that isn't chosen twice"),
        (agreed(json!(["p", "q", "c"])), "/selected", "`/selected` should be one option of each question"),
        (agreed(json!(["p"])), "/selected", each),
        (agreed(json!([])), "/selected", each),
        (json!({"selected": ["p", "c"]}), "/values/ok", "`/values/ok` should be a value: the field is required"),
        (
            json!({"selected": ["p", "c"], "values": {"ok": false}}),
            "/values/ok",
            "`/values/ok` should be true: the field is required",
        ),
        (
            json!({"selected": ["p", "c"], "values": {"ok": true}, "text": "Soon"}),
            "/text",
            "`/text` should be absent: this request accepts no free text",
        ),
    ] {
        assert_eq!(refusal(&decide(&talk, "a1", decision).await), (400, field, title));
    }
    let decided = decide(&talk, "a1", json!({"selected": ["p", "b"], "values": {"ok": true, "n": 12}})).await;
    assert_eq!(decided.status, 200, "{}", decided.body);
    let action = &decided.body["action"];
    assert_eq!(action["content"], "Selected: Fruit: Pears, By what?: Boat, I agree: true, Boxes: 12");
    assert_eq!(action["metadata"]["payload"]["selected"], json!(["Pears", "Boat"]));
    assert_eq!(action["metadata"]["payload"]["values"], json!({"ok": true, "n": 12}));

    let ask = json!([{"question": "Run it?", "options": [{"id": "y", "label": "Once", "kind": "allow_once"}]}]);
    post(&talk, "a2", json!({"kind": "permission", "title": "Run", "state": "open", "questions": ask})).await;
    let always = decide(&talk, "a2", json!({"state": "allowed_always"})).await;
    let title = "`/state` should be the state of one of its options, none of which is `allowed_always`";
    assert_eq!(refusal(&always), (400, "/state", title));
}

/// People say something. What is said under an id that an agent used is no repeat of its message.
#[tokio::test]
async fn what_a_person_says() {
    let talk = Talk::new().await;
    for blank in ["", "   ", "\u{200b}"] {
        let refused = talk.owner(Post, "/messages", json!({"content": blank})).await;
        let title = "`/content` should be a string that isn't blank";
        assert_eq!(refusal(&refused), (400, "/content", title));
    }
    assert_eq!(talk.agent(Post, "/messages", json!({"id": "m1", "content": "Hello"})).await.status, 201);
    assert_eq!(talk.owner(Post, "/messages", json!({"id": "m1", "content": "Hello"})).await.status, 409);
    assert_eq!(talk.agent(Post, "/messages", json!({"id": "m1", "content": "Hello"})).await.status, 200);
    let batch = talk.agent(Post, "/messages", json!({"id": "batch", "content": "x"})).await;
    assert_eq!(refusal(&batch), (400, "/id", "`/id` should be another id: `batch` is reserved"));
}

/// Who asks again by the same message is told that nobody is asked.
#[tokio::test]
async fn an_answered_question_is_not_asked_again() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "q1", "content": "Which port?", "requires_user_input": true})).await;
    let ask = async || talk.agent(Patch, "/messages/q1", json!({"requires_user_input": true})).await;
    assert_eq!(ask().await.status, 200, "it is open");
    talk.owner(Post, "/messages", json!({"content": "8080"})).await;
    assert_eq!(refusal(&ask().await), (409, "/requires_user_input", "It was already answered"));
    assert_eq!(talk.agent(Patch, "/messages/q1", json!({"requires_user_input": false})).await.status, 200);
}

/// Wherever a path names a message, its `seq` does as well as its id. An id that is a number wins.
#[tokio::test]
async fn a_message_is_named_by_its_seq() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"id": "2", "content": "One"})).await;
    talk.agent(Post, "/messages", json!({"id": "m2", "content": "Two"})).await;
    let question = json!({"question": "Which?", "options": [option("yes", "Yes")]});
    post(&talk, "a1", json!({"kind": "question", "title": "Which?", "state": "open", "questions": [question]})).await;
    let grown = talk.agent(Patch, "/messages/1", json!({"append": " more"})).await;
    assert_eq!((grown.status, &grown.body["content"]), (200, &json!("One more")));
    let read = talk.agent(Get, "/messages/2", Value::Null).await;
    assert_eq!((&read.body["entry"]["seq"], &read.body["entry"]["id"]), (&json!(1), &json!("2")), "its own id");
    let gone = talk.agent(Delete, "/messages/1", Value::Null).await;
    assert_eq!((gone.status, &gone.body["id"], &gone.body["status"]), (200, &json!("2"), &json!("retracted")));
    let decided = decide(&talk, "3", json!({"selected": ["yes"]})).await;
    assert_eq!((decided.status, &decided.body["approval"]["id"]), (200, &json!("a1")), "{}", decided.body);
    for name in ["0", "-1", "99", "99999999999999999999", "m9"] {
        let path = format!("/messages/{name}");
        let answers = [
            talk.agent(Get, &path, Value::Null).await,
            talk.agent(Patch, &path, json!({"append": "x"})).await,
            talk.agent(Delete, &path, Value::Null).await,
            talk.owner(Post, &format!("{path}/decision"), json!({"state": "denied", "shown_sha256": ""})).await,
        ];
        for answer in answers {
            assert_eq!(refusal(&answer), (404, "", "There is no such message"), "{name}");
        }
    }
}
