//! The entries in the table of agents.

use drivers::programs::{PROGRAMS, program};
use drivers::{Effects, Opening};
use serde_json::{Value, json};

#[test]
fn agents_have_names_of_their_own() {
    let mut names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PROGRAMS.len());
    assert!(program("nobody").is_none());
}

#[test]
fn agents_that_ask_nothing_are_put_into_a_mode_that_asks() {
    let begun = |current: &str| {
        let mut driver = program("qwen").unwrap().driver(Opening::default());
        let mut effects = Effects::default();
        driver.begin(&mut effects);
        let modes = json!({ "currentModeId": current, "availableModes": [{ "id": "auto" }, { "id": "default" }] });
        for result in [json!({}), json!({ "sessionId": "s", "modes": modes })] {
            let id = effects.take_sent()[0]["id"].clone();
            driver.line(json!({ "id": id, "result": result }).to_string().as_bytes(), &mut effects);
        }
        effects.take_sent()
    };
    let params = json!({ "modeId": "default", "sessionId": "s" });
    let set = json!({ "jsonrpc": "2.0", "id": 3, "method": "session/set_mode", "params": params });
    assert_eq!(begun("auto"), [set]);
    assert_eq!(begun("default"), [] as [Value; 0]);
}
