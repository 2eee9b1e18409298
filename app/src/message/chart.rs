//! CHART: a chart with its data table and a CSV download.

use super::Card;
use crate::chart;
use crate::clock::{Clock, exact_moment};
use leptos::prelude::*;
use model::message_type::chart as payload;

#[component]
pub fn Chart(card: Card, chart: payload::Chart) -> impl IntoView {
    let mut drawn = chart::of_message(&chart);
    if !card.printed() && !drawn.table.rows.is_empty() {
        drawn.csv = Some((card.full_text(), file_name(&chart.title)));
    }
    view! {
        <section class="card chart-card">
            {chart::view(&drawn)}
            <footer>
                <span class="sp"></span>
                {exact_moment(&Clock::utc(card.options.now), card.draft().created_at, "cap")}
                <super::parts::TextButton action=crate::shared::page_action::PageAction::Copy label="Copy".to_owned() />
            </footer>
        </section>
    }
}

/// Returns the name of the CSV file: `latency-per-day.csv`.
fn file_name(title: &str) -> String {
    let words = title.to_lowercase();
    let words: Vec<&str> = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(60).collect();
    if name.is_empty() { "chart.csv".to_owned() } else { format!("{name}.csv") }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn files_are_named_by_their_charts() {
        assert_eq!([file_name("p50 / p99 (ms)"), file_name("../")], ["p50-p99-ms.csv", "chart.csv"]);
    }
}
