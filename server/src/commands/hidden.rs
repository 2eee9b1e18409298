//! Shows hidden messages in the terminal, in place and counted.

use api::messages::{Entry, HiddenRow, MessagePage};
use app::transcript::hidden_words;

/// A row of a page, in order.
pub enum Row<'p> {
    Message(&'p Entry),
    Hidden(&'p HiddenRow),
}

/// Returns the rows of a page in order. A call that its cards stand for isn't hidden.
pub fn rows(page: &MessagePage) -> Vec<Row<'_>> {
    let hidden = page.hidden.iter().filter(|row| !row.replaced).map(|row| (row.seq, Row::Hidden(row)));
    let messages = page.messages.iter().map(|entry| (entry.message.seq, Row::Message(entry)));
    let mut rows: Vec<_> = messages.chain(hidden).collect();
    rows.sort_by_key(|(seq, _)| *seq);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Hidden rows that nothing stands between.
#[derive(Default)]
pub struct Run(Vec<HiddenRow>);

impl Run {
    pub fn push(&mut self, row: &HiddenRow) {
        self.0.push(row.clone());
    }

    /// Ends the run. Returns its line, `3 system messages; --dev shows them`; None if nothing was hidden.
    pub fn take(&mut self) -> Option<String> {
        let run = std::mem::take(&mut self.0);
        let them = if run.len() == 1 { "it" } else { "them" };
        (!run.is_empty()).then(|| format!("{}; --dev shows {them}", hidden_words(&run.iter().collect::<Vec<_>>())))
    }
}
