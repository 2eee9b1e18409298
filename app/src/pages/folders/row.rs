//! One folder as a row of a table.

use crate::figures;
use crate::icon::{Glyph, Icon, Size};
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shell::agent_name;
use crate::visible;
use api::projects::{Project, ProjectState};
use leptos::prelude::*;

/// Draws a folder that waits for consent, with a checkbox.
pub fn waiting(project: &Project) -> Part {
    part! {
        <tr>
            <td class="tick-cell"><input type="checkbox" class="tick" name="folder" value=project.path.clone() aria-label=format!("Import {}", project.name) checked/></td>
            {name(project)}
            <td class="end num">{figures::count(project.files)}</td>
            <td class="end num">{size(project)}</td>
        </tr>
    }
}

/// A link that nobody agreed to: with the place that it leads to.
pub fn link(project: &Project) -> Part {
    part! {
        <tr>
            {name(project)}
            <td class="end num hide-narrow">{figures::count(project.files)}</td>
            <td class="end num hide-narrow">{size(project)}</td>
            <td class="end"><span class="row-actions">{button(project, PageAction::SetFolder, "following", "Follow")}{button(project, PageAction::SetFolder, "excluded", "Exclude")}</span></td>
        </tr>
    }
}

/// With its state and what can be done about it.
pub fn known(project: &Project) -> Part {
    let (tag, glyph, word) = match project.state {
        ProjectState::Waiting => ("needs", Glyph::NEEDS, "Waits"),
        ProjectState::Following => ("done", Glyph::DONE, "Followed"),
        ProjectState::Paused => ("idle", Glyph::HALF, "Paused"),
        ProjectState::Excluded => ("idle", Glyph::CUT, "Excluded"),
    };
    let polled = project.polled.then(|| {
        part! { <br/><span class="cap" title="The system doesn't report changes in this folder">"Checked every 15 s"</span> }
    });
    let button = |action, state, label| button(project, action, state, label);
    let buttons = match project.state {
        ProjectState::Following => {
            vec![button(PageAction::SetFolder, "paused", "Pause"), button(PageAction::SetFolder, "excluded", "Exclude")]
        }
        ProjectState::Paused => vec![
            button(PageAction::SetFolder, "following", "Follow"),
            button(PageAction::SetFolder, "excluded", "Exclude"),
        ],
        ProjectState::Waiting | ProjectState::Excluded => vec![button(PageAction::SetFolder, "following", "Follow")],
    };
    let takes_back = project.leads_to.is_some() && project.state != ProjectState::Excluded;
    let take_back = takes_back.then(|| button(PageAction::SetFolder, "waiting", "Take back"));
    let forget = (project.sessions > 0).then(|| button(PageAction::ForgetFolder, "", "Forget"));
    part! {
        <tr>
            {name(project)}
            <td><span class="state" data-state=tag><Icon glyph size=Size::Small/><span>{word}</span></span>{polled}</td>
            <td class="end num hide-narrow">{figures::count(project.sessions)}</td>
            <td class="end num hide-narrow">{size(project)}</td>
            <td class="end"><span class="row-actions">{buttons}{take_back}{forget}</span></td>
        </tr>
    }
}

fn button(project: &Project, action: PageAction, state: &'static str, label: &'static str) -> Part {
    let words = format!("{label} {}", project.name);
    part! {
        <button type="button" class="btn quiet tiny" data-action=action.name() data-path=project.path.clone() data-name=project.name.clone() data-leads-to=project.leads_to.clone() data-state-to=state aria-label=words>{label}</button>
    }
}

fn name(project: &Project) -> Part {
    let leads = project.leads_to.as_ref().map(|place| {
        part! { <br/><span class="cap leads">"Leads to "<code>{visible::html(place).into_view()}</code></span> }
    });
    part! {
        <th scope="row" title=project.path.clone()><span class="folder-name">{project.name.clone()}</span><br/>
            <span class="cap">{agent_name(&project.agent)}</span>{leads}</th>
    }
}

fn size(project: &Project) -> String {
    figures::bytes(u64::try_from(project.bytes).unwrap_or(0))
}
