//! The pages' requests take as much work for a long session as for a short one, and in a large store as in a small one.
//! Work is counted in steps of SQLite's machine, a few for each row that it looks at.

use crate::support::{House, Talk};
use api::contract::ENDPOINTS;
use api::people::PersonRole;
use api::{Access, Method};
use hub::{Caller, User};

use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;
use store::Sight;

/// Each endpoint that pages ask as they open, with a query that gives as much in both cases.
const FLAT: &[(&str, &str)] = &[
    ("me", ""),
    ("list_sessions", "?limit=2"),
    ("list_asks", ""),
    ("get_session", ""),
    ("list_children", ""),
    ("list_messages", "?limit=20"),
    ("get_todos", ""),
    ("get_outline", ""),
    ("list_files", "?limit=5"),
    ("list_agents", ""),
    ("list_running_agents", ""),
    ("get_agent", ""),
    ("list_rules", ""),
    ("list_schedules", ""),
    ("list_channels", ""),
    ("list_unread", ""),
    ("list_keys", ""),
    ("list_people", ""),
    ("list_machines", ""),
    ("list_logins", ""),
    ("get_preferences", ""),
    ("list_types", ""),
    ("get_routing", ""),
    ("get_session_routing", ""),
    ("list_rooms", ""),
    ("get_type_settings", ""),
    ("list_notices", ""),
    ("get_push", ""),
    ("list_shares", ""),
    ("stats", "?from=2026-02-20&to=2026-03-10"),
    ("get_budgets", ""),
    ("list_imports", ""),
];

/// Others, which a person asks for by a hand: their work follows what they look through.
const OTHERS: &[&str] = &[
    "health",
    "list_retention",
    "list_projects",
    "get_message",
    "list_requests",
    "list_tools",
    "get_waterfall",
    "list_session_events",
    "list_records",
    "get_changes",
    "get_net_changes",
    "preview_redaction",
    "get_erased_bytes",
    "find",
    "list_runs",
    "list_context_log",
    "check_context_log",
    "get_context",
    "list_deliveries",
    "list_message_deliveries",
    "list_audit",
    "list_login_methods",
    "check_audit",
    "get_type",
    "search",
    "recall",
    "get_import",
];

/// A session of so many turns of five messages, all of one minute.
fn talk(session: &str, minute: usize, turns: usize) -> Talk {
    (0..turns).fold(Talk::new(session).at_once().at(60 * minute as i64), |talk, turn| {
        let (input, result) = (json!({"command": "grind"}), json!({"stdout": "ground", "stderr": ""}));
        talk.user(&format!("Grind sack {turn}"))
            .thinks("The stones turn.")
            .calls(&format!("toolu_{session}_{turn}"), "Bash", &input, "ground", &result)
            .says("Ground.")
    })
}

/// A store with a short session, a long one and one that is longer, and some others.
async fn house(others: usize) -> House {
    let house = House::counting().await;
    // The last active are the same in each store.
    let mut talks = vec![talk("short", 62, 20), talk("long", 61, 500), talk("longer", 60, 1_000)];
    talks.extend((0..others).map(|number| talk(&format!("other-{number}"), number % 60, 2)));
    let files: Vec<_> = talks.iter().map(|talk| house.write(&format!("{}.jsonl", talk.session), talk.text())).collect();
    house.import(&files).await;
    house
}

/// More than other work takes part in.
const TRIES: usize = 2_000;

/// The steps that a request takes when it was asked before. Whatever else works at that time is counted as well, so it
/// is asked until it took no more than `enough`, a number of times at most: the least is never less than its own work.
async fn steps(house: &House, caller: &Caller, path: &str, enough: u64) -> u64 {
    let ask = async || {
        let answer = house.send(caller.clone(), Method::Get, path, None).await;
        assert!(matches!(answer.status, 200 | 404 | 409), "{path}: {}", answer.body);
    };
    let mut least = u64::MAX;
    for tried in 0..TRIES {
        if tried >= 4 && least <= enough {
            break;
        }
        least = least.min(house.steps(ask()).await);
    }
    least
}

#[tokio::test]
async fn what_pages_read_is_as_much_work_whatever_is_stored() {
    let gets: Vec<_> = ENDPOINTS.iter().filter(|endpoint| endpoint.method == Method::Get).collect();
    for endpoint in &gets {
        let is_flat = FLAT.iter().any(|(name, _)| *name == endpoint.name);
        assert_ne!(is_flat, OTHERS.contains(&endpoint.name), "name `{}` in one of the lists", endpoint.name);
    }
    // Both lists of sessions have a full page.
    let (small, large) = (house(110).await, house(220).await);
    // Somebody who doesn't see all has to be looked for in each list.
    let sight = Sight::Without(["/elsewhere".to_owned()].into());
    let id = "p1".to_owned();
    let some = Caller::User(Arc::new(User { id, name: Some("Ines".to_owned()), role: PersonRole::Member, sight }));
    let mut table = format!("{:<22}{:>10}{:>10}{:>10}\n", "", "small", "long", "large store");
    let mut grows = Vec::new();
    let callers = [Caller::owner(), some];
    for ((name, query), caller) in FLAT.iter().flat_map(|row| callers.iter().map(move |caller| (row, caller))) {
        let endpoint = gets.iter().find(|endpoint| endpoint.name == *name).unwrap();
        let is_theirs = endpoint.access.contains(&Access::Viewer) || endpoint.access.contains(&Access::Member);
        if *caller != callers[0] && !is_theirs {
            continue;
        }
        let path = endpoint.path;
        let of = |session: &str| format!("{}{query}", path.replace("{session}", session));
        // A part of an outline is about 2,000 messages: the short session has fewer.
        let short = if *name == "get_outline" { "long" } else { "short" };
        let least = steps(&small, caller, &of(short), u64::MAX).await;
        let enough = least + least / 10 + 60;
        let (long, stored) =
            (steps(&small, caller, &of("longer"), enough).await, steps(&large, caller, &of(short), enough).await);
        writeln!(table, "{name:<22}{least:>10}{long:>10}{stored:>10}").unwrap();
        if long.max(stored) > enough {
            grows.push(*name);
        }
    }
    assert_eq!(grows, Vec::<&str>::new(), "these grow, in steps:\n{table}");
}
