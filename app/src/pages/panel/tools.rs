//! The tools that a session called: how often, how often in vain, and how long that took.

use super::nothing;
use crate::figures;
use crate::part::{Part, part};
use crate::time_text::duration;
use api::cost::{SessionTools, ToolTimes};
use leptos::prelude::*;

pub fn tools(all: &SessionTools) -> Part {
    if all.tools.is_empty() {
        return nothing("No tool calls. Tools are listed here with their calls, failures and times.");
    }
    let rows: Vec<Part> = all.tools.iter().map(row).collect();
    part! {
        <div class="table-wrap panel-pad" tabindex="0" role="region" aria-label="Tools"><table class="table compact">
            <thead><tr><th scope="col">"Tool"</th><th scope="col" class="end">"Calls"</th><th scope="col" class="end">"Failed"</th>
                <th scope="col" class="end" title="Median duration of a call">"Median"</th><th scope="col" class="end">"In all"</th></tr></thead>
            <tbody>{rows}</tbody></table></div>
    }
}

fn row(tool: &ToolTimes) -> Part {
    let time = |ms: i64| duration(ms.saturating_mul(1000));
    let median = tool.median_ms.map_or_else(|| "\u{2013}".to_owned(), time);
    let total = if tool.median_ms.is_some() { time(tool.total_ms) } else { "\u{2013}".to_owned() };
    part! {
        <tr><th scope="row"><span class="mono">{tool.tool.clone()}</span></th><td class="num end">{figures::count(tool.calls)}</td>
            <td class="num end">{figures::count(tool.failed)}</td><td class="num end">{median}</td><td class="num end">{total}</td></tr>
    }
}
