//! How pages look, names, the editor, and where sessions come from.

use crate::figures;
use crate::icon::Glyph;
use crate::look::Look;
use crate::part::{Part, part};
use crate::send::send;
use crate::shared::page_path;
use crate::shell::icon;
use crate::visible;
use api::contract::EditPreferencesEndpoint;
use api::preferences::Preferences;
use api::routing::Routing;
use leptos::prelude::*;
use model::routing::bare;

/// Editors whose address is known.
const EDITORS: [(&str, &str); 6] = [
    ("VS Code", "vscode://file/{path}:{line}"),
    ("Cursor", "cursor://file/{path}:{line}"),
    ("Windsurf", "windsurf://file/{path}:{line}"),
    ("Zed", "zed://file/{path}:{line}"),
    ("Sublime Text", "subl://open?url=file://{path}&line={line}"),
    ("JetBrains", "idea://open?file={path}&line={line}"),
];

pub fn look(look: Look) -> Part {
    let choices: Vec<_> = look
        .chosen()
        .map(|(choice, chosen)| {
            let values: Vec<_> = choice
                .values
                .iter()
                .map(|(value, label)| {
                    part! { <label class="check"><input type="radio" class="tick" name=choice.name value=*value data-look="" checked=*value == chosen/><span>{*label}</span></label> }
                })
                .collect();
            part! { <fieldset class="choice"><legend>{choice.label}</legend>{values}</fieldset> }
        })
        .collect();
    part! {
        <section id="look" aria-labelledby="look-heading">
            <div class="pagehead"><h2 id="look-heading">"Appearance"</h2><p>"On this device. It takes effect at once."</p></div>
            <div class="choices">{choices}</div>
        </section>
    }
}

/// With the workspace's routing, also what holds for everybody.
pub fn general(preferences: &Preferences, routing: Option<&Routing>) -> Part {
    let assistant = routing.map(|routing| assistant(preferences, routing));
    let budgets = routing.map(|_| {
        part! {
            {budget("daily_budget", "Budget of a day in US dollars", &preferences.daily_budget)}
            {budget("monthly_budget", "Budget of a month in US dollars", &preferences.monthly_budget)}
        }
    });
    let editors: Vec<_> =
        EDITORS.into_iter().map(|(name, address)| part! { <option value=address>{name}</option> }).collect();
    part! {
        <section id="general" aria-labelledby="general-heading">
            <div class="pagehead"><h2 id="general-heading">"General"</h2></div>
            {assistant}
            <form class="setting" {..prefer()}>
                <label class="label">"Address of your editor"<span class="field"><input name="editor" class="mono" list="editors" maxlength="500" autocomplete="off" spellcheck="false" placeholder="vscode://file/{path}:{line}" value=preferences.editor.clone()/></span>
                    <small>"File paths become links that open there. "<code>"{path}"</code>" and "<code>"{line}"</code>" are placeholders."</small></label>
                <datalist id="editors">{editors}</datalist>
                <button type="submit" class="btn">"Save"</button>
            </form>
            {budgets}
        </section>
    }
}

fn assistant(preferences: &Preferences, routing: &Routing) -> Part {
    // Where nobody set one, what applies is the server's own.
    let name = routing.applies.name.as_deref().map(bare).filter(|_| preferences.assistant_name.is_empty());
    let name = name.map_or_else(|| "Each agent's own name".to_owned(), visible::line);
    part! {
        <form class="setting" {..prefer()}>
            <label class="label">"Name of the assistant"<span class="field"><input name="assistant_name" maxlength="64" autocomplete="off" placeholder=name value=preferences.assistant_name.clone()/></span>
                <small>"On pages, in channels, in the terminal and in exports. In rooms, @ and the name call it"</small></label>
            <button type="submit" class="btn">"Save"</button>
        </form>
    }
}

/// Sends a form whose fields are preferences by their names.
fn prefer() -> impl leptos::attr::Attribute {
    send(EditPreferencesEndpoint, []).attributes()
}

fn budget(name: &'static str, label: &'static str, dollars: &str) -> Part {
    part! {
        <form class="setting" {..prefer()}>
            <label class="label">{label}<span class="field"><input name=name maxlength="12" inputmode="decimal" autocomplete="off" placeholder="None" value=dollars.to_owned()/></span>
                <small>"You are warned when 80 % and when all of it is spent. Agents aren't stopped."</small></label>
            <button type="submit" class="btn">"Save"</button>
        </form>
    }
}

pub fn sources(followed: i64, waiting: i64) -> Part {
    let says = match (followed, waiting) {
        (0, 0) => "No folder is read yet.".to_owned(),
        (followed, 0) => format!("{} followed as their files grow.", figures::counted(followed, "folder")),
        (followed, waiting) => format!(
            "{} followed, {} waiting for your consent.",
            figures::counted(followed, "folder"),
            figures::count(waiting)
        ),
    };
    part! {
        <section id="sources" aria-labelledby="sources-heading">
            <div class="pagehead"><h2 id="sources-heading">"Sources"</h2><p>{says}</p></div>
            <div class="actions"><a class="btn" href=page_path::FOLDERS>{icon(Glyph::FOLDER)}"Choose folders"</a></div>
        </section>
    }
}
