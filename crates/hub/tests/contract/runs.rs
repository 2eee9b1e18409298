//! Runs: what an agent is given, once and in order, and the log of it.

use crate::live::Talk;
use crate::support::{House, in_time};
use api::Method::{Delete, Get, Post};
use hub::Caller;
use hub::host::{HostEvent, HostMessage};
use model::{Micros, SessionId};
use proptest::test_runner::{Config, TestRunner};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

/// The fields of prompts in the format `messages` that tests look at.
fn given(body: &Value) -> Vec<(i64, &str, &str)> {
    body["prompt"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["seq"].as_i64().unwrap(), m["role"].as_str().unwrap(), m["content"].as_str().unwrap()))
        .collect()
}

impl Talk {
    async fn begin(&self, body: Value) -> Value {
        let answer = self.agent(Post, "/runs", body).await;
        assert!(matches!(answer.status, 200 | 201), "{}", answer.body);
        answer.body
    }

    async fn end(&self, run: &Value, body: Value) -> crate::support::Answer {
        self.agent(Post, &format!("/runs/{}/end", run["run"].as_str().unwrap()), body).await
    }

    /// All entries of the context log.
    async fn log(&self) -> Vec<Value> {
        let (mut entries, mut after) = (Vec::new(), 0);
        loop {
            let page = self.owner(Get, &format!("/context-log?after={after}&limit=7"), Value::Null).await;
            assert_eq!(page.status, 200, "{}", page.body);
            entries.extend(page.body["entries"].as_array().unwrap().clone());
            match page.body["next"].as_i64() {
                Some(next) => after = next,
                None => return entries,
            }
        }
    }

    async fn check(&self) -> Value {
        self.owner(Get, "/context-log/check", Value::Null).await.body
    }
}

/// The texts of one run and part, joined.
fn replayed(log: &[Value], run: &Value, part: &str) -> String {
    let of = log.iter().filter(|entry| entry["run"] == run["run"] && entry["part"] == part);
    of.map(|entry| entry["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_run_gives_what_people_and_the_system_said_once_and_in_order() {
    let talk = Talk::new().await;
    talk.owner(Post, "/messages", json!({"content": "Fix the lexer"})).await;
    talk.owner(Post, "/messages", json!({"role": "system", "content": "Answer in French"})).await;
    talk.owner(Post, "/messages", json!({"role": "system", "sender": "deploy", "content": "Deployed 1.2"})).await;
    talk.owner(Post, "/messages", json!({"role": "system", "content": "Only now", "context": "ephemeral"})).await;
    talk.owner(Post, "/messages", json!({"role": "system", "content": "Bookkeeping", "context": "none"})).await;
    let first = talk.agent(Post, "/runs", json!({})).await;
    assert_eq!(first.status, 201);
    insta::assert_snapshot!(talk.house.shown(&first));
    let run = first.body;
    assert_eq!(
        given(&run),
        [(1, "user", "Fix the lexer"), (2, "system", "Answer in French"), (3, "system", "Deployed 1.2")]
    );
    assert_eq!((run["system"].clone(), run["system_notices"].clone()), (json!("Only now"), json!(["Only now"])));
    assert_eq!(talk.state().await, "working");

    // The agent crashed, or lost the answer: the same bytes, whatever was said since.
    talk.owner(Post, "/messages", json!({"content": "and the parser"})).await;
    let mut again = talk.begin(json!({})).await;
    assert_eq!(again["resumed"], true);
    again["resumed"] = json!(false);
    assert_eq!(again, run);

    // A message that comes during a run is for the next one: the answer to a post has none of them.
    let posted = talk.agent(Post, "/messages", json!({"content": "Oui"})).await;
    assert_eq!(posted.body["queued_user_messages"], json!([]));
    let ended = talk.end(&run, json!({"usage": {"input": 10, "output": 2, "cache_read": 0, "cache_write": 0}})).await;
    assert_eq!((ended.status, ended.body["outcome"].clone()), (200, json!("done")));
    let repeated = talk.end(&run, json!({"outcome": "done"})).await;
    assert_eq!((repeated.status, repeated.body["replayed"].clone()), (200, json!(true)));
    let other = talk.end(&run, json!({"outcome": "interrupted"})).await;
    assert_eq!((other.status, other.body["code"].clone()), (409, json!("run_ended")));

    let second = talk.begin(json!({})).await;
    assert_ne!(second["run"], run["run"]);
    assert_eq!(given(&second), [(6, "user", "and the parser")]);
    assert_eq!(second["system"], Value::Null, "a notice is for one run");
    talk.end(&second, json!({})).await;
    assert!(given(&talk.begin(json!({})).await).is_empty());
}

#[tokio::test]
async fn a_harness_gives_its_own_notices_for_one_run_in_each_format() {
    let talk = Talk::new().await;
    talk.owner(Post, "/messages", json!({"content": "Fix the lexer"})).await;
    talk.owner(Post, "/messages", json!({"role": "system", "content": "Only now", "context": "ephemeral"})).await;
    let rows = talk.owner(Get, "/messages?dev=1", Value::Null).await.body["last_seq"].clone();
    let own = json!(["Git: 2 files aren't committed", "Deployed <1.2>"]);
    for format in ["messages", "anthropic", "openai", "text"] {
        let begin = json!({"format": format, "system_notices": own, "history_after": 0});
        let run = talk.begin(begin.clone()).await;
        let notices = if format == "messages" { json!([own[0], own[1], "Only now"]) } else { own.clone() };
        assert_eq!(run["system_notices"], notices, "{format}");
        let texts: Vec<&str> = notices.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        assert_eq!(run["system"], json!(texts.join("\n\n")), "{format}");
        // Byte for byte, whatever the harness says now.
        let again = talk.begin(json!({"format": format, "system_notices": ["Other"], "history_after": 0})).await;
        assert_eq!((&again["system"], &again["prompt"]), (&run["system"], &run["prompt"]), "{format}");
        let log = talk.log().await;
        assert_eq!(replayed(&log, &run, "system"), texts.join("\n\n"), "{format}");
        talk.end(&run, json!({})).await;
    }
    let run =
        talk.begin(json!({"format": "text", "notices": "prompt", "system_notices": own, "history_after": 0})).await;
    assert_eq!(run["system"], Value::Null);
    assert!(run["prompt"].as_str().unwrap().contains("2 files aren't committed"), "{}", run["prompt"]);
    talk.end(&run, json!({})).await;
    assert_eq!(talk.begin(json!({})).await["system_notices"], json!([]), "for one run alone");
    // Neither rows, nor words that are found.
    assert_eq!(talk.owner(Get, "/messages?dev=1", Value::Null).await.body["last_seq"], rows);
    assert_eq!(talk.house.read("/v1/search?q=committed").await["hits"], json!([]));
}

#[tokio::test]
async fn a_notice_of_a_harness_that_does_not_fit_is_named() {
    let talk = Talk::new().await;
    for (notices, field) in [
        (json!(["fine", " "]), "/system_notices/1"),
        (json!(["x".repeat((16 << 10) + 1)]), "/system_notices/0"),
        (json!(vec!["x"; 33]), "/system_notices"),
        (json!("x"), "/system_notices"),
        (json!([1]), "/system_notices/0"),
    ] {
        let refused = talk.agent(Post, "/runs", json!({"system_notices": notices})).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some(field)), "{}", refused.body);
    }
    let most = vec!["x".repeat(16 << 10); 32];
    assert_eq!(talk.begin(json!({"system_notices": most})).await["system_notices"], json!(most));
}

#[tokio::test]
async fn pending_steers_a_run_and_the_next_run_has_the_rest() {
    let talk = Talk::new().await;
    let run = talk.begin(json!({})).await;
    talk.owner(Post, "/messages", json!({"role": "system", "content": "The disk is read-only"})).await;
    talk.owner(Post, "/messages", json!({"content": "Stop"})).await;
    let taken = talk.agent(Post, "/pending", json!({"limit": 1})).await;
    assert_eq!(taken.body["messages"][0]["content"], "The disk is read-only");
    talk.end(&run, json!({})).await;
    assert_eq!(given(&talk.begin(json!({})).await), [(2, "user", "Stop")]);
}

#[tokio::test]
async fn a_notice_wakes_nobody() {
    let talk = Talk::new().await;
    talk.owner(Post, "/messages", json!({"role": "system", "content": "Deployed", "sender": "deploy"})).await;
    let nothing = talk.begin(json!({"wait": 0})).await;
    assert_eq!((nothing["run"].clone(), nothing["prompt"].clone()), (Value::Null, Value::Null));
    let waiting = async { talk.begin(json!({"wait": 60})).await };
    let writing = async { talk.owner(Post, "/messages", json!({"content": "Go"})).await };
    let (run, _) = in_time(async { tokio::join!(waiting, writing) }).await;
    assert_eq!(given(&run), [(1, "system", "Deployed"), (2, "user", "Go")]);
}

#[tokio::test]
async fn the_whole_conversation_is_given_to_an_agent_without_memory() {
    let talk = Talk::new().await;
    talk.owner(Post, "/messages", json!({"content": "Is it red?"})).await;
    let run = talk.begin(json!({"format": "anthropic"})).await;
    talk.agent(Post, "/messages", json!({"content": "Blue."})).await;
    talk.agent(Post, "/messages", json!({"role": "model", "content": "Hm."})).await;
    talk.end(&run, json!({})).await;
    talk.owner(Post, "/messages", json!({"content": "Sure?"})).await;
    let run = talk.begin(json!({"format": "anthropic", "history_after": 0})).await;
    let block = |text: &str| json!([{"type": "text", "text": text}]);
    assert_eq!(
        run["prompt"],
        json!([
            {"role": "user", "content": block("Is it red?")},
            {"role": "assistant", "content": block("Blue.")},
            {"role": "user", "content": block("Sure?")},
        ])
    );
    let other = talk.agent(Post, "/runs", json!({"format": "text"})).await;
    assert_eq!((other.status, other.body["code"].clone()), (409, json!("run_open")));
    assert!(other.body["hint"].as_str().unwrap().contains(run["run"].as_str().unwrap()));
}

#[tokio::test]
async fn the_context_log_replays_each_format_byte_for_byte() {
    for format in ["messages", "anthropic", "openai", "text"] {
        for placement in ["system_prompt", "prompt"] {
            let talk = Talk::new().await;
            talk.owner(Post, "/messages", json!({"content": "Is a < b & \"c\"? \u{1f3e0}\u{0} 1.10"})).await;
            talk.owner(
                Post,
                "/messages",
                json!({"content": "Two", "message_metadata": {"n": 1.5, "z": 0, "a": [1e3]}}),
            )
            .await;
            talk.owner(Post, "/messages", json!({"role": "system", "content": "dirty", "context": "ephemeral"})).await;
            let run = talk.begin(json!({"format": format, "notices": placement})).await;
            let log = talk.log().await;
            let prompt = replayed(&log, &run, "prompt");
            let bytes =
                if format == "text" { run["prompt"].as_str().unwrap().to_owned() } else { run["prompt"].to_string() };
            assert_eq!(prompt, bytes, "{format}, {placement}");
            assert_eq!(replayed(&log, &run, "system"), run["system"].as_str().unwrap_or_default());
            assert_eq!(run["system"].is_null(), placement == "prompt");
            assert!(prompt.contains("dirty") == (placement == "prompt"));
            let check = talk.check().await;
            assert_eq!((check["entries"].as_u64().unwrap() as usize, check["fault"].clone()), (log.len(), Value::Null));
            assert_eq!(check["head"], log.last().unwrap()["sha256"]);
        }
    }
}

/// Four million bytes that say which ones they are.
fn long(name: &str) -> String {
    format!("{name} {}", "a".repeat(4_000_000))
}

/// The names of the messages of a prompt.
fn names(run: &Value) -> Vec<&str> {
    given(run).into_iter().map(|(_, _, content)| content.split(' ').next().unwrap()).collect()
}

#[tokio::test]
async fn a_prompt_has_the_latest_of_a_long_history_and_names_what_it_left_out() {
    let talk = Talk::new().await;
    for name in ["m1", "m2", "m3", "m4"] {
        talk.agent(Post, "/messages", json!({"content": long(name)})).await;
    }
    talk.owner(Post, "/messages", json!({"content": "Go on"})).await;
    let history = json!({"history_after": 0});
    let run = talk.begin(history.clone()).await;
    assert_eq!(names(&run), ["m3", "m4", "Go"]);
    assert_eq!((&run["after"], &run["omitted_to"], &run["to"]), (&json!(0), &json!(2), &json!(5)));
    let mut again = talk.begin(history.clone()).await;
    again["resumed"] = json!(false);
    assert_eq!(again, run);
    talk.end(&run, json!({})).await;
    // Omitted messages can still be read.
    let page = talk.agent(Get, "/messages?after=0&limit=2", Value::Null).await;
    assert_eq!(page.body["messages"].as_array().unwrap().len(), 2);
    let later = talk.begin(json!({"history_after": 2})).await;
    assert_eq!((names(&later), later.get("omitted_to")), (vec!["m3", "m4", "Go"], None));
    let log = talk.log().await;
    assert_eq!(replayed(&log, &later, "prompt"), later["prompt"].to_string());
    assert_eq!(talk.check().await["fault"], Value::Null);
}

#[tokio::test]
async fn what_waits_is_given_before_any_history_and_over_several_runs() {
    let talk = Talk::new().await;
    talk.agent(Post, "/messages", json!({"content": "known"})).await;
    for name in ["m2", "m3", "m4"] {
        talk.owner(Post, "/messages", json!({"content": long(name)})).await;
    }
    let history = json!({"history_after": 0});
    let mut seen = Vec::new();
    for _ in 0..3 {
        let run = talk.begin(history.clone()).await;
        seen.push((names(&run).join(" "), run["to"].clone(), run["omitted_to"].clone()));
        talk.end(&run, json!({})).await;
    }
    let none = Value::Null;
    assert_eq!(
        seen,
        [
            ("known m2 m3".to_owned(), json!(3), none.clone()),
            ("m3 m4".to_owned(), json!(4), json!(2)),
            ("m3 m4".to_owned(), json!(4), json!(2)),
        ]
    );
    // Nor is what waits left out where the agent says that it knows more.
    let run = talk.begin(json!({})).await;
    talk.owner(Post, "/messages", json!({"content": "waits"})).await;
    talk.agent(Post, "/messages", json!({"content": "mine"})).await;
    talk.end(&run, json!({})).await;
    assert_eq!(names(&talk.begin(json!({"history_after": 6})).await), ["waits", "mine"]);
}

#[tokio::test]
async fn pending_gives_what_fits_and_the_rest_goes_on_waiting() {
    let talk = Talk::new().await;
    for name in ["m1", "m2", "m3"] {
        talk.owner(Post, "/messages", json!({"content": long(name)})).await;
    }
    let mut counts = Vec::new();
    for _ in 0..3 {
        let taken = talk.agent(Post, "/pending", json!({})).await;
        counts.push(taken.body["messages"].as_array().unwrap().len());
    }
    assert_eq!(counts, [2, 1, 0]);
}

#[tokio::test]
async fn bad_input_of_runs_names_the_field() {
    let talk = Talk::new().await;
    let run = talk.begin(json!({})).await;
    let mut shown = String::new();
    for body in [
        json!({"format": "yaml"}),
        json!({"notices": true}),
        json!({"history_after": -1}),
        json!({"wait": 61}),
        json!({"waits": 1}),
    ] {
        shown += &format!("{body}\n{}\n", talk.house.shown(&talk.agent(Post, "/runs", body.clone()).await));
    }
    for body in [
        json!({"outcome": "open"}),
        json!({"outcome": "done", "error": "it broke"}),
        json!({"outcome": "failed", "error": "x".repeat(2001)}),
        json!({"usage": {"input": -1, "output": 0, "cache_read": 0, "cache_write": 0}}),
        json!({"cost_usd": -0.5}),
    ] {
        let said = body.to_string();
        shown += &format!("{:.60}\n{}\n", said, talk.house.shown(&talk.end(&run, body).await));
    }
    let unknown = talk.end(&json!({"run": "nothing"}), json!({})).await;
    shown += &talk.house.shown(&unknown);
    insta::assert_snapshot!(shown);
    let other = talk.house.agent("other").await;
    let foreign = talk.house.send(other, Post, "/v1/sessions/s1/runs", Some(json!({}))).await;
    assert_eq!(foreign.status, 404, "another key's session isn't there");
    let log = talk.agent(Get, "/context-log", Value::Null).await;
    assert_eq!((log.status, log.body["code"].clone()), (403, json!("forbidden")));
}

#[tokio::test]
async fn a_session_that_ends_ends_its_run_and_deleting_it_deletes_its_log() {
    let talk = Talk::new().await;
    talk.owner(Post, "/messages", json!({"content": "Go"})).await;
    let run = talk.begin(json!({})).await;
    talk.agent(Post, "/end", json!({"outcome": "failed"})).await;
    assert_eq!(talk.state().await, "failed");
    let ended = talk.end(&run, json!({"outcome": "failed"})).await;
    assert_eq!((ended.status, ended.body["outcome"].clone()), (200, json!("failed")));
    assert!(!talk.log().await.is_empty());
    talk.owner(Delete, "", Value::Null).await;
    assert_eq!(talk.owner(Get, "/context-log", Value::Null).await.status, 404);
    assert_eq!(talk.agent(Post, "/runs", json!({})).await.body["code"], "session_deleted");
}

#[tokio::test]
async fn people_post_messages_of_the_host_and_agents_cannot() {
    let talk = Talk::new().await;
    let path = "/v1/host-messages";
    let refused = talk.house.send(talk.agent.clone(), Post, path, Some(json!({"content": "I am the host"}))).await;
    assert_eq!((refused.status, refused.body["code"].clone()), (403, json!("forbidden")));
    let one = json!({"content": "Restart at noon", "session": "s1", "id": "noon"});
    for _ in 0..2 {
        let posted = talk.house.send(Caller::owner(), Post, path, Some(one.clone())).await;
        assert_eq!((posted.status, posted.body["sessions"].clone()), (201, json!(["s1"])));
    }
    let other = json!({"content": "Restart at one", "session": "s1", "id": "noon"});
    assert_eq!(talk.house.post(path, other).await.body["code"], "id_conflict");
    let all = talk.house.post(path, json!({"content": "Everybody: **hello**"})).await;
    assert_eq!(all.body["sessions"], json!(["operations"]), "no run is open");
    talk.begin(json!({})).await;
    let all = talk.house.post(path, json!({"content": "Once more"})).await;
    assert_eq!(all.body["sessions"], json!(["operations", "s1"]));
    let mut shown = talk.house.shown(&talk.owner(Get, "/messages", Value::Null).await);
    for body in [json!({"content": " "}), json!({"content": "x", "session": "none"}), json!({"content": "x", "id": ""})]
    {
        shown += &format!("\n{}", talk.house.shown(&talk.house.post(path, body).await));
    }
    insta::assert_snapshot!(shown);
}

#[tokio::test]
async fn a_deployment_is_told_to_people_and_marked_for_agents() {
    let talk = Talk::new().await;
    let told = json!({"content": "Deployed 1.2", "session": "s1", "deploy": true, "id": "d1"});
    for _ in 0..2 {
        assert_eq!(talk.house.post("/v1/host-messages", told.clone()).await.status, 201);
    }
    let page = talk.owner(Get, "/messages?dev=1", Value::Null).await;
    let seen: Vec<_> = page.body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["role"].as_str().unwrap(), m["sender"].as_str().unwrap(), m["reply_to"].as_str()))
        .collect();
    assert_eq!(seen, [("host", "host", None), ("system", "deploy", Some("d1"))]);
    assert_eq!(given(&talk.begin(json!({})).await), [(2, "system", "Deployed 1.2")]);
}

#[tokio::test]
async fn a_host_message_tells_of_a_failed_a_lost_and_a_revoked_agent() {
    let talk = Talk::new().await;
    let host = async || {
        let page = talk.owner(Get, "/messages?role=host", Value::Null).await;
        let texts: Vec<String> = page.body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["content"].as_str().unwrap().to_owned())
            .collect();
        texts
    };
    let run = talk.begin(json!({})).await;
    let failure = json!({"outcome": "failed", "error": "the model refused"});
    for _ in 0..2 {
        talk.end(&run, failure.clone()).await;
    }
    assert_eq!(host().await, ["The agent's run failed: the model refused"]);
    talk.begin(json!({})).await;
    assert_eq!(talk.agent(Post, "/heartbeat", json!({})).await.status, 200);
    let mut watch = hub::watch::Watch::default();
    let soon = Micros(hub::clock::now().0 + 120 * Micros::SECOND);
    for now in [hub::clock::now(), soon, soon] {
        watch.look(&talk.house.hub, now, None).await;
    }
    let Caller::Agent(agent) = &talk.agent else { panic!("an agent") };
    talk.house.hub.revoke_key(&talk.house.hub.workspace, &agent.id).await.unwrap();
    assert_eq!(
        host().await[1..],
        [
            "The agent may have crashed: its run is open, but it has sent no heartbeat for a minute",
            "The key `nightly` was revoked: its agent can't continue",
        ]
    );
}

#[tokio::test]
async fn the_server_tells_of_itself_where_it_concerns_somebody() {
    let house = House::new().await;
    house.hub.tell_start().await;
    assert_eq!(house.read("/v1/sessions").await["sessions"], json!([]), "nobody is concerned");
    house.post("/v1/host-messages", json!({"content": "Here we are"})).await;
    house.hub.tell_start().await;
    house.hub.tell_stop().await;
    let low = hub::host::DiskSpace { total: 100 << 30, free: 512 << 20 };
    let mut watch = hub::watch::Watch::default();
    for _ in 0..2 {
        watch.look(&house.hub, hub::clock::now(), Some(low)).await;
    }
    let page = house.read("/v1/sessions/operations/messages").await;
    let texts: Vec<&str> =
        page["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "Here we are",
            "Verbatim 1.2.3 started",
            "Verbatim is stopping. An open run can be continued after the restart",
            "The disk is nearly full: 512 MiB are left. Delete sessions, or free space elsewhere",
        ]
    );
}

/// A step in a session.
#[derive(Debug, Clone)]
enum Step {
    Person(String),
    System(String, &'static str),
    Host,
    Agent(&'static str, String),
    Run { format: &'static str, placement: &'static str, crashes: bool, history: bool },
    Pending,
}

fn step() -> impl Strategy<Value = Step> {
    let text = || "[ -~]{1,20}".prop_filter("it says something", |text| !text.trim().is_empty());
    prop_oneof![
        text().prop_map(Step::Person),
        (text(), select(vec!["turn", "ephemeral", "none"])).prop_map(|(text, context)| Step::System(text, context)),
        Just(Step::Host),
        (select(vec!["assistant", "model", "tool"]), text()).prop_map(|(role, text)| Step::Agent(role, text)),
        (
            select(vec!["messages", "anthropic", "openai", "text"]),
            select(vec!["system_prompt", "prompt"]),
            any::<bool>(),
            any::<bool>()
        )
            .prop_map(|(format, placement, crashes, history)| Step::Run {
                format,
                placement,
                crashes,
                history
            }),
        Just(Step::Pending),
    ]
}

/// Messages of the host have this word, and nothing else does.
const HOST: &str = "HOSTWORD";

/// Takes the steps, and compares what people and the system said with what the agent was given.
async fn take(steps: &[Step]) -> Result<(), TestCaseError> {
    let talk = Talk::new().await;
    let session = SessionId::parse("s1").unwrap();
    let (mut said, mut got): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    let seq = |answer: &crate::support::Answer| answer.body["seq"].as_i64().unwrap();
    let last = Step::Run { format: "messages", placement: "prompt", crashes: false, history: false };
    for step in steps.iter().chain([&last]) {
        match step {
            Step::Person(text) => said.push(seq(&talk.owner(Post, "/messages", json!({"content": text})).await)),
            Step::System(text, context) => {
                let body = json!({"role": "system", "content": text, "context": context});
                let answer = talk.owner(Post, "/messages", body).await;
                if *context == "turn" {
                    said.push(seq(&answer));
                }
            }
            Step::Host => {
                let event = HostEvent::Notice { text: format!("{HOST} boot") };
                talk.house.hub.tell_session(&session, &HostMessage::new(&event)).await;
            }
            Step::Agent(role, text) => {
                let answer = talk.agent(Post, "/messages", json!({"role": role, "content": text})).await;
                let queued = answer.body["queued_user_messages"].as_array().unwrap();
                prop_assert!(!answer.body.to_string().contains(HOST));
                got.extend(queued.iter().filter(|m| m["context"] == "turn").map(|m| m["seq"].as_i64().unwrap()));
            }
            Step::Pending => {
                let answer = talk.agent(Post, "/pending", json!({})).await;
                prop_assert!(!answer.body.to_string().contains(HOST));
                let taken = answer.body["messages"].as_array().unwrap();
                got.extend(taken.iter().filter(|m| m["context"] == "turn").map(|m| m["seq"].as_i64().unwrap()));
            }
            Step::Run { format, placement, crashes, history } => {
                let mut body = json!({"format": format, "notices": placement});
                if *history {
                    body["history_after"] = json!(0);
                }
                let run = talk.begin(body.clone()).await;
                prop_assert!(!run.to_string().contains(HOST));
                if *crashes {
                    let mut again = talk.begin(body).await;
                    again["resumed"] = json!(false);
                    prop_assert_eq!(&again, &run);
                }
                let log = talk.log().await;
                let given = log.iter().filter(|entry| entry["run"] == run["run"]).filter_map(|e| e["seq"].as_i64());
                let new: Vec<i64> = given.filter(|seq| said.contains(seq) && !got.contains(seq)).collect();
                got.extend(new);
                let prompt = replayed(&log, &run, "prompt");
                let bytes = run["prompt"].as_str().map_or_else(|| run["prompt"].to_string(), str::to_owned);
                prop_assert_eq!(prompt, bytes);
                talk.end(&run, json!({})).await;
            }
        }
    }
    prop_assert_eq!(&got, &said, "each once, in order");
    let log = talk.log().await;
    prop_assert!(!json!(log).to_string().contains(HOST));
    prop_assert_eq!(talk.check().await["fault"].clone(), Value::Null);
    Ok(())
}

/// Over random histories, in all formats: no message of the host is ever given or logged, and what people and the
/// system said is given once and in order, whether by a run, a post or the queue, across crashes.
#[test]
fn no_host_message_reaches_an_agent_and_all_others_do_once() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(24) });
    runner.run(&vec(step(), 1..14), |steps| runtime.block_on(take(&steps))).unwrap();
}
