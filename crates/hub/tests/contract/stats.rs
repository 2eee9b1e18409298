//! History in numbers.

use crate::support::{House, Talk};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fmt::Write as _;

#[tokio::test]
async fn a_whole_answer() {
    let house = House::new().await;
    let talks = [
        Talk::new("mill")
            .user("Grind")
            .calls("toolu_1", "Bash", &json!({"command": "make"}), "done", &Value::Null)
            .says("Ground."),
        Talk::new("bakery").of("/home/ada/bakery", "main").at(600).user("Bake").says("Baked."),
    ];
    for talk in &talks {
        house.import(&[house.write(&format!("{}.jsonl", talk.session), talk.text())]).await;
    }
    assert_snapshot!(house.shown(&house.get("/v1/stats?from=2026-03-01&to=2026-03-01").await));
    let narrowed = house.read("/v1/stats?from=2026-02-01&to=2026-03-31&project=/home/ada/bakery").await;
    assert_eq!((&narrowed["total"]["sessions"], &narrowed["total"]["messages"]), (&json!(1), &json!(2)));
    let before = house.read("/v1/stats?from=2026-02-01&to=2026-02-28").await;
    assert_eq!(before["days"], json!([]));
}

/// Between nine and ten in UTC midnight comes to the Marquesas.
#[tokio::test]
async fn days_are_those_of_the_zone() {
    let early = Talk::new("early").at(0).user("Grain before midnight");
    let late = Talk::new("late").at(2400).user("Grain after midnight");
    let house = House::new().await;
    for talk in [&early, &late] {
        house.import(&[house.write(&format!("{}.jsonl", talk.session), talk.text())]).await;
    }
    let mut shown = String::new();
    for zone in ["UTC", "Pacific/Marquesas", "pacific/kiritimati"] {
        let stats = house.read(&format!("/v1/stats?from=2026-02-01&to=2026-03-31&zone={zone}")).await;
        let days = stats["days"].as_array().unwrap().iter().map(|day| format!("{} {}", day["day"], day["messages"]));
        let mut seen = vec![format!("days {}", days.collect::<Vec<_>>().join(", "))];
        for path in ["/v1/sessions?", "/v1/search?q=grain&"] {
            for bound in ["since=2026-03-01", "until=2026-02-28"] {
                let total = house.read(&format!("{path}{bound}&zone={zone}")).await["total"].clone();
                seen.push(format!("{path}{bound} {total}"));
            }
        }
        writeln!(shown, "{zone}\n  {}", seen.join("\n  ")).unwrap();
    }
    assert_snapshot!(shown);
}

#[tokio::test]
async fn a_time_that_is_none() {
    let house = House::new().await;
    let mut shown = String::new();
    for query in [
        "from=yesterday",
        "from=2026-03-02&to=2026-03-01",
        "to=2026-02-30",
        "days=3",
        "from=-9999-01-01&to=9999-12-31",
        "zone=Mars/Olympus",
    ] {
        let answer = house.get(&format!("/v1/stats?{query}")).await;
        writeln!(shown, "{query}: {} {} {}", answer.status, answer.body["code"], answer.body["field"]).unwrap();
    }
    assert_snapshot!(shown);
}
