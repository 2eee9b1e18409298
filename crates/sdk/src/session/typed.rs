//! Methods for posting messages of the built-in types.

use super::Session;
use crate::{Error, Message, Sent};
use api::posting::UpdateMessage;
use model::Body;
use model::message_type::chart::Chart;
use model::message_type::code_review::CodeReview;
use model::message_type::error::Error as ErrorReport;
use model::message_type::file::{File, FileItem};
use model::message_type::progress::Progress;
use serde_json::Map;

impl Session {
    /// Posts files. [`Verbatim::upload`](crate::Verbatim::upload) stores their content.
    ///
    /// ```no_run
    /// # async fn run(verbatim: sdk::Verbatim, session: sdk::Session) -> Result<(), sdk::Error> {
    /// use sdk::{FileItem, FileState};
    ///
    /// let stored = verbatim.upload(b"all well", "text/plain").await?;
    /// let (mime, size, blob) = (stored.mime, stored.size, Some(stored.blob));
    /// let (name, state) = ("report.txt".to_owned(), FileState::Ready);
    /// session.send_file(vec![FileItem { name, mime, size, blob, state, error: None, actions: Vec::new() }]).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`]; [`Error::Envelope`] for an empty list.
    pub async fn send_file(&self, files: Vec<FileItem>) -> Result<Sent, Error> {
        self.send_body(File { files }.into()).await
    }

    /// Posts an error.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`].
    pub async fn send_error(&self, error: ErrorReport) -> Result<Sent, Error> {
        self.send_body(error.into()).await
    }

    /// Posts series of numbers, shown as a chart with its table.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`]; [`Error::Envelope`] if points and `x` don't match.
    pub async fn send_chart(&self, chart: Chart) -> Result<Sent, Error> {
        self.send_body(chart.into()).await
    }

    /// Posts comments on the lines of a file.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`].
    pub async fn send_code_review(&self, review: CodeReview) -> Result<Sent, Error> {
        self.send_body(review.into()).await
    }

    /// Posts the progress of a task. [`Self::update_progress`] updates it.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`].
    pub async fn send_progress(&self, progress: Progress) -> Result<Sent, Error> {
        self.send_body(progress.into()).await
    }

    /// Updates a PROGRESS in place. A running one without an update for 30 seconds is shown as stalled.
    ///
    /// # Errors
    ///
    /// [`Error::Envelope`] if it has no label. Otherwise as for [`Self::update`].
    pub async fn update_progress(&self, message: &str, progress: Progress) -> Result<Message, Error> {
        let envelope = Body::from(progress).envelope(Map::new())?;
        let metadata = Some(envelope.into());
        self.update(message, UpdateMessage { message_metadata: metadata, ..UpdateMessage::default() }).await
    }
}
