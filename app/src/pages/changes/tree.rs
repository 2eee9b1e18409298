//! The files at the left: by folder, with a filter and what was viewed.

use super::{ChangesPage, delta, file_id, kind, short};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shell::{fold_mark, icon, small_icon};
use api::net::NetFile;
use leptos::prelude::*;

pub fn side(data: &ChangesPage, files: &[&NetFile]) -> Part {
    let count = figures::counted(i64::try_from(files.len()).unwrap_or(i64::MAX), "file");
    let mut folders: Vec<(&str, Vec<&NetFile>)> = Vec::new();
    for &file in files {
        let path = short(data, &file.path);
        let folder = path.rfind('/').map_or("", |at| &path[..at]);
        match folders.iter_mut().find(|(name, _)| *name == folder) {
            Some((_, within)) => within.push(file),
            None => folders.push((folder, vec![file])),
        }
    }
    let groups: Vec<_> = folders
        .into_iter()
        .map(|(folder, files)| {
            let rows: Vec<_> = files.into_iter().map(|file| row(data, file)).collect();
            let name = if folder.is_empty() { "." } else { folder };
            part! {
                <details open=true><summary title=name.to_owned()>{fold_mark()}{small_icon(Glyph::FOLDER)}<span class="cut"><bdi>{name.to_owned()}</bdi></span></summary>
                    <div>{rows}</div></details>
            }
        })
        .collect();
    part! {
        <aside class="side" aria-label="Files" id="review-side">
            <div class="side-filter"><label class="field">{icon(Glyph::FILTER)}<span class="sr">"Filter files"</span>
                <input id="find" placeholder="Filter files" autocomplete="off" spellcheck="false"/></label></div>
            <p class="cap side-line"><span class="num" id="viewed-count">{count}</span>
                <span class="meter" aria-hidden="true"><span class="bar-fill" data-state="done" id="viewed-bar"></span></span>
                {delta(data.changes.added, data.changes.removed)}</p>
            <div class="tree">{groups}</div>
        </aside>
    }
}

fn row(data: &ChangesPage, file: &NetFile) -> Part {
    let path = short(data, &file.path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let id = file_id(&file.path);
    part! {
        <div class="file-row" data-file=id.clone() data-name=path.to_lowercase()>
            {kind(file)}<a class="cut" href=format!("#{id}") title=file.path.clone()>{name.to_owned()}</a>
            <span class="cap notes" hidden="">{small_icon(Glyph::COMMENT)}<span class="num"></span></span>
            {delta(file.added, file.removed)}
            <input type="checkbox" class="tick" data-review="viewed" aria-label=format!("{path} viewed")/>
        </div>
    }
}
