//! Messages of declared types: a card whose content the type's document describes. Payloads that it can't show are
//! shown as data.

mod nodes;

use super::{Card, parts::TextButton, unknown::Unknown};
use crate::html::Html;
use crate::icon::{Glyph, Icon};
use crate::json_tree;
use crate::shared::attr;
use crate::shared::page_action::PageAction;
use crate::visible;
use api::messages::ShownBy;
use leptos::prelude::*;
use model::declared::{Declared, TypeIcon, View};
use model::text::clip;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Renders a message with the document of its type.
#[component]
pub fn Declared(card: Card, shown_by: Arc<ShownBy>, message_type: String, payload: Value) -> impl IntoView {
    let declared = &shown_by.declared;
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        let view = declared.view(&payload);
        let html = inside(&card, declared, &view);
        (view, html)
    }));
    let Ok((view, html)) = drawn else {
        let problem = Some(format!("The declared type {} could not be drawn; this is its data", declared.title));
        return view! { <Unknown card message_type payload problem /> }.into_any();
    };
    let content = card.draft().content.trim();
    // Content that was generated from the payload would repeat the card.
    let own = (!content.is_empty() && content != declared.markdown(&payload).trim()).then_some(content);
    let prose = own.map(|content| view! { <div class="prose">{card.prose(content).into_view()}</div> });
    let problems: Vec<_> = view
        .problems
        .iter()
        .map(|problem| view! { <li>{visible::html(&problem.to_string()).into_view()}</li> })
        .collect();
    let problems = (!problems.is_empty()).then(|| {
        view! { <div class="callout" data-state="stalled"><div><b>"This data doesn't fit the type's schema"</b><ul>{problems}</ul></div></div> }
    });
    let cut = view.is_cut.then(|| {
        view! { <p class="cap">"Only a part is drawn. The data has all of it."</p> }
    });
    let data = (!view.problems.is_empty() || view.is_cut).then(|| {
        view! { <details class="data"><summary>"Data"</summary>{json_tree::tree(&payload).into_view()}</details> }
    });
    let summary = &card.entry.summary;
    let title = if summary.is_empty() { &declared.title } else { summary };
    // A title that asks a person is shown in full.
    let title = if declared.asks() { title.clone() } else { clip(title, 120) };
    view! {
        <details class="card declared" open>
            <summary>
                <Icon glyph=glyph(declared.icon) />
                <b>{visible::phrase(&title).into_view()}</b>
                <span class="sp"></span>
                <span class="chip" title=clip(&message_type, 200)>{visible::html(&clip(&declared.title, 60)).into_view()}</span>
            </summary>
            <div class="body">{problems} {prose} {html.into_view()} {cut} {data}</div>
            <footer>
                <span class="sp"></span>
                <TextButton action=PageAction::Copy label="Copy".to_owned() />
            </footer>
        </details>
    }
    .into_any()
}

/// Renders the components. They are in a form if the view has buttons that can be pressed.
fn inside(card: &Card, declared: &Declared, view: &View) -> Html {
    let mut html = Html::new();
    let shown = card.entry.shown_sha256.as_deref().filter(|_| card.options.answers && !card.printed());
    let form = shown.filter(|_| declared.asks());
    if let Some(sha256) = form {
        html.tag("<form class=\"answer nodes\"").attr(attr::DECIDE, card.draft().id.as_str()).attr(attr::SHOWN, sha256);
        html.tag("><fieldset data-asks=\"\" role=\"none\" class=\"nodes\">");
        // The first submit button is disabled, so that Enter in a field presses none.
        html.tag("<button type=\"submit\" disabled hidden></button>");
    } else {
        html.tag("<div class=\"nodes\">");
    }
    let mut drawing = nodes::Drawing { card, html: &mut html, answers: form.is_some() };
    drawing.nodes(&view.nodes);
    html.tag(if form.is_some() {
        "<p class=\"cap\" role=\"alert\" data-problem=\"\" hidden></p>\
         <p class=\"cap fg-warn only-kept\">Can't be answered while offline</p></fieldset></form>"
    } else {
        "</div>"
    });
    html
}

/// Returns the icon that a document names.
pub fn glyph(icon: Option<TypeIcon>) -> Glyph {
    match icon {
        None => Glyph::BRACES,
        Some(icon) => match icon {
            TypeIcon::Archive => Glyph::ARCHIVE,
            TypeIcon::Bell => Glyph::BELL,
            TypeIcon::Branch => Glyph::BRANCH,
            TypeIcon::Chart => Glyph::CHART,
            TypeIcon::Check => Glyph::CHECK,
            TypeIcon::Clock => Glyph::CLOCK,
            TypeIcon::Code => Glyph::CODE,
            TypeIcon::Database => Glyph::DB,
            TypeIcon::Edit => Glyph::EDIT,
            TypeIcon::Eye => Glyph::EYE,
            TypeIcon::File => Glyph::FILE,
            TypeIcon::Folder => Glyph::FOLDER,
            TypeIcon::Gear => Glyph::GEAR,
            TypeIcon::Globe => Glyph::GLOBE,
            TypeIcon::Key => Glyph::KEY,
            TypeIcon::Layers => Glyph::LAYERS,
            TypeIcon::Link => Glyph::LINK,
            TypeIcon::List => Glyph::LIST,
            TypeIcon::Lock => Glyph::LOCK,
            TypeIcon::Plug => Glyph::PLUG,
            TypeIcon::Search => Glyph::SEARCH,
            TypeIcon::Table => Glyph::TABLE,
            TypeIcon::Terminal => Glyph::TERM,
            TypeIcon::Tool => Glyph::TOOL,
            TypeIcon::User => Glyph::USER,
            TypeIcon::Warning => Glyph::NEEDS,
        },
    }
}
