//! What a view is made of once its values are filled in: plain text, numbers and lists.

use crate::message_type::chart::ChartKind;
use crate::{Micros, text, words};
use serde_json::Value;

words! {
    /// What a colour says.
    Tone {
        /// It went well.
        Ok = "ok",
        /// It needs attention.
        Warn = "warn",
        /// It failed.
        Bad = "bad",
        /// It is under way, or worth knowing.
        Info = "info",
        /// Nothing in particular.
        Neutral = "neutral",
    }

    /// What a person fills in.
    InputKind {
        /// One line.
        Text = "text",
        /// A number.
        Number = "number",
        /// A day.
        Date = "date",
        /// One of several options.
        Select = "select",
        /// Yes or no.
        Checkbox = "checkbox",
    }
}

/// A component with its values.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A paragraph.
    Text {
        /// As it is shown.
        text: String,
        /// Its colour.
        tone: Option<Tone>,
    },
    /// Prose.
    Markdown(String),
    /// A title within the card.
    Heading(String),
    /// A word in a coloured chip.
    Badge(Cell),
    /// Labels with values.
    KeyValue(Vec<(String, Cell)>),
    /// Rows below titles.
    Table(Table),
    /// Items below each other.
    List {
        /// Are they numbered?
        ordered: bool,
        /// At least one.
        items: Vec<Cell>,
    },
    /// Code with colours.
    Code {
        /// As fences of markdown name it; may be empty.
        language: String,
        /// The code.
        text: String,
    },
    /// What changed in a file.
    Diff {
        /// Names the file, and with it the language.
        path: String,
        /// The text before; None if the file is new.
        old: Option<String>,
        /// The text after; None if the file was deleted.
        new: Option<String>,
    },
    /// How far something has got.
    Progress {
        /// What it is.
        label: String,
        /// So much is done.
        value: f64,
        /// Of so much. Greater than 0.
        max: f64,
        /// Its colour.
        tone: Tone,
    },
    /// Figures as a picture.
    Chart(Chart),
    /// A picture that was uploaded.
    Image {
        /// SHA-256 of its bytes: 64 digits in hex.
        sha256: String,
        /// What it shows.
        alt: String,
    },
    /// A link to a web page or an address.
    Link {
        /// What it is called.
        text: String,
        /// `http:`, `https:` or `mailto:`.
        href: String,
    },
    /// Answers with its value.
    Button {
        /// What it says.
        label: String,
        /// What the agent reads.
        value: String,
        /// Its colour.
        tone: Tone,
    },
    /// A field that the buttons send along.
    Input {
        /// The field of the answer.
        name: String,
        /// What it says.
        label: String,
        /// What is filled in.
        kind: InputKind,
        /// Of a select.
        options: Vec<String>,
    },
    /// Side by side where there is room.
    Columns(Vec<Node>),
    /// Below each other, without a title.
    Group(Vec<Node>),
    /// Folds away.
    Section {
        /// What is in it.
        title: String,
        /// Is it unfolded at first?
        open: bool,
        /// What it holds.
        children: Vec<Node>,
    },
    /// Set apart in a colour.
    Callout {
        /// Its colour.
        tone: Tone,
        /// May be empty.
        title: String,
        /// What it holds.
        children: Vec<Node>,
    },
    /// A line.
    Divider,
    /// Data as a tree.
    Json(Value),
    /// So many items more that aren't shown.
    More(usize),
    /// A component that couldn't be made, and why.
    Problem {
        /// Its name.
        component: &'static str,
        /// Why.
        problem: String,
    },
}

/// A value in a table, a list or beside a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// As it is shown.
    pub text: String,
    /// How it looks.
    pub look: CellLook,
}

/// How a value looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellLook {
    /// Text.
    Plain,
    /// A coloured chip.
    Chip(Tone),
    /// A link to this address.
    Link(String),
    /// A point in time.
    Time(Micros),
}

/// Rows below titles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Titles, and whether the column is one of figures.
    pub columns: Vec<(String, bool)>,
    /// As many cells each as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// Figures as a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// How they are drawn.
    pub kind: ChartKind,
    /// What they show.
    pub title: String,
    /// What they are measured in; may be empty.
    pub unit: String,
    /// What each point stands for.
    pub x: Vec<String>,
    /// Name and figures, as many as `x` has; None where there is none.
    pub series: Vec<(String, Vec<Option<f64>>)>,
}

impl Chart {
    /// Returns the figures as a table.
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

/// Whether a link may lead there: to a web page or a mail address, spelled without tricks.
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

/// What a person can answer with.
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

/// Returns the words of a view as markdown.
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
