//! The form of an open APPROVAL: all of what can be chosen, in words that hide nothing, and the buttons that decide.

use super::covered::Covered;
use super::edit;
use crate::exact::{self, Kind};
use crate::figures;
use crate::html::Html;
use crate::message::{Card, parts::ShowAll};
use crate::shared::attr;
use crate::shared::fragments_href;
use crate::visible;
use api::messages::NotShownReason;
use leptos::prelude::*;
use model::MessageId;
use model::hook::HookAsk;
use model::message_type::approval::{
    self, Approval, ApprovalKind, ApprovalState, Choice, Field, FieldKind, OptionKind, Question,
};

/// Options of a question that are buttons wherever it is named, and the characters of each.
const AT_ONCE: usize = 4;
const SHORT: usize = 40;

/// The form with which a person decides. `frontend::decisions` sends it, with the hash of what the card shows.
pub(super) fn form(card: &Card, approval: &Approval, covered: &Covered<'_>) -> impl IntoView + use<> {
    let pick = |question: &Question| question.multi_select == Some(true);
    let one = matches!(approval.questions.as_slice(), [only] if !pick(only)) && approval.fields.is_empty();
    let several: Vec<_> = if one {
        Vec::new()
    } else {
        approval
            .questions
            .iter()
            .enumerate()
            .map(|(index, question)| choices(question, index, pick(question), &approval.title))
            .collect()
    };
    let fields: Vec<_> = approval.fields.iter().map(field).collect();
    let text = approval.takes_words();
    let note = match approval.kind {
        ApprovalKind::Permission | ApprovalKind::Plan => Some("A note to the agent (optional)"),
        ApprovalKind::Question | ApprovalKind::Form => text.then_some("Your answer"),
    };
    let note = note.map(|label| {
        view! {
            <label class="answer-text">
                <span class="sr">{label}</span>
                <textarea name="text" dir="auto" rows="1" placeholder=label></textarea>
            </label>
        }
    });
    let only = approval.questions.first().filter(|_| one);
    // A chosen option is sent by the button and not at once, so that words can go with it.
    let waits = |question: &Question| {
        let asks = matches!(approval.kind, ApprovalKind::Question | ApprovalKind::Form);
        asks && !question.options.is_empty() && (text || !is_plain(question))
    };
    let chosen = only.filter(|question| waits(question)).map(|question| choices(question, 0, false, &approval.title));
    let pressed = only.filter(|question| !waits(question));
    // Those of a hook's request are few and always the same: a row, with what "always" means above it.
    let in_row = |question: &Question| is_plain(question) || HookAsk::of(card.draft()).is_some();
    let buttons = pressed.filter(|question| in_row(question)).map(buttons).unwrap_or_default();
    let means: Vec<_> = pressed.filter(|question| in_row(question)).into_iter().flat_map(described).collect();
    let worded = pressed.filter(|question| !in_row(question)).map(worded);
    let send = |label| button("state", "answered", label, "btn primary");
    let buttons = match (buttons.is_empty() && worded.is_none(), approval.kind) {
        _ if chosen.is_some() => vec![send("Send answer")],
        (false, _) => buttons,
        (true, kind @ (ApprovalKind::Permission | ApprovalKind::Plan)) => yes_or_no(kind),
        // An agent that the server runs is told when a person declines.
        (true, ApprovalKind::Form) if approval::is_asked_by_driver(card.draft()) => {
            vec![send("Send"), button("state", "denied", "Decline", "btn deny")]
        }
        (true, ApprovalKind::Question | ApprovalKind::Form) => vec![send("Send")],
    };
    let asked = pressed.filter(|question| question.question != approval.title);
    let asked = asked.map(|question| view! { <p>{exact::phrase(&question.question).into_view()}</p> });
    let above = pressed.and_then(header).map(|header| view! { <p>{header}</p> });
    let edit = (approval.kind == ApprovalKind::Permission).then(|| edit::fields(card.draft()));
    let asked = view! { {above} {asked} {edit} {chosen} {several} {means} {worded} {fields} {note} };
    decides(card, Some(covered.sha256().to_owned()), asked, buttons)
}

/// A form with the buttons that decide, and room for what goes wrong.
fn decides<A: IntoView, B: IntoView>(
    card: &Card,
    sha256: Option<String>,
    asked: A,
    buttons: B,
) -> impl IntoView + use<A, B> {
    view! {
        <form class="body answer" data-decide=card.draft().id.to_string() data-shown=sha256>
            <fieldset data-asks="" role="none">
            {asked}
            <p class="cap" role="alert" data-problem="" hidden></p>
            <p class="cap fg-warn only-kept">"Can't be answered while offline"</p>
            <div class="actions">{buttons} {dismiss_button().into_view()}</div>
            </fieldset>
        </form>
    }
}

/// Closes a request without a decision. It needs none of the form's fields.
fn dismiss_button() -> Html {
    let mut html = Html::new();
    html.tag("<button type=\"submit\" name=\"state\"").attr("value", ApprovalState::Cancelled.as_str());
    html.tag(" class=\"btn quiet\" formnovalidate title=\"Close it without a decision: the agent is told\">");
    html.tag("<span>Dismiss</span></button>");
    html
}

/// Returns a form with this button alone, for a request that is answered in the agent's terminal, or in words.
pub(crate) fn dismissal(id: &MessageId) -> Html {
    let mut html = Html::new();
    html.tag("<form class=\"dismiss\"").attr(attr::DECIDE, id.as_str()).tag(">");
    html.tag("<fieldset data-asks=\"\" role=\"none\">").html(&dismiss_button());
    html.tag("<p class=\"cap\" role=\"alert\" data-problem=\"\" hidden></p></fieldset></form>");
    html
}

/// Replaces the form if the card can't show everything that a decision covers: it has no hash, and only allows a
/// denial, which needs none.
pub(super) fn only_denial(card: &Card) -> impl IntoView + use<> {
    let Some(not_shown) = card.entry.not_shown.clone() else {
        return view! { <p class="line note-line">"Open the session's page to decide"</p> }.into_any();
    };
    let deny = || button("state", "denied", "Deny", "btn deny");
    match not_shown.reason {
        NotShownReason::LeftOut => {
            return view! { <ShowAll label="Show the whole request to decide".to_owned() /> }.into_any();
        }
        NotShownReason::NoContent => {
            let asked = view! { <p>"It doesn't show the change or the command, so it can't be allowed here. Deny it, or answer in the agent's terminal."</p> };
            return decides(card, None, asked, deny()).into_any();
        }
        NotShownReason::TooLarge => {}
    }
    let size = figures::bytes(not_shown.bytes);
    let session = fragments_href(card.options.session_id.as_str());
    let raw = |seq: i64| format!("{session}/records/{seq}?as=text");
    let links: Vec<_> = std::iter::once(card.entry.message.seq)
        .chain(not_shown.calls)
        .map(|seq| view! { " " <a target="_blank" href=raw(seq)>{format!("message {seq}")}</a> })
        .collect();
    let asked = view! {
        <p>{format!("It is too large to show ({size}), so it can't be allowed here. Deny it, or read it raw and answer in the agent's terminal:")} {links}</p>
    };
    decides(card, None, asked, deny()).into_any()
}

/// Buttons that decide at once, if its title is all that there is to read and each answer is a press.
pub(crate) fn at_once(approval: &Approval) -> Option<Vec<AnyView>> {
    let is_bare = approval.body.as_deref().is_none_or(|body| body.trim().is_empty()) && approval.fields.is_empty();
    match (approval.kind, approval.questions.as_slice()) {
        _ if !is_bare => None,
        (ApprovalKind::Permission, []) => Some(yes_or_no(approval.kind)),
        (ApprovalKind::Permission | ApprovalKind::Question, [only])
            if only.multi_select != Some(true)
                && is_plain(only)
                && (1..=AT_ONCE).contains(&only.options.len())
                && only.options.iter().all(|choice| label(choice).chars().count() <= SHORT) =>
        {
            Some(buttons(only))
        }
        _ => None,
    }
}

fn yes_or_no(kind: ApprovalKind) -> Vec<AnyView> {
    let yes = if kind == ApprovalKind::Plan { "Approve plan" } else { "Allow once" };
    vec![button("state", "denied", "Deny", "btn deny"), button("state", "allowed_once", yes, "btn allow")]
}

/// The options of one question as buttons: refusals at the left, what is pressed most at the right.
fn buttons(question: &Question) -> Vec<AnyView> {
    let mut choices: Vec<&Choice> = question.options.iter().collect();
    choices.sort_by_key(|choice| match choice.kind {
        Some(OptionKind::RejectOnce | OptionKind::RejectAlways) => 0,
        Some(OptionKind::AllowAlways) => 1,
        None => 2,
        Some(OptionKind::AllowOnce) => 3,
    });
    let class = |choice: &Choice| match choice.kind {
        Some(OptionKind::RejectOnce | OptionKind::RejectAlways) => "btn deny",
        Some(OptionKind::AllowOnce) => "btn allow",
        Some(OptionKind::AllowAlways) => "btn always",
        None => "btn",
    };
    choices
        .into_iter()
        .map(|choice| {
            let words = view! { <span>{exact::phrase(label(choice)).into_view()}</span> {meaning(choice)} };
            view! { <button type="submit" name="option" value=choice.id.clone() class=class(choice)>{words}</button> }
                .into_any()
        })
        .collect()
}

/// Returns the descriptions of the options, one per line.
fn described(question: &Question) -> Vec<AnyView> {
    let line = |choice: &Choice| {
        let words = choice.description.as_deref()?;
        Some(
            view! { <p class="cap">{exact::phrase(label(choice)).into_view()} ": " {exact::phrase(words).into_view()}</p> }
                .into_any(),
        )
    };
    question.options.iter().filter_map(line).collect()
}

/// Options with descriptions, for which a row of buttons has no room: one below the other.
fn worded(question: &Question) -> impl IntoView + use<> {
    let options: Vec<_> = question
        .options
        .iter()
        .map(|choice| {
            view! {
                <button type="submit" class="opt" name="option" value=choice.id.clone()>
                    <span>{exact::phrase(label(choice)).into_view()}</span> {meaning(choice)}
                    {choice.description.as_deref().map(|words| view! { <small>{exact::phrase(words).into_view()}</small> })}
                </button>
            }
        })
        .collect();
    view! { <div class="options" role="group" aria-label="Answers">{options}</div> }
}

fn button(name: &'static str, value: &str, label: &str, class: &'static str) -> AnyView {
    view! { <button type="submit" name=name value=value.to_owned() class=class><span>{exact::phrase(label).into_view()}</span></button> }.into_any()
}

/// Returns the effect of an option, unless its label says the same. An agent can call a permission "No".
fn meaning(choice: &Choice) -> Option<impl IntoView + use<>> {
    choice.meaning().map(|words| view! { <small class="means">{words}</small> })
}

pub(super) fn label(choice: &Choice) -> &str {
    if choice.label.is_empty() { &choice.id } else { &choice.label }
}

/// The options of a question that are chosen before they are sent. What the head asks isn't asked again.
fn choices(question: &Question, index: usize, many: bool, head: &str) -> impl IntoView + use<> {
    let told = (question.question == head).then_some("sr");
    let header = header(question);
    let all_told = told.filter(|_| header.is_none());
    let kind = if many { "checkbox" } else { "radio" };
    let name = format!("option-{index}");
    let options: Vec<_> = question
        .options
        .iter()
        .map(|choice| {
            view! {
                <label>
                    <input type=kind class="tick" name=name.clone() value=choice.id.clone() />
                    <span>{exact::phrase(label(choice)).into_view()}</span> {meaning(choice)}
                    {choice.description.as_deref().map(|words| view! { <small>{exact::phrase(words).into_view()}</small> })}
                </label>
            }
        })
        .collect();
    view! {
        <fieldset class="options">
            <legend class=all_told>{header}<span class=told>{exact::phrase(&question.question).into_view()}</span></legend>
            {options}
        </fieldset>
    }
}

/// The word or two that stand for a question.
fn header(question: &Question) -> Option<impl IntoView + use<>> {
    let header = question.header.as_deref().filter(|header| !header.is_empty() && *header != question.question)?;
    Some(view! { <span class="cap">{exact::phrase(header).into_view()} " "</span> })
}

/// Characters of an option that every browser shows whole in a list that unfolds.
const IN_SELECT: usize = 30;

fn field(field: &Field) -> impl IntoView + use<> {
    let (name, label) = (format!("field-{}", field.id), field.label.clone());
    let required = field.required == Some(true);
    let input = match field.kind {
        FieldKind::Select => {
            let options: Vec<_> = field
                .options
                .iter()
                .flatten()
                .map(|word| view! { <option value=word.clone()>{visible::plain(word)}</option> })
                .collect();
            view! { <select name=name required=required><option value="">"Choose"</option>{options}</select> }
                .into_any()
        }
        FieldKind::Checkbox => {
            view! { <input type="checkbox" class="tick" name=name value="true" required=required /> }.into_any()
        }
        FieldKind::Number => {
            view! { <input type="number" step="any" name=name required=required data-number="" /> }.into_any()
        }
        FieldKind::Date => view! { <input type="date" name=name required=required /> }.into_any(),
        FieldKind::Text => view! { <input type="text" dir="auto" name=name required=required /> }.into_any(),
    };
    let cut = |word: &String| word.chars().nth(IN_SELECT).is_some() || !exact::is_plain(word, Kind::Words);
    let options = field.options.iter().flatten();
    let listed: Vec<_> = if field.options.iter().flatten().any(cut) {
        options.map(|word| view! { <li>{exact::html(word, Kind::Words).into_view()}</li> }).collect()
    } else {
        Vec::new()
    };
    let listed = (!listed.is_empty()).then(|| view! { <ul class="prose">{listed}</ul> });
    view! { <label class="answer-field"><span>{exact::phrase(&label).into_view()}{required.then_some(" *")}</span>{input}</label> {listed} }
}

/// Returns true if the options only have labels.
fn is_plain(question: &Question) -> bool {
    question.options.iter().all(|choice| choice.description.is_none())
}
