//! Redacted replies: what a caller reads who wants keys, tokens, addresses and names of home folders masked.

pub mod endpoints;

pub(crate) use endpoints::*;

use api::Problem;
use api::messages::{Entry, MessagePage, ParsedBody, TodoState};
use api::redaction::{MaskedPlace, RedactionReport, RuleReport};
use api::sessions::{SessionDetail, SessionPage};
use model::{Draft, Session};
use redact::{Found, Redactor};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Mask;

/// Places of a rule that a report shows.
const EXAMPLES: usize = 5;

/// Makes a redactor with patterns of the request.
pub fn redactor(masks: &[String]) -> Result<Arc<Redactor>, Problem> {
    Redactor::new(masks).map(Arc::new).map_err(|error| Problem {
        title: format!("`mask`: {error}"),
        field: Some("mask".to_owned()),
        ..Problem::field("mask", "a regular expression")
    })
}

/// Fields of sessions, messages and runs that name something: with a mask in them, an archive's parts would no longer
/// find each other.
const NAMES: [&str; 13] = [
    "id",
    "key",
    "agent",
    "parent_key",
    "forked_from",
    "call_id",
    "reply_to",
    "run_id",
    "begun_run",
    "key_id",
    "sources",
    "blobs",
    "create_hash",
];

/// The redactor as what rows of archives are masked by.
pub fn mask(redactor: Arc<Redactor>) -> Mask {
    Arc::new(move |value: &mut Value| {
        let fields = value.as_object_mut().into_iter().flatten();
        for (_, value) in fields.filter(|(name, _)| !NAMES.contains(&name.as_str())) {
            redactor.value(value, &mut |_| {});
        }
    })
}

/// Matches by rule.
#[derive(Default)]
pub(crate) struct Findings {
    by_rule: BTreeMap<&'static str, RuleReport>,
}

impl Findings {
    fn add(&mut self, seq: Option<i64>, found: Found) {
        let rule = self.by_rule.entry(found.rule).or_insert_with(|| RuleReport {
            rule: found.rule.to_owned(),
            title: found.title.to_owned(),
            places: 0,
            examples: Vec::new(),
        });
        rule.places += 1;
        if rule.examples.len() < EXAMPLES {
            rule.examples.push(MaskedPlace { seq, text: found.example });
        }
    }

    pub(crate) fn report(self, messages: i64, files_left_out: i64) -> RedactionReport {
        let mut rules: Vec<RuleReport> = self.by_rule.into_values().collect();
        rules.sort_by(|a, b| b.places.cmp(&a.places).then_with(|| a.rule.cmp(&b.rule)));
        RedactionReport { messages, places: rules.iter().map(|rule| rule.places).sum(), rules, files_left_out }
    }
}

/// Masks the texts of replies, and tells what was found.
pub(crate) struct Masking<'a> {
    redactor: &'a Redactor,
    findings: Option<&'a mut Findings>,
    seq: Option<i64>,
}

impl<'a> Masking<'a> {
    pub(crate) fn new(redactor: &'a Redactor, findings: Option<&'a mut Findings>) -> Self {
        Self { redactor, findings, seq: None }
    }

    pub(crate) fn detail(&mut self, mut detail: SessionDetail) -> SessionDetail {
        self.session(&mut detail.session);
        for above in detail.ancestors.iter_mut().chain(&mut detail.forked_from) {
            self.text(&mut above.title);
        }
        for source in &mut detail.sources {
            self.text(&mut source.path);
        }
        self.optional(&mut detail.resume_command);
        detail
    }

    pub(crate) fn sessions(&mut self, page: &mut SessionPage) {
        page.sessions.iter_mut().for_each(|session| self.session(session));
        page.facets.projects.iter_mut().for_each(|project| self.text(&mut project.value));
        page.said.iter_mut().flat_map(|said| said.values_mut()).for_each(|words| self.text(words));
    }

    pub(crate) fn session(&mut self, session: &mut Session) {
        self.seq = None;
        self.text(&mut session.title);
        self.text(&mut session.project);
        self.optional(&mut session.cwd);
        // People name machines after themselves.
        session.machine = None;
        self.optional(&mut session.branch);
    }

    pub(crate) fn todos(&mut self, mut state: TodoState) -> TodoState {
        for todo in &mut state.todos {
            self.text(&mut todo.content);
        }
        for info in state.todo_info.values_mut() {
            self.optional(&mut info.active_form);
        }
        state
    }

    pub(crate) fn page(&mut self, mut page: MessagePage) -> MessagePage {
        for entry in &mut page.messages {
            self.entry(entry);
        }
        page
    }

    fn entry(&mut self, entry: &mut Entry) {
        self.seq = Some(entry.message.seq);
        self.draft(&mut entry.message.draft);
        // Repeated matches are masked, but not counted again.
        let findings = self.findings.take();
        self.text(&mut entry.summary);
        for call in &mut entry.calls {
            self.redactor.fields(&mut call.input, &mut |_| {});
        }
        self.findings = findings;
        entry.parsed = ParsedBody::default();
    }

    fn draft(&mut self, draft: &mut Draft) {
        self.text(&mut draft.content);
        self.text(&mut draft.sender);
        self.optional(&mut draft.sender_name);
        self.optional(&mut draft.origin.cwd);
        self.optional(&mut draft.origin.branch);
        if let Some(metadata) = &mut draft.metadata {
            let (redactor, seq, findings) = (self.redactor, self.seq, &mut self.findings);
            redactor.fields(metadata, &mut |found| {
                if let Some(findings) = findings.as_deref_mut() {
                    findings.add(seq, found);
                }
            });
        }
    }

    fn optional(&mut self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.text(text);
        }
    }

    fn text(&mut self, text: &mut String) {
        let (seq, findings) = (self.seq, &mut self.findings);
        let masked = self.redactor.text(text, &mut |found| {
            if let Some(findings) = findings.as_deref_mut() {
                findings.add(seq, found);
            }
        });
        if let Cow::Owned(masked) = masked {
            *text = masked;
        }
    }
}
