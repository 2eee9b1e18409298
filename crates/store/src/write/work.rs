//! How many texts and calls of a session are still open.

use crate::prepare::work::Work;
use crate::session_row::SessionRow;

impl SessionRow {
    pub(super) fn begin(&mut self, work: Work, seq: i64) {
        self.texts_open += i64::from(work == Work::Text);
        self.calls_open += i64::from(work == Work::Call && seq > self.words_seq);
    }

    pub(super) fn finish(&mut self, work: Work, seq: i64) {
        // Messages of a turn that was left behind no longer count.
        self.texts_open = (self.texts_open - i64::from(work == Work::Text)).max(0);
        self.calls_open = (self.calls_open - i64::from(work == Work::Call && seq > self.words_seq)).max(0);
    }

    /// Calls that were posted while the words were being written are left, to be counted anew.
    pub(super) fn say_final_word(&mut self, seq: i64) {
        self.words_seq = self.words_seq.max(seq);
        if seq == self.last_seq {
            self.calls_open = 0;
        }
    }

    /// The agent ended, or begins anew: nothing that it left will go on.
    pub(crate) fn leave_work(&mut self) {
        if self.texts_open + self.calls_open > 0 {
            (self.texts_open, self.calls_open, self.words_seq) = (0, 0, self.last_seq);
        }
    }
}
