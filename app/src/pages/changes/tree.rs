//! The files at the left: by folder, with a filter and what was viewed.

use super::ChangesPage;
use super::parts::{delta, elsewhere, kind, short};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::paths::split_path;
use crate::shared::file_id;
use crate::shell::{fold_mark, icon, small_icon};
use crate::visible;
use api::net::NetFile;
use leptos::prelude::*;
use std::collections::HashMap;

/// Rows that are in the document at first.
const FIRST: usize = 40;

/// The first `shown` of the changed files are listed; all of them are counted.
pub fn side(data: &ChangesPage, files: &[&NetFile], shown: usize) -> Part {
    let count = figures::counted(i64::try_from(files.len()).unwrap_or(i64::MAX), "file");
    let mut folders: Vec<(&str, Vec<&NetFile>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for &file in &files[..shown] {
        let path = short(&data.detail.session, &file.path);
        let folder = split_path(path).0.trim_end_matches(['/', '\\']);
        let place = *places.entry(folder).or_insert_with(|| {
            folders.push((folder, Vec::new()));
            folders.len() - 1
        });
        folders[place].1.push(file);
    }
    // Files of no folder stand before all folders: what follows one is in it.
    folders.sort_by_key(|(folder, _)| !folder.is_empty());
    let mut rows: Vec<Part> = folders
        .into_iter()
        .enumerate()
        .flat_map(|(at, (folder, files))| {
            let head = (!folder.is_empty()).then(|| {
                part! {
                    <button type="button" class="folder" data-file=format!("folder-{at}") title=folder.to_owned() aria-expanded="true">{fold_mark()}{small_icon(Glyph::FOLDER)}<span class="cut"><bdi>{folder.to_owned()}</bdi></span></button>
                }
            });
            let depth = u8::from(head.is_some());
            head.into_iter().chain(files.into_iter().map(move |file| row(data, file, depth)))
        })
        .collect();
    let rest = rows.split_off(rows.len().min(FIRST));
    part! {
        <aside class="side" aria-label="Files" id="review-side">
            <div class="side-filter"><label class="field">{icon(Glyph::FILTER)}<span class="sr">"Filter files"</span>
                <input id="find" placeholder="Filter files" autocomplete="off" spellcheck="false"/></label></div>
            <p class="cap side-line"><span class="num" id="viewed-count">{count}</span>
                <span class="meter" aria-hidden="true"><span class="bar-fill" data-state="done" id="viewed-bar"></span></span>
                <span title="The net change of all edits. The session's panel shows the sum of the individual edits.">"net"</span>{delta(data.changes.added, data.changes.removed)}</p>
            {elsewhere(&data.detail.session).map(|link| part! { <p class="cap side-line">{link}</p> })}
            <div class="tree" id="review-tree">{rows}</div>
            <template id="more-rows">{rest}</template>
        </aside>
    }
}

fn row(data: &ChangesPage, file: &NetFile, depth: u8) -> Part {
    let path = short(&data.detail.session, &file.path);
    let name = visible::plain(split_path(path).1);
    let (begins, ends) = parted(&name);
    let id = file_id(&file.path);
    part! {
        <div class="file-row" style=format!("--depth:{depth}") data-file=id.clone() data-name=path.to_lowercase()>
            {kind(file.change, file.moved_from.is_some())}<a class="name" href=format!("#{id}") title=visible::plain(&file.path)><span class="cut">{begins.to_owned()}</span><span>{ends.to_owned()}</span></a>
            {delta(file.added, file.removed)}
            <input type="checkbox" class="tick" data-review="viewed" aria-label=format!("{} viewed", visible::plain(path))/>
        </div>
    }
}

/// A name of which the middle is cut where it has no room: what tells files apart stands at both ends.
fn parted(name: &str) -> (&str, &str) {
    const KEPT: usize = 12;
    let at = name.char_indices().rev().nth(KEPT - 1).map_or(0, |(at, _)| at);
    name.split_at(if at > KEPT / 2 { at } else { name.len() })
}

#[cfg(test)]
mod tests {
    use super::parted;

    #[test]
    fn the_end_of_a_long_name_stays() {
        let names = ["a.rs", "shares.controller.spec.ts", "été-à-la-mer-et-au-soleil.txt"];
        let expected = [("a.rs", ""), ("shares.contro", "ller.spec.ts"), ("été-à-la-mer-et-a", "u-soleil.txt")];
        assert_eq!(names.map(parted), expected);
    }
}
