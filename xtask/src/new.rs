//! `new message-type NAME`: the files of a message type, and its lines in the tables. It compiles as it is, and draws what the
//! payload says as a line; `docs/ARCHITECTURE.md` says what is left to do.
use std::fs;

use anyhow::{Context, Result, bail};

use crate::{step, workspace};

const PAYLOAD: &str = "crates/model/src/message_type";
const TABLE: &str = "crates/model/src/message_type.rs";
const COMPONENT: &str = "app/src/message";
const COMPONENTS: &str = "app/src/message.rs";
const REGISTRY: &str = "app/src/message_renderer.rs";
const DEMO: &str = "fixtures/demo.json";

/// Writes the files of a new type, whose tag is as people write it: `WIND_GUST`.
///
/// # Errors
///
/// If the tag isn't one, if the type exists, or if a table isn't where it was.
pub fn message_type(tag: &str) -> Result<()> {
    let is_tag = tag.starts_with(|c: char| c.is_ascii_uppercase())
        && tag.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if !is_tag {
        bail!("message type: expected capital letters, digits and `_`, as `WIND_GUST`; got `{tag}`");
    }
    // Nothing is written before all of it is known to fit.
    let files = files(tag)?;
    for (path, text) in &files {
        fs::write(workspace::root().join(path), text).with_context(|| path.clone())?;
    }
    step::run(&mut workspace::cargo(["fmt", "--all"]))?;
    for (path, _) in files {
        step::say(&path);
    }
    step::say(
        "Next: the payload's fields, its component and its message in fixtures/demo.json; then `cargo xtask openapi`",
    );
    Ok(())
}

/// Returns the paths and the new texts: of the files that are made, then of those that get a line.
fn files(tag: &str) -> Result<Vec<(String, String)>> {
    let names = Names::of(tag);
    let root = workspace::root();
    let new = [(PAYLOAD, payload(&names)), (COMPONENT, component(&names))];
    let new = new.map(|(folder, text)| (format!("{folder}/{}.rs", names.module), text));
    if let Some((path, _)) = new.iter().find(|(path, _)| root.join(path).exists()) {
        bail!("{path} exists already");
    }
    let module = format!("\npub mod {};", names.module);
    let row = format!("\n    \"{tag}\" => {}({}::{}),", names.variant, names.module, names.variant);
    let tables = [
        (TABLE, "\n\npub use crate::strict::Mismatch", module.clone()),
        (TABLE, "\n}\n\nimpl PartialEq<MessageType> for &str", row),
        (COMPONENTS, "\npub mod view_options;", module),
        (REGISTRY, "use model::", import(&names)),
        (REGISTRY, "\n}\n\nimpl MessageRenderer {\n    /// Returns the entry of a tag", entry(&names)),
        (DEMO, "\n      {\n        \"at\": 24,\n        \"id\": \"demo-telemetry-006\"", message(tag, &names)),
    ];
    let mut files = new.to_vec();
    for (path, mark, line) in tables {
        let known = files.iter().position(|(known, _)| known == path);
        let (_, mut text) = match known {
            Some(at) => files.remove(at),
            None => (String::new(), fs::read_to_string(root.join(path)).with_context(|| path.to_owned())?),
        };
        let at = text.find(mark).with_context(|| format!("{path}: expected `{}`", mark.trim()))?;
        text.insert_str(at, &line);
        files.push((path.to_owned(), text));
    }
    Ok(files)
}

/// The names of a type in the tree.
struct Names {
    /// `wind_gust`
    module: String,
    /// `WindGust`
    variant: String,
    /// `Wind gust`
    words: String,
}

impl Names {
    fn of(tag: &str) -> Self {
        let module = tag.to_lowercase();
        let words = module.split('_').filter(|word| !word.is_empty());
        let variant = words.map(capital).collect();
        Self { words: capital(&module.replace('_', " ")), module, variant }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

fn entry(Names { module, variant, words }: &Names) -> String {
    format!("\n    {variant}({module}) => {{ view! {{ <{variant} card {module} /> }}, \"{words}\", None, Kind::Card }}")
}

fn import(Names { module, variant, .. }: &Names) -> String {
    format!("#[cfg(feature = \"ssr\")]\nuse crate::message::{module}::{variant};\n")
}

fn payload(Names { variant, words, .. }: &Names) -> String {
    format!(
        "//! {words}: say here what it is and who sends it.\n\n\
         use super::{{Payload, strict}};\nuse crate::Role;\nuse serde::{{Deserialize, Serialize}};\n\n\
         /// {words}.\n#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]\n\
         #[cfg_attr(feature = \"schema\", derive(schemars::JsonSchema))]\n#[serde(deny_unknown_fields)]\n\
         pub struct {variant} {{\n    /// One line, for people.\n    #[serde(deserialize_with = \"strict::non_empty\")]\n    \
         #[cfg_attr(feature = \"schema\", schemars(length(min = 1)))]\n    pub title: String,\n}}\n\n\
         impl Payload for {variant} {{\n    const USUAL_ROLE: Role = Role::Assistant;\n\n    \
         fn summary(&self) -> String {{\n        self.title.clone()\n    }}\n\n    \
         fn to_markdown(&self) -> String {{\n        self.title.clone()\n    }}\n\n    \
         fn example() -> Self {{\n        Self {{ title: \"{words}\".to_owned() }}\n    }}\n}}\n"
    )
}

fn component(Names { module, variant, words }: &Names) -> String {
    format!(
        "//! {words}: say here what it shows.\n\nuse super::Card;\nuse leptos::prelude::*;\n\
         use model::message_type::{module};\n\n/// {words}.\n#[component]\n\
         pub fn {variant}(card: Card, {module}: {module}::{variant}) -> impl IntoView {{\n    \
         view! {{ <section class=\"card\"><div class=\"head\"><b>{{card.prose(&{module}.title).into_view()}}</b></div></section> }}\n}}\n"
    )
}

/// The message of the type in the example, which has one of each.
fn message(tag: &str, Names { module, words, .. }: &Names) -> String {
    let id = module.replace('_', "-");
    format!(
        r#"
      {{
        "at": 23,
        "id": "demo-{id}",
        "role": "assistant",
        "sender": "bot",
        "context": "turn",
        "status": "final",
        "requires_user_input": false,
        "content": "{words}",
        "metadata": {{
          "message_type": "{tag}",
          "version": 1,
          "payload": {{
            "title": "{words}"
          }}
        }},
        "part": "whole",
        "created_at": 0,
        "origin": {{}}
      }},"#
    )
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn every_table_is_where_it_was() {
        let paths: Vec<_> = files("WIND_GUST").unwrap().into_iter().map(|(path, _)| path).collect();
        let due = [
            "crates/model/src/message_type/wind_gust.rs",
            "app/src/message/wind_gust.rs",
            "crates/model/src/message_type.rs",
            "app/src/message.rs",
            "app/src/message_renderer.rs",
            "fixtures/demo.json",
        ];
        assert_eq!(paths, due);
    }
}
