//! Message types that were declared: what each is called, who declared it, and a way to declare another one.

use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::send::{as_, problem, send_to_field};
use crate::shared::form::As;
use crate::shared::page_action::PageAction;
use crate::shell::small_icon;
use crate::visible;
use api::contract::DeclareTypeEndpoint;
use api::types::{TypeInfo, Types};
use leptos::prelude::*;

pub fn types(types: &Types, clock: &Clock) -> Part {
    let rows: Vec<_> = types.types.iter().map(|info| row(info, types, clock)).collect();
    let none = rows.is_empty().then(|| {
        part! {
            <p class="cap none-yet">"No type is declared. An agent declares one with "<code>"declare_type(document)"</code>" of its SDK, or paste a document here. "
                "Use \u{201c}Make a template from this\u{201d} on a message of an unknown type to start."</p>
        }
    });
    let table = (!rows.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Type"</th><th scope="col">"Version"</th><th scope="col" class="hide-narrow">"Declared by"</th>
                    <th scope="col" class="hide-narrow">"When"</th><th scope="col" class="hide-narrow">"Size"</th><th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    part! {
        <section id="message-types" aria-labelledby="types-heading">
            <div class="pagehead"><div><h2 id="types-heading">"Message types"</h2>
                <p>"Documents that define how messages of other types are shown. They contain no code. When a type is removed, its messages stay and are shown as data."</p></div></div>
            {none}{table}
            <details class="old-keys"><summary class="btn quiet tiny">"Declare a type"</summary>
                <form class="answer" {..send_to_field(DeclareTypeEndpoint).attributes()}>
                    <label class="answer-field"><span>"Document (JSON)"</span><textarea name="document" {..as_(As::Document)} rows="12" spellcheck="false" required></textarea></label>
                    <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                    <p><button type="submit" class="btn primary">"Save as type"</button></p>
                </form>
            </details>
        </section>
    }
}

fn row(info: &TypeInfo, all: &Types, clock: &Clock) -> Part {
    // All versions are removed together, in the row of the newest one.
    let is_first = all.types.iter().find(|other| other.r#type == info.r#type).is_some_and(|first| first == info);
    let words = format!("Remove {}", visible::line(&info.title));
    let remove = (is_first && !info.from_file).then(|| {
        part! {
            <button type="button" class="btn quiet tiny icon" data-action=PageAction::RemoveType.name() data-type=info.r#type.clone() title=words.clone()>
                {small_icon(Glyph::TRASH)}<span class="sr">{words.clone()}</span></button>
        }
    });
    let by = if info.from_file { format!("file {}", info.declared_by) } else { info.declared_by.clone() };
    part! {
        <tr><th scope="row"><span class="name">{visible::line(&info.title)}</span><br/><code class="mut">{visible::line(&info.r#type)}</code></th>
            <td class="num">{info.version.to_string()}</td>
            <td class="hide-narrow">{visible::line(&by)}</td>
            <td class="hide-narrow">{moment(clock, info.declared_at, "num mut")}</td>
            <td class="num mut hide-narrow">{figures::bytes(info.bytes.unsigned_abs())}</td>
            <td class="end">{remove}</td></tr>
    }
}

/// Filled when a type was removed.
pub fn removed() -> Part {
    part! {
        <p id="type-removed" class="callout" role="status" hidden><span data-name=""></span>
            <button type="button" class="btn quiet tiny" data-action=PageAction::RestoreType.name()>"Undo"</button></p>
    }
}
