//! The contract's description is complete, true to the table, and lies fresh in `docs/api`.

use api::{Access, ENDPOINTS, Method, openapi};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/api/openapi.json")
}

/// `cargo xtask openapi` sets the variable: then the file is written instead.
#[test]
fn is_fresh() {
    let text = serde_json::to_string_pretty(openapi::document()).expect("JSON") + "\n";
    if std::env::var_os("VERBATIM_WRITE_OPENAPI").is_some() {
        std::fs::write(file(), &text).expect("written");
    }
    let stored = std::fs::read_to_string(file()).unwrap_or_default();
    assert!(stored == text, "docs/api/openapi.json is stale: `cargo xtask openapi` writes it");
}

#[test]
fn every_endpoint_is_described() {
    let document = openapi::document();
    for endpoint in ENDPOINTS {
        let operation = &document["paths"][endpoint.path][endpoint.method.as_str().to_lowercase()];
        assert_eq!(operation["operationId"], endpoint.name);
        assert_eq!(operation["security"].as_array().map(Vec::len), Some(endpoint.access.len()), "{}", endpoint.name);
        let named = endpoint.path.matches('{').count();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        assert_eq!(parameters.filter(|p| p["in"] == "path").count(), named, "{}", endpoint.name);
        let may = operation["x-access"].as_array().into_iter().flatten().any(|who| who == "agent");
        assert_eq!(may, endpoint.access.contains(&Access::Agent), "{}", endpoint.name);
        assert!(endpoint.method != Method::Get || operation["requestBody"].is_null(), "{}", endpoint.name);
    }
}

/// A request with a body has an example, which `Input` promises to be one.
#[test]
fn every_body_has_an_example() {
    let document = openapi::document();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let body = &operation["requestBody"]["content"]["application/json"];
            let told = body.is_null() || body["example"].is_object() || path == "/v1/login";
            assert!(told, "{method} {path}: its `Input` has no `EXAMPLE`, or one that isn't JSON");
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk(value: &Value, document: &Value, seen: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) => {
                if let Some(Value::String(target)) = object.get("$ref") {
                    let pointer = target.strip_prefix('#').expect("a reference within the document");
                    assert!(document.pointer(pointer).is_some(), "{target}");
                    seen.insert(target.clone());
                }
                object.values().for_each(|value| walk(value, document, seen));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, document, seen)),
            _ => {}
        }
    }
    let document = openapi::document();
    let mut seen = BTreeSet::new();
    walk(document, document, &mut seen);
    for name in document["components"]["schemas"].as_object().expect("schemas").keys() {
        assert!(seen.contains(&format!("#/components/schemas/{name}")), "{name} is described and never used");
    }
}

/// Programs go by codes: each that a refusal may bear is named where its status is explained.
#[test]
fn every_code_is_named() {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => files(&path, found),
                path => found.push(path),
            }
        }
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for folder in ["crates/api/src", "crates/hub/src", "server/src/http"] {
        files(&root.join(folder), &mut sources);
    }
    // The older agent API has no codes.
    sources.retain(|path| !path.components().any(|part| part.as_os_str() == "compat"));
    let word = |text: &str| {
        let word = text.trim_start().strip_prefix('"')?.split('"').next()?.to_owned();
        word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_').then_some(word)
    };
    let mut codes: BTreeSet<String> = model::envelope::EnvelopeCode::WORDS.iter().map(|&code| code.into()).collect();
    for text in sources.iter().map(|path| std::fs::read_to_string(path).expect("text")) {
        let after = |mark: &str| text.split(mark).skip(1).map(str::to_owned).collect::<Vec<_>>();
        codes.extend(after("code: ").iter().filter_map(|rest| word(rest)));
        // `Problem::new(409, "decided", ...)`, also where the two are a pair.
        for rest in after("(") {
            let Some((status, rest)) = rest.split_once(',') else { continue };
            if status.trim().parse::<u16>().is_ok_and(|status| (400..600).contains(&status)) {
                codes.extend(word(rest));
            }
        }
    }
    assert!(codes.len() > 50, "{codes:?}");
    let document = openapi::document().to_string();
    let unnamed: Vec<&String> = codes.iter().filter(|code| !document.contains(&format!("`{code}`"))).collect();
    assert_eq!(unnamed, Vec::<&String>::new());
}

/// What is written for readers of the code is no link in the reference.
#[test]
fn no_description_speaks_of_rust() {
    let document = openapi::document().to_string();
    for mark in ["crate::", "[`"] {
        assert_eq!(document.find(mark).map(|at| &document[at.saturating_sub(80)..at + 20]), None);
    }
}
