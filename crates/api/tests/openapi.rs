//! The contract's description is complete, true to the table, and lies fresh in `docs/api`.

use api::{Access, ENDPOINTS, Method, ProblemCode, openapi};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

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

/// Topics whose addresses aren't described: what channels send, the Model Context Protocol, the older product's API.
const UNDESCRIBED: [&str; 3] = ["incoming", "mcp", "compat"];

/// Programs go by codes: each is explained under its status where it may come, and the table has all of them.
#[test]
fn every_code_is_explained_under_its_status() {
    let document = openapi::document();
    let mut seen = BTreeSet::new();
    for operation in document["paths"]
        .as_object()
        .expect("paths")
        .values()
        .flat_map(|it| it.as_object().expect("operations").values())
    {
        for (status, answer) in operation["responses"].as_object().expect("responses") {
            let words = answer["description"].as_str().expect("words");
            assert!(!words.is_empty(), "{status} of {} means nothing", operation["operationId"]);
            seen.extend(words.split('`').skip(1).step_by(2).map(|code| (status.clone(), code.to_owned())));
        }
    }
    let is_described = |code: &&ProblemCode| {
        code.topics().is_empty() || code.topics().iter().any(|topic| !UNDESCRIBED.contains(topic))
    };
    let unnamed: Vec<_> = ProblemCode::ALL
        .iter()
        .filter(is_described)
        .filter(|code| !seen.contains(&(code.status().to_string(), code.as_str().to_owned())))
        .collect();
    assert_eq!(unnamed, Vec::<&ProblemCode>::new());
    assert_eq!(document["x-problems"].as_array().expect("problems").len(), ProblemCode::ALL.len());
}

/// A topic of a problem is one of the table of endpoints, or of the routes beside it.
#[test]
fn topics_of_problems_exist() {
    let beside = ["blobs", "events", "export", "login"];
    let unknown: Vec<_> = ProblemCode::ALL
        .iter()
        .flat_map(|code| code.topics())
        .filter(|topic| !ENDPOINTS.iter().any(|endpoint| endpoint.topic == **topic))
        .filter(|topic| !beside.contains(topic) && !UNDESCRIBED.contains(topic))
        .collect();
    assert_eq!(unknown, Vec::<&&str>::new());
}

/// Links for readers of the code don't work in the reference.
#[test]
fn no_description_speaks_of_rust() {
    let document = openapi::document().to_string();
    for mark in ["crate::", "[`"] {
        assert_eq!(document.find(mark).map(|at| &document[at.saturating_sub(80)..at + 20]), None);
    }
}
