//! The API reference is true: its examples run as they are printed, from the top, and who may call is who it says.

use crate::support::Server;
use insta::assert_snapshot;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Returns the texts that the page would copy.
fn blocks(page: &str) -> Vec<String> {
    let texts = page.split("data-text=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let signs = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#x27;", "'"), ("&#39;", "'"), ("&amp;", "&")];
    texts.map(|text| signs.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign))).collect()
}

/// Blocks as one script that tells of each call its first line, the status and the code of a refusal. What it prints
/// itself may go on to another program.
fn script(blocks: &[String]) -> String {
    let mut script = "exec 3>&1\n\
                      curl() { rm -f reply; command curl -s -m 7 -o reply -w '%{http_code}' \"$@\" >&3; \
                      grep -o '\"code\":\"[a-z_]*\"' reply >&3; echo >&3; cat reply; }\n"
        .to_owned();
    for block in blocks {
        let first = block.lines().find_map(|line| line.find("curl ").map(|at| &line[at..])).unwrap_or_default();
        let first = first.trim_end_matches(" \\").replace('\'', "'\\''");
        write!(script, "echo '{first}'\n{{\n{block}\n}} >/dev/null\n").unwrap();
        if block.contains("VERBATIM_KEY=") {
            // Ids of what isn't there; the file is.
            script += "export KEY=none LOGIN=none TYPE=none RUN=none SHARE=none MACHINE=none IMPORT=1 SHA256=sha256:$(sha256sum screenshot.png | cut -d' ' -f1)\n";
        }
    }
    script
}

#[test]
fn every_example_runs() {
    let server = Server::start();
    let page = server.get("/docs/api", &[("Cookie", &server.cookie())]).text();
    let blocks = blocks(&page);
    assert!(blocks.len() > 50, "{}", blocks.len());
    server.place.write("screenshot.png", b"\x89PNG\r\n\x1a\n");
    let programs = Path::new(env!("CARGO_BIN_EXE_verbatim")).parent().unwrap();
    let output = Command::new("sh")
        .args(["-c", &script(&blocks)])
        .current_dir(&server.place.dir)
        .env_clear()
        .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display()))
        .env("HOME", server.place.path("home"))
        .env("RUST_LOG", "off")
        .env("VERBATIM_DATA_DIR", server.place.data())
        .output()
        .unwrap();
    let seen = String::from_utf8(output.stdout).unwrap();
    let seen = seen.lines().filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect::<String>();
    for refused in ["401", "403", "405", "415", "000", "500"] {
        assert!(!seen.lines().any(|line| line.starts_with(refused)), "{seen}");
    }
    assert_snapshot!(seen);
}

/// A key that lacks the scope that is named is refused, and told which.
#[test]
fn every_scope_is_the_one_that_is_needed() {
    let server = Server::start();
    let key =
        |scopes: &str| server.place.out(&["key", "create", "--name", "bot", "--scope", scopes]).trim_end().to_owned();
    let lacking = [
        ("post", "read,read_all,mirror"),
        ("read", "post,mirror"),
        ("read_all", "post,read,mirror"),
        ("hooks", "post,read,mirror"),
        ("forward", "post,read,mirror"),
    ];
    let lacking = lacking.map(|(scope, others)| (scope, format!("Bearer {}", key(others))));
    let document: Value = server.with_key("GET", "/v1/openapi.json", "").json();
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let Some(scope) = operation["x-scope"].as_str() else { continue };
            let bearer = &lacking.iter().find(|(name, _)| *name == scope).unwrap().1;
            let mut path = path.replace("{session}", "s1").replace("{message}", "m1");
            path = path.replace("{sha256}", &format!("sha256:{}", "0".repeat(64)));
            path += match operation["operationId"].as_str().unwrap() {
                "events" => "?session=s1",
                "export_session" => "?format=json",
                "search" => "?q=parser",
                _ => "",
            };
            let body = &operation["requestBody"]["content"]["application/json"]["example"];
            let body = if body.is_object() { body.to_string() } else { String::new() };
            let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
            let reply = server.send(&method.to_uppercase(), &path, &headers, &body);
            let told = format!("{} {}", reply.status, reply.text());
            assert!(told.starts_with("403") && told.contains(&format!("scope `{scope}`")), "{method} {path}: {told}");
            asked += 1;
        }
    }
    assert!(asked > 15, "{asked}");
}
