//! The words by which a message is found.

use model::envelope::edit_info;
use model::message_type::code_edit::CodeEdit;
use model::search_text::SearchText;
use model::{Body, Context, Draft, Part, Role, Status};

/// None keeps a message out of search: bookkeeping, reasoning, retracted ones, and calls that derived cards stand for.
pub fn search_text(draft: &Draft, body: &Body) -> Option<String> {
    let bookkeeping = draft.role == Role::System && draft.context == Context::None;
    if bookkeeping || draft.role == Role::Model || draft.part == Part::Replaced || draft.status == Status::Retracted {
        return None;
    }
    let text = collect(draft, body, SearchText::indexed(store::tokens::MAX_BYTES));
    (!text.is_empty()).then_some(text)
}

/// Returns everything that a message says, without marks of its form.
pub fn whole_text(draft: &Draft) -> String {
    collect(draft, &Body::of(draft), SearchText::whole())
}

fn collect(draft: &Draft, body: &Body, mut text: SearchText) -> String {
    match body {
        Body::CodeEdit(code_edit) => edits(draft, code_edit, &mut text),
        body => body.search_text(draft, &mut text),
    }
    text.into_string()
}

/// The texts of edits, which only `diff` can read out of a patch.
fn edits(draft: &Draft, code_edit: &CodeEdit, text: &mut SearchText) {
    // Only so much of a text is searched, and each file is found by its path.
    for edit in &code_edit.edits {
        text.push(&edit.file_path);
    }
    for (index, edit) in code_edit.edits.iter().enumerate() {
        let info = edit_info(draft.metadata.as_ref(), index);
        let texts = diff::texts(edit, &info);
        text.push(texts.patch.unwrap_or_default());
        for fragment in &texts.fragments {
            text.push(fragment.new.as_deref().unwrap_or_default());
            text.push(fragment.old.as_deref().unwrap_or_default());
        }
    }
}
