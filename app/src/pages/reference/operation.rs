//! One endpoint: what it is for, who may call it, what goes in, an example, what comes out.

use super::{curl, schema, text};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shell::icon;
use leptos::prelude::*;
use serde_json::Value;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

pub struct Operation<'a> {
    pub id: &'a str,
    pub topic: &'a str,
    pub summary: &'a str,
    pub method: &'static str,
    pub path: &'a str,
    pub value: &'a Value,
}

/// In the document's order.
pub fn all(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, methods)| {
        METHODS.into_iter().filter_map(move |method| {
            let value = methods.get(method)?;
            let (id, topic) = (text(&value["operationId"]), text(&value["tags"][0]));
            Some(Operation { id, topic, summary: text(&value["summary"]), method, path, value })
        })
    });
    operations.collect()
}

impl Operation<'_> {
    /// The method, short enough for a list.
    pub fn mark(&self) -> &'static str {
        match self.method {
            "get" => "GET",
            "post" => "POST",
            "put" => "PUT",
            "patch" => "PATCH",
            _ => "DEL",
        }
    }

    pub fn view(&self, document: &Value) -> Part {
        let value = self.value;
        let about = value["description"].as_str().map(|about| part! { <p>{schema::prose(about)}</p> });
        let body = &value["requestBody"]["content"]["application/json"]["schema"];
        let parameters: Vec<&Value> =
            value["parameters"].as_array().into_iter().flatten().map(|p| schema::resolve(document, p)).collect();
        let anchor = format!("#{}", self.id);
        let label = format!("Link to {}", self.id);
        part! {
            <article class="endpoint" id=self.id.to_owned() data-method=self.method>
                <h3><span class="method">{self.method.to_uppercase()}</span><code>{self.path.to_owned()}</code>
                    <a class="anchor" href=anchor title=label.clone()>{icon(Glyph::LINK)}<span class="sr">{label.clone()}</span></a></h3>
                <p class="says">{self.summary.to_owned()}</p>
                {about}
                {self.access()}
                {(!parameters.is_empty()).then(|| schema::parameters(document, &parameters))}
                {(!body.is_null()).then(|| schema::fields(document, body, "Body"))}
                {curl::example(self)}
                {self.replies()}
                {self.events()}
            </article>
        }
    }

    fn access(&self) -> Part {
        let who: Vec<_> = self.value["x-access"].as_array().into_iter().flatten().map(text).collect();
        let chips: Vec<_> = if who.is_empty() {
            vec![part! { <span class="chip">"everybody"</span> }]
        } else {
            who.into_iter().map(|who| part! { <span class="chip">{who.to_owned()}</span> }).collect()
        };
        let limit = self.value["x-body-limit"].as_u64().filter(|_| !self.value["requestBody"].is_null());
        let limit = limit.map(|bytes| part! { <span class="cap">{format!("Body up to {}", size(bytes))}</span> });
        let scope = self.value["x-scope"].as_str();
        let scope = scope.map(|scope| part! { <span class="cap">"A key needs "<code>{scope.to_owned()}</code></span> });
        part! { <p class="who"><span class="cap">"May call"</span>{chips}{scope}{limit}</p> }
    }

    /// Draws the events of a stream, with their data.
    fn events(&self) -> Option<Part> {
        let events = self.value["x-events"].as_object()?;
        let rows: Vec<_> = events
            .iter()
            .map(|(name, data)| part! { <tr><th scope="row"><code>{name.clone()}</code></th><td>{schema::type_words(data)}</td></tr> })
            .collect();
        Some(
            part! { <h4>"Events"</h4><div class="table-wrap"><table class="table fields"><tbody>{rows}</tbody></table></div> },
        )
    }

    fn replies(&self) -> Part {
        let responses = self.value["responses"].as_object().into_iter().flatten();
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for (status, answer) in responses {
            let about = text(&answer["description"]).to_owned();
            if status.starts_with('2') {
                let contents = answer["content"].as_object().into_iter().flatten();
                let kinds: Vec<_> = contents
                    .map(|(kind, content)| {
                        let what = schema::type_words(&content["schema"]);
                        let kind = (kind != "application/json").then(|| part! { <code>{kind.clone()}</code>" " });
                        part! { <span>{kind}{what}</span> }
                    })
                    .collect();
                good.push(part! { <tr><th scope="row" class="num">{status.clone()}</th><td>{about}</td><td>{kinds}</td></tr> });
            } else {
                bad.push(part! { <tr><th scope="row" class="num">{status.clone()}</th><td>{about}</td></tr> });
            }
        }
        let count = figures::counted(i64::try_from(bad.len()).unwrap_or(0), "refusal");
        part! {
            <h4>"Replies"</h4>
            <div class="table-wrap"><table class="table fields"><tbody>{good}</tbody></table></div>
            <details class="numbers"><summary class="btn quiet tiny">{count}</summary>
                <div class="table-wrap"><table class="table fields"><tbody>{bad}</tbody></table></div>
                <p class="cap">"Each is a "<a class="link" href="#type-Problem">"Problem"</a>", as "<code>"application/problem+json"</code></p>
            </details>
        }
    }
}

/// Powers of 1,024, as the limits are.
fn size(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}
