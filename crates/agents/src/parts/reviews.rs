//! `CODE_REVIEW` messages: what an agent found in several files becomes a review of each file.

use super::at::envelope;
use model::Payload as _;
use model::envelope::Side;
use model::message_type::code_review::{CodeReview, ReviewComment, Severity};
use serde_json::{Map, Value};

/// One finding of an agent's review.
pub(crate) struct Finding {
    pub file: String,
    /// The first and the last line, from 1. Without them the finding is about the file as a whole.
    pub lines: Option<(u32, u32)>,
    pub severity: Severity,
    /// Markdown.
    pub body: String,
}

/// Returns content and envelope of a review for each file, in the order in which the findings name the files. Findings
/// without lines are in the summary of their file's review.
pub(crate) fn of_findings(findings: Vec<Finding>) -> Vec<(String, Map<String, Value>)> {
    let mut reviews: Vec<CodeReview> = Vec::new();
    for Finding { file, lines, severity, body } in findings {
        let known = reviews.iter().position(|review| review.file_path == file);
        let at = known.unwrap_or_else(|| {
            reviews.push(CodeReview { file_path: file, comments: Vec::new(), summary: None });
            reviews.len() - 1
        });
        let review = &mut reviews[at];
        if let Some((first, last)) = lines {
            let end_line = (last > first).then_some(last);
            let (side, suggestion) = (Side::New, None);
            review.comments.push(ReviewComment { side, start_line: first, end_line, severity, body, suggestion });
        } else {
            let said = review.summary.take().map_or_else(String::new, |said| said + "\n\n");
            review.summary = Some(format!("{said}**{}**: {body}", severity.name()));
        }
    }
    reviews.into_iter().map(message).collect()
}

fn message(review: CodeReview) -> (String, Map<String, Value>) {
    (review.to_markdown(), envelope(review))
}

/// Reads a line number from 1.
pub(crate) fn line(given: Option<&Value>) -> Option<u32> {
    given?.as_u64().and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0)
}

/// Reads a string that isn't blank.
pub(crate) fn words<'a>(of: &'a Value, key: &str) -> Option<&'a str> {
    of.get(key)?.as_str().map(str::trim).filter(|words| !words.is_empty())
}
