//! Own inputs, and how they are bent. Everything shrinks: a failing input loses its pieces and its changes one by one.

use crate::support::fixture;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The files below a folder of `fixtures` whose names end so.
pub fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    fn below(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { below(&path, out) } else { out.push(path) }
        }
    }
    let mut paths = Vec::new();
    below(&fixture(folder), &mut paths);
    paths.sort();
    let files: Vec<Vec<u8>> = paths
        .iter()
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    assert!(!files.is_empty(), "there are files in {folder}");
    files
}

/// Messages as `{content, metadata, role, ...}`: the example of each type, and what the gallery shows.
pub fn messages() -> Vec<Value> {
    let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    let mut messages: Vec<Value> = files("messages", ".json").iter().map(|bytes| read(bytes)).collect();
    gather(&read(&std::fs::read(fixture("gallery.json")).unwrap()), &mut messages);
    messages
}

/// Messages of the gallery, wherever in it they stand. Their envelopes are put together.
fn gather(value: &Value, out: &mut Vec<Value>) {
    let children: Vec<&Value> = match value {
        Value::Object(map) => {
            if let (Some(role), Some(payload)) = (map.get("role"), map.get("payload")) {
                let mut metadata = map.get("extras").and_then(Value::as_object).cloned().unwrap_or_default();
                metadata.insert("message_type".to_owned(), map.get("type").cloned().unwrap_or_default());
                metadata.insert("payload".to_owned(), payload.clone());
                out.push(json!({"role": role, "content": map.get("content"), "metadata": metadata}));
                return;
            }
            map.values().collect()
        }
        Value::Array(items) => items.iter().collect(),
        _ => return,
    };
    for child in children {
        gather(child, out);
    }
}

/// Pieces of a text beside its words.
const SIGNS: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "\u{0}",
    "\u{1b}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{ad}",
    "\u{200b}",
    "\u{200d}",
    "\u{202e}",
    "\u{2028}",
    "\u{2066}",
    "\u{feff}",
    "\u{fdd0}",
    "\u{fffd}",
    "\u{e0041}",
    "e\u{301}",
    "👩\u{200d}🚀",
    "名",
    "\u{5d0}",
    "<",
    ">",
    "&",
    "\"",
    "'",
    "\\",
    "/",
    "%",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    "#",
    "|",
    "`",
    "*",
    "_",
    "~",
    "$",
    "-",
    "+",
    "@",
    "0",
    "-1",
    "9223372036854775807",
    "18446744073709551616",
    "1e999",
];

/// A piece of text: a line of an own input, whole, torn or with another byte; a word; anything; and any of them many
/// times.
pub fn piece(own: &[Vec<u8>], words: &[&str]) -> BoxedStrategy<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> =
        own.iter().flat_map(|text| text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec)).collect();
    lines.sort();
    lines.dedup();
    let line = select(lines);
    let words: Vec<Vec<u8>> = words.iter().chain(SIGNS).map(|word| word.as_bytes().to_vec()).collect();
    let word = select(words);
    let torn = (line.clone(), any::<Index>()).prop_map(|(mut line, at)| {
        line.truncate(at.index(line.len()));
        line
    });
    let broken = (line.clone(), any::<Index>(), any::<u8>()).prop_map(|(mut line, at, byte)| {
        let at = at.index(line.len());
        line[at] = byte;
        line
    });
    let noise = vec(any::<u8>(), 0..16);
    let letters = "\\PC{0,8}".prop_map(String::into_bytes);
    let one = prop_oneof![6 => line, 8 => word, 2 => torn, 2 => broken, 1 => noise, 1 => letters].boxed();
    let many =
        (one.clone(), 2..600_usize).prop_map(|(piece, times)| piece.repeat(times.min(1 + 16_384 / piece.len().max(1))));
    prop_oneof![40 => one, 1 => many].boxed()
}

/// A text of pieces, mostly of few.
pub fn text(own: &[Vec<u8>], words: &[&str]) -> BoxedStrategy<Vec<u8>> {
    let piece = piece(own, words);
    prop_oneof![3 => vec(piece.clone(), 0..12), 1 => vec(piece, 0..80)].prop_map(|pieces| pieces.concat()).boxed()
}

/// One change of a JSON document, at one of its values.
#[derive(Debug, Clone)]
enum Change {
    Put(Value),
    Add(String, Value),
    Remove(Index),
    /// The value as a list of so many of it.
    Many(usize),
    /// The value within so many lists.
    Deep(usize),
}

/// Own documents with a few values put, added, removed or made many. Of an own value that was put, each other document
/// may be the origin.
pub fn bent(own: &[Value]) -> BoxedStrategy<Value> {
    let (mut values, mut keys) = (strange(), Vec::new());
    for document in own {
        collect(document, &mut values, &mut keys);
    }
    keys.sort();
    keys.dedup();
    let (value, key) = (select(values), select(keys));
    let change = prop_oneof![
        6 => value.clone().prop_map(Change::Put),
        3 => (key, value).prop_map(|(key, value)| Change::Add(key, value)),
        2 => any::<Index>().prop_map(Change::Remove),
        1 => (2..40_usize).prop_map(Change::Many),
        1 => (1..70_usize).prop_map(Change::Deep),
    ];
    let changes = vec((any::<Index>(), change), 0..6);
    let bend = |(mut document, changes): (Value, Vec<(Index, Change)>)| {
        for (at, change) in changes {
            let mut left = at.index(size(&document));
            if let Some(value) = nth(&mut document, &mut left) {
                apply(value, change);
            }
        }
        document
    };
    (select(own.to_vec()), changes).prop_map(bend).boxed()
}

/// Values that something was once wrong with, somewhere.
fn strange() -> Vec<Value> {
    let mut values = vec![json!(null), json!(true), json!([]), json!({}), json!([null]), json!({"": {}})];
    values.extend([json!(0), json!(-1), json!(0.5), json!(-0.0), json!(1e300), json!(i64::MIN), json!(u64::MAX)]);
    let texts = [
        "",
        " ",
        "\n",
        "0",
        "1",
        "-1",
        "\u{0}",
        "\u{202e}x",
        "a\r\nb\rc\n",
        "<script>alert(1)</script>",
        "javascript:alert(1)",
        "../../etc/passwd",
        "```\n~~~",
        "\u{1b}[31mred",
        "@@ -1,2 +3,4 @@\n-a\n+b\n",
        "2026-03-01T09:00:00Z",
        "data:image/png;base64,AA",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "https://example.org/?q=\"'<>",
        "\u{2066}\u{feff}",
    ];
    values.extend(texts.map(Value::from));
    values.push(Value::from("long ".repeat(2_000)));
    values.push(Value::from("line\n".repeat(2_000)));
    values
}

/// The values of a document that aren't large, and its keys.
fn collect(value: &Value, values: &mut Vec<Value>, keys: &mut Vec<String>) {
    const SMALL: usize = 40;
    if size(value) <= SMALL {
        values.push(value.clone());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, values, keys)),
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            keys.push(key.clone());
            collect(value, values, keys);
        }),
        _ => {}
    }
}

/// How many values there are.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    }
}

/// The value that stands after so many others.
fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, left)),
        Value::Object(map) => map.values_mut().find_map(|value| nth(value, left)),
        _ => None,
    }
}

fn apply(value: &mut Value, change: Change) {
    match (change, &mut *value) {
        (Change::Put(new), _) => *value = new,
        (Change::Add(key, new), Value::Object(map)) => drop(map.insert(key, new)),
        (Change::Add(_, new), Value::Array(items)) => items.push(new),
        (Change::Add(key, new), _) => *value = Value::Object(Map::from_iter([(key, new)])),
        (Change::Remove(at), Value::Array(items)) if !items.is_empty() => drop(items.remove(at.index(items.len()))),
        (Change::Remove(at), Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(at.index(map.len())).cloned();
            key.and_then(|key| map.shift_remove(&key));
        }
        (Change::Remove(_), _) => *value = Value::Null,
        (Change::Many(times), value) => *value = Value::Array(vec![value.clone(); times]),
        (Change::Deep(levels), value) => {
            for _ in 0..levels {
                *value = Value::Array(vec![value.take()]);
            }
        }
    }
}
