//! The API reference, drawn from the `OpenAPI` document: what a program needs to know, in the order in which it asks.

mod curl;
mod operation;
mod schema;

use crate::part::{Part, part};
use crate::shell::{self, Frame, Layout, Link, NavItem, Rail, ShellData};
use api::Route as _;
use api::contract::{CreateSession, EndSessionEndpoint, LogInRoute, OpenApi, PostMessageEndpoint, TakePendingEndpoint};
use leptos::prelude::*;
use operation::Operation;
use serde_json::Value;
use std::collections::BTreeMap;

pub struct ReferencePage<'a> {
    /// The `OpenAPI` document.
    pub document: &'a Value,
    /// Where this server is reached.
    pub origin: String,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &ReferencePage<'_>) -> String {
    let document = data.document;
    let operations = operation::all(document);
    let topics: Vec<Topic<'_>> = topics(document, &operations);
    let mut links: Vec<(String, Vec<Link>)> = topics.iter().map(Topic::links).collect();
    let tail = [("refusals", "Refusals"), ("message-types", "Message types"), ("types", "Types")];
    let tail = tail.map(|(id, words)| Link { href: format!("#{id}"), words: words.to_owned(), mark: "" });
    links.push(("Data".to_owned(), tail.into()));
    shell::page(&data.shell, || Frame {
        title: "API reference",
        place: NavItem::Nowhere,
        skip: ("#reference", "Skip to the reference"),
        session: None,
        rail: Rail::Contents(&links),
        content: content(data, &topics, &links),
        layout: Layout::Main,
    })
}

/// A part of the reference.
struct Topic<'a> {
    name: &'a str,
    about: &'a str,
    operations: Vec<&'a Operation<'a>>,
}

impl Topic<'_> {
    fn links(&self) -> (String, Vec<Link>) {
        let links = self.operations.iter().map(|operation| Link {
            href: format!("#{}", operation.id),
            words: operation.summary.to_owned(),
            mark: operation.mark(),
        });
        (self.name.to_owned(), links.collect())
    }
}

fn topics<'a>(document: &'a Value, operations: &'a [Operation<'a>]) -> Vec<Topic<'a>> {
    let tags = document["tags"].as_array().into_iter().flatten();
    let topics = tags.map(|tag| {
        let name = text(&tag["name"]);
        let operations = operations.iter().filter(|operation| operation.topic == name).collect();
        Topic { name, about: text(&tag["description"]), operations }
    });
    topics.filter(|topic| !topic.operations.is_empty()).collect()
}

fn content(data: &ReferencePage<'_>, topics: &[Topic<'_>], links: &[(String, Vec<Link>)]) -> Part {
    let document = data.document;
    let sections: Vec<_> = topics
        .iter()
        .map(|topic| {
            let operations: Vec<_> = topic.operations.iter().map(|operation| operation.view(document)).collect();
            part! { <section class="topic"><h2>{topic.name.to_owned()}</h2><p class="mut">{topic.about.to_owned()}</p>{operations}</section> }
        })
        .collect();
    let contents: Vec<_> = links
        .iter()
        .map(|(heading, links)| {
            let rows: Vec<_> = links
                .iter()
                .map(|link| part! { <li><a class="link" href=link.href.clone()>{link.words.clone()}</a></li> })
                .collect();
            part! { <h3>{heading.clone()}</h3><ul role="list">{rows}</ul> }
        })
        .collect();
    let version = text(&document["info"]["version"]).to_owned();
    part! {
        <main class="main" id="main">
            <header class="bar"><div class="bar-title"><h1>"API reference"</h1>
                <p class="meta"><span>{format!("Version {version}")}</span><span>"OpenAPI 3.1"</span></p></div>
                <a class="btn" href=OpenApi::PATH>"openapi.json"</a></header>
            <div class="scroll" tabindex="-1"><div class="page reference" id="reference" tabindex="-1">
                <div class="pagehead"><h2>"HTTP API"</h2><p>{schema::prose(text(&document["info"]["description"]))}</p></div>
                <details class="contents"><summary class="btn">"Contents"</summary>{contents}</details>
                {begin(&data.origin)}
                {credentials(document)}
                {sections}
                {refusals(document)}
                {schema::message_types(document)}
                {schema::types(document)}
            </div></div>
        </main>
    }
}

/// Draws the first section: the shell's variables, and all steps of an agent, so that the examples can be copied
/// unchanged.
fn begin(origin: &str) -> Part {
    let key = format!(
        "export VERBATIM_URL={origin}\n\
         export VERBATIM_KEY=$(verbatim key create --name my-agent)\n\
         export SESSION=first-steps-$(date +%s) MESSAGE=step-1"
    );
    let call = |path: &str, body: &str| {
        format!(
            "curl \"$VERBATIM_URL{}\" -H \"Authorization: Bearer $VERBATIM_KEY\" \\\n  \
             -H \"Content-Type: application/json\" \\\n  -d {body}",
            curl::variables(path)
        )
    };
    let course = [
        call(CreateSession::PATH, r#""{\"id\": \"$SESSION\", \"agent\": \"my-agent\"}""#),
        call(PostMessageEndpoint::PATH, r#""{\"id\": \"$MESSAGE\", \"content\": \"I look for the crash.\"}""#),
        call(
            PostMessageEndpoint::PATH,
            r#"'{"id": "ask-1", "content": "Shall I mend it?", "requires_user_input": true}'"#,
        ),
        call(TakePendingEndpoint::PATH, r#"'{"after": 0, "wait": 5}'"#),
        call(EndSessionEndpoint::PATH, r#"'{"outcome": "done"}'"#),
    ];
    let local = "export VERBATIM_LOCAL=$(sed 's/.*\"key\":\"\\([^\"]*\\)\".*/\\1/' \"$VERBATIM_DATA_DIR/server.json\")";
    let person = format!(
        "export VERBATIM_SECRET=$(curl -c cookies.txt \"$VERBATIM_URL{}\" \\\n  \
                  -H \"Content-Type: application/json\" \\\n  \
                  -d \"{{\\\"code\\\": \\\"$(verbatim open | sed 's/.*#c=//')\\\"}}\" \\\n  \
                  | sed 's/.*\"secret\":\"\\([^\"]*\\)\".*/\\1/')",
        LogInRoute::PATH
    );
    part! {
        <section class="topic"><h2 id="begin">"Begin"</h2>
            <p>"Create a key once, on the server's machine, and choose names for a session and its first message. The examples below use these variables. A session belongs to the key that created it."</p>
            {curl::block(key)}
            <p>"The steps of an agent: create the session, post a message, ask, wait for the answer, end. The "<code>"after"</code>" of each reply is that of the next wait, so that a lost reply loses no message. All requests have ids and can be repeated."</p>
            {curl::block(course.join("\n"))}
            <p>"Examples that only commands of this machine can run use their key. "<code>"verbatim doctor"</code>" prints the data directory with its file."</p>
            {curl::block(local.to_owned())}
            <p>"Examples that only a person can run use the cookie of a log-in, its secret for each change, and the "<code>"Origin"</code>"."</p>
            {curl::block(person)}
            <p><code>"$KEY"</code>", "<code>"$LOGIN"</code>", "<code>"$IMPORT"</code>" and "<code>"$SHA256"</code>" are ids from the lists of keys, log-ins and imports, and from the reply to an upload."</p>
        </section>
    }
}

/// Each status of a refusal, and what it means.
fn refusals(document: &Value) -> Part {
    let operations = document["paths"].as_object().into_iter().flatten();
    let operations = operations.flat_map(|(_, path)| path.as_object().into_iter().flatten());
    let answers = operations.flat_map(|(_, operation)| operation["responses"].as_object().into_iter().flatten());
    let refusals: BTreeMap<&str, &str> = answers
        .filter(|(status, _)| status.as_str() >= "400")
        .map(|(status, answer)| (status.as_str(), text(&answer["description"])))
        .collect();
    let rows: Vec<_> = refusals
        .into_iter()
        .map(|(status, means)| part! { <tr><th scope="row" class="num">{status.to_owned()}</th><td>{schema::prose(means)}</td></tr> })
        .collect();
    part! {
        <section class="topic"><h2 id="refusals">"Refusals"</h2>
            <p class="mut">"A problem has a status, a stable code, and a title for people."</p>
            <div class="table-wrap"><table class="table fields"><tbody>{rows}</tbody></table></div>
        </section>
    }
}

fn credentials(document: &Value) -> Part {
    let names = [
        ("viewer", "login", "A person"),
        ("member", "login", "A member, or an owner"),
        ("owner", "login", "An owner"),
        ("local", "machine", "A command"),
        ("agent", "agent_key", "An agent"),
    ];
    let rows: Vec<_> = names
        .into_iter()
        .map(|(word, scheme, name)| {
            let about = text(&document["components"]["securitySchemes"][scheme]["description"]).to_owned();
            part! { <tr><th scope="row"><span class="chip">{word}</span></th><td>{name}</td><td>{schema::prose(&about)}</td></tr> }
        })
        .collect();
    part! {
        <section class="topic"><h2 id="credentials">"Callers"</h2>
            <div class="table-wrap"><table class="table fields"><tbody>{rows}</tbody></table></div>
        </section>
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
