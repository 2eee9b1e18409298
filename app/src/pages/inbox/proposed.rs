//! The change that a call would make, as a difference. It is made from the input that the decision covers, which the card below
//! shows as it is: an agent can't propose one thing and show another.

use crate::html::Html;
use crate::message::code_edit::{CONTEXT, DiffStyle, Extent, diff_html};
use crate::visible;
use api::messages::AskedCall;
use leptos::tachys::html::InertElement;
use model::envelope::edit_info;
use model::message_type::code_edit::Edit;
use model::{Body, Draft, MessageId, Micros, Role};

/// Files of one call that are drawn.
const MAX_FILES: usize = 10;

/// The differences of a call, one for each file; None of a call that changes no file, or whose input isn't understood.
pub fn diffs(call: &AskedCall) -> Option<InertElement> {
    let mut html = Html::new();
    for metadata in agents::proposed_edits(&call.tool_name, &call.input).into_iter().take(MAX_FILES) {
        let mut draft = Draft::text(MessageId::parse("proposed").ok()?, Role::Assistant, "bot", "", Micros(0));
        draft.metadata = Some(metadata);
        let Body::CodeEdit(code_edit) = Body::of(&draft) else { continue };
        for (index, edit) in code_edit.edits.iter().enumerate() {
            let info = edit_info(draft.metadata.as_ref(), index);
            let texts = diff::texts(edit, &info).among(code_edit.edits.len());
            if let Some(diff) = texts.file_diff(edit, CONTEXT) {
                file(&mut html, edit, &diff);
            }
        }
    }
    (!html.is_empty()).then(|| html.into_view())
}

fn file(html: &mut Html, edit: &Edit, diff: &model::view::FileDiff) {
    html.tag("<figure class=\"proposed\"><figcaption><span class=\"path\" dir=\"ltr\">")
        .html(&visible::path(&edit.file_path))
        .tag("</span><span class=\"delta\"><ins>+")
        .number(diff.added)
        .tag("<span class=\"sr\"> lines added</span></ins> <del>\u{2212}")
        .number(diff.removed)
        .tag("<span class=\"sr\"> lines removed</span></del></span></figcaption>");
    let (drawn, hidden) = diff_html(diff, DiffStyle::of(Extent::Whole));
    html.html(&drawn);
    if hidden > 0 {
        let words = format!("{} in the input below", crate::figures::counted(i64::from(hidden), "more line"));
        html.tag("<p class=\"cap\">").text(&words).tag("</p>");
    }
    html.tag("</figure>");
}
