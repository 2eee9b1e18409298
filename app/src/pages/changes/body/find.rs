//! Where lines and changes are in a difference that the page holds only in part.

use super::Shown;
use diff::{Layout, Which};

/// How far lines may have moved.
const NEAR: i64 = 200;

/// `part first last`, rows of which the last one isn't meant any more. Of lines that were asked for, their side, their
/// numbers and their text follow, each in a line of its own; of a change, its index. None: there are none.
pub fn answer(shown: &Shown<'_>) -> Option<String> {
    match (&shown.query.find, &shown.query.step) {
        (Some(wanted), _) => lines(shown, wanted),
        (None, Some(way)) => step(shown, way),
        (None, None) => None,
    }
}

fn step(shown: &Shown<'_>, way: &str) -> Option<String> {
    let layout = shown.part()?;
    let place = match way {
        "next" => layout.change_after(shown.query.at),
        _ => layout.change_before(shown.query.at),
    }?;
    Some(format!("{} {} {}\n{}", shown.query.part.unwrap_or(0), place.rows.0, place.rows.1, place.index))
}

fn lines(shown: &Shown<'_>, wanted: &str) -> Option<String> {
    let (words, hash) = wanted.split_once('~').map_or((wanted, None), |(words, hash)| (words, Some(hash)));
    let (words, edit) = words.split_once('@').map_or((words, None), |(words, edit)| (words, Some(edit)));
    let side = words.chars().next()?;
    let which = if side == 'L' { Which::Old } else { Which::New };
    let numbers = words.get(1..)?;
    let (from, to) = numbers.split_once('-').unwrap_or((numbers, numbers));
    let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
    let layouts = shown.outlines().iter().enumerate().map(|(part, outline)| (part, shown.layout(part, outline)));
    let mut layouts = layouts.filter(|(part, _)| shown.place(*part).edit == edit);
    let of = edit.map(|edit| format!("@{edit}")).unwrap_or_default();
    layouts.find_map(|(part, layout)| {
        let (from, to, text) = near(&layout, which, (from, to), hash)?;
        let (first, last) = (layout.row_of(which, from)?, layout.row_of(which, to)?);
        Some(format!("{part} {first} {}\n{side}{from}-{to}{of}\n{text}", last + 1))
    })
}

/// The lines with these numbers; if their text isn't the one that is meant, the nearest ones that have it.
fn near(layout: &Layout<'_>, which: Which, lines: (u32, u32), hash: Option<&str>) -> Option<(u32, u32, String)> {
    let steps = if hash.is_some() { 2 * NEAR } else { 1 };
    (0..steps).map(|at| if at % 2 == 0 { at / 2 } else { -(at + 1) / 2 }).find_map(|by| {
        let shift = |line: u32| u32::try_from(i64::from(line) + by).ok();
        let (from, to) = (shift(lines.0)?, shift(lines.1)?);
        let text = layout.text_of(which, (from, to))?;
        hash.is_none_or(|hash| crate::shared::hash::text_hash(&text) == hash).then_some((from, to, text))
    })
}
