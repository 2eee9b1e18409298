//! Reports by the hooks of an agent in a terminal of its own, and the permissions that it asks for.

use crate::channel_side;
use crate::support::{Answer, House, Talk, in_time, lines};
use api::Method::{Delete, Get, Post};
use api::keys::Scope;
use futures::StreamExt as _;
use hub::feed::{Until, stream};
use hub::{Caller, Hub, Settings};
use serde_json::{Value, json};
use store::{Database, Store};
use tokio_util::sync::CancellationToken;

pub const HOOK: &str = "/v1/hooks/claude_code/600";
pub const FOLDER: &str = "/home/ada/mill";

/// A house with the key of hooks.
pub struct Mill {
    pub house: House,
    pub hooks: Caller,
}

impl Mill {
    pub async fn new() -> Self {
        let house = House::new().await;
        let hooks = house.agent_with("Claude Code hooks", &[Scope::Hooks]).await;
        Self { house, hooks }
    }

    pub async fn report(&self, event: Value) -> Answer {
        self.report_to(HOOK, event).await
    }

    pub async fn report_to(&self, path: &str, event: Value) -> Answer {
        self.house.send(self.hooks.clone(), Post, path, Some(event)).await
    }

    /// Waits until an approval is open, and returns it as a person reads it.
    pub async fn card(&self) -> Value {
        let mut changes = Box::pin(stream(self.house.hub.clone(), 0, None, store::Sight::All, Until::Shutdown));
        in_time(async {
            loop {
                let asks = self.house.send(Caller::owner(), Get, "/v1/asks", None).await;
                if let Some(ask) = asks.body["asks"].as_array().unwrap().first() {
                    return ask["entry"].clone();
                }
                changes.next().await.unwrap();
            }
        })
        .await
    }

    pub async fn decide(&self, card: &Value, mut decision: Value) -> Answer {
        decision["shown_sha256"] = card["shown_sha256"].clone();
        let path = format!(
            "/v1/sessions/{}/messages/{}/decision",
            card["session_id"].as_str().unwrap(),
            card["id"].as_str().unwrap()
        );
        self.house.send(Caller::owner(), Post, &path, Some(decision)).await
    }

    /// Returns the agent's answer when a person decides so.
    pub async fn asked(&self, event: Value, decision: Value) -> Value {
        let decided = async {
            let card = self.card().await;
            let decided = self.decide(&card, decision).await;
            assert_eq!(decided.status, 200, "{}", decided.body);
        };
        let (answer, ()) = in_time(async { tokio::join!(self.report(event), decided) }).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// Asks, and gives what the card is once the agent asks in its terminal.
    pub async fn falls_back(&self, event: Value, ends: impl AsyncFnOnce(Value)) -> Value {
        let ended = async {
            let card = self.card().await;
            ends(card.clone()).await;
            card
        };
        let (answer, card) = in_time(async { tokio::join!(self.report(event), ended) }).await;
        assert_eq!((answer.status, answer.body), (200, json!({})), "no decision");
        self.message(&card).await
    }

    pub async fn message(&self, card: &Value) -> Value {
        let (session, id) = (card["session_id"].as_str().unwrap(), card["id"].as_str().unwrap());
        self.house.read(&format!("/v1/sessions/{session}/messages/{id}")).await["entry"].clone()
    }
}

pub fn event(name: &str, more: Value) -> Value {
    let mut event = json!({"session_id": "mill", "hook_event_name": name, "cwd": FOLDER, "permission_mode": "default"});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

pub fn bash(name: &str, command: &str) -> Value {
    event(name, json!({"tool_name": "Bash", "tool_input": {"command": command, "description": "Grind"}}))
}

pub fn call(name: &str, id: &str, command: &str) -> Value {
    let mut event = bash(name, command);
    event["tool_use_id"] = json!(id);
    event
}

pub fn allows(input: Value) -> Value {
    let mut decision = json!({"behavior": "allow"});
    if !input.is_null() {
        decision["updatedInput"] = input;
    }
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}

pub fn denies(message: &str) -> Value {
    let decision = json!({"behavior": "deny", "message": message});
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}

/// State of a card, and why it fell back.
pub fn outcome(message: &Value) -> (&str, &Value) {
    let metadata = &message["metadata"];
    (metadata["payload"]["state"].as_str().unwrap(), &metadata["hook"]["fallback"])
}

#[tokio::test]
async fn a_person_allows_denies_and_changes_what_is_asked() {
    let mill = Mill::new().await;
    let asks = || bash("PermissionRequest", "rm -rf flour");
    assert_eq!(mill.asked(asks(), json!({"selected": ["allow"]})).await, allows(Value::Null));
    assert_eq!(mill.asked(asks(), json!({"selected": ["deny"]})).await, denies("A person denied this"));
    let said = json!({"state": "denied", "text": "Keep the flour"});
    assert_eq!(mill.asked(asks(), said).await, denies("Keep the flour"));
    let edited = json!({"selected": ["allow"], "edited_input": {"command": "rm flour/old"}});
    let input = json!({"command": "rm flour/old", "description": "Grind"});
    assert_eq!(mill.asked(asks(), edited).await, allows(input));
}

/// Wherever it is decided, the agent that waits is told.
#[tokio::test]
async fn a_person_in_a_channel_answers() {
    let mut mill = Mill::new().await;
    channel_side::open(&mut mill.house).await;
    let side = channel_side::OtherSide::start().await;
    let channel = channel_side::add(&mill.house, &side, "webhook", "hook", json!({"people": {"ada": "Ada"}})).await;
    for (number, text, expected) in [(1, "approve", allows(Value::Null)), (2, "deny", denies("A person denied this"))] {
        let decided = async {
            let card = mill.card().await;
            let seq = card["seq"].as_i64().unwrap();
            let is_sent = |found: &[Value]| channel_side::states(found).contains(&(seq, "sent"));
            channel_side::deliveries(&mill.house, &channel, is_sent).await;
            let body = json!({"session": card["session_id"], "sender": "ada", "text": text, "about": card["id"]});
            channel_side::incoming(&mill.house, &channel, &format!("evt_{number}"), &body).await.unwrap()
        };
        let asks = bash("PermissionRequest", &format!("rm flour/{number}"));
        let (answer, taken) = in_time(Box::pin(async { tokio::join!(mill.report(asks), decided) })).await;
        assert_eq!((answer.status, answer.body, &taken["decided"]), (200, expected, &json!(true)));
    }
}

/// The card shows the whole input, and the hash covers it; the call in the transcript, which comes later, changes
/// nothing.
#[tokio::test]
async fn what_is_asked_is_shown_whole_and_stays_what_it_is() {
    let mill = Mill::new().await;
    mill.report(call("PreToolUse", "toolu_1", "rm -rf flour")).await;
    let decided = async {
        let before = mill.card().await;
        assert_eq!(before["id"], "toolu_1~approval~0");
        assert_eq!(before["calls"][0]["tool_name"], "Bash");
        assert_eq!(before["calls"][0]["input"], json!({"command": "rm -rf flour", "description": "Grind"}));
        let input = json!({"command": "rm -rf flour", "description": "Grind"});
        let talk = Talk::new("mill").user("Grind").calls("toolu_1", "Bash", &input, "", &json!({}));
        let text = talk.text();
        let called: String = text.lines().take(2).map(|line| format!("{line}\n")).collect();
        mill.house.import(&[mill.house.write("mill.jsonl", called)]).await;
        let after = mill.card().await;
        assert_eq!((&after["shown_sha256"], &after["seq"]), (&before["shown_sha256"], &before["seq"]));
        assert_eq!(mill.decide(&before, json!({"selected": ["allow"]})).await.status, 200);
    };
    let (answer, ()) =
        in_time(async { tokio::join!(mill.report(bash("PermissionRequest", "rm -rf flour")), decided) }).await;
    assert_eq!(answer.body, allows(Value::Null));
}

#[tokio::test]
async fn a_question_and_a_plan_are_answered() {
    let mill = Mill::new().await;
    let questions = json!([
        {"question": "Which stone?", "header": "Stone", "multiSelect": true,
            "options": [{"label": "Basalt", "description": "Hard"}, {"label": "Granite", "description": "Harder"}]},
        {"question": "When?", "header": "Time", "multiSelect": false,
            "options": [{"label": "Now", "description": ""}, {"label": "Later", "description": ""}]},
    ]);
    let asks =
        event("PermissionRequest", json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": questions}}));
    let answer = mill.asked(asks, json!({"selected": ["1-1", "1-2"], "text": "At dawn"})).await;
    let answers = json!({"Which stone?": "Basalt, Granite", "When?": "At dawn"});
    assert_eq!(answer, allows(json!({"questions": questions, "answers": answers})));

    let plan = json!({"plan": "# Mend the wheel\n\nTwo planks."});
    let asks = || event("PermissionRequest", json!({"tool_name": "ExitPlanMode", "tool_input": plan}));
    assert_eq!(mill.asked(asks(), json!({"state": "allowed_once"})).await, allows(plan.clone()));
    assert_eq!(mill.asked(asks(), json!({"state": "denied", "text": "Three planks"})).await, denies("Three planks"));
}

/// A rule covers one plain command in one folder, is listed and explained, and ends when it is revoked.
#[tokio::test]
async fn always_makes_a_rule_that_can_be_revoked() {
    let mill = Mill::new().await;
    let asks = || bash("PermissionRequest", "ls -l");
    let always = json!({"selected": ["always"]});
    assert_eq!(mill.asked(asks(), always).await, allows(Value::Null));
    let rules = mill.house.read("/v1/rules").await;
    let rule = &rules["rules"][0];
    let explained = "Runs exactly `ls -l` in /home/ada/mill: not with other arguments, another command, a redirection or a substitution";
    assert_eq!(
        (&rule["rule"], &rule["folder"], &rule["uses"], &rule["explanation"]),
        (&json!("Bash(ls -l)"), &json!(FOLDER), &json!(0), &json!(explained))
    );
    // Covered: answered at once, with a card that says by what.
    let covered = in_time(mill.report(bash("PermissionRequest", "ls  '-l'"))).await;
    assert_eq!(covered.body, allows(Value::Null));
    let page = mill.house.read("/v1/sessions/mill/messages").await;
    let decision = &page["messages"].as_array().unwrap().last().unwrap()["metadata"]["payload"]["decision"];
    assert_eq!((&decision["by"], &decision["rule"]), (&json!("rule"), &json!("Bash(ls -l)")));
    assert_eq!(mill.house.read("/v1/rules").await["rules"][0]["uses"], 1);
    // Not covered: everybody is asked.
    for command in ["ls -l; rm -rf x", "ls -l && x", "ls -l $(x)", "ls -l > f", "ls -l x", "ls"] {
        let denied = mill.asked(bash("PermissionRequest", command), json!({"selected": ["deny"]})).await;
        assert_eq!(denied, denies("A person denied this"), "{command}");
    }
    let mut elsewhere = asks();
    elsewhere["cwd"] = json!("/home/ada/bakery");
    assert_eq!(mill.asked(elsewhere, json!({"selected": ["deny"]})).await, denies("A person denied this"));
    let path = format!("/v1/rules/{}", rule["id"].as_str().unwrap());
    let left = mill.house.send(Caller::owner(), Delete, &path, None).await;
    assert_eq!((left.status, left.body), (200, json!({"rules": []})));
    assert_eq!(mill.house.send(Caller::owner(), Delete, &path, None).await.status, 404);
    assert_eq!(mill.asked(asks(), json!({"selected": ["deny"]})).await, denies("A person denied this"));
}

/// More than one plain command is allowed once, and never always.
#[tokio::test]
async fn no_rule_is_offered_for_more_than_one_command() {
    let mill = Mill::new().await;
    let decided = async {
        let card = mill.card().await;
        let options = card["metadata"]["payload"]["questions"][0]["options"].as_array().unwrap().clone();
        assert_eq!(options.iter().map(|option| &option["id"]).collect::<Vec<_>>(), ["allow", "deny"]);
        let always = mill.decide(&card, json!({"state": "allowed_always"})).await;
        assert_eq!((always.status, &always.body["field"]), (400, &json!("/state")));
        mill.decide(&card, json!({"selected": ["deny"]})).await;
    };
    in_time(async { tokio::join!(mill.report(bash("PermissionRequest", "ls; rm -rf x")), decided) }).await;
    assert_eq!(mill.house.read("/v1/rules").await, json!({"rules": []}));
}

#[tokio::test]
async fn a_decision_that_does_not_fit_is_refused_and_the_agent_waits_on() {
    let mill = Mill::new().await;
    let decided = async {
        let card = mill.card().await;
        for (decision, field) in [
            (json!({"state": "yes"}), "/state"),
            (json!({"state": "answered"}), "/state"),
            (json!({"selected": ["allow", "yes"]}), "/selected/1"),
            (json!({"selected": ["allow"], "edited_input": {"command": 1}}), "/edited_input/command"),
            (json!({"selected": ["allow"], "edited_input": {"path": "x"}}), "/edited_input/path"),
            (json!({"selected": ["deny"], "edited_input": {"command": "x"}}), "/edited_input"),
            (json!({"selected": ["always"], "edited_input": {"command": "x"}}), "/edited_input"),
        ] {
            let refused = mill.decide(&card, decision.clone()).await;
            assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some(field)), "{decision}");
        }
        let stale = mill
            .decide(
                &json!({"session_id": card["session_id"], "id": card["id"], "shown_sha256": "00"}),
                json!({"selected": ["allow"]}),
            )
            .await;
        assert_eq!((stale.status, &stale.body["code"]), (412, &json!("changed")));
        // An agent's key decides nothing.
        let path = format!("/v1/sessions/mill/messages/{}/decision", card["id"].as_str().unwrap());
        let own = mill.house.send(mill.hooks.clone(), Post, &path, Some(json!({"selected": ["allow"]}))).await;
        assert_eq!(own.status, 403);
        assert_eq!(mill.decide(&card, json!({"selected": ["deny"]})).await.status, 200);
        let twice = mill.decide(&card, json!({"selected": ["allow"]})).await;
        assert_eq!((twice.status, &twice.body["code"]), (409, &json!("decided")));
    };
    let (answer, ()) = in_time(async { tokio::join!(mill.report(bash("PermissionRequest", "ls")), decided) }).await;
    assert_eq!(answer.body, denies("A person denied this"));
}

#[tokio::test]
async fn nobody_answers_in_time() {
    let mill = Mill::new().await;
    let asked = mill.report_to("/v1/hooks/claude_code/1", bash("PermissionRequest", "ls")).await;
    assert_eq!((asked.status, asked.body), (200, json!({})));
    let page = mill.house.read("/v1/sessions/mill/messages").await;
    let card = &page["messages"][0];
    assert_eq!(outcome(card), ("expired", &json!("timed_out")));
    let session = mill.house.read("/v1/sessions/mill").await["session"].clone();
    let reason = "Asks for permission: Bash in its terminal";
    assert_eq!((&session["state"], &session["live"]["reason"]), (&json!("needs_you"), &json!(reason)));
    let mut late = card.clone();
    late["shown_sha256"] = json!("00");
    let late = mill.decide(&late, json!({"selected": ["allow"]})).await;
    assert_eq!((late.status, &late.body["code"]), (409, &json!("decided")));
}

#[tokio::test]
async fn the_terminal_answers_first() {
    let mill = Mill::new().await;
    mill.report(call("PreToolUse", "toolu_1", "ls")).await;
    let card = mill.falls_back(bash("PermissionRequest", "ls"), async |_| {
        // Another call of the same session ends nothing.
        mill.report(call("PostToolUse", "toolu_0", "ls")).await;
        assert_eq!(mill.card().await["id"], "toolu_1~approval~0");
        mill.report(call("PostToolUse", "toolu_1", "ls")).await;
    });
    let card = card.await;
    assert_eq!(outcome(&card), ("decided_elsewhere", &json!("terminal")));
    let card = mill.falls_back(bash("PermissionRequest", "ls -l"), async |_| {
        mill.report(event("UserPromptSubmit", json!({"prompt": "Something else"}))).await;
    });
    let card = card.await;
    assert_eq!(outcome(&card), ("decided_elsewhere", &json!("terminal")));
    let card = mill.falls_back(bash("PermissionRequest", "ls -a"), async |_| {
        mill.report(event("SessionEnd", json!({"reason": "prompt_input_exit"}))).await;
    });
    let card = card.await;
    assert_eq!(outcome(&card), ("cancelled", &json!("closed")));
}

/// The result in the transcript is the answer, where no hook told of it.
#[tokio::test]
async fn the_transcript_tells_what_the_terminal_answered() {
    let mill = Mill::new().await;
    let questions = json!({"questions": [{"question": "Which?", "header": "W", "multiSelect": false,
        "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}]}]});
    let asked = json!({"tool_name": "AskUserQuestion", "tool_input": questions});
    let mut before = asked.clone();
    before["tool_use_id"] = json!("toolu_1");
    mill.report(event("PreToolUse", before)).await;
    let result = json!({"questions": questions["questions"], "answers": {"Which?": "B"}});
    let talk = Talk::new("mill").user("Grind").calls("toolu_1", "AskUserQuestion", &questions, "B", &result);
    let card = mill
        .falls_back(event("PermissionRequest", asked), async |_| {
            mill.house.import(&[mill.house.write("mill.jsonl", talk.text())]).await;
        })
        .await;
    let payload = &card["metadata"]["payload"];
    assert_eq!((&payload["state"], &payload["decision"]["selected"]), (&json!("answered"), &json!(["1-2"])));
    let page = mill.house.read("/v1/sessions/mill/messages?dev=1").await;
    let cards = page["messages"].as_array().unwrap().iter().filter(|m| m["message_type"] == "APPROVAL").count();
    assert_eq!(cards, 1, "one question, one card");
}

/// A decision made here stays, whatever the transcript says later.
#[tokio::test]
async fn the_transcript_does_not_reopen_or_replace_a_decision() {
    let mill = Mill::new().await;
    let questions = json!({"questions": [{"question": "Which?", "header": "W", "multiSelect": false,
        "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}]}]});
    let mut before = json!({"tool_name": "AskUserQuestion", "tool_input": questions});
    mill.report(event("PreToolUse", {
        let mut e = before.clone();
        e["tool_use_id"] = json!("toolu_1");
        e
    }))
    .await;
    before["session_id"] = json!("mill");
    mill.asked(event("PermissionRequest", before), json!({"selected": ["1-1"]})).await;
    let result = json!({"questions": questions["questions"], "answers": {"Which?": "A"}});
    let talk = Talk::new("mill").user("Grind").calls("toolu_1", "AskUserQuestion", &questions, "A", &result);
    let text = talk.text();
    let called: String = text.lines().take(2).map(|line| format!("{line}\n")).collect();
    for part in [called, text] {
        mill.house.import(&[mill.house.write("mill.jsonl", part)]).await;
        let card = mill.house.read("/v1/sessions/mill/messages/toolu_1~approval~0").await["entry"].clone();
        let decision = &card["metadata"]["payload"]["decision"];
        assert_eq!((&decision["by"], &decision["selected"]), (&json!("owner"), &json!(["1-1"])));
        assert!(!card["records"].as_array().unwrap().is_empty(), "the lines of the transcript are its records");
    }
}

/// The terminal was closed: nobody waits, and the card says so.
#[tokio::test]
async fn an_agent_that_hangs_up_is_not_answered() {
    let mill = Mill::new().await;
    let mut asks = Box::pin(mill.report(bash("PermissionRequest", "ls")));
    let card = in_time(async {
        tokio::select! {
            answer = &mut asks => panic!("answered: {answer:?}"),
            card = mill.card() => card,
        }
    })
    .await;
    let mut changes = Box::pin(stream(mill.house.hub.clone(), 0, None, store::Sight::All, Until::Shutdown));
    drop(asks);
    let closed = in_time(async {
        loop {
            let message = mill.message(&card).await;
            if outcome(&message).0 != "open" {
                return message;
            }
            changes.next().await.unwrap();
        }
    })
    .await;
    assert_eq!(outcome(&closed), ("cancelled", &json!("closed")));
}

/// A server that stopped, in whatever way, leaves no card that could be answered for nobody.
#[tokio::test]
async fn what_waited_for_a_server_that_stopped_is_closed_at_the_next_start() {
    let mill = Mill::new().await;
    let card = {
        let asks = mill.report(bash("PermissionRequest", "ls"));
        let stopped = async {
            let card = mill.card().await;
            mill.house.hub.shutdown.cancel();
            card
        };
        let (answer, card) = in_time(async { tokio::join!(asks, stopped) }).await;
        assert_eq!((answer.status, answer.body), (200, json!({})));
        card
    };
    let store = Store::open(&Database::Sqlite(mill.house.path("data/verbatim.db"))).await.unwrap();
    let hub = Hub::new(store, Settings::default(), CancellationToken::new()).await.unwrap();
    let (session, id) = (card["session_id"].as_str().unwrap(), card["id"].as_str().unwrap());
    let message =
        hub.workspace.message(&model::SessionId::parse(session).unwrap(), &model::MessageId::parse(id).unwrap()).await;
    let message = serde_json::to_value(message.unwrap().unwrap().message).unwrap();
    assert_eq!(outcome(&message), ("expired", &json!("stopped")));
}

/// The transcript alone makes messages: whatever hooks report, before, between and after its lines.
#[tokio::test]
async fn hooks_change_nothing_of_what_the_transcript_gives() {
    let input = json!({"command": "ls", "description": "Grind"});
    let talk = Talk::new("mill")
        .user("Grind")
        .says("I look first.")
        .calls("toolu_1", "Bash", &input, "flour", &json!({"stdout": "flour", "stderr": ""}))
        .says("Flour is there.");
    let text = talk.text();
    let alone = House::new().await;
    alone.import(&[alone.write("mill.jsonl", &text)]).await;
    let mill = Mill::new().await;
    let reports = async || {
        for told in [
            event("SessionStart", json!({"source": "startup"})),
            event("UserPromptSubmit", json!({"prompt": "Grind"})),
            call("PreToolUse", "toolu_1", "ls"),
            call("PostToolUse", "toolu_1", "ls"),
            event(
                "Notification",
                json!({"notification_type": "permission_prompt", "message": "Claude needs your permission"}),
            ),
            event("Stop", json!({"last_assistant_message": "Flour is there."})),
            event("SessionEnd", json!({"reason": "other"})),
            event("SomethingNew", json!({"of": ["a", "later", "version"]})),
        ] {
            let answer = mill.report(told).await;
            assert_eq!((answer.status, answer.body), (200, json!({})));
        }
    };
    let mut part = String::new();
    reports().await;
    for line in text.lines() {
        part.push_str(&format!("{line}\n"));
        mill.house.import(&[mill.house.write("mill.jsonl", &part)]).await;
        reports().await;
    }
    let read = async |house: &House| house.read("/v1/sessions/mill/messages?dev=1").await;
    assert_eq!(lines(&read(&mill.house).await), lines(&read(&alone).await));
    let payloads = |page: &Value| -> Vec<Value> {
        page["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| json!([m["id"], m["content"], m["metadata"], m["created_at"]]))
            .collect()
    };
    assert_eq!(payloads(&read(&mill.house).await), payloads(&read(&alone).await));
}

#[tokio::test]
async fn a_session_shows_what_its_agent_does() {
    let mill = Mill::new().await;
    mill.house.import(&[mill.house.write("mill.jsonl", Talk::new("mill").user("Grind").text())]).await;
    let mut seen = Vec::new();
    for told in [
        event("UserPromptSubmit", json!({"prompt": "Grind"})),
        call("PreToolUse", "toolu_1", "ls"),
        event(
            "Notification",
            json!({"notification_type": "permission_prompt", "message": "Claude needs your permission to use Bash"}),
        ),
        call("PostToolUse", "toolu_1", "ls"),
        event("Notification", json!({"notification_type": "auth_success", "message": "x"})),
        event("Stop", json!({})),
        event("StopFailure", json!({"error": "overloaded"})),
        event("SessionEnd", json!({"reason": "prompt_input_exit"})),
    ] {
        mill.report(told).await;
        let session = mill.house.read("/v1/sessions/mill").await["session"].clone();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        seen.push((word(&session["state"]), word(&session["live"]["reason"])));
    }
    let seen: Vec<(&str, &str)> = seen.iter().map(|(state, reason)| (state.as_str(), reason.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("working", "Works on a prompt"),
            ("working", "Runs Bash"),
            ("needs_you", "Claude needs your permission to use Bash"),
            ("working", "Ran Bash"),
            ("working", "Ran Bash"),
            ("idle", "Its turn is over"),
            ("failed", "overloaded"),
            ("done", "Ended: prompt input exit"),
        ]
    );
}

/// Each is a plain answer that isn't 200: the agent goes on without it.
#[tokio::test]
async fn what_is_no_event_is_refused_in_plain_words() {
    let mill = Mill::new().await;
    let other = mill.house.agent("nightly").await;
    let refused = mill.house.send(other, Post, HOOK, Some(bash("PermissionRequest", "ls"))).await;
    assert_eq!((refused.status, &refused.body["code"]), (403, &json!("scope_missing")));
    let owner = mill.house.send(Caller::owner(), Post, HOOK, Some(bash("PermissionRequest", "ls"))).await;
    assert_eq!(owner.status, 403);
    for (path, told, field) in [
        ("/v1/hooks/codex/600", bash("PermissionRequest", "ls"), "agent"),
        ("/v1/hooks/claude_code/0", bash("PermissionRequest", "ls"), "wait"),
        ("/v1/hooks/claude_code/soon", bash("PermissionRequest", "ls"), "wait"),
        (HOOK, json!({"hook_event_name": "PermissionRequest"}), "/session_id"),
        (HOOK, event("PermissionRequest", json!({"tool_input": {}})), "/tool_name"),
        (HOOK, event("PermissionRequest", json!({"tool_name": "Bash", "tool_input": "ls"})), "/tool_input"),
    ] {
        let refused = mill.report_to(path, told).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some(field)), "{path} {}", refused.body);
    }
    let asks = mill.house.send(Caller::owner(), Get, "/v1/asks", None).await;
    assert_eq!(asks.body["asks"], json!([]));
}
