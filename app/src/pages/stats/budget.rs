//! Budgets: what was spent of them, and warnings.

use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::page_path;
use crate::shell::icon;
use api::cost::{Budget, BudgetState, Budgets};
use leptos::prelude::*;

/// Draws the budgets with the amounts spent. None without a budget.
pub fn meters(budgets: &Budgets) -> Option<Part> {
    let rows: Vec<Part> = both(budgets).map(|(name, budget)| meter(name, budget)).collect();
    (!rows.is_empty()).then(|| {
        part! {
            <section class="figures" aria-labelledby="budgets-heading"><h2 id="budgets-heading">"Budgets"</h2>
                <div class="budgets">{rows}</div>
                <p class="cap"><a class="link" href="/settings#general">"Change them in the settings"</a></p></section>
        }
    })
}

/// A banner where a budget is spent, or nearly.
pub fn warning(budgets: &Budgets) -> Option<Part> {
    let (name, budget) =
        both(budgets).filter(|(_, budget)| budget.state != BudgetState::Ok).max_by_key(|(_, b)| b.state)?;
    let words = if budget.state == BudgetState::Over { "is spent" } else { "is nearly spent" };
    Some(part! {
        <p class="callout budget-warning" role="status" data-state=state(budget)>{icon(Glyph::NEEDS)}
            <span>{format!("The budget of {name} {words}: {} of {}. ", spent(budget), figures::dollars(budget.limit_usd))}
            <a class="link" href=page_path::STATISTICS>"Statistics"</a></span></p>
    })
}

fn both(budgets: &Budgets) -> impl Iterator<Item = (&'static str, &Budget)> {
    let day = budgets.day.iter().map(|budget| ("today", budget));
    day.chain(budgets.month.iter().map(|budget| ("this month", budget)))
}

fn spent(budget: &Budget) -> String {
    figures::dollars(budget.spent.usd.unwrap_or(0.0))
}

fn state(budget: &Budget) -> &'static str {
    match budget.state {
        BudgetState::Ok => "idle",
        BudgetState::Near => "needs",
        BudgetState::Over => "failed",
    }
}

fn meter(name: &'static str, budget: &Budget) -> Part {
    let percent = (budget.spent.usd.unwrap_or(0.0) * 100.0 / budget.limit_usd).clamp(0.0, 100.0);
    let words = match budget.state {
        BudgetState::Ok => "",
        BudgetState::Near => ", nearly spent",
        BudgetState::Over => ", spent",
    };
    let unpriced: i64 = budget.spent.unpriced.iter().map(|of| of.tokens).sum();
    let unpriced = (unpriced > 0).then(
        || part! { <p class="cap">{format!("Without {} tokens whose price is unknown", figures::tokens(unpriced))}</p> },
    );
    part! {
        <div data-state=state(budget)>
            <p><b>{name}</b>" "<span class="num">{format!("{} of {}{words}", spent(budget), figures::dollars(budget.limit_usd))}</span></p>
            <span class="meter" aria-hidden="true"><span class="bar-fill" style=format!("--v:{percent:.0}")></span></span>
            {unpriced}
        </div>
    }
}
