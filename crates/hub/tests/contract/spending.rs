//! Requests to models: tokens, costs and times; budgets; tools.

use crate::support::{Answer, House, Talk};
use api::Method;
use api::sessions::SessionPath;
use hub::watch::Watch;
use hub::{Caller, Scoped};
use insta::assert_snapshot;
use model::Micros;
use serde_json::{Value, json};

/// A line of an answer, as Claude Code writes it.
fn answer(uuid: &str, message: &str, model: &str, second: i64, usage: &Value) -> String {
    let at = format!("2026-03-01T09:00:{second:02}.000Z");
    let message = json!({"id": message, "type": "message", "role": "assistant", "model": model, "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Ground."}], "usage": usage});
    json!({"type": "assistant", "uuid": uuid, "parentUuid": null, "sessionId": SPENDER, "timestamp": at, "cwd": "/home/ada/mill",
        "version": "2.1.0", "isSidechain": false, "userType": "external", "message": message})
    .to_string()
}

fn prompt(second: i64) -> String {
    let at = format!("2026-03-01T09:00:{second:02}.000Z");
    json!({"type": "user", "uuid": format!("00000000-0000-4000-8000-0000000000{second:02}"), "parentUuid": null,
        "sessionId": SPENDER, "timestamp": at, "cwd": "/home/ada/mill", "version": "2.1.0", "isSidechain": false,
        "userType": "external", "message": {"role": "user", "content": "Grind"}})
    .to_string()
}

const SPENDER: &str = "c0570000-0000-4000-8000-000000000001";

/// A known model with two kinds of cache, a long input, and a model that no table has.
async fn spender() -> House {
    let house = House::new().await;
    let cached = json!({"input_tokens": 1000, "output_tokens": 2000, "cache_read_input_tokens": 100_000,
        "cache_creation_input_tokens": 10_000, "cache_creation": {"ephemeral_1h_input_tokens": 4000}});
    let long = json!({"input_tokens": 250_000, "output_tokens": 2000});
    let unknown = json!({"input_tokens": 70, "output_tokens": 7});
    let lines = [
        prompt(1),
        answer("00000000-0000-4000-8000-000000000103", "msg_1", "claude-opus-4-5-20251101", 3, &cached),
        prompt(10),
        answer("00000000-0000-4000-8000-000000000112", "msg_2", "claude-sonnet-4-5-20250929", 12, &long),
        prompt(20),
        answer("00000000-0000-4000-8000-000000000121", "msg_3", "mill-9", 21, &unknown),
    ];
    house.import(&[house.write(&format!("{SPENDER}.jsonl"), lines.join("\n") + "\n")]).await;
    house
}

#[tokio::test]
async fn requests_have_tokens_cost_and_times() {
    let house = spender().await;
    assert_snapshot!(house.shown(&house.get(&format!("/v1/sessions/{SPENDER}/requests")).await));
    let page = house.read(&format!("/v1/sessions/{SPENDER}/requests?limit=2")).await;
    assert_eq!((page["requests"].as_array().unwrap().len(), &page["next"]), (2, &json!(2)));
    let rest = house.read(&format!("/v1/sessions/{SPENDER}/requests?after=2")).await;
    assert_eq!((&rest["requests"][0]["number"], &rest["next"]), (&json!(3), &Value::Null));
    let some = house.read(&format!("/v1/sessions/{SPENDER}/requests?from=3&to=4")).await;
    assert_eq!(some["requests"].as_array().unwrap().iter().map(|of| of["seq"].clone()).collect::<Vec<_>>(), [json!(4)]);
}

#[tokio::test]
async fn a_run_costs_what_its_requests_do() {
    let house = spender().await;
    let read = async |of: &str| house.read(&format!("/v1/sessions/{SPENDER}/{of}")).await[of].clone();
    let (runs, requests) = (read("runs").await, read("requests").await);
    let (runs, requests) = (runs.as_array().unwrap(), requests.as_array().unwrap());
    assert_eq!(runs.len(), 3);
    for (run, request) in runs.iter().zip(requests) {
        assert_eq!((&run["id"], &run["requests"], &run["seq"]), (&request["run_id"], &json!(1), &request["seq"]));
        assert_eq!((&run["usage"], &run["cost"]), (&request["usage"], &request["cost"]));
        assert_eq!((&run["model"], &run["is_copy"]), (&request["model"], &json!(false)));
    }
    assert_eq!(runs[2]["cost"]["unpriced"][0]["reason"], "No cost: `mill-9` isn't in the price table");

    let scoped = Scoped::new(house.hub.clone(), Caller::owner());
    let path = SessionPath { session: SPENDER.to_owned() };
    for many in [0, 1, 2, 3, 20] {
        let (last, all) = scoped.last_runs(&path, many).await.unwrap();
        let skipped = runs.len().saturating_sub(many as usize);
        assert_eq!((json!(last), all), (json!(runs[skipped..]), 3), "{many}");
    }
}

/// Dollars as whole millionths, which compare exactly.
fn micros(usd: &Value) -> i64 {
    (usd.as_f64().unwrap() * 1e6).round() as i64
}

#[tokio::test]
async fn costs_are_summed_by_session_project_model_and_day() {
    let house = spender().await;
    let detail = house.read(&format!("/v1/sessions/{SPENDER}")).await;
    // 1,000 x 5 + 2,000 x 25 + 100,000 x 0.5 + 6,000 x 6.25 + 4,000 x 10, and 250,000 x 6 + 2,000 x 22.5.
    let all = 182_500 + 1_545_000;
    assert_eq!(micros(&detail["cost"]["usd"]), all);
    let unpriced = json!([{"tokens": 77, "reason": "No cost: `mill-9` isn't in the price table"}]);
    assert_eq!(detail["cost"]["unpriced"], unpriced);
    assert_eq!(detail["meter"], Value::Null);
    let stats = house.read("/v1/stats?from=2026-03-01&to=2026-03-01&zone=UTC").await;
    for figures in [&stats["total"], &stats["days"][0], &stats["projects"][0]] {
        assert_eq!((micros(&figures["cost_usd"]), &figures["unpriced_tokens"]), (all, &json!(77)));
    }
    let models = stats["models"].as_array().unwrap().iter();
    let models: Vec<_> = models.map(|of| (of["model"].as_str().unwrap(), of["cost"]["usd"].is_null())).collect();
    let expected = [("claude-sonnet-4-5-20250929", false), ("claude-opus-4-5-20251101", false), ("mill-9", true)];
    assert_eq!(models, expected);
}

#[tokio::test]
async fn prices_of_ones_own_come_first() {
    let mut house = spender().await;
    let own = r#"
        [[vendor]]
        name = "Mill"
        source = "https://example.com"
        checked = "2026-03-01"
        [vendor.models]
        "mill-9" = { context = 1_000, rates = [{ input = 1_000, output = 2_000 }] }
    "#;
    house.renew(|settings| settings.prices = cost::Prices::parse(own).unwrap()).await;
    let detail = house.read(&format!("/v1/sessions/{SPENDER}")).await;
    assert_eq!(micros(&detail["cost"]["usd"]), 182_500 + 1_545_000 + 84_000);
    assert_eq!(detail["meter"], json!({"used": 77, "limit": 1000}));
}

#[tokio::test]
async fn a_session_costs_what_its_sub_agents_cost_as_well() {
    let house = House::new().await;
    let usage = json!({"input_tokens": 1000, "output_tokens": 0});
    let model = "claude-opus-4-5-20251101";
    let uuid = |n: i64| format!("00000000-0000-4000-8000-00000000{n:04}");
    let own = [prompt(1), answer(&uuid(1), "msg_1", model, 3, &usage)].join("\n") + "\n";
    let by_agent = |name: &str, message: &str, second: i64| {
        let of_agent = |line: String| {
            let mut line: Value = serde_json::from_str(&line).unwrap();
            line["isSidechain"] = json!(true);
            line["agentId"] = json!(name);
            line["uuid"] = json!(uuid(second));
            format!("{line}\n")
        };
        of_agent(prompt(second)) + &of_agent(answer("", message, model, second + 1, &usage))
    };
    let mut files = vec![house.write(&format!("{SPENDER}.jsonl"), own)];
    for (name, message, second) in [("a1", "msg_2", 10), ("a2", "msg_3", 20)] {
        let path = format!("{SPENDER}/subagents/agent-{name}.jsonl");
        files.push(house.write(&path, by_agent(name, message, second)));
    }
    house.import(&files).await;
    let detail = house.read(&format!("/v1/sessions/{SPENDER}")).await;
    assert_eq!(detail["session"]["child_count"], json!(2));
    assert_eq!((micros(&detail["cost"]["usd"]), micros(&detail["cost_with_sub_agents"]["usd"])), (5_000, 15_000));
    // Statistics count each session once.
    let stats = house.read("/v1/stats?from=2026-03-01&to=2026-03-01&zone=UTC").await;
    assert_eq!((micros(&stats["total"]["cost_usd"]), &stats["total"]["sessions"]), (15_000, &json!(3)));
    let children = house.read(&format!("/v1/sessions/{SPENDER}/children")).await;
    let child = children["sessions"][0]["id"].as_str().unwrap();
    let child = house.read(&format!("/v1/sessions/{child}")).await;
    assert_eq!((micros(&child["cost"]["usd"]), &child["cost_with_sub_agents"]), (5_000, &Value::Null));
}

async fn prefer(house: &House, patch: Value) -> Answer {
    house.send(Caller::owner(), Method::Patch, "/v1/preferences", Some(patch)).await
}

#[tokio::test]
async fn a_budget_warns_when_it_is_nearly_spent_and_when_it_is() {
    let house = spender().await;
    let noon = Micros(1_772_366_400_000_000);
    let told = async |budget: &str| {
        assert_eq!(prefer(&house, json!({"monthly_budget": budget})).await.status, 200);
        let mut watch = Watch::default();
        watch.look(&house.hub, noon, None).await;
        watch.look(&house.hub, noon, None).await;
        let page = house.get("/v1/sessions/operations/messages").await;
        let messages = page.body["messages"].as_array().cloned().unwrap_or_default();
        let words = messages.iter().filter_map(|of| of["content"].as_str());
        words.filter(|words| words.contains("budget")).map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(told("100").await, [""; 0]);
    let near = "The monthly budget is nearly spent: $1.73 of $2.00. Agents continue: a budget stops nothing";
    assert_eq!(told("2").await, [near]);
    let over = "The monthly budget is spent: $1.73 of $1.50. Agents continue: a budget stops nothing";
    assert_eq!(told("1.50").await, [near, over]);
}

#[tokio::test]
async fn budgets_say_how_they_stand() {
    let house = spender().await;
    assert_eq!(house.read("/v1/budgets").await, json!({}));
    for (budget, stands) in [("0.01", "ok"), ("12.50", "ok")] {
        let patch = json!({"daily_budget": budget, "monthly_budget": ""});
        assert_eq!(prefer(&house, patch).await.status, 200);
        // Nothing was spent today: the transcript is of another day.
        let budgets = house.read("/v1/budgets").await;
        assert_eq!((&budgets["day"]["state"], &budgets["month"]), (&json!(stands), &Value::Null));
    }
    for wrong in ["lots", "-3", "0", "1.234", "1,5"] {
        let answer = prefer(&house, json!({"monthly_budget": wrong})).await;
        assert_eq!((answer.status, &answer.body["field"]), (400, &json!("/monthly_budget")), "{wrong}");
    }
}

#[tokio::test]
async fn tools_have_calls_failures_and_times() {
    let house = House::new().await;
    let talk = Talk::new("mill")
        .user("Grind")
        .calls("toolu_1", "Bash", &json!({"command": "make"}), "done", &Value::Null)
        .calls("toolu_2", "Bash", &json!({"command": "make"}), "done", &Value::Null)
        .calls("toolu_3", "Read", &json!({"file_path": "/a"}), "1", &Value::Null)
        .says("Ground.");
    house.import(&[house.write(&format!("{}.jsonl", talk.session), talk.text())]).await;
    let tools = house.read(&format!("/v1/sessions/{}/tools", talk.session)).await;
    let lines = tools["tools"].as_array().unwrap().iter();
    let lines: Vec<_> = lines
        .map(|of| format!("{} {} {} {} {}", of["tool"], of["calls"], of["failed"], of["median_ms"], of["total_ms"]))
        .collect();
    assert_eq!(lines, ["\"Bash\" 2 0 1000 2000", "\"Read\" 1 0 1000 1000"]);
}
