//! Text of messages in other channels of a session, with a mark for the author.

use super::{Channel, facts_of, policy};
use crate::{
    Body, Draft, Status,
    envelope::edit_info,
    message_type::{
        approval::{Approval, Choice},
        progress::is_under_way,
        tool_call::ToolState,
    },
    summary::{edit_line, summary},
    text::clip,
    todo_state::TodoState,
    words,
};

/// Maximum length of a scheduled task in other channels, in characters.
const TASK_CHARS: usize = 500;

words! {
    /// Verbosity of a channel.
    Verbosity {
        /// Messages of people and agents.
        Normal = "normal",
        /// Also reasoning and the cost of runs.
        Verbose = "verbose",
    }
    /// Whether the channel itself shows the bot's name.
    BotIdentity {
        /// It does: an answer has no name.
        Shown = "shown",
        /// It doesn't: an answer begins with the agent's name.
        Hidden = "hidden",
    }
}

/// Properties of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelView {
    /// Verbosity.
    pub verbosity: Verbosity,
    /// Whether the channel itself shows the bot's name.
    pub bot_identity: BotIdentity,
}

/// Returns the text of a message for another channel; None if it gets nothing.
pub fn channel_text(draft: &Draft, view: ChannelView) -> Option<String> {
    if draft.status == Status::Retracted {
        return None;
    }
    let facts = facts_of(draft);
    let content = &draft.content;
    let name = draft.sender_name.as_deref().unwrap_or(&draft.sender);
    let verbose = view.verbosity == Verbosity::Verbose;
    let text = match policy(&facts).channel {
        Channel::Nothing => return None,
        Channel::Reasoning | Channel::RunFooter if !verbose => return None,
        Channel::SummaryAtEnd if draft.status == Status::Streaming || is_under_way(draft) => return None,
        Channel::Person => format!("[{name}] {content}"),
        Channel::PassedOn => format!("[{name}, passed on by the agent] {}", crate::markdown::to_markdown(draft)),
        Channel::Upload => format!("[{name}] 📎 {}", upload(draft)),
        Channel::Reply => format!("[{name}] ▸ {}", reply(draft)),
        Channel::Tick => format!("[{name}] ☑ {}", ticked(draft)),
        Channel::Answer if view.bot_identity == BotIdentity::Shown && !begins_with_a_mark(content) => content.clone(),
        Channel::Answer => format!("{}: {content}", draft.sender_name.as_deref().unwrap_or("Assistant")),
        Channel::Reasoning => format!("💭 {}", shortened(content)),
        Channel::Tool => tool(draft),
        Channel::Edit => format!("🔧 {}", edits(draft)),
        Channel::Checklist => format!("☑ {}", checklist(draft)),
        Channel::CommandOutput => command_output(draft, facts.exit_code),
        Channel::System => format!("⚙️ {content}"),
        Channel::Task => format!("» [Scheduled Task] {}", clip(content, TASK_CHARS)),
        Channel::House => format!("🏠 {content}"),
        Channel::Ask => format!("🔐 {}", ask(draft)),
        Channel::RunFooter => format!("📊 {content}"),
        Channel::Summary | Channel::SummaryAtEnd => summary(draft),
        Channel::Content => content.clone(),
    };
    Some(text)
}

/// Returns true if a text begins with a mark of Verbatim itself, which an agent must not imitate.
fn begins_with_a_mark(text: &str) -> bool {
    const MARKS: [&str; 4] = ["🏠", "🔐", "⚙", "»"];
    let text = crate::routing::mention::visible_trim(text);
    MARKS.iter().any(|mark| text.starts_with(mark))
}

fn upload(draft: &Draft) -> String {
    let names = match Body::of(draft) {
        Body::File(file) => file.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>().join(", "),
        _ => return draft.content.clone(),
    };
    if draft.content.is_empty() { names } else { format!("{names}: {}", draft.content) }
}

fn reply(draft: &Draft) -> String {
    match Body::of(draft) {
        Body::Action(action) => action.answer(),
        _ => draft.content.clone(),
    }
}

fn ticked(draft: &Draft) -> String {
    match Body::of(draft) {
        Body::Todo(todo) => todo.todos.iter().map(|item| item.content.clone()).collect::<Vec<_>>().join(", "),
        _ => draft.content.clone(),
    }
}

fn checklist(draft: &Draft) -> String {
    match Body::of(draft) {
        Body::Todo(todo) => {
            let progress = TodoState::new(todo, draft.metadata.as_ref()).progress();
            format!("{}/{}{}", progress.done, progress.whole(), progress.besides())
        }
        _ => draft.content.clone(),
    }
}

fn edits(draft: &Draft) -> String {
    let Body::CodeEdit(edit) = Body::of(draft) else { return draft.content.clone() };
    let lines: Vec<String> = (0..edit.edits.len())
        .map(|index| {
            let info = edit_info(draft.metadata.as_ref(), index);
            let (added, removed) = edit.edits[index].line_counts_among(&info, edit.edits.len());
            format!("{} +{added} -{removed}", edit_line(draft, &edit.edits[index], index))
        })
        .collect();
    lines.join("\n")
}

fn tool(draft: &Draft) -> String {
    let Body::ToolCall(call) = Body::of(draft) else { return format!("🔧 {}", draft.content) };
    let preview = format!("🔧 {}", summary(draft));
    match call.output_text().filter(|output| !output.is_empty()) {
        Some(output) => format!("{preview}\n📋 {}", shortened(&output)),
        None => preview,
    }
}

fn command_output(draft: &Draft, exit_code: Option<i64>) -> String {
    let (failed, output) = match Body::of(draft) {
        Body::ToolCall(call) => {
            let output = call.output_text().or_else(|| call.error.clone()).unwrap_or_else(|| draft.content.clone());
            (Some(call.state() == ToolState::Failed), output)
        }
        _ => (exit_code.map(|code| code != 0), draft.content.clone()),
    };
    let mark = match failed {
        Some(true) => "🔧 ❌",
        Some(false) => "🔧 ✅",
        None => "🔧",
    };
    format!("{mark} {}", shortened(&output))
}

/// Returns the request, with instructions for answering it in text.
fn ask(draft: &Draft) -> String {
    let Body::Approval(approval) = Body::of(draft) else { return draft.content.clone() };
    if !approval.state.is_open() {
        return format!("{}{}", summary(draft), decided_by(&approval).unwrap_or_default());
    }
    let mut lines = vec![approval.title.clone()];
    lines.extend(approval.risk.as_ref().filter(|risk| !risk.is_empty()).map(|risk| format!("Risk: {risk}")));
    lines.extend(approval.body.clone());
    let mut number = 0;
    for question in &approval.questions {
        // That of a permission is the title, mostly.
        let asked = Some(&question.question).filter(|asked| !asked.is_empty() && **asked != approval.title);
        lines.extend(asked.cloned());
        for choice in &question.options {
            number += 1;
            lines.push(option(number, choice));
        }
    }
    lines.push(how_to_answer(&approval).to_owned());
    lines.join("\n")
}

/// Returns an option with its number, its effect if the label doesn't state it, and its description: `1. No (allows
/// once)`.
fn option(number: usize, choice: &Choice) -> String {
    let label = if choice.label.is_empty() { &choice.id } else { &choice.label };
    let does = choice.meaning().map(|words| format!(" ({words})")).unwrap_or_default();
    let more = choice.description.as_ref().filter(|words| !words.is_empty());
    let more = more.map(|words| format!(": {words}")).unwrap_or_default();
    format!("{number}. {label}{does}{more}")
}

/// Returns who decided, and where, if known: ` by Ada (matrix)`. Empty for a report, which names its key.
pub fn decided_by(approval: &Approval) -> Option<String> {
    let decision = approval.decision.as_ref().filter(|decision| decision.reported_by.is_none())?;
    let by = decision.by.as_ref()?;
    if decision.is_by_archive() {
        return Some(" according to the imported archive".to_owned());
    }
    Some(decision.via.as_ref().map_or_else(|| format!(" by {by}"), |via| format!(" by {by} ({via})")))
}

fn how_to_answer(approval: &Approval) -> &'static str {
    let text = approval.questions.iter().any(|question| question.allow_text == Some(true));
    match (approval.choices().next().is_some(), text) {
        (true, true) => "Answer with a number, or in your own words",
        (true, false) => "Answer with a number",
        (false, _) => "Answer in your own words",
    }
}

/// Returns the first 2,000 and the last 500 characters, if there are more than 4,000.
fn shortened(output: &str) -> String {
    const MAX: usize = 4000;
    const HEAD: usize = 2000;
    const TAIL: usize = 500;
    let chars = output.chars().count();
    if chars <= MAX {
        return output.to_owned();
    }
    let head: String = output.chars().take(HEAD).collect();
    let tail: String = output.chars().skip(chars - TAIL).collect();
    format!("{head}\n… {} characters left out …\n{tail}", chars - HEAD - TAIL)
}
