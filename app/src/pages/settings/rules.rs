//! The rules by which an agent's calls are allowed without asking a person.

use crate::clock::{Clock, moment};
use crate::figures;
use crate::part::{Part, part};
use crate::send::send;
use crate::visible;
use api::contract::RevokeRule;
use api::hooks::{AllowRule, AllowRules};
use leptos::prelude::*;

pub fn rules(rules: &AllowRules, clock: &Clock) -> Part {
    let none = rules.rules.is_empty().then(|| {
        part! { <p class="cap none-yet">"No rules yet. \u{201c}Always allow\u{201d} on a permission request creates one."</p> }
    });
    let rows: Vec<_> = rules.rules.iter().map(|rule| row(rule, clock)).collect();
    let table = (!rows.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Rule"</th><th scope="col" class="hide-narrow">"Made"</th><th scope="col">"Used"</th><th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    part! {
        <section id="rules" aria-labelledby="rules-heading">
            <div class="pagehead"><h2 id="rules-heading">"Always allowed"</h2>
                <p>"Calls that agents can make without asking you. A rule covers one plain command or one file in one folder. Claude Code's own rules are in its settings."</p></div>
            {none}{table}
        </section>
    }
}

fn row(rule: &AllowRule, clock: &Clock) -> Part {
    let used = match rule.used_at {
        Some(at) => part! { {figures::counted(rule.uses, "time")}", "{moment(clock, at, "num mut")} },
        None => part! { <span class="mut">"never"</span> },
    };
    let words = format!("Revoke {}", visible::line(&rule.rule));
    part! {
        <tr><th scope="row"><code>{visible::html(&rule.rule).into_view()}</code><br/><small class="mut">{visible::phrase(&rule.explanation).into_view()}</small></th>
            <td class="hide-narrow">{moment(clock, rule.made_at, "num mut")}</td>
            <td>{used}</td>
            <td class="end"><button type="button" class="btn quiet tiny" {..send(RevokeRule, [&rule.id]).attributes()} title=words.clone()>"Revoke"<span class="sr">{format!(" {}", visible::line(&rule.rule))}</span></button></td></tr>
    }
}
