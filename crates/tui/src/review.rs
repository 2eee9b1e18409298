//! A request, whole, before it is decided. It can be allowed once all of it was on the screen; deny is always possible.

use crate::ask::Ask;
use crate::card::text_of;
use crate::code;
use crate::compose::{Field, Typed};
use crate::form::Form;
use crate::keys::Command;
use crate::theme::Theme;
use crate::visible;
use crate::wrap::{Break, cut, wrap};
use api::messages::{AskedCall, Entry, NotShownReason};
use api::posting::Decide;
use crossterm::event::KeyEvent;
use model::asked::AskedChange;
use model::envelope::EditInfo;
use model::markdown::said_besides;
use model::message_type::approval::{Approval, ApprovalState, Choice, OptionKind};
use model::message_type::code_edit::Edit;
use ratatui::text::{Line, Span};
use serde_json::Value;

pub struct Review {
    session: String,
    pub entry: Entry,
    approval: Approval,
    /// First line in the window.
    top: usize,
    /// Lines from the first on that were in the window, in this width.
    seen: usize,
    total: usize,
    width: usize,
    height: usize,
    picked: Vec<String>,
    pub words: Option<Field>,
    pub form: Form,
    /// Words, or the value of a field.
    pub is_typing: bool,
    /// The decision is on its way.
    pub is_sent: bool,
    /// Why it can't be decided so, or what the server says.
    pub problem: Option<String>,
}

impl Review {
    /// None where the message asks nothing, or no more.
    pub fn of(session: &str, entry: &Entry) -> Option<Self> {
        let approval = Approval::open_of(&entry.message.draft, entry.body())?.clone();
        Some(Self {
            session: session.to_owned(),
            entry: entry.clone(),
            form: Form::of(&approval.fields),
            approval,
            top: 0,
            seen: 0,
            total: usize::MAX,
            width: 0,
            height: 0,
            picked: Vec::new(),
            words: None,
            is_typing: false,
            is_sent: false,
            problem: None,
        })
    }

    /// Takes over what was typed before the request changed. The next key is still text, not a command: `d` would deny.
    pub fn take_over(&mut self, before: Self) {
        self.is_typing = before.is_typing && before.approval.fields == self.approval.fields;
        self.words = before.words;
        self.form.refill(before.form);
    }

    /// Returns true if all of its lines were on the screen.
    pub fn is_seen(&self) -> bool {
        self.seen >= self.total
    }

    /// The lines in the window, which are counted as seen if they go on from those that were.
    pub fn window(&mut self, width: usize, height: usize, theme: Theme) -> Vec<Line<'static>> {
        let lines = self.lines(width, theme);
        if (width, lines.len()) != (self.width, self.total) {
            (self.width, self.total, self.seen, self.top) = (width, lines.len(), 0, 0);
        }
        self.height = height;
        self.top = self.top.min(lines.len().saturating_sub(height));
        if self.top <= self.seen {
            self.seen = self.seen.max((self.top + height).min(lines.len()));
        }
        lines.into_iter().skip(self.top).take(height).collect()
    }

    /// All that a decision covers, and what can be answered.
    fn lines(&self, width: usize, theme: Theme) -> Vec<Line<'static>> {
        let mut page = Page { lines: Vec::new(), width, theme };
        let approval = &self.approval;
        page.exact(&approval.title, "🔐 ");
        if let Some(risk) = &approval.risk {
            page.exact(risk, "Risk: ");
        }
        if let Some(words) = said_besides(&self.entry.message.draft, self.entry.body()) {
            page.exact(words, "");
        }
        if let Some(body) = approval.body.as_deref().filter(|body| !body.is_empty()) {
            page.exact(body, "");
        }
        for call in &self.entry.calls {
            page.call(call);
        }
        self.questions(&mut page);
        self.inputs(&mut page);
        self.reason(&mut page);
        page.lines
    }

    /// The questions, with what can be chosen, numbered through.
    fn questions(&self, page: &mut Page) {
        let mut number = 0;
        for question in &self.approval.questions {
            page.blank();
            if let Some(header) = question.header.as_deref().filter(|header| *header != question.question) {
                page.exact(header, "");
            }
            if question.question != self.approval.title {
                page.exact(&question.question, "");
            }
            for choice in &question.options {
                number += 1;
                let mark = if self.picked.contains(&choice.id) { "●" } else { "○" };
                let label = if choice.label.is_empty() { &choice.id } else { &choice.label };
                page.exact(label, &format!("{mark} {number} "));
                page.note(choice.kind.map_or("", OptionKind::words), "    ");
                if let Some(description) = &choice.description {
                    page.exact(description, "    ");
                }
            }
        }
    }

    /// The inputs of a form, with what is in them.
    fn inputs(&self, page: &mut Page) {
        if !self.form.is_empty() {
            page.blank();
        }
        for (field, value, is_current) in self.form.rows() {
            page.exact(&field.label, if is_current { "› " } else { "  " });
            // One line, whatever is in it: what was read stays read.
            page.lines.push(Line::raw(cut(&format!("    {}", visible::line(&value, 300)), page.width)));
            let must = if field.required == Some(true) { ", required" } else { "" };
            page.note(&format!("{}{must}", field.kind), "    ");
            if let Some(options) = &field.options {
                page.exact(&options.join(", "), "    one of: ");
            }
        }
    }

    /// Why it can't be allowed here, if it can't.
    fn reason(&self, page: &mut Page) {
        match (&self.entry.shown_sha256, &self.entry.not_shown) {
            (Some(_), _) => {}
            (None, Some(not_shown)) if not_shown.reason == NotShownReason::TooLarge => {
                page.note(
                    &format!(
                        "It asks about {} bytes: too much to be shown whole, so it can't be allowed here",
                        not_shown.bytes
                    ),
                    "",
                );
            }
            (None, Some(not_shown)) if not_shown.reason == NotShownReason::NoContent => {
                page.note("It doesn't say what would be changed or run, so it can't be allowed here", "");
            }
            (None, _) => page.note("Not all that it asks about is here: close it and open it again", ""),
        }
    }

    /// Returns the key hints below the request.
    pub fn hints(&self) -> String {
        let mut hints = Vec::new();
        if self.entry.shown_sha256.is_some() {
            if !self.is_seen() {
                hints.push("Space reads on; allowed once all was seen".to_owned());
            } else if !self.form.is_empty() {
                hints.push("n p choose a field, r fills it in, Enter sends".to_owned());
            } else if self.is_permission() {
                hints.push("a allows once".to_owned());
                if self.option(OptionKind::AllowAlways).is_some() {
                    hints.push("A always".to_owned());
                }
            } else {
                hints.push("1-9 choose, r types, Enter sends".to_owned());
            }
        }
        hints.push("d denies, Esc leaves, D dismisses".to_owned());
        hints.join(", ")
    }

    fn is_permission(&self) -> bool {
        self.approval.kind.asks_permission()
    }

    fn option(&self, kind: OptionKind) -> Option<&Choice> {
        self.approval.choices().find(|choice| choice.kind == Some(kind))
    }

    pub fn scroll(&mut self, lines: i64) {
        self.problem = None;
        self.top = self.top.saturating_add_signed(lines as isize);
    }

    pub fn page_height(&self) -> i64 {
        (self.height as i64 - 1).max(1)
    }

    /// A digit chooses an option.
    pub fn pick(&mut self, number: usize) {
        let choice = number.checked_sub(1).and_then(|at| self.approval.choices().nth(at));
        let Some(id) = choice.map(|choice| choice.id.clone()) else { return };
        if self.picked.contains(&id) {
            self.picked.retain(|picked| *picked != id);
            return;
        }
        let of = self.approval.questions.iter().find(|question| question.options.iter().any(|choice| choice.id == id));
        if let Some(question) = of.filter(|question| question.multi_select != Some(true)) {
            self.picked.retain(|picked| !question.options.iter().any(|choice| choice.id == *picked));
        }
        self.picked.push(id);
    }

    /// Begins to type, or changes the current field of a form.
    pub fn answer(&mut self) {
        self.problem = None;
        self.is_typing = if self.form.is_empty() {
            self.words.get_or_insert_default();
            true
        } else {
            self.form.fill()
        };
    }

    /// Returns the label and the text of the input.
    pub fn typing(&self) -> Option<(String, &Field)> {
        if !self.is_typing {
            return None;
        }
        if self.form.is_empty() {
            return Some(("> ".to_owned(), self.words.as_ref()?));
        }
        let (label, field) = self.form.typing();
        Some((format!("{}: ", visible::line(label, 40)), field))
    }

    pub fn paste(&mut self, text: &str) {
        if self.form.is_empty() {
            self.words.get_or_insert_default().insert(text);
        } else {
            self.form.insert(text);
        }
    }

    pub fn typed(&mut self, key: KeyEvent) -> Option<Ask> {
        if !self.form.is_empty() {
            let ended = self.form.typed(key)?;
            self.is_typing = ended.is_err();
            self.problem = ended.err().map(str::to_owned);
            return None;
        }
        match self.words.get_or_insert_default().key(key) {
            Typed::Text => None,
            Typed::Leave => {
                self.is_typing = false;
                None
            }
            Typed::Send | Typed::Steer => {
                self.is_typing = false;
                if self.is_permission() { None } else { self.decide(Command::SendAnswer) }
            }
        }
    }

    /// The decision that a key makes. None, and a problem, where it may not be made.
    pub fn decide(&mut self, command: Command) -> Option<Ask> {
        self.problem = None;
        let decide = self.decision(command);
        match decide {
            Ok(decide) => {
                self.is_sent = true;
                let message = self.entry.message.draft.id.to_string();
                Some(Ask::Decide { session: self.session.clone(), message, decide })
            }
            Err(problem) => {
                self.problem = Some(problem.to_owned());
                None
            }
        }
    }

    fn decision(&self, command: Command) -> Result<Decide, &'static str> {
        if self.is_sent {
            return Err("The decision is on its way");
        }
        if command == Command::Dismiss {
            return Ok(Decide { state: Some(ApprovalState::Cancelled), ..Decide::default() });
        }
        let text = self.words.as_ref().map(|words| words.text().trim().to_owned()).filter(|text| !text.is_empty());
        let shown_sha256 = self.entry.shown_sha256.clone();
        let decide = Decide { text, shown_sha256, ..Decide::default() };
        if command == Command::Deny {
            return Ok(match self.option(OptionKind::RejectOnce) {
                Some(choice) if decide.shown_sha256.is_some() => Decide { selected: vec![choice.id.clone()], ..decide },
                _ => Decide { state: Some(ApprovalState::Denied), ..decide },
            });
        }
        if decide.shown_sha256.is_none() {
            return Err("Not all that it asks about can be shown here: it can be denied, or answered in the browser");
        }
        if !self.is_seen() {
            return Err("Read all of it first: Space goes on");
        }
        if !self.form.is_filled() {
            return Err("Fill in what is required: n p choose a field, r fills it in");
        }
        let decide = Decide { values: self.form.values(), ..decide };
        let choose = |choice: &Choice| vec![choice.id.clone()];
        match command {
            Command::AllowOnce => match self.option(OptionKind::AllowOnce) {
                Some(choice) => Ok(Decide { selected: choose(choice), ..decide }),
                None if self.is_permission() && self.approval.choices().next().is_none() => {
                    Ok(Decide { state: Some(ApprovalState::AllowedOnce), ..decide })
                }
                None => Err("It can't be allowed once: choose an answer by its number"),
            },
            Command::AllowAlways => {
                let choice = self.option(OptionKind::AllowAlways).ok_or("It can't be allowed always")?;
                Ok(Decide { selected: choose(choice), ..decide })
            }
            _ if self.picked.is_empty() && decide.text.is_none() && decide.values.is_none() => {
                Err("Choose an answer by its number, or type one with r")
            }
            _ => {
                let kinds = self.approval.choices().filter(|choice| self.picked.contains(&choice.id));
                let has_kind = kinds.into_iter().any(|choice| choice.kind.is_some());
                let state = (!has_kind).then_some(ApprovalState::Answered);
                Ok(Decide { state, selected: self.picked.clone(), ..decide })
            }
        }
    }
}

struct Page {
    lines: Vec<Line<'static>>,
    width: usize,
    theme: Theme,
}

impl Page {
    fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    fn note(&mut self, text: &str, indent: &'static str) {
        if !text.is_empty() {
            let spans = [Span::styled(text.to_owned(), self.theme.quiet())];
            self.lines.extend(wrap(&spans, self.width, Break::Words, (&Span::raw(indent), &Span::raw(indent))));
        }
    }

    /// A text with each of its characters, behind a mark.
    fn exact(&mut self, text: &str, mark: &str) {
        let first = Span::styled(mark.to_owned(), self.theme.strong());
        let next = Span::raw(" ".repeat(first.width()));
        for (index, line) in visible::exact(text, self.theme).iter().enumerate() {
            let mark = if index == 0 { &first } else { &next };
            self.lines.extend(wrap(line, self.width, Break::Anywhere, (mark, &next)));
        }
    }

    /// Draws the input of a tool: all of its values, and an edit also as a diff.
    fn call(&mut self, call: &AskedCall) {
        let AskedCall { tool_name, seq, input, changes, paths, texts, .. } = call;
        self.blank();
        self.exact(tool_name, "");
        self.note(&format!("message {seq}"), "");
        for change in changes {
            self.change(change);
        }
        for text in texts {
            self.exact(text, "");
        }
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        if let (Some(path), Some(old), Some(new)) = (text("file_path"), text("old_string"), text("new_string")) {
            let edit = Edit {
                file_path: path.to_owned(),
                old_content: Some(old.to_owned()),
                new_content: Some(new.to_owned()),
                language: None,
            };
            self.note("What it changes", "");
            self.lines.extend(code::edit(&edit, &EditInfo::default(), 1, self.width, self.theme));
        }
        for (key, value) in input {
            self.exact(key, "");
            self.exact(&text_of(value), "  ");
        }
        for path in paths {
            self.exact(path, "path ");
        }
        if input.is_empty() && paths.is_empty() && changes.is_empty() && texts.is_empty() {
            self.note("Without any input", "");
        }
    }

    /// The change of a file that a request shows: all lines that differ.
    fn change(&mut self, change: &AskedChange) {
        for (edit, info) in change.parts() {
            self.exact(&edit.file_path, &format!("{} ", edit.verb()));
            if let Some(from) = &info.moved_from {
                self.exact(from, "moved from ");
            }
            let diff = code::edit(edit, &info, change.edits.len(), self.width, self.theme);
            match &info.patch {
                Some(patch) if diff.is_empty() => self.exact(patch, ""),
                None if diff.is_empty() => self.note("The text of the file stays the same", ""),
                _ => self.lines.extend(diff),
            }
        }
    }
}
