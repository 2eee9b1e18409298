//! The components of a view after its values are filled in: plain text, numbers and lists.

use crate::message_type::chart::ChartKind;
use crate::{Micros, text, words};
use serde_json::Value;

words! {
    /// The meaning of a colour.
    Tone {
        /// Success.
        Ok = "ok",
        /// Needs attention.
        Warn = "warn",
        /// Failure.
        Bad = "bad",
        /// In progress, or information.
        Info = "info",
        /// No special meaning.
        Neutral = "neutral",
    }

    /// The kind of an input field.
    InputKind {
        /// A single line of text.
        Text = "text",
        /// A number.
        Number = "number",
        /// A calendar date.
        Date = "date",
        /// One of the given options.
        Select = "select",
        /// True or false.
        Checkbox = "checkbox",
    }
}

/// A component with its values filled in.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A paragraph.
    Text {
        /// The text.
        text: String,
        /// Its colour.
        tone: Option<Tone>,
    },
    /// Markdown.
    Markdown(String),
    /// A heading within the card.
    Heading(String),
    /// A coloured chip.
    Badge(Cell),
    /// Labels with values.
    KeyValue(Vec<(String, Cell)>),
    /// A table.
    Table(Table),
    /// A list.
    List {
        /// Whether the items are numbered.
        ordered: bool,
        /// At least one.
        items: Vec<Cell>,
    },
    /// Code with syntax colours.
    Code {
        /// The language as in a markdown fence. May be empty.
        language: String,
        /// The code.
        text: String,
    },
    /// The diff of a file.
    Diff {
        /// The path, from which the language follows.
        path: String,
        /// The old text. `None` if the file is new.
        old: Option<String>,
        /// The new text. `None` if the file was deleted.
        new: Option<String>,
    },
    /// A progress bar.
    Progress {
        /// Its label.
        label: String,
        /// The current value.
        value: f64,
        /// The value at which it is complete. Greater than 0.
        max: f64,
        /// Its colour.
        tone: Tone,
    },
    /// A chart.
    Chart(Chart),
    /// An uploaded image.
    Image {
        /// SHA-256 of its bytes, 64 hexadecimal digits.
        sha256: String,
        /// The alternative text.
        alt: String,
    },
    /// A link to a web page or a mail address.
    Link {
        /// The text of the link.
        text: String,
        /// The URL: `http:`, `https:` or `mailto:`.
        href: String,
    },
    /// A button, which answers with its value.
    Button {
        /// Its label.
        label: String,
        /// The value that the agent receives.
        value: String,
        /// Its colour.
        tone: Tone,
    },
    /// An input field, whose value is sent with the pressed button.
    Input {
        /// The key of its value in the answer.
        name: String,
        /// Its label.
        label: String,
        /// The kind of field.
        kind: InputKind,
        /// The options of a select.
        options: Vec<String>,
    },
    /// Components side by side, if there is room.
    Columns(Vec<Node>),
    /// Components below each other, without a title.
    Group(Vec<Node>),
    /// A section that can be folded.
    Section {
        /// Its title.
        title: String,
        /// Whether it is unfolded at first.
        open: bool,
        /// The components in it.
        children: Vec<Node>,
    },
    /// A coloured box.
    Callout {
        /// Its colour.
        tone: Tone,
        /// Its title. May be empty.
        title: String,
        /// The components in it.
        children: Vec<Node>,
    },
    /// A horizontal line.
    Divider,
    /// Data as a tree.
    Json(Value),
    /// The number of items that aren't shown.
    More(usize),
    /// A component that couldn't be shown.
    Problem {
        /// The name of the component.
        component: &'static str,
        /// The reason.
        problem: String,
    },
}

/// A value in a table, a list or beside a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// The presentation.
    pub look: CellLook,
}

/// The presentation of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellLook {
    /// Plain text.
    Plain,
    /// A coloured chip.
    Chip(Tone),
    /// A link to this URL.
    Link(String),
    /// A point in time.
    Time(Micros),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The title of each column, and whether its values are numbers.
    pub columns: Vec<(String, bool)>,
    /// Each row has a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// The data of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The kind of chart.
    pub kind: ChartKind,
    /// The title.
    pub title: String,
    /// The unit of the values. May be empty.
    pub unit: String,
    /// The label of each point.
    pub x: Vec<String>,
    /// Name and values of each series. There is a value for each label of `x`; `None` is a gap.
    pub series: Vec<(String, Vec<Option<f64>>)>,
}

impl Chart {
    /// Returns the data as a table.
    pub fn table(&self) -> Table {
        let mut columns = vec![(String::new(), false)];
        columns.extend(self.series.iter().map(|(name, _)| (name.clone(), true)));
        let figure = |value: Option<f64>| Cell::plain(value.map_or_else(String::new, |n| n.to_string()));
        let rows = self.x.iter().enumerate().map(|(at, x)| {
            let figures = self.series.iter().map(|(_, values)| figure(values.get(at).copied().flatten()));
            std::iter::once(Cell::plain(x.clone())).chain(figures).collect()
        });
        Table { rows: rows.collect(), columns }
    }
}

impl Cell {
    /// Returns a cell of plain text.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: CellLook::Plain }
    }
}

/// Returns whether a link may have this URL: that of a web page or a mail address, without white space and control
/// characters.
pub fn is_safe_link(href: &str) -> bool {
    let scheme = href.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let names_a_host = |scheme: &str| href[scheme.len()..].starts_with("://") && href.len() > scheme.len() + 3;
    let allowed = match scheme.as_deref() {
        Some(scheme @ ("http" | "https")) => names_a_host(scheme),
        Some("mailto") => href.contains('@'),
        _ => false,
    };
    allowed && href.len() <= 2_000 && !href.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// The controls of a view, with which a person answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Controls {
    /// Label and value of each button.
    pub buttons: Vec<(String, String)>,
    /// Name and label of each field.
    pub inputs: Vec<(String, String)>,
}

/// Returns the buttons and fields of a view, in order.
pub fn controls(nodes: &[Node]) -> Controls {
    let mut controls = Controls::default();
    gather(nodes, &mut controls);
    controls
}

fn gather(nodes: &[Node], controls: &mut Controls) {
    for node in nodes {
        match node {
            Node::Button { label, value, .. } => controls.buttons.push((label.clone(), value.clone())),
            Node::Input { name, label, .. } => controls.inputs.push((name.clone(), label.clone())),
            Node::Columns(children)
            | Node::Group(children)
            | Node::Section { children, .. }
            | Node::Callout { children, .. } => gather(children, controls),
            _ => {}
        }
    }
}

/// Returns a view as markdown.
pub fn markdown(nodes: &[Node]) -> String {
    let mut parts = Vec::new();
    push_markdown(nodes, &mut parts);
    parts.join("\n\n")
}

fn push_markdown(nodes: &[Node], parts: &mut Vec<String>) {
    let line = |words: &str| text::one_line(words, 2_000);
    for node in nodes {
        let part = match node {
            Node::Text { text, .. } | Node::Markdown(text) => text.clone(),
            Node::Heading(title) => format!("### {}", line(title)),
            Node::Badge(cell) => format!("**{}**", line(&cell.text)),
            Node::KeyValue(rows) => {
                lines(rows.iter().map(|(label, cell)| format!("- **{}**: {}", line(label), line(&cell.text))))
            }
            Node::Table(table) => table_markdown(table),
            Node::Chart(chart) => {
                parts.push(format!("### {}", line(&chart.title)));
                table_markdown(&chart.table())
            }
            Node::List { ordered, items } => lines(items.iter().enumerate().map(|(at, item)| {
                let mark = if *ordered { format!("{}.", at + 1) } else { "-".to_owned() };
                format!("{mark} {}", line(&item.text))
            })),
            Node::Code { language, text } => text::fence(language, text),
            Node::Diff { path, old, new } => {
                let side = |name: &str, text: &Option<String>| {
                    text.as_ref().map(|text| format!("{name}:\n\n{}", text::fence("", text)))
                };
                [Some(format!("`{}`", line(path))), side("Before", old), side("After", new)]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("\n\n")
            }
            Node::Progress { label, value, max, .. } => format!("{}: {value} of {max}", line(label)),
            Node::Image { alt, .. } => format!("Image: {}", line(alt)),
            Node::Link { text, href } => format!("[{}](<{href}>)", line(text)),
            Node::Button { label, .. } => format!("[ {} ]", line(label)),
            Node::Input { label, .. } => format!("{}: ____", line(label)),
            Node::Columns(children) | Node::Group(children) => {
                push_markdown(children, parts);
                continue;
            }
            Node::Section { title, children, .. } | Node::Callout { title, children, .. } => {
                if !title.is_empty() {
                    parts.push(format!("### {}", line(title)));
                }
                push_markdown(children, parts);
                continue;
            }
            Node::Divider => "---".to_owned(),
            Node::Json(value) => text::fence("json", &serde_json::to_string_pretty(value).unwrap_or_default()),
            Node::More(left) => format!("{left} more"),
            Node::Problem { component, problem } => format!("Not shown ({component}): {problem}"),
        };
        if !part.trim().is_empty() {
            parts.push(part);
        }
    }
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn table_markdown(table: &Table) -> String {
    let cell = |words: &str| text::one_line(words, 200).replace('|', "\\|");
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let titles = row(table.columns.iter().map(|(title, _)| cell(title)).collect());
    let marks = row(table.columns.iter().map(|(_, right)| if *right { "--:" } else { "---" }.to_owned()).collect());
    let rows = table.rows.iter().map(|cells| row(cells.iter().map(|it| cell(&it.text)).collect()));
    lines([titles, marks].into_iter().chain(rows))
}
