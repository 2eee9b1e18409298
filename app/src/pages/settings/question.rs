//! The question before something that can't be undone.

use crate::part::{Part, part};
use leptos::prelude::*;

/// Asks about what the pressed button names: `asks` stands before the name. `answers` are the words for "no" and "yes".
pub fn question(id: &'static str, asks: &'static str, says: &'static str, answers: [&'static str; 2]) -> Part {
    let title = format!("{id}-title");
    let [no, yes] = answers;
    part! {
        <dialog id=id class="ask" aria-labelledby=title.clone()><form method="dialog">
            <h2 id=title.clone()>{asks}<span data-name=""></span>"?"</h2>
            <p class="mut">{says}</p>
            <div class="actions"><button value="" class="btn">{no}</button><button value="yes" class="btn deny">{yes}</button></div>
        </form></dialog>
    }
}
