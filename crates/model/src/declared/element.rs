//! The components of a document's `view`, and their validation.

use super::node::{InputKind, Tone};
use super::read::{Fields, Reader};
use super::template::{Path, Template};
use super::{MAX_DEPTH, MAX_ELEMENTS};
use crate::message_type::chart::ChartKind;
use serde_json::Value;

/// Maximum number of columns of a table, series of a chart, options of a select and entries of a `map`.
const MAX_ITEMS: usize = 50;
/// Maximum length of the name and value of buttons and fields, in characters.
const NAME_CHARS: usize = 200;

/// A component with its repetition and condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element {
    /// Repeats the component for each item of this list.
    pub each: Option<Path>,
    pub condition: Option<Condition>,
    pub part: Part,
}

/// The condition under which a component is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    pub value: Path,
    pub test: Test,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// The value exists and isn't false, 0 or empty.
    Holds,
    Is(Value),
    Not(Value),
    In(Vec<Value>),
    Above(f64),
    Below(f64),
}

/// The colour of a component: fixed, or chosen by a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Role {
    Fixed(Tone),
    Of { value: Path, map: Vec<(String, Tone)>, otherwise: Tone },
}

/// A number, in the document itself or at a path of the payload.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Amount {
    Fixed(f64),
    Of(Path),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text { text: Template, role: Option<Role>, markdown: bool },
    Heading { text: Template },
    Badge { text: Template, role: Option<Role> },
    KeyValue { rows: Vec<LabelledRow>, of: Option<Path> },
    Table { rows: Path, columns: Vec<TableColumn> },
    List { items: Path, text: Template, ordered: bool },
    Code { text: Template, language: Template },
    Diff { path: Template, old: Option<Path>, new: Option<Path> },
    Progress { label: Template, value: Amount, max: Amount, role: Option<Role> },
    Chart { kind: ChartKind, title: Template, unit: Template, rows: Path, x: Template, series: Vec<(Template, Path)> },
    Image { blob: Template, alt: Template },
    Link { text: Template, href: Template },
    Button { label: Template, value: Template, role: Option<Role> },
    Input { name: String, label: Template, kind: InputKind, options: Vec<String> },
    Columns(Vec<Element>),
    Group(Vec<Element>),
    Section { title: Template, open: bool, children: Vec<Element> },
    Callout { role: Option<Role>, title: Template, children: Vec<Element> },
    Divider,
    Json { value: Path },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelledRow {
    pub label: Template,
    pub value: Template,
    pub href: Option<Template>,
    pub role: Option<Role>,
    pub condition: Option<Condition>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct TableColumn {
    pub title: Template,
    pub value: Template,
    pub href: Option<Template>,
    pub role: Option<Role>,
    /// Whether its values are numbers.
    pub right: bool,
}

impl Element {
    /// Returns whether it contains a button.
    pub(super) fn asks(&self) -> bool {
        match &self.part {
            Part::Button { .. } => true,
            Part::Columns(children)
            | Part::Group(children)
            | Part::Section { children, .. }
            | Part::Callout { children, .. } => children.iter().any(Self::asks),
            _ => false,
        }
    }
}

/// The components, by their name in a document.
pub const COMPONENTS: [&str; 20] = [
    "text",
    "heading",
    "badge",
    "key_value",
    "table",
    "list",
    "code",
    "diff",
    "progress",
    "chart",
    "image",
    "link",
    "button",
    "input",
    "columns",
    "group",
    "section",
    "callout",
    "divider",
    "json",
];

impl Part {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::Heading { .. } => "heading",
            Self::Badge { .. } => "badge",
            Self::KeyValue { .. } => "key_value",
            Self::Table { .. } => "table",
            Self::List { .. } => "list",
            Self::Code { .. } => "code",
            Self::Diff { .. } => "diff",
            Self::Progress { .. } => "progress",
            Self::Chart { .. } => "chart",
            Self::Image { .. } => "image",
            Self::Link { .. } => "link",
            Self::Button { .. } => "button",
            Self::Input { .. } => "input",
            Self::Columns(_) => "columns",
            Self::Group(_) => "group",
            Self::Section { .. } => "section",
            Self::Callout { .. } => "callout",
            Self::Divider => "divider",
            Self::Json { .. } => "json",
        }
    }
}

/// Reads an array of components, or a single one.
pub(super) fn elements(reader: &mut Reader, value: &Value, at: &str, depth: usize) -> Vec<Element> {
    if value.is_object() {
        return element(reader, value, at, depth).into_iter().collect();
    }
    let items = reader.list(value, at, MAX_ELEMENTS);
    items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| element(reader, item, &format!("{at}/{index}"), depth))
        .collect()
}

fn element(reader: &mut Reader, value: &Value, at: &str, depth: usize) -> Option<Element> {
    if depth > MAX_DEPTH {
        reader.wrong(at, format!("components nested at most {MAX_DEPTH} deep"));
        return None;
    }
    reader.elements += 1;
    if reader.elements > MAX_ELEMENTS {
        if reader.elements == MAX_ELEMENTS + 1 {
            reader.wrong(at, format!("at most {MAX_ELEMENTS} components"));
        }
        return None;
    }
    let mut fields = reader.fields(value, at)?;
    let name = fields.must(reader, "component")?;
    let Some(name) = name.as_str().filter(|name| COMPONENTS.contains(name)) else {
        reader.wrong(&fields.at("component"), format!("one of `{}`", COMPONENTS.join("`, `")));
        return None;
    };
    let each = fields.path_if(reader, "each");
    let condition = condition(reader, &mut fields);
    let part = part(reader, &mut fields, name, depth);
    fields.done(reader);
    Some(Element { each, condition, part: part? })
}

fn part(reader: &mut Reader, fields: &mut Fields<'_>, name: &str, depth: usize) -> Option<Part> {
    let part = match name {
        "text" => Part::Text {
            text: fields.template(reader, "text"),
            role: role(reader, fields),
            markdown: fields.flag(reader, "markdown", false),
        },
        "heading" => Part::Heading { text: fields.template(reader, "text") },
        "badge" => Part::Badge { text: fields.template(reader, "text"), role: role(reader, fields) },
        "key_value" => key_value(reader, fields),
        "table" => {
            let rows = fields.path(reader, "rows");
            let columns = many(reader, fields, "columns", |reader, fields| Some(column(reader, fields)));
            Part::Table { rows: rows?, columns }
        }
        "list" => {
            let items = fields.path(reader, "items");
            let text = fields.template_if(reader, "text");
            let ordered = fields.flag(reader, "ordered", false);
            Part::List { items: items?, text: text.or_else(|| Path::parse(".").map(Template::value))?, ordered }
        }
        "code" => Part::Code {
            text: fields.template(reader, "text"),
            language: fields.template_if(reader, "language").unwrap_or_default(),
        },
        "diff" => {
            let path = fields.template(reader, "path");
            let (old, new) = (fields.path_if(reader, "old"), fields.path_if(reader, "new"));
            if old.is_none() && new.is_none() {
                reader.wrong(&fields.at("new"), "a path in `old`, `new` or both");
            }
            Part::Diff { path, old, new }
        }
        "progress" => {
            let label = fields.template_if(reader, "label").unwrap_or_default();
            let value = amount(reader, fields, "value", None);
            let max = amount(reader, fields, "max", Some(100.0));
            Part::Progress { label, value: value?, max: max?, role: role(reader, fields) }
        }
        "chart" => chart(reader, fields)?,
        "image" => Part::Image { blob: fields.template(reader, "blob"), alt: fields.template(reader, "alt") },
        "link" => {
            let href = fields.template(reader, "href");
            Part::Link { text: fields.template_if(reader, "text").unwrap_or_else(|| href.clone()), href }
        }
        "button" => {
            let label = fields.template(reader, "label");
            let value = fields.template_if(reader, "value").unwrap_or_else(|| label.clone());
            Part::Button { label, value, role: role(reader, fields) }
        }
        "input" => input(reader, fields),
        "columns" => Part::Columns(children(reader, fields, depth)),
        "group" => Part::Group(children(reader, fields, depth)),
        "section" => Part::Section {
            title: fields.template(reader, "title"),
            open: fields.flag(reader, "open", true),
            children: children(reader, fields, depth),
        },
        "callout" => {
            let title = fields.template_if(reader, "title");
            // Either of both is enough.
            let alone = title.is_some() && fields.get("children").is_none();
            let children = if alone { Vec::new() } else { children(reader, fields, depth) };
            Part::Callout { role: role(reader, fields), title: title.unwrap_or_default(), children }
        }
        "divider" => Part::Divider,
        _ => Part::Json { value: fields.path(reader, "value")? },
    };
    Some(part)
}

fn children(reader: &mut Reader, fields: &mut Fields<'_>, depth: usize) -> Vec<Element> {
    let at = fields.at("children");
    match fields.must(reader, "children") {
        Some(value) => elements(reader, value, &at, depth + 1),
        None => Vec::new(),
    }
}

/// Reads an array of up to [`MAX_ITEMS`] objects. Empty if it is absent.
fn many<T>(
    reader: &mut Reader,
    fields: &mut Fields<'_>,
    name: &'static str,
    read: fn(&mut Reader, &mut Fields<'_>) -> Option<T>,
) -> Vec<T> {
    let at = fields.at(name);
    let Some(value) = fields.get(name) else { return Vec::new() };
    let mut all = Vec::new();
    for (index, item) in reader.list(value, &at, MAX_ITEMS).iter().enumerate() {
        if let Some(mut fields) = reader.fields(item, &format!("{at}/{index}")) {
            all.extend(read(reader, &mut fields));
            fields.done(reader);
        }
    }
    all
}

fn key_value(reader: &mut Reader, fields: &mut Fields<'_>) -> Part {
    let of = fields.path_if(reader, "of");
    let rows = many(reader, fields, "rows", |reader, fields| {
        Some(LabelledRow {
            label: fields.template(reader, "label"),
            value: fields.template(reader, "value"),
            href: fields.template_if(reader, "href"),
            role: role(reader, fields),
            condition: condition(reader, fields),
        })
    });
    if of.is_none() && rows.is_empty() {
        reader.wrong(&fields.at("rows"), "at least one row, or an object in `of`");
    }
    Part::KeyValue { rows, of }
}

fn column(reader: &mut Reader, fields: &mut Fields<'_>) -> TableColumn {
    let title = fields.template(reader, "title");
    let value = fields.template(reader, "value");
    let href = fields.template_if(reader, "href");
    let role = role(reader, fields);
    let at = fields.at("align");
    let right = match fields.get("align") {
        None => false,
        Some(word) => reader
            .word(word, &at, &["left", "right"], |word| match word {
                "left" => Some(false),
                "right" => Some(true),
                _ => None,
            })
            .unwrap_or(false),
    };
    TableColumn { title, value, href, role, right }
}

fn chart(reader: &mut Reader, fields: &mut Fields<'_>) -> Option<Part> {
    let at = fields.at("chart");
    let kind = fields.must(reader, "chart").and_then(|word| reader.word(word, &at, ChartKind::WORDS, ChartKind::parse));
    let title = fields.template(reader, "title");
    let unit = fields.template_if(reader, "unit").unwrap_or_default();
    let rows = fields.path(reader, "rows");
    let x = fields.template(reader, "x");
    let series = many(reader, fields, "series", |reader, fields| {
        let name = fields.template(reader, "name");
        Some((name, fields.path(reader, "value")?))
    });
    if series.is_empty() {
        reader.wrong(&fields.at("series"), "at least one series");
    }
    Some(Part::Chart { kind: kind?, title, unit, rows: rows?, x, series })
}

fn input(reader: &mut Reader, fields: &mut Fields<'_>) -> Part {
    let name = fields.string(reader, "name", NAME_CHARS);
    let label = fields.template(reader, "label");
    let at = fields.at("kind");
    let kind = match fields.get("kind") {
        Some(word) => reader.word(word, &at, InputKind::WORDS, InputKind::parse).unwrap_or(InputKind::Text),
        None => InputKind::Text,
    };
    let at = fields.at("options");
    let mut options = Vec::new();
    if let Some(value) = fields.get("options") {
        for (index, option) in reader.list(value, &at, MAX_ITEMS).iter().enumerate() {
            match option.as_str() {
                Some(option) if !option.trim().is_empty() => options.push(option.to_owned()),
                _ => reader.wrong(&format!("{at}/{index}"), "a non-empty string"),
            }
        }
    }
    if kind == InputKind::Select && options.is_empty() {
        reader.wrong(&at, "at least one option");
    }
    Part::Input { name, label, kind, options }
}

fn amount(reader: &mut Reader, fields: &mut Fields<'_>, name: &'static str, otherwise: Option<f64>) -> Option<Amount> {
    let at = fields.at(name);
    let value = match otherwise {
        Some(number) => match fields.get(name) {
            Some(value) => value,
            None => return Some(Amount::Fixed(number)),
        },
        None => fields.must(reader, name)?,
    };
    if let Some(number) = value.as_f64() {
        return Some(Amount::Fixed(number));
    }
    if let Some(path) = value.as_str().and_then(Path::parse) {
        Some(Amount::Of(path))
    } else {
        reader.wrong(&at, "a number, or the path of one");
        None
    }
}

fn role(reader: &mut Reader, fields: &mut Fields<'_>) -> Option<Role> {
    let at = fields.at("role");
    let value = fields.get("role")?;
    if !value.is_object() {
        let tone = value.as_str().and_then(Tone::parse);
        if tone.is_none() {
            let words = Tone::WORDS.join("`, `");
            reader.wrong(&at, format!("one of `{words}`, or an object with `value` and `map`"));
        }
        return tone.map(Role::Fixed);
    }
    let mut fields = reader.fields(value, &at)?;
    let path = fields.path(reader, "value");
    let mut map = Vec::new();
    let inner = fields.at("map");
    if let Some(words) = fields.must(reader, "map") {
        match words.as_object().filter(|words| words.len() <= MAX_ITEMS) {
            Some(words) => {
                for (word, tone) in words {
                    let at = format!("{inner}{}", crate::strict::token(word));
                    let tone = reader.word(tone, &at, Tone::WORDS, Tone::parse);
                    map.extend(tone.map(|tone| (word.clone(), tone)));
                }
            }
            None => reader.wrong(&inner, format!("an object of at most {MAX_ITEMS} words with their roles")),
        }
    }
    let inner = fields.at("else");
    let otherwise = match fields.get("else") {
        Some(word) => reader.word(word, &inner, Tone::WORDS, Tone::parse),
        None => None,
    };
    fields.done(reader);
    Some(Role::Of { value: path?, map, otherwise: otherwise.unwrap_or(Tone::Neutral) })
}

fn condition(reader: &mut Reader, fields: &mut Fields<'_>) -> Option<Condition> {
    let at = fields.at("if");
    let value = fields.get("if")?;
    if !value.is_object() {
        return Some(Condition { value: reader.path(value, &at)?, test: Test::Holds });
    }
    let mut fields = reader.fields(value, &at)?;
    let path = fields.path(reader, "value");
    let mut tests = Vec::new();
    for (name, test) in [("is", Test::Is as fn(Value) -> Test), ("not", Test::Not)] {
        match fields.get(name) {
            Some(Value::Array(_) | Value::Object(_)) => {
                reader.wrong(&fields.at(name), "a string, a number, `true` or `false`");
            }
            Some(value) => tests.push(test(value.clone())),
            None => {}
        }
    }
    let inner = fields.at("in");
    if let Some(value) = fields.get("in") {
        tests.push(Test::In(reader.list(value, &inner, MAX_ITEMS).to_vec()));
    }
    for (name, test) in [("above", Test::Above as fn(f64) -> Test), ("below", Test::Below)] {
        match fields.get(name).map(Value::as_f64) {
            Some(Some(number)) => tests.push(test(number)),
            Some(None) => reader.wrong(&fields.at(name), "a number"),
            None => {}
        }
    }
    if tests.len() > 1 {
        reader.wrong(&at, "one of `is`, `not`, `in`, `above`, `below`");
    }
    fields.done(reader);
    Some(Condition { value: path?, test: tests.pop().unwrap_or(Test::Holds) })
}
