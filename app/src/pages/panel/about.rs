//! Details of a session: ids, files, models, tokens, times, and how to continue.

use crate::clock::{Clock, moment_ago};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shell::{agent_name, small_icon};
use api::sessions::{SessionDetail, SourceInfo};
use leptos::prelude::*;

pub fn about(detail: &SessionDetail, clock: &Clock) -> Part {
    let resume = detail.resume_command.clone().map(|command| {
        part! {
            <section>
                <div class="panel-line"><h3>"Resume"</h3><span class="sp"></span>{copy_button(command.clone())}</div>
                <pre class="panel-pad resume" tabindex="0">{command}</pre>
            </section>
        }
    });
    let sources: Vec<_> = detail.sources.iter().map(source).collect();
    let sources = (!sources.is_empty()).then(|| part! { <section><h3>"Source files"</h3>{sources}</section> });
    part! {
        {resume}
        {facts(detail, clock)}
        {tokens(detail)}
        {sources}
    }
}

/// A command with a button that copies it.
pub(crate) fn copy_line(command: String) -> Part {
    part! {
        <div class="copyline"><code tabindex="0">{command.clone()}</code>{copy_button(command)}</div>
    }
}

pub(super) fn copy_button(text: String) -> Part {
    part! { <button type="button" class="btn quiet tiny" data-action=PageAction::Copy.name() data-text=text>{small_icon(Glyph::COPY)}<span>"Copy"</span></button> }
}

fn row(name: &'static str, value: impl IntoView) -> Part {
    part! { <dt>{name}</dt><dd>{value}</dd> }
}

fn facts(detail: &SessionDetail, clock: &Clock) -> Part {
    let session = &detail.session;
    let agent = match &session.version {
        Some(version) => format!("{} {version}", agent_name(&session.agent)),
        None => agent_name(&session.agent),
    };
    let hidden = (detail.hidden_count > 0).then(|| row("Hidden messages", figures::count(detail.hidden_count)));
    part! {
        <section><h3>"Session"</h3><dl class="kv panel-pad">
            {row("Agent", agent)}
            {session.model.clone().map(|model| row("Model", model))}
            {(!session.project.is_empty()).then(|| row("Project", session.project.clone()))}
            {session.cwd.clone().filter(|cwd| *cwd != session.project).map(|cwd| row("Working directory", cwd))}
            {session.branch.clone().map(|branch| row("Branch", branch))}
            {row("Started", moment_ago(clock, session.created_at))}
            {row("Last activity", moment_ago(clock, session.last_activity_at))}
            {row("Messages", figures::count(session.message_count))}
            {hidden}
            {row("Id", part! { <code>{session.id.as_str().to_owned()}</code> })}
            {session.agent_session_id.clone().filter(|id| *id != *session.id.as_str()).map(|id| row("Agent's own id", part! { <code>{id}</code> }))}
        </dl></section>
    }
}

fn tokens(detail: &SessionDetail) -> Option<Part> {
    let usage = detail.session.usage;
    let words = super::context::cost_words(&detail.cost);
    let cost = detail.cost.usd.map(|cost| row("Cost", part! { <span title=words>{figures::dollars(cost)}</span> }));
    let sum = detail.cost_with_sub_agents.as_ref().and_then(|sum| sum.usd);
    let sum = sum.map(|sum| row("Cost with sub-agents", figures::dollars(sum)));
    let unpriced = detail.cost.unpriced.iter().map(|of| {
        let words = format!("{}: {} tokens", of.reason, figures::count(of.tokens));
        row("Without a known price", words)
    });
    let unpriced: Vec<Part> = unpriced.collect();
    (usage.total() > 0 || cost.is_some() || sum.is_some()).then(|| {
        part! {
            <section><h3>"Tokens"</h3><dl class="kv panel-pad">
                {row("Input", figures::count(usage.input))}
                {row("Output", figures::count(usage.output))}
                {row("Read from the cache", figures::count(usage.cache_read))}
                {row("Written to the cache", figures::count(usage.cache_write))}
                {cost}
                {sum}
                {unpriced}
            </dl></section>
        }
    })
}

fn source(source: &SourceInfo) -> Part {
    part! {
        <dl class="kv panel-pad">
            {row("File", part! { <code>{source.path.clone()}</code> })}
            {row("Size", figures::bytes(source.size))}
            {row("SHA-256", part! { <code>{source.sha256.clone()}</code> })}
        </dl>
    }
}
