//! Copies that must stay the same: the methods of both clients, and the first example.

/// Every async method has its line in the blocking client.
#[test]
fn the_blocking_client_has_the_same_methods() {
    let sources = [
        include_str!("../src/verbatim.rs"),
        include_str!("../src/session/run.rs"),
        include_str!("../src/session.rs"),
        include_str!("../src/session/runs.rs"),
        include_str!("../src/session/typed.rs"),
        include_str!("../src/session/updating.rs"),
        include_str!("../src/session/question.rs"),
        include_str!("../src/session/streaming.rs"),
    ];
    let blocking = include_str!("../src/blocking.rs");
    let lines = sources.iter().flat_map(|source| source.lines());
    let methods: Vec<&str> =
        lines.filter_map(|line| line.trim().strip_prefix("pub async fn ")?.split('(').next()).collect();
    assert!(methods.len() > 25, "they are found: {methods:?}");
    let missing: Vec<&&str> = methods.iter().filter(|name| !blocking.contains(&format!(" {name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The example that compiles in the documentation is the one of the page for users.
#[test]
fn the_agents_page_has_the_example_of_the_documentation() {
    let documentation: String = include_str!("../src/lib.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let block = |text: &str, fence: &str| {
        let (_, rest) = text.split_once(fence).unwrap_or_else(|| panic!("no {fence}"));
        rest.split("```").next().unwrap_or_default().to_owned()
    };
    assert_eq!(block(include_str!("../../../docs/user/agents.md"), "```rust\n"), block(&documentation, "```no_run\n"));
}
