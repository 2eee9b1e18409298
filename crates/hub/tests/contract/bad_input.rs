//! Wrong requests: a plain problem that names the field, never a failure.

use crate::support::{House, Talk};
use api::keys::Scope;
use api::{Access, ENDPOINTS, Method};
use hub::Caller;
use insta::assert_snapshot;
use serde_json::json;
use std::fmt::Write as _;

#[tokio::test]
async fn wrong_query_parameters() {
    let house = House::with(&Talk::new("mill").user("How does the mill turn?").says("By water.")).await;
    let mut shown = String::new();
    for path in [
        "sessions?limit=0",
        "sessions?limit=501",
        "sessions?limit=-1",
        "sessions?limit=ten",
        "sessions?limit=1&limit=2",
        "sessions?sort=size",
        "sessions?order=up",
        "sessions?since=yesterday",
        "sessions?since=2026-13-01",
        "sessions?until=2026-02-30",
        "sessions?zone=Mars/Olympus",
        "sessions?after=nonsense",
        "sessions?after=1.abc",
        "sessions?size=1",
        "sessions/mill/messages?limit=0",
        "sessions/mill/messages?limit=501",
        "sessions/mill/messages?around=first",
        "sessions/mill/messages?before=1.5",
        "sessions/mill/messages?after=99999999999999999999",
        "sessions/mill/messages?from=1",
        "sessions/mill/messages?to=1",
        "sessions/mill/messages?from=0&to=1",
        "sessions/mill/messages?from=2&to=1",
        "sessions/mill/messages?from=1&to=501",
        "sessions/mill/messages?around=1&before=2",
        "sessions/mill/messages?from=1&to=2&after=1",
        "sessions/mill/messages?around=1&since=2026-03-01",
        "sessions/mill/messages?since=noon",
        "sessions/mill/messages?role=wizard",
        "sessions/mill/messages?dev=2",
        "sessions/mill/messages?dev=true",
        "sessions/mill/messages?colour=blue",
        "search",
        "search?q=",
        "search?q=%20%20",
        "search?q=a&limit=0",
        "search?q=a&limit=201",
        "search?q=a&role=wizard",
        "search?q=a&since=then",
        "search?q=a&until=now",
        "search?q=a&zone=../../etc/passwd",
        "search?q=a&after=nonsense",
        "search?q=a&q=b",
        "search?q=a&words=b",
        "search?q=a&session=nobody",
        "imports/first",
        "imports/-1",
    ] {
        let answer = house.get(&format!("/v1/{path}")).await;
        let field = answer.body["field"].as_str().unwrap_or("-");
        writeln!(shown, "{path}\n  {} {} {field}: {}", answer.status, answer.body["code"], answer.body["title"])
            .unwrap();
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.body);
    }
    assert_snapshot!(shown);
}

/// Numbers at the ends of their range are pages like others.
#[tokio::test]
async fn extreme_numbers() {
    let house = House::with(&Talk::new("mill").user("How does the mill turn?").says("By water.")).await;
    let mut shown = String::new();
    for query in ["around", "before", "after"] {
        for number in [i64::MIN, -1, 0, i64::MAX] {
            let page = house.read(&format!("/v1/sessions/mill/messages?{query}={number}")).await;
            let seqs = crate::support::seqs(&page);
            writeln!(shown, "{query}={number}: {} to {}, {seqs:?}", page["from"], page["to"]).unwrap();
        }
    }
    for query in
        ["since=-9223372036854775808", "since=9223372036854775807", "from=9223372036854775800&to=9223372036854775807"]
    {
        let page = house.read(&format!("/v1/sessions/mill/messages?{query}")).await;
        writeln!(shown, "{query}: {} to {}, {:?}", page["from"], page["to"], crate::support::seqs(&page)).unwrap();
    }
    assert_snapshot!(shown);
}

#[tokio::test]
async fn wrong_bodies() {
    let house = House::new().await;
    let mut shown = String::new();
    for (method, path, body) in [
        (Method::Post, "/v1/imports", json!({})),
        (Method::Post, "/v1/imports", json!({"paths": []})),
        (Method::Post, "/v1/imports", json!({"paths": "/tmp"})),
        (Method::Post, "/v1/imports", json!({"paths": ["relative/path.jsonl"]})),
        (Method::Post, "/v1/imports", json!({"paths": ["/no/such/path", "/nor/this"]})),
        (Method::Post, "/v1/imports", json!([])),
        (Method::Put, "/v1/projects", json!({})),
        (Method::Put, "/v1/projects", json!({"state": "loved"})),
        (Method::Put, "/v1/projects", json!({"state": "following", "paths": ["/not/listed"]})),
        (Method::Post, "/v1/projects/forget", json!({})),
    ] {
        let answer = house.send(Caller::Local, method, path, Some(body.clone())).await;
        writeln!(shown, "{} {path} {body}\n  {} {}", method.as_str(), answer.status, answer.body).unwrap();
    }
    assert_snapshot!(shown);
}

/// What an owner may use: what those with lesser roles may as well.
const OWNERS: &[Access] = &[Access::Viewer, Access::Member, Access::Owner];

/// Who may not use an endpoint gets a 403 before anything of the request is looked at.
#[tokio::test]
async fn each_endpoint_is_for_those_that_its_line_names() {
    let house = House::new().await;
    let agent = house.agent_with("bot", &[Scope::Post, Scope::ReadAll, Scope::Hooks]).await;
    let mut refused = Vec::new();
    for endpoint in ENDPOINTS {
        let path = endpoint.path.replace("{session}", "nobody").replace("{message}", "1").replace("{import}", "1");
        let path = path.replace("{key}", "none").replace("{login}", "none").replace("{type}", "none");
        let path = path.replace("{channel}", "none").replace("{person}", "none").replace("{machine}", "none");
        let path = path.replace("{kind}", "password");
        let path =
            path.replace("{run}", "r").replace("{rule}", "1").replace("{agent}", "claude_code").replace("{wait}", "1");
        for (caller, access) in
            [(Caller::owner(), OWNERS), (Caller::Local, &[Access::Local][..]), (agent.clone(), &[Access::Agent][..])]
        {
            let answer = house.send(caller.clone(), endpoint.method, &path, Some(json!({"wrong": true}))).await;
            assert_eq!(
                // A person may use what they have to log in for once more.
                answer.status == 403 && answer.body["code"] != "log_in_again",
                !endpoint.access.iter().any(|its| access.contains(its)),
                "{} as {caller:?}: {}",
                endpoint.name,
                answer.body
            );
            if answer.status == 403 && answer.body["code"] != "log_in_again" {
                refused.push(format!("{} {}: {}", endpoint.method.as_str(), endpoint.path, answer.body));
            }
        }
    }
    assert_snapshot!(refused.join("\n"));
}

/// Whatever stands in a query, and however long it is: the answer says what is wrong with it, or is one.
#[tokio::test]
async fn long_queries() {
    let house = House::with(&Talk::new("mill").user("How does the mill turn?").says("By water.")).await;
    let document = api::openapi::document();
    let mut asked = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let named = path.replace("{session}", "mill").replace("{message}", "1");
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten().filter(|p| p["in"] == "query") {
            let name = parameter["name"].as_str().unwrap();
            for value in [
                "a%20".repeat(5_000),
                "a%20".repeat(250),
                "x".repeat(15_000),
                "%E6%B0%B4".repeat(400),
                "%22*%00(".repeat(500),
            ] {
                let also = if path.ends_with("/search") && name != "q" { "&q=mill" } else { "" };
                let answer = house.get(&format!("{named}?{name}={value}{also}")).await;
                assert!(answer.status < 500, "{named}?{name}={}...: {} {}", &value[..9], answer.status, answer.body);
                asked += 1;
            }
        }
    }
    assert!(asked > 100, "{asked}");
}
