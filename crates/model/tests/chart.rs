//! Which payloads of a chart are taken, and what is named in those that aren't.

use model::envelope;
use serde_json::{Value, json};

fn problem(payload: &Value) -> Option<(String, String)> {
    let read = envelope::normalize(Some(json!({"message_type": "CHART", "payload": payload})));
    read.err().map(|error| (error.problem.pointer, error.problem.expected))
}

fn chart(kind: &str, x: &Value, series: &Value) -> Value {
    json!({"chart": kind, "title": "T", "x": x, "series": series})
}

#[test]
fn what_fits_is_kept_as_it_was_written() {
    let of = |points: Value| json!([{"name": "a", "points": points}]);
    let charts = [
        chart("line", &json!("day"), &of(json!([[1, 12.5], [2, 11], [3.0, null]]))),
        chart("line", &json!("day"), &of(json!([["2026-11-25", 1e300], ["2026-11-26T10:00:00Z", -1]]))),
        chart("bar", &json!(["2028", 2029, 2030.5]), &of(json!([51, null, -3.0]))),
        chart("pie", &json!("part"), &json!([{"name": "a", "points": [3]}, {"name": "b", "points": [["x", 4]]}])),
        chart("pie", &json!("part"), &of(json!([["Rust", 62], ["Python", 38]]))),
        chart("scatter", &json!([]), &json!([])),
    ];
    for payload in charts {
        let envelope = json!({"message_type": "CHART", "version": 1, "payload": payload});
        let read = envelope::normalize(Some(envelope.clone())).unwrap_or_else(|error| panic!("{payload}: {error}"));
        assert_eq!(read.map(Value::Object), Some(envelope));
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let point = "a number, null, or a pair `[x, y]`";
    let pairs = |second: Value| chart("line", &json!("x"), &json!([{"name": "a", "points": [[1, 2], second]}]));
    let of = |x: Value, points: Value| chart("bar", &x, &json!([{"name": "a", "points": points}]));
    let many: Vec<Value> = (0..25).map(|n| json!({"name": n.to_string(), "points": []})).collect();
    let cases = [
        (
            json!({"chart": "sankey", "title": "T", "series": []}),
            "/chart",
            "one of `line`, `bar`, `area`, `scatter`, `pie`",
        ),
        (json!({"chart": "bar", "title": "", "series": []}), "/title", "a non-empty string"),
        (json!({"chart": "bar", "title": "T"}), "/series", "a value"),
        (json!({"chart": "bar", "title": "T".repeat(201), "series": []}), "/title", "at most 200 characters"),
        (json!({"chart": "bar", "title": "T", "series": [], "unit": "u".repeat(41)}), "/unit", "at most 40 characters"),
        (of(json!(true), json!([1])), "/x", "a string, or an array of strings and numbers"),
        (of(json!(["a", {}]), json!([1, 2])), "/x/1", "a string or a number"),
        (of(json!(["a"]), json!(["1"])), "/series/0/points/0", point),
        (of(json!(["a"]), json!([true])), "/series/0/points/0", point),
        (of(json!(["a", "b"]), json!([1])), "/series/0/points", "as many points as `x` has values: 2; got 1"),
        (of(json!(["a"]), json!([["a", 1]])), "/series/0/points/0", "a number or null: `x` lists the values"),
        (pairs(json!([1])), "/series/0/points/1", point),
        (pairs(json!([1, 2, 3])), "/series/0/points/1", point),
        (pairs(json!([null, 2])), "/series/0/points/1/0", "a string or a number"),
        (pairs(json!([2, "3"])), "/series/0/points/1/1", "a number"),
        (pairs(json!(3)), "/series/0/points/1", "a pair `[x, y]`, as the first point is"),
        (pairs(json!(["x", 3])), "/series/0/points/1/0", "a number, as the first `x` is"),
        (chart("bar", &json!("x"), &Value::from(many)), "/series", "at most 24 series; got 25"),
        (
            chart("pie", &json!("x"), &json!([{"name": "a", "points": [-1]}])),
            "/series/0/points/0",
            "a number of at least 0: a part of a whole",
        ),
        (
            chart("pie", &json!("x"), &json!([{"name": "a", "points": [1, 2]}, {"name": "b", "points": [1]}])),
            "/series/0/points",
            "one point: each of several series is one part of the whole",
        ),
    ];
    for (payload, pointer, expected) in cases {
        let due = Some((format!("/payload{pointer}"), expected.to_owned()));
        assert_eq!(problem(&payload), due, "{payload}");
    }
    let long = of(json!("x"), (0..20_001).map(Value::from).collect());
    let expected = "at most 20000 points in all; got 20001".to_owned();
    assert_eq!(problem(&long), Some(("/payload/series".to_owned(), expected)));
}
