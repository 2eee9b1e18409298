//! Filters beside the results; they belong to the form of the query.

use super::SearchPageData;
use crate::figures;
use crate::icon::Glyph;
use crate::message_renderer::{MessageRenderer, TYPES};
use crate::names::{ROLES, project_name};
use crate::part::{Part, part};
use crate::shell::small_icon;
use api::search::{HitCount, SearchCounts};
use leptos::prelude::*;

pub fn filters(data: &SearchPageData) -> Part {
    let query = &data.query;
    let check = |name: &'static str, value: String, label: String, on: bool, hits: Option<i64>| {
        let hits = hits.map(|hits| part! { <span class="num">{figures::count(hits)}</span> });
        part! { <label><input type="checkbox" class="tick" form="search" name=name value=value checked=on/><span class="cut">{label}</span>{hits}</label> }
    };
    let counts = data.result.as_ref().and_then(|result| result.as_ref().ok()).map(|page| &page.counts);
    let hits = |list: fn(&SearchCounts) -> &[HitCount], value: &str| {
        counts.map(|counts| list(counts).iter().find(|count| count.value == value).map_or(0, |count| count.hits))
    };
    let of_type = |tag: &str| hits(|counts| &counts.types, tag);
    let of_role = |role: &str| hits(|counts| &counts.roles, role);
    // A filter without hits isn't offered, unless it is active.
    let offered = |on: bool, hits: Option<i64>| on || hits != Some(0);
    let types: Vec<_> = TYPES
        .iter()
        .map(|kind| (kind.as_str(), MessageRenderer::of(*kind).name))
        .map(|(tag, label)| (tag, label, query.types.iter().any(|chosen| chosen == tag), of_type(tag)))
        .filter(|(_, _, on, hits)| offered(*on, *hits))
        .map(|(tag, label, on, hits)| check("type", tag.to_owned(), label.to_owned(), on, hits))
        .collect();
    let roles: Vec<_> = ROLES
        .into_iter()
        .map(|(role, label)| (role.as_str(), label, query.roles.contains(&role), of_role(role.as_str())))
        .filter(|(_, _, on, hits)| offered(*on, *hits))
        .map(|(role, label, on, hits)| check("role", role.to_owned(), label.to_owned(), on, hits))
        .collect();
    let projects: Vec<_> = data
        .facets
        .projects
        .iter()
        .map(|facet| {
            let here = query.project.contains(&facet.value);
            part! { <option value=facet.value.clone() selected=here>{project_name(&facet.value, &data.facets.projects)}</option> }
        })
        .collect();
    let day = |text: &Option<String>| text.as_deref().and_then(|t| t.get(..10)).unwrap_or_default().to_owned();
    part! {
        <div class="checks" role="group" aria-label="Filters" data-auto="search">
            <details class="fold"><summary class="btn tiny">{small_icon(Glyph::FILTER)}"Filters"</summary>
                <h2>"Project"</h2>
                <label class="pick wide"><span class="sr">"Project"</span>
                    <select name="project" form="search"><option value="">"Every project"</option>{projects}</select></label>
                <h2>"Changed file"</h2>
                <div class="field"><input type="text" name="file" form="search" dir="ltr" autocomplete="off" placeholder="Part of a path" aria-label="Part of the path of a file that was changed" value=query.file.clone()/></div>
                {(!types.is_empty()).then(|| part! { <h2>"Type"</h2>{types} })}
                {(!roles.is_empty()).then(|| part! { <h2>"Role"</h2>{roles} })}
                <h2>"When"</h2>
                <label class="label">"From"<span class="field"><input type="date" name="since" form="search" value=day(&query.since)/></span></label>
                <label class="label">"To"<span class="field"><input type="date" name="until" form="search" value=day(&query.until)/></span></label>
                <noscript><button type="submit" class="btn" form="search">"Apply"</button></noscript>
            </details>
        </div>
    }
}
