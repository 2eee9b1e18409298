//! The list of sessions, one of them, its children, its fork, and by which names it is known.

use crate::support::{House, Talk, fixture, texts};
use api::Method;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Five sessions in two projects, of which three were last active in the same second.
async fn village() -> House {
    let house = House::new().await;
    let talks = [
        Talk::new("mill-1").at(10).user("Grind the wheat").says("Ground.").titled("Wheat"),
        Talk::new("mill-2").of("/home/ada/mill", "winter").at(10).user("Free the wheel").says("Done."),
        Talk::new("bakery-1").of("/home/ada/bakery", "main").at(5).user("Knead").says("Kneaded.").user("Bake"),
        Talk::new("bakery-2")
            .of("/home/ada/bakery", "main")
            .at(9)
            .at_once()
            .user("100% rye_bread?")
            .at(11)
            .says("Yes!"),
        Talk::new("bakery-3").of("/home/ada/bakery", "main").at(300).user("wheat rolls").titled("Rolls"),
    ];
    for talk in &talks {
        house.import(&[house.write(&format!("{}.jsonl", talk.session), talk.text())]).await;
    }
    house
}

fn names(page: &Value) -> Vec<&str> {
    texts(&page["sessions"], "agent_session_id")
}

#[tokio::test]
async fn the_whole_list() {
    let house = village().await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions?limit=2").await));
}

#[tokio::test]
async fn an_empty_list() {
    let house = House::new().await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions").await));
}

#[tokio::test]
async fn filters_and_orders() {
    let house = village().await;
    let mut shown = String::new();
    for query in [
        "",
        "order=asc",
        "sort=created",
        "sort=title",
        "sort=title&order=desc",
        "sort=project",
        "sort=messages",
        "sort=tokens",
        "q=wheat",
        "q=WHEAT%20rolls",
        "q=winter",
        "q=bakery",
        "q=100%25",
        "q=%25",
        "q=rye_",
        "q=_",
        "q=",
        "q=nothing",
        "project=/home/ada/mill",
        "project=/home/ada/mill&project=/home/ada/bakery&q=bread",
        "project=",
        "agent=claude_code&agent=codex",
        "agent=codex",
        "since=2026-03-01T09:01:00Z",
        "until=2026-03-01T09:00:11Z",
        "since=2026-03-01&until=2026-03-01",
        "since=2026-03-02",
        "until=2026-02-28",
        "since=&until=&sort=activity",
    ] {
        let page = house.read(&format!("/v1/sessions?{query}")).await;
        writeln!(shown, "{query:56} {} of {}: {}", page["total"], page["all"], names(&page).join(" ")).unwrap();
    }
    assert_snapshot!(shown);
}

/// For every order and page size the union of pages is all sessions, each once, though their values are equal.
#[tokio::test]
async fn pages_are_all_sessions() {
    let house = village().await;
    for sort in ["activity", "created", "title", "project", "messages", "tokens"] {
        for order in ["asc", "desc"] {
            let whole = house.read(&format!("/v1/sessions?sort={sort}&order={order}")).await;
            assert_eq!(whole["next"], Value::Null);
            for limit in 1..=5 {
                let mut paged: Vec<Value> = Vec::new();
                let mut after = String::new();
                loop {
                    let path = format!("/v1/sessions?sort={sort}&order={order}&limit={limit}{after}");
                    let page = house.read(&path).await;
                    assert_eq!(page["total"], 5);
                    paged.extend(page["sessions"].as_array().unwrap().iter().cloned());
                    let Some(next) = page["next"].as_str() else { break };
                    after = format!("&after={}", api::endpoint::segment(next));
                }
                assert_eq!(json!(paged), whole["sessions"], "{sort} {order} {limit}");
            }
        }
    }
}

#[tokio::test]
async fn one_session() {
    let house = House::with_fixtures(&["transcripts/claude/edits.jsonl"]).await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions/edit").await));
}

/// By our id, the agent's own, or a unique prefix of either; a whole id names its session though others begin with it.
#[tokio::test]
async fn names_of_a_session() {
    let house = village().await;
    for longer in ["mill-11", "mill-12", "mill-13", "mill-14"] {
        let talk = Talk::new(longer).at(400).user("Later");
        house.import(&[house.write(&format!("{longer}.jsonl"), talk.text())]).await;
    }
    let found = async |name: &str| {
        let answer = house.get(&format!("/v1/sessions/{}", api::endpoint::segment(name))).await;
        match answer.status {
            200 => answer.body["session"]["agent_session_id"].as_str().unwrap().to_owned(),
            status => format!("{status} {}", answer.body["code"].as_str().unwrap()),
        }
    };
    let ours = house.read("/v1/sessions/mill-2").await["session"]["id"].as_str().unwrap().to_owned();
    let mut shown = String::new();
    for name in
        ["mill-1", "mill-2", "mill-12", "bakery-3", "mill", "b", "mill-3", "MILL-2", "%", "' OR 1=1", "\u{10ffff}"]
    {
        writeln!(shown, "{name}: {}", found(name).await).unwrap();
    }
    assert_snapshot!(shown);
    assert_eq!(found(&ours).await, "mill-2");
    assert_eq!(found(&ours[..35]).await, "mill-2");
    assert_snapshot!(house.shown(&house.get("/v1/sessions/mill").await));
}

/// A command that people paste into a terminal does what it says, whatever an agent called its session and its folder.
#[tokio::test]
async fn a_session_is_resumed_by_a_command_that_does_nothing_else() {
    let id = "5e55a0de-0000-4000-8000-0000000000aa";
    let resumed = Some(format!("claude --resume {id}"));
    let within = |folder: &str| Some(format!("cd -- {folder} && claude --resume {id}"));
    let cases = [
        (id, "/home/ada/mill", within("/home/ada/mill")),
        (id, "/home/ada/my mill", within("'/home/ada/my mill'")),
        (id, "/home/ada/it's", within("\"/home/ada/it's\"")),
        (id, "/m/$(touch x)`touch y`;touch z", within("'/m/$(touch x)`touch y`;touch z'")),
        (id, "/m/'$(touch x)'!", within("\"/m/'\"'$(touch x)'\"'\"'!'")),
        (id, "/m/-rf", within("/m/-rf")),
        (id, "C:\\Users\\ada", within("\"C:\\\\Users\\\\ada\"")),
        (id, "-", None),
        (id, "--help", None),
        (id, "~/mill", None),
        (id, "mill", None),
        (id, "/m\ntouch x", None),
        (id, "/m\rtouch x", None),
        (id, "/m\u{1b}[201~touch x\n", None),
        (id, "/m\u{7f}", None),
        (id, "/m\u{85}", None),
        (id, "/m\u{202e}x", None),
        (id, "/m\u{200b}x", None),
        ("--dangerously-skip-permissions", "/m", None),
        ("-c", "/m", None),
        ("x; touch y", "/m", None),
        ("$(touch y)", "/m", None),
        ("5e55a0de000040008000000000000000aa", "/m", None),
        ("{5e55a0de-0000-4000-8000-0000000000aa}", "/m", None),
        ("5e55a0de-0000-4000-8000-0000000000ag", "/m", None),
        ("edit0001-aaaa", "/m", None),
    ];
    for (own_id, cwd, command) in cases {
        let house = House::new().await;
        let agent = house.agent("mill").await;
        let body = json!({"agent": "claude_code", "id": "s1", "agent_session_id": own_id, "cwd": cwd});
        let made = house.send(agent, Method::Post, "/v1/sessions", Some(body)).await;
        assert!(matches!(made.status, 201 | 400), "{own_id:?} {cwd:?}: {}", made.body);
        if made.status == 201 {
            let shown = house.read("/v1/sessions/s1").await["resume_command"].clone();
            assert_eq!(shown.as_str(), command.as_deref(), "{own_id:?} {cwd:?}");
        } else {
            assert_eq!(command, None, "{}", made.body);
        }
    }
    let house = House::new().await;
    let agent = house.agent("mill").await;
    let body = json!({"agent": "claude_code", "id": "s1", "agent_session_id": id});
    assert_eq!(house.send(agent, Method::Post, "/v1/sessions", Some(body)).await.status, 201);
    assert_eq!(house.read("/v1/sessions/s1").await["resume_command"].as_str(), resumed.as_deref());
}

#[tokio::test]
async fn sub_agents_are_children() {
    let parent = "transcripts/claude/5e55a0de-0000-4000-8000-000000000001";
    let house =
        House::with_fixtures(&[&format!("{parent}.jsonl"), &format!("{parent}/subagents/agent-a77.jsonl")]).await;
    let list = house.read("/v1/sessions").await;
    assert_eq!((list["total"].as_i64(), list["sessions"][0]["child_count"].as_i64()), (Some(1), Some(1)));
    let children = house.get("/v1/sessions/5e55a0de-0000-4000-8000-000000000001/children").await;
    assert_snapshot!(house.shown(&children));
    let child = children.body["sessions"][0]["id"].as_str().unwrap();
    let detail = house.read(&format!("/v1/sessions/{child}")).await;
    assert_eq!(texts(&detail["ancestors"], "title"), ["Use an agent"]);
    assert_eq!(detail["resume_command"], Value::Null);
    assert_eq!(house.read(&format!("/v1/sessions/{child}/children")).await["sessions"], json!([]));
}

#[tokio::test]
async fn a_sub_agent_stands_by_itself_until_its_caller_is_there() {
    let parent = "transcripts/claude/5e55a0de-0000-4000-8000-000000000001";
    let house = House::with_fixtures(&[&format!("{parent}/subagents/agent-a77.jsonl")]).await;
    let list = house.read("/v1/sessions").await;
    assert_eq!((list["total"].as_i64(), &list["sessions"][0]["parent_missing"]), (Some(1), &json!(true)));
    assert_eq!(list["facets"]["agents"], json!([{ "value": "claude_code", "sessions": 1 }]));
    let id = list["sessions"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(house.read(&format!("/v1/sessions/{id}")).await["resume_command"], Value::Null);

    house.import(&[fixture(&format!("{parent}.jsonl"))]).await;
    let list = house.read("/v1/sessions").await;
    assert_eq!((texts(&list["sessions"], "title"), list["total"].as_i64()), (vec!["Use an agent"], Some(1)));
    let child = house.read(&format!("/v1/sessions/{id}")).await;
    assert_eq!(child["session"].get("parent_missing"), None);
}

/// The own id of a session with many sub-agents, whose own ids all begin with it, still names it.
#[tokio::test]
async fn a_session_with_many_children_is_found_by_its_own_id() {
    let own_id = "abcdef12-0000-4000-8000-000000000001";
    let house = House::new().await;
    let folder = format!("projects/-home-ada-mill/{own_id}");
    let mut files = vec![house.write(&format!("{folder}.jsonl"), Talk::new(own_id).user("Send five").text())];
    for n in 1..=5 {
        let text = Talk::new(own_id)
            .at(60)
            .user(&format!("Errand {n}"))
            .text()
            .replace("\"isSidechain\":false", "\"isSidechain\":true");
        files.push(house.write(&format!("{folder}/subagents/agent-a{n}.jsonl"), text));
    }
    house.import(&files).await;
    let detail = house.read(&format!("/v1/sessions/{own_id}")).await;
    assert_eq!(detail["session"]["title"], "Send five");
    assert_eq!(detail["session"]["child_count"], 5);
    // So does its beginning, as long as no other session of no sub-agent begins so.
    let by_prefix = async || house.get("/v1/sessions/abcdef12").await;
    assert_eq!(by_prefix().await.body["session"]["title"], "Send five");
    let other = "abcdef12-0000-4000-8000-000000000002";
    house.import(&[house.write(&format!("projects/{other}.jsonl"), Talk::new(other).user("Alone").text())]).await;
    assert_eq!(by_prefix().await.body["code"], "ambiguous");
}

/// A fork repeats the lines of its parent: they are shown as copies and counted once.
#[tokio::test]
async fn a_fork_counts_what_is_its_own() {
    let first = Talk::new("first").user("Plant a quince").says("Planted.");
    let forked = first.text().replace("\"sessionId\":\"first\"", "\"sessionId\":\"fork\"");
    let own = Talk::new("fork").at(60).user("Plant a plum instead").says("Planted that.").text();
    // The fork's own lines go on from the copies.
    let own = own.replacen("\"parentUuid\":null", "\"parentUuid\":\"first-0002\"", 1);
    let house = House::with(&first).await;
    house.import(&[house.write("fork.jsonl", format!("{forked}{own}"))]).await;
    let detail = house.get("/v1/sessions/fork").await;
    assert_snapshot!("a_fork", house.shown(&detail));
    let page = house.read("/v1/sessions/fork/messages").await;
    let copied: Vec<bool> = page["messages"].as_array().unwrap().iter().map(|m| m["copied"] == true).collect();
    assert_eq!(copied, [true, true, false, false]);
    let hits = house.read("/v1/search?q=quince").await;
    assert_eq!(texts(&hits["hits"], "session_title"), ["Plant a quince"], "a copy is found once");
}

/// A file that repeats another one under ids and times of its own, as a session that was resumed does, and marks
/// nothing: what the model said is known by its API message, and a prompt by the answer behind it. The same words
/// before another answer are a prompt of their own.
#[tokio::test]
async fn a_history_that_is_repeated_with_new_ids_and_times_counts_once() {
    let first = Talk::new("first")
        .user("Plant a quince")
        .says("Planted.")
        .user("And a plum")
        .user("A large one")
        .says("So it is.");
    let again = [("first-0", "copy-0"), ("\"sessionId\":\"first\"", "\"sessionId\":\"fork\""), ("T09:", "T10:")];
    let copy = again.iter().fold(first.text(), |text, (from, to)| text.replace(from, to));
    let own = Talk::new("fork").user("A large one").says("Another one, then.").user("Plant a quince").text();
    let own = own.replacen("\"parentUuid\":null", "\"parentUuid\":\"copy-0005\"", 1).replace("T09:", "T11:");
    let house = House::with(&first).await;
    house.import(&[house.write("fork.jsonl", format!("{copy}{own}"))]).await;
    let told = async |session: &str| {
        let detail = house.read(&format!("/v1/sessions/{session}")).await;
        let page = house.read(&format!("/v1/sessions/{session}/messages")).await;
        let copied: Vec<bool> = page["messages"].as_array().unwrap().iter().map(|m| m["copied"] == true).collect();
        (detail["session"]["message_count"].as_i64().unwrap(), detail["session"]["usage"]["output"].clone(), copied)
    };
    let (count, output, copied) = told("fork").await;
    assert_eq!(copied, [true, true, true, true, true, false, false, false], "{count} {output}");
    assert_eq!((count, output), (3, json!(5)));
    assert_eq!(told("first").await, (5, json!(10), vec![false; 5]));
    let from = house.read("/v1/sessions/fork").await["forked_from"]["id"].clone();
    assert_eq!(
        house.read(&format!("/v1/sessions/{}", from.as_str().unwrap())).await["session"]["agent_session_id"],
        "first"
    );
    let hits = house.read("/v1/search?q=large").await;
    assert_eq!(hits["total"], 2, "{hits}");
}

/// Whatever the files are called, what is forked comes after what it was forked from: a fork, and a fork of that one.
#[tokio::test]
async fn forks_are_told_by_time_not_by_name() {
    let copy = |text: &str, from: &str, to: &str, marked: bool| {
        let mark = format!("\"forkedFrom\":{{\"sessionId\":\"{from}\"}},\"uuid\"");
        let text = text.replace(&format!("\"sessionId\":\"{from}\""), &format!("\"sessionId\":\"{to}\""));
        if marked { text.replace("\"uuid\"", &mark) } else { text }
    };
    for marked in [true, false] {
        let first = Talk::new("first").user("Plant a quince").says("Planted.").text();
        let second = copy(&first, "first", "second", marked) + &Talk::new("second").at(60).user("Plant a plum").text();
        let third = copy(&second, "second", "third", marked) + &Talk::new("third").at(90).user("Plant a pear").text();
        for names in [["1", "2", "3"], ["3", "2", "1"], ["2", "3", "1"]] {
            let house = House::new().await;
            for (name, text) in names.iter().zip([&first, &second, &third]) {
                house.write(&format!("talks/{name}.jsonl"), text);
            }
            house.import(&[house.path("talks")]).await;
            let mut seen = Vec::new();
            for key in ["first", "second", "third"] {
                let detail = house.read(&format!("/v1/sessions/{key}")).await;
                let from = detail["forked_from"]["id"].as_str().map(str::to_owned);
                let from = if let Some(id) = from {
                    house.read(&format!("/v1/sessions/{id}")).await["session"]["agent_session_id"].clone()
                } else {
                    Value::Null
                };
                seen.push((from, detail["session"]["message_count"].clone()));
            }
            let expected = [(Value::Null, json!(2)), (json!("first"), json!(1)), (json!("second"), json!(1))];
            assert_eq!(seen, expected, "{names:?}, marked: {marked}");
        }
    }
}

#[tokio::test]
async fn the_caller_and_the_state_of_the_server() {
    let house = village().await;
    let mut shown = String::new();
    for caller in [hub::Caller::owner(), hub::Caller::Local] {
        shown += &house.shown(&house.send(caller, Method::Get, "/v1/me", None).await);
        shown += "\n";
    }
    shown += &house.shown(&house.get("/v1/health").await);
    assert_snapshot!(shown);
}

/// The agent's last message of each session of the page is included only on request.
#[tokio::test]
async fn what_was_said_last() {
    let house = village().await;
    let said = async |query: &str| {
        let page = house.read(&format!("/v1/sessions?{query}")).await;
        let words = |id: &Value| page["said"].get(id.as_str()?)?.as_str().map(str::to_owned);
        let rows = page["sessions"].as_array().unwrap().iter();
        let rows: Vec<_> =
            rows.map(|s| (s["agent_session_id"].as_str().unwrap().to_owned(), words(&s["id"]))).collect();
        (page["said"].as_object().map(serde_json::Map::len), rows)
    };
    let row = |name: &str, words: Option<&str>| (name.to_owned(), words.map(str::to_owned));
    let all = vec![
        row("mill-1", Some("Ground.")),
        row("mill-2", Some("Done.")),
        row("bakery-1", Some("Kneaded.")),
        row("bakery-2", Some("Yes!")),
        row("bakery-3", None),
    ];
    assert_eq!(said("said=1&sort=project&order=desc").await.0, Some(4));
    let (count, mut rows) = said("said=1").await;
    rows.sort_by_key(|(name, _)| all.iter().position(|(other, _)| other == name));
    assert_eq!((count, rows), (Some(4), all));
    assert_eq!(said("said=1&q=winter").await, (Some(1), vec![row("mill-2", Some("Done."))]));
    assert_eq!(said("said=1&q=nothing").await, (Some(0), Vec::new()));
    assert_eq!(said("said=0&q=winter").await, (None, vec![row("mill-2", None)]));
    assert_eq!(said("q=winter").await, (None, vec![row("mill-2", None)]));
    let refused = house.get("/v1/sessions?said=2").await;
    assert_eq!((refused.status, refused.body["code"].as_str()), (400, Some("invalid_field")));
}
