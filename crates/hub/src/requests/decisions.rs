//! A person's decision on an APPROVAL: the first one holds, and it is bound to what was shown.

use crate::basics::{clock, moment, problem};
use crate::context::Scoped;
use crate::may::{message_id, session};
use crate::requests::dismiss;
use crate::requests::record::{DecisionWrite, Written, by, find_action, held, replayed, tell, via, write};
use crate::requests::shown::{self, shown_sha256};
use crate::requests::waiting::WaitingHooks;
use crate::requests::{allow_rules, declared, file_actions, review_actions};
use crate::writing::posting;
use api::messages::MessagePath;
use api::posting::{Decide, Decided};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::closed::Closed;
use model::hook::HookAsk;
use model::message_type::action::Action;
use model::message_type::approval::{Approval, ApprovalState, Choice, Decision, FieldKind, OptionKind, Question};
use model::text::is_blank;
use model::{Body, Context, Draft, Message, MessageId, Payload as _, SessionId, markdown};
use serde_json::{Map, Value};
use store::{Changed, LivePost, Objection, Refusal, Rule, Store, StoredMessage};

pub async fn decide(scoped: &Scoped, path: &MessagePath, input: Decide) -> Result<Decided, Problem> {
    let session = session(scoped, &SessionPath { session: path.session.clone() }).await?.id;
    let id = message_id(scoped, &session, &path.message).await?;
    let found = scoped.hub.workspace.message(&session, &id).await.map_err(problem)?;
    let found = found.ok_or_else(|| Problem::not_found("message"))?;
    if input.edited_input.is_some() && HookAsk::of(&found.message.draft).is_none() {
        return Err(Problem::field("/edited_input", "absent: the input can only be changed if an agent's hook asks"));
    }
    if input.state == Some(ApprovalState::Cancelled) {
        return dismiss::dismiss(scoped, &input, found).await;
    }
    if Closed::of(&found.message.draft).is_some() {
        return Err(held(found));
    }
    match Body::of(&found.message.draft) {
        Body::Approval(approval) => decide_approval(scoped, input, found, &approval).await,
        Body::File(file) if file.files.iter().any(|item| !item.actions.is_empty()) => {
            file_actions::choose(scoped, input, found, &file).await
        }
        Body::CodeReview(review) if !review.comments.is_empty() => {
            review_actions::choose(scoped, input, found, &review).await
        }
        Body::Unknown { .. } => declared::answer(scoped, input, found).await,
        _ => Err(Problem::new(ProblemCode::NoApproval, "This message doesn't ask for a decision")),
    }
}

async fn decide_approval(
    scoped: &Scoped,
    input: Decide,
    found: StoredMessage,
    approval: &Approval,
) -> Result<Decided, Problem> {
    let draft = &found.message.draft;
    if Approval::open_in(draft).is_none() {
        return replay_or_refuse(scoped, &input, found).await;
    }
    let (session, message) = (found.message.session_id.clone(), draft.id.clone());
    let state = state(approval, &input)?;
    let ask = HookAsk::of(draft);
    if let Some(ask) = &ask {
        check_ask(scoped, &session, &message, ask, state, &input)?;
    }
    let only_denies = only_denies(approval, state, &input);
    if !only_denies {
        shown::check_content(scoped, &found).await?;
    }
    if input.shown_sha256.is_none() && !only_denies {
        return Err(Problem::field(
            "/shown_sha256",
            "`shown_sha256` of the message that the person was shown; only a plain denial doesn't need it",
        ));
    }
    let decision = decision(scoped, ask.as_ref(), state, &input);
    let action = action(scoped, &found.message, approval, &decision, &input)?;
    let rule = rule(decision, action);
    match write(scoped, DecisionWrite { session, message, choice: state, needs_calls: true, rule }).await? {
        Written::Now(decided) => {
            if state == ApprovalState::AllowedAlways
                && let Some(HookAsk { rule: Some(rule), folder: Some(folder), .. }) = &ask
            {
                allow_rules::make(scoped, folder, rule).await?;
            }
            Ok(*decided)
        }
        Written::Before(current) => replay_or_refuse(scoped, &input, *current).await,
    }
}

/// The decision as the approval keeps it.
fn decision(scoped: &Scoped, ask: Option<&HookAsk>, state: ApprovalState, input: &Decide) -> Decision {
    Decision {
        selected: input.selected.clone(),
        text: said(input),
        edited_input: edited(ask, input),
        rule: ask.filter(|_| state == ApprovalState::AllowedAlways).and_then(|ask| ask.rule.clone()),
        by: Some(by(scoped).to_owned()),
        at: Some(clock::now()),
        via: Some(via(scoped).to_owned()),
        shown_sha256: input.shown_sha256.clone(),
        ..Decision::new(state)
    }
}

/// Makes the rule by which a decision is written, in the transaction that reads the approval anew.
fn rule(decision: Decision, action: LivePost) -> Rule {
    Box::new(move |current: &StoredMessage, calls: &[StoredMessage]| {
        let draft = &current.message.draft;
        let refused = |objection| Refusal::Rule(objection, Some(Box::new(current.clone())));
        if Approval::open_in(draft).is_none() {
            return Err(refused(Objection::Decided));
        }
        // A person decides on what they were shown, not on what came in between.
        let shown = &decision.shown_sha256;
        if shown.is_some() && shown_sha256(draft, calls).ok() != *shown {
            return Err(refused(Objection::Changed));
        }
        let (decided, body) = decided(draft, &decision).ok_or_else(|| refused(Objection::Decided))?;
        Ok(Changed {
            message: posting::new_message(decided, body),
            follow_up: Some(action.clone()),
            grows: false,
            alive: false,
        })
    })
}

/// Checks a decision on what an agent's hook asks: the agent still waits, and what was changed is a text of the input.
fn check_ask(
    scoped: &Scoped,
    session: &SessionId,
    id: &MessageId,
    ask: &HookAsk,
    state: ApprovalState,
    input: &Decide,
) -> Result<(), Problem> {
    let hub = &scoped.hub;
    // On one database with others, any of them may hold it.
    if matches!(hub.store, Store::Sqlite(_)) && !hub.state::<WaitingHooks>().holds(session, id) {
        let problem = Problem::new(ProblemCode::NobodyWaits, "The agent no longer waits for this decision");
        return Err(problem.hint("Answer it in the agent's terminal"));
    }
    let Some(changes) = &input.edited_input else { return Ok(()) };
    if state != ApprovalState::AllowedOnce {
        return Err(Problem::field("/edited_input", "absent: a changed input can only be allowed once"));
    }
    for (name, value) in changes {
        let pointer = format!("/edited_input/{name}");
        if !value.is_string() {
            return Err(Problem::field(&pointer, "a string"));
        }
        if !ask.editable().any(|(known, _)| known == name) {
            let names: Vec<String> = ask.editable().map(|(name, _)| format!("`{name}`")).collect();
            return Err(Problem::field(&pointer, &format!("one of {}", names.join(", "))));
        }
    }
    Ok(())
}

/// The whole input, where a person changed some of it.
fn edited(ask: Option<&HookAsk>, input: &Decide) -> Option<Value> {
    let changes = input.edited_input.as_ref().filter(|changes| !changes.is_empty())?;
    Some(Value::Object(ask?.edited(changes)))
}

/// The very same decision by the same person is answered again; any other is told who decided what.
async fn replay_or_refuse(scoped: &Scoped, input: &Decide, current: StoredMessage) -> Result<Decided, Problem> {
    if let Body::Approval(Approval { decision: Some(first), .. }) = Body::of(&current.message.draft)
        && (first.by.as_deref(), first.via.as_deref()) == (Some(by(scoped)), Some(via(scoped)))
        && (first.selected == input.selected && first.text == said(input))
        && first.shown_sha256 == input.shown_sha256
        && first.edited_input == edited(HookAsk::of(&current.message.draft).as_ref(), input)
        && input.state.is_none_or(|state| state == first.state)
        && let Some(action) = find_action(scoped, &current, |_| true).await?
        && matches!(Body::of(&action.message.draft), Body::Action(action) if action.values == input.values)
    {
        return replayed(scoped, current, action).await;
    }
    Err(held(current))
}

/// The text of a decision, if it has one.
fn said(input: &Decide) -> Option<String> {
    input.text.clone().filter(|text| !is_blank(text))
}

/// Does a decision deny and do nothing else? It makes no rule for later.
fn only_denies(approval: &Approval, state: ApprovalState, input: &Decide) -> bool {
    let for_ever =
        |choice: &Choice| input.selected.contains(&choice.id) && !matches!(choice.kind, Some(OptionKind::RejectOnce));
    state == ApprovalState::Denied && input.values.is_none() && !approval.choices().any(for_ever)
}

/// The state that a decision leads to, or what is wrong with it.
fn state(approval: &Approval, input: &Decide) -> Result<ApprovalState, Problem> {
    use ApprovalState::Answered;
    for (index, id) in input.selected.iter().enumerate() {
        if !approval.choices().any(|choice| choice.id == *id) {
            return Err(Problem::field(&format!("/selected/{index}"), "the id of an option of this approval"));
        }
        if input.selected.iter().take(index).any(|earlier| earlier == id) {
            return Err(Problem::field(&format!("/selected/{index}"), "an option that isn't chosen twice"));
        }
    }
    let chosen =
        |question: &Question| question.options.iter().filter(|option| input.selected.contains(&option.id)).count();
    let single = || approval.questions.iter().filter(|question| question.multi_select != Some(true));
    if single().any(|question| chosen(question) > 1) {
        return Err(Problem::field("/selected", "one option of each question"));
    }
    check_fields(approval, input.values.as_ref())?;
    let implied = implied(approval, &input.selected);
    let state = match (input.state, implied) {
        (Some(asked), Some(implied)) if asked != implied => {
            return Err(Problem::field("/state", &format!("`{implied}`, as the chosen option says")));
        }
        (Some(asked), _) => asked,
        (None, Some(implied)) => implied,
        (None, None) => Answered,
    };
    if !state.is_persons() {
        return Err(Problem::field("/state", "`allowed_once`, `allowed_always`, `denied` or `answered`"));
    }
    let fills = input.values.as_ref().is_some_and(|values| values.values().any(|value| !is_empty(value)));
    let says = !input.selected.is_empty() || said(input).is_some() || fills;
    let asks_permission = approval.kind.asks_permission();
    if state == Answered && asks_permission {
        // An unclear word is never a permission.
        return Err(Problem::field("/state", "`allowed_once`, `allowed_always` or `denied`"));
    }
    if state == Answered && !says {
        return Err(Problem::field("/selected", "an option, `text` or `values`"));
    }
    if state == Answered && said(input).is_none() && single().any(|q| !q.options.is_empty() && chosen(q) == 0) {
        return Err(Problem::field("/selected", "an option of each question, or give `text`"));
    }
    if !asks_permission && said(input).is_some() && !approval.takes_words() {
        return Err(Problem::field("/text", "absent: this request accepts no free text"));
    }
    let offers = |kind| approval.choices().any(|choice| choice.kind == Some(kind));
    if state == ApprovalState::AllowedAlways && approval.choices().next().is_some() && !offers(OptionKind::AllowAlways)
    {
        return Err(Problem::field("/state", "the state of one of its options, none of which is `allowed_always`"));
    }
    Ok(state)
}

/// Returns the state that the chosen options imply: a single denial denies, and of several permissions the narrowest
/// counts.
fn implied(approval: &Approval, selected: &[String]) -> Option<ApprovalState> {
    let chosen = approval.choices().filter(|choice| selected.contains(&choice.id));
    let kinds: Vec<OptionKind> = chosen.filter_map(|choice| choice.kind).collect();
    let any = |wanted: &[OptionKind]| kinds.iter().any(|kind| wanted.contains(kind));
    if any(&[OptionKind::RejectOnce, OptionKind::RejectAlways]) {
        Some(ApprovalState::Denied)
    } else if any(&[OptionKind::AllowOnce]) {
        Some(ApprovalState::AllowedOnce)
    } else if any(&[OptionKind::AllowAlways]) {
        Some(ApprovalState::AllowedAlways)
    } else {
        None
    }
}

fn check_fields(approval: &Approval, values: Option<&Map<String, Value>>) -> Result<(), Problem> {
    let none = Map::new();
    let values = values.unwrap_or(&none);
    if let Some(unknown) = values.keys().find(|id| approval.fields.iter().all(|field| field.id != **id)) {
        return Err(Problem::field(&format!("/values/{unknown}"), "a field of this form"));
    }
    for field in &approval.fields {
        let pointer = format!("/values/{}", field.id);
        let value = values.get(&field.id).filter(|value| !is_empty(value));
        let expected = match (value, field.kind) {
            (None, _) if field.required == Some(true) => Some("a value: the field is required"),
            (None, _) => None,
            (Some(value), FieldKind::Number) => (!value.is_number()).then_some("a number"),
            (Some(Value::Bool(false)), FieldKind::Checkbox) if field.required == Some(true) => {
                Some("true: the field is required")
            }
            (Some(value), FieldKind::Checkbox) => (!value.is_boolean()).then_some("true or false"),
            (Some(value), FieldKind::Select) => {
                let options = field.options.as_deref().unwrap_or_default();
                let known = value.as_str().is_some_and(|word| options.iter().any(|option| option == word));
                (!known).then_some("one of the field's options")
            }
            (Some(value), FieldKind::Date) => {
                (!value.as_str().is_some_and(moment::is_day)).then_some("a day like `2026-11-01`")
            }
            (Some(value), FieldKind::Text) => (!value.is_string()).then_some("a string"),
        };
        if let Some(expected) = expected {
            return Err(Problem::field(&pointer, expected));
        }
    }
    Ok(())
}

/// A field of a form that says nothing.
fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(is_blank)
}

/// The approval with its decision, and its content.
fn decided(before: &Draft, decision: &Decision) -> Option<(Draft, Body)> {
    let mut draft = before.clone();
    let payload = draft.metadata.as_mut()?.get_mut("payload")?.as_object_mut()?;
    payload.insert("state".to_owned(), Value::from(decision.state.as_str()));
    payload.insert("decision".to_owned(), serde_json::to_value(decision).ok()?);
    draft.requires_user_input = false;
    // A prompt may hold it from now on.
    draft.context = Context::Turn;
    // Generated content shows the old state.
    if draft.content == markdown::generated(before, &Body::of(before)) {
        draft.content.clear();
    }
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    Some((draft, body))
}

/// An answer as it is read: by the names of fields, and of several questions with each what it answers.
fn in_words(approval: &Approval, decision: &Decision, action: Action) -> Action {
    let asked = |question: &Question| question.header.clone().unwrap_or_else(|| question.question.clone());
    let answers = |question: &Question| {
        let chosen = question.options.iter().filter(|option| decision.selected.contains(&option.id));
        let chosen: Vec<&str> = chosen.map(|option| option.label.as_str()).collect();
        (!chosen.is_empty()).then(|| format!("{}: {}", asked(question), chosen.join(", ")))
    };
    let selected = match approval.questions.as_slice() {
        several if several.len() > 1 && !decision.selected.is_empty() => several.iter().filter_map(answers).collect(),
        _ => action.selected,
    };
    let label = |id: String| match approval.fields.iter().find(|field| field.id == id) {
        Some(field) if !field.label.is_empty() => field.label.clone(),
        _ => id,
    };
    let values = action.values.map(|values| values.into_iter().map(|(id, value)| (label(id), value)).collect());
    Action { selected, values, ..action }
}

/// The ACTION that tells the agent.
fn action(
    scoped: &Scoped,
    about: &Message,
    approval: &Approval,
    decision: &Decision,
    input: &Decide,
) -> Result<LivePost, Problem> {
    let label = |id: &String| {
        approval.choices().find(|choice| choice.id == *id).map_or_else(|| id.clone(), |choice| choice.label.clone())
    };
    let mut selected: Vec<String> = decision.selected.iter().map(label).collect();
    if selected.is_empty() && decision.state != ApprovalState::Answered {
        selected.push(decision.state.label());
    }
    let action = Action {
        approval_id: Some(about.draft.id.to_string()),
        reply_to: None,
        selected,
        values: input.values.clone(),
        text: decision.text.clone(),
    };
    let mut extras = Map::new();
    extras.insert("decision_state".to_owned(), Value::from(decision.state.as_str()));
    let words = in_words(approval, decision, action.clone());
    tell(scoped, (&about.session_id, &about.draft.id), &action, extras, words.to_markdown())
}
