//! Texts that nobody wrote as prose: commands, their output, interruptions, compactions, footers, host notices.

use super::super::{
    Card,
    parts::{Acts, Folded, Mark, ShowAll, State},
    tool_call::{MAX_CUT, MAX_WHOLE, first, last},
    voice::speaker,
};
use super::hint::{Hint, RunEnd};
use crate::ansi;
use crate::figures::{counted, dollars, tokens};
use crate::icon::{Glyph, Icon, Size};
use crate::time_text::duration;
use crate::visible;
use leptos::prelude::*;
use model::policy::facts_of;
use model::terminal;
use model::text::{self, one_line};

/// Lines of output drawn until all are asked for.
const LINES: usize = 20;

/// The shape that a hint asks for; None where the voice decides.
pub(super) fn view(card: &Card, hint: &Hint) -> Option<AnyView> {
    let content = card.draft().content.trim();
    Some(match hint {
        Hint::None | Hint::Aborted | Hint::Redacted => return None,
        Hint::Command { name, args } => said(card, Glyph::KBD, format!("{name} {args}").trim().to_owned()).into_any(),
        Hint::Shell(command) => said(card, Glyph::TERM, format!("! {command}")).into_any(),
        Hint::Output { stdout, stderr } => command_output(card, stdout, stderr).into_any(),
        Hint::Interrupted => marker("idle", Glyph::STOP, interruption(content)).into_any(),
        Hint::Task { status, command } => task(card, status.as_deref(), command.as_deref()).into_any(),
        Hint::Compacted { before, after } => compacted(card, *before, *after).into_any(),
        Hint::RunEnd(run) => foot(card, content, *run).into_any(),
    })
}

fn interruption(content: &str) -> String {
    let during = if content.contains("for tool use") { ", during a tool call" } else { "" };
    format!("Interrupted by the user{during}")
}

fn marker(state: &'static str, glyph: Glyph, words: String) -> impl IntoView {
    view! {
        <p class="line" data-state=state>
            <Icon glyph size=Size::Small />
            <span>{words}</span>
        </p>
    }
}

/// Draws a person's input that isn't prose.
fn said(card: &Card, glyph: Glyph, words: String) -> impl IntoView + use<> {
    view! {
        <div class="msg user action">
            <Icon glyph size=Size::Small />
            <code>{visible::html(&words).into_view()}</code>
            <Acts card=card.clone() />
        </div>
    }
}

/// Draws the output of a person's command: standard output, then errors. If there is none, it is only drawn with a
/// known exit code.
fn command_output(card: &Card, stdout: &str, stderr: &str) -> impl IntoView + use<> {
    let parts: Vec<&str> = [stdout, stderr].into_iter().filter(|part| !part.is_empty()).collect();
    let content = card.draft().content.trim_end();
    // The end of a shell's log is most important; output of the agent's program is read from its head.
    let keep = if parts.is_empty() { Keep::Head } else { Keep::Tail };
    let text = if parts.is_empty() { without_keys(content) } else { parts.join("\n") };
    let is_empty = text.is_empty() || matches!(text.as_str(), "(no output)" | "(no content)" | "(No output)");
    if is_empty && ended(card).is_none() {
        return ().into_any();
    }
    let only_errors = !stderr.is_empty() && stdout.is_empty();
    let label = if only_errors { "Command errors" } else { "Command output" };
    said_by_tool(card, label, (!is_empty).then_some((text.as_str(), keep))).into_any()
}

/// Returns the output of the agent's program without hints about its keys, such as `(ctrl+o to see full summary)`,
/// which have no effect here.
fn without_keys(text: &str) -> String {
    let cut = |line: &str| {
        let hint = line.strip_suffix(')').and_then(|line| line.rsplit_once(" ("));
        let said = hint.filter(|(_, hint)| hint.starts_with("ctrl+") && hint.contains(" to ")).map(|(said, _)| said);
        said.unwrap_or(line).to_owned()
    };
    text.lines().map(cut).collect::<Vec<_>>().join("\n")
}

/// Which part of a long output is drawn at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    Head,
    Tail,
}

/// Terminal output, cut at its end or at its beginning.
fn output(card: &Card, text: &str, keep: Keep, failed: bool) -> impl IntoView + use<> {
    let screen = terminal::show(text);
    let text = screen.text.trim_end();
    let (shown, hidden) = match keep {
        _ if card.whole() => first(text, usize::MAX, MAX_WHOLE),
        Keep::Head => first(text, LINES, MAX_CUT),
        Keep::Tail => last(text, LINES, MAX_CUT),
    };
    let part = match keep {
        Keep::Tail if !card.whole() => text.len() - shown.len()..text.len(),
        _ => 0..shown.len(),
    };
    let left = (hidden > 0).then(|| counted(hidden as i64, "more line"));
    let show = |which: Keep| {
        let label = left.as_ref().filter(|_| which == keep && !card.whole())?;
        Some(view! { <ShowAll label=format!("Show {label}") /> })
    };
    let elsewhere = left.as_ref().filter(|_| card.whole()).map(|lines| {
        view! { <a class="hidden-lines" href=card.full_text() target="_blank">{format!("{lines}, in the full text")}</a> }
    });
    let html = ansi::draw(&screen, part).in_pre();
    let class = if failed { "out failed" } else { "out" };
    view! {
        <div class=class>
            {show(Keep::Tail)}
            <pre class="term" tabindex="0">
                {html.into_view()}
            </pre>
            {show(Keep::Head)}
            {elsewhere}
        </div>
    }
}

/// Output of a tool whose call isn't known, or of an older system's tool.
pub(super) fn tool_output(card: &Card) -> impl IntoView + use<> {
    let text = card.draft().content.trim_end();
    said_by_tool(card, "Tool output", (!text.is_empty()).then_some((text, Keep::Tail)))
}

/// The mark of a tool, how it ended, and below that what it said.
fn said_by_tool(card: &Card, label: &'static str, text: Option<(&str, Keep)>) -> impl IntoView + use<> {
    let failed = card.draft().says_failed();
    let text = text.map(|(text, keep)| output(card, text, keep, failed));
    let nothing = text.is_none().then(|| view! { <span class="cap">"No output"</span> });
    view! {
        <div class="by-tool" data-state=failed.then_some("failed")>
            <p class="line">
                <Icon glyph=Glyph::TOOL size=Size::Small />
                <b>{label}</b>
                {ended(card).map(|mark| view! { <State mark /> })}
                {nothing}
            </p>
            {text}
        </div>
    }
}

/// How a tool ended. Without an exit code or a word of an error nobody knows.
fn ended(card: &Card) -> Option<Mark> {
    let draft = card.draft();
    match facts_of(draft).exit_code {
        Some(code) if code != 0 => Some(Mark::new("failed", Glyph::FAIL, format!("Exit {code}"))),
        _ if draft.says_failed() => Some(Mark::new("failed", Glyph::FAIL, "Failed")),
        code => code.map(|_| Mark::new("done", Glyph::DONE, "Done")),
    }
}

/// The text of a message that begins folded.
fn prose(card: &Card, content: &str, class: &'static str) -> AnyView {
    if card.at_a_glance() {
        view! { <Folded text=content.to_owned() /> }.into_any()
    } else {
        view! { <div class=class>{card.prose(content).into_view()}</div> }.into_any()
    }
}

/// A background task reports: what ran, else what the report says.
fn task(card: &Card, status: Option<&str>, command: Option<&str>) -> impl IntoView + use<> {
    let (state, glyph, words) = match status {
        Some("failed" | "error") => ("failed", Glyph::FAIL, "Background task failed"),
        Some("killed" | "stopped" | "cancelled") => ("idle", Glyph::CUT, "Background task stopped"),
        Some("running") => ("running", Glyph::WORK, "Background task"),
        Some("completed" | "done") => ("done", Glyph::BELL, "Background task finished"),
        _ => ("done", Glyph::BELL, "Background task"),
    };
    let content = card.draft().content.trim();
    let line = one_line(command.unwrap_or(content), 160);
    let more = command.is_some() || content.lines().nth(1).is_some() || line.ends_with('…');
    let head = view! {
        <Icon glyph size=Size::Small state=state />
        <b>{words}</b>
        <span class="target">{visible::html(&line).into_view()}</span>
    };
    if more {
        view! {
            <details class="card tool" data-state=state data-folded=card.at_a_glance().then_some("")>
                <summary>{head}</summary>
                {prose(card, content, "body prose")}
            </details>
        }
        .into_any()
    } else {
        view! { <p class="line">{head}</p> }.into_any()
    }
}

/// A divider with the summary that took the place of what came before. Without the developer's lines a marker stands
/// above it, which divides and leads here: then it is the summary alone.
fn compacted(card: &Card, before: Option<i64>, after: Option<i64>) -> impl IntoView + use<> {
    let figures = match (before, after) {
        (Some(before), Some(after)) => Some(format!("{} to {} tokens", tokens(before), tokens(after))),
        (Some(before), None) => Some(format!("{} tokens before", tokens(before))),
        _ => None,
    };
    let content = card.draft().content.trim();
    let has_summary = content.chars().nth(100).is_some();
    if has_summary && !card.options.dev && !card.at_a_glance() {
        return view! { <div class="divide">{prose(card, content, "prose")}</div> }.into_any();
    }
    let words =
        figures.map_or_else(|| "Context compacted".to_owned(), |figures| format!("Context compacted · {figures}"));
    let head = view! {
        <Icon glyph=Glyph::FOLD size=Size::Small />
        {words}
    };
    if has_summary {
        view! {
            <details class="divide" data-folded=card.at_a_glance().then_some("") open=!card.at_a_glance()>
                <summary class="divider">
                    <span>{head} <span class="link">"Read the summary"</span></span>
                </summary>
                {prose(card, content, "prose")}
            </details>
        }
        .into_any()
    } else {
        view! {
            <p class="divider">
                <span>{head}</span>
            </p>
        }
        .into_any()
    }
}

/// The footer of a run: time, tokens, cost; without figures what its content lists. Who looks into the record, or has
/// it on paper, reads what the tokens were.
fn foot(card: &Card, content: &str, run: RunEnd) -> impl IntoView + use<> {
    let listed = || content.split(" · ").map(|fact| one_line(fact, 80)).filter(|fact| !fact.is_empty()).take(12);
    let mut facts: Vec<(String, Option<String>)> = Vec::new();
    let took = run.duration_ms.map(|ms| duration(ms.saturating_mul(1000)));
    let is_timed = took.is_some();
    facts.extend(took.map(|words| (words, None)));
    facts.extend(run.turns.map(|turns| (counted(turns, "turn"), None)));
    if let Some(usage) = run.usage {
        let sent = usage.input_total();
        let output = if run.output_unknown { 0 } else { usage.output };
        let mut parts = vec![format!("{} in, {} cached", tokens(sent), tokens(usage.cache_read))];
        parts.extend((!run.output_unknown).then(|| format!("{} out", tokens(output))));
        if card.options.dev || card.printed() {
            facts.extend(parts.into_iter().map(|part| (part, None)));
        } else {
            facts.push((format!("{} tokens", tokens(sent.saturating_add(output))), Some(parts.join(", "))));
        }
    }
    facts.extend(run.cost_usd.map(|cost| (dollars(cost), None)));
    if !is_timed {
        facts.extend(listed().map(|fact| (fact, None)));
    }
    let facts: Vec<_> = facts.into_iter().map(|(fact, more)| view! { <span title=more>{fact}</span> }).collect();
    // Where time and figures stand, they say that it ended; that it failed is said.
    let word = match (run.failed, is_timed) {
        (true, _) => view! { <b>"Run failed"</b> }.into_any(),
        (false, true) => view! { <b class="sr">"Run finished"</b> }.into_any(),
        (false, false) => view! { <b>"Run finished"</b> }.into_any(),
    };
    view! {
        <p class="foot">
            {word}
            {facts}
        </p>
    }
}

/// A notice of ours or of the agent's program.
pub(super) fn host(card: &Card) -> impl IntoView + use<> {
    notice(card, card.draft().content.trim())
}

/// Draws an agent's text that imitates the host as its own notice, which never looks like the host's. None for other
/// texts.
pub(super) fn as_host(card: &Card) -> Option<AnyView> {
    let words = text::as_host(&card.draft().content)?;
    let who = speaker(card.draft(), &card.options);
    Some(
        view! {
            <div class="msg prose">
                <p class="who">
                    <span class="chip">{format!("Notice by {who}")}</span>
                </p>
                <Acts card=card.clone() />
                {card.prose(words).into_view()}
            </div>
        }
        .into_any(),
    )
}

/// A centred line, and longer ones as prose.
fn notice(card: &Card, content: &str) -> impl IntoView + use<> {
    let line = one_line(content, 240);
    if line.ends_with('…') {
        return view! {
            <details class="divide" data-folded=card.at_a_glance().then_some("")>
                <summary class="divider">
                    <span>
                        <Icon glyph=Glyph::HOME size=Size::Small label="Host" />
                        {visible::html(&one_line(content, 90)).into_view()}
                        <span class="link">"Read it"</span>
                    </span>
                </summary>
                {prose(card, content, "prose")}
            </details>
        }
        .into_any();
    }
    view! {
        <p class="divider">
            <span>
                <Icon glyph=Glyph::HOME size=Size::Small label="Host" />
                {visible::html(&line).into_view()}
            </span>
        </p>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::without_keys;

    #[test]
    fn hints_at_keys_are_cut_after_compaction() {
        let cases = [
            ("Compacted (ctrl+o to see full summary)", "Compacted"),
            ("a\nCompacted (ctrl+r to expand)\nb", "a\nCompacted\nb"),
            ("Press (ctrl+o to see) now", "Press (ctrl+o to see) now"),
            ("Compacted (twice)", "Compacted (twice)"),
            ("Bound (ctrl+o)", "Bound (ctrl+o)"),
            (")", ")"),
            ("", ""),
        ];
        for (text, shown) in cases {
            assert_eq!(without_keys(text), shown, "{text}");
        }
    }
}
