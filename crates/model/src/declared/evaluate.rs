//! Fills the values of a payload into a document's components, within a budget.

use super::element::{Amount, Condition, Element, LabelledRow, Part, Role, TableColumn, Test};
use super::format::{cut, moment};
use super::node::{Cell, CellLook, Chart, Node, Table, Tone, is_safe_link};
use super::schema::label;
use super::template::{Path, Scope, Template};
use super::{MAX_BYTES, MAX_NODES, MAX_REPEATED, MAX_STEPS};
use crate::Micros;
use crate::strict;
use serde_json::{Map, Value};

/// Maximum size of one value's text, in bytes. Code and diffs may be longer.
const TEXT_BYTES: usize = 8 * 1024;
const CODE_BYTES: usize = 64 * 1024;
/// Maximum number of fields of an object whose fields the document doesn't list.
const MAX_FIELDS: usize = 100;
/// Maximum number of values of a tree.
const MAX_TREE: usize = 400;

/// The limits of one view. Evaluation ends when one is used up, whatever the payload contains.
#[derive(Debug)]
pub(super) struct Budget {
    steps: usize,
    nodes: usize,
    bytes: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { steps: MAX_STEPS, nodes: MAX_NODES, bytes: MAX_BYTES }
    }

    /// Spends steps. Returns false if none are left.
    pub(super) fn step(&mut self, steps: usize) -> bool {
        let enough = self.steps >= steps && self.bytes > 0;
        self.steps = self.steps.saturating_sub(steps);
        enough
    }

    pub(super) fn node(&mut self) -> bool {
        let enough = self.nodes > 0;
        self.nodes = self.nodes.saturating_sub(1);
        enough
    }

    /// Returns whether something was left out.
    pub(super) fn is_spent(&self) -> bool {
        self.nodes == 0 || self.steps == 0 || self.bytes == 0
    }

    pub(super) fn text(&mut self, text: &str, max: usize) -> String {
        let text = cut(text, max.min(self.bytes));
        self.bytes = self.bytes.saturating_sub(text.len());
        text
    }

    fn expand(&mut self, template: &Template, scope: Scope<'_>, max: usize) -> String {
        if !self.step(1 + template.pieces()) {
            return String::new();
        }
        let text = template.expand(scope, max.min(self.bytes));
        self.text(&text, max)
    }

    /// Copies as much of a value as a tree shows.
    pub(super) fn tree(&mut self, value: &Value) -> Value {
        let mut left = MAX_TREE;
        self.copy(value, &mut left)
    }

    fn copy(&mut self, value: &Value, left: &mut usize) -> Value {
        *left = left.saturating_sub(1);
        match value {
            Value::String(text) => Value::String(self.text(text, TEXT_BYTES)),
            Value::Array(items) => {
                let mut copied = Vec::new();
                for item in items {
                    if *left == 0 || !self.step(1) {
                        copied.push(Value::String(format!("… {} more", items.len() - copied.len())));
                        break;
                    }
                    copied.push(self.copy(item, left));
                }
                Value::Array(copied)
            }
            Value::Object(fields) => {
                let mut copied = Map::new();
                for (name, field) in fields {
                    if *left == 0 || !self.step(1) {
                        copied.insert("…".to_owned(), Value::String(format!("{} more", fields.len() - copied.len())));
                        break;
                    }
                    let name = self.text(name, 200);
                    let field = self.copy(field, left);
                    copied.insert(name, field);
                }
                Value::Object(copied)
            }
            scalar => scalar.clone(),
        }
    }
}

/// Evaluates a list of components.
pub(super) fn nodes(budget: &mut Budget, elements: &[Element], scope: Scope<'_>) -> Vec<Node> {
    let mut nodes = Vec::new();
    for element in elements {
        if budget.is_spent() {
            break;
        }
        match &element.each {
            None => nodes.extend(one(budget, element, scope)),
            Some(path) => {
                let items = match path.get(scope) {
                    None | Some(Value::Null) => continue,
                    Some(Value::Array(items)) => items,
                    Some(_) => {
                        if budget.node() {
                            nodes.push(not_a_list(element.part.name(), path));
                        }
                        continue;
                    }
                };
                let (mut done, mut shown) = (0, 0);
                for item in items {
                    if shown == MAX_REPEATED || !budget.step(1) || budget.is_spent() {
                        break;
                    }
                    done += 1;
                    let made = one(budget, element, Scope { item, ..scope });
                    shown += usize::from(made.is_some());
                    nodes.extend(made);
                }
                if done < items.len() && budget.node() {
                    nodes.push(Node::More(items.len() - done));
                }
            }
        }
    }
    nodes
}

fn not_a_list(component: &'static str, path: &Path) -> Node {
    Node::Problem { component, problem: format!("`{}` of the data isn't an array", path.text()) }
}

fn one(budget: &mut Budget, element: &Element, scope: Scope<'_>) -> Option<Node> {
    if !budget.step(1) || !element.condition.as_ref().is_none_or(|condition| holds(condition, scope)) || !budget.node()
    {
        return None;
    }
    part(budget, &element.part, scope)
}

/// Evaluates one component. `None` if it has nothing to show.
fn part(budget: &mut Budget, part: &Part, scope: Scope<'_>) -> Option<Node> {
    let component = part.name();
    let problem = |problem: String| Some(Node::Problem { component, problem });
    Some(match part {
        Part::Text { text, role, markdown } => {
            let text = some(budget.expand(text, scope, CODE_BYTES))?;
            if *markdown { Node::Markdown(text) } else { Node::Text { text, tone: tone_if(role.as_ref(), scope) } }
        }
        Part::Heading { text } => Node::Heading(some(budget.expand(text, scope, TEXT_BYTES))?),
        Part::Badge { text, role } => {
            let text = some(budget.expand(text, scope, 200))?;
            Node::Badge(Cell { text, look: CellLook::Chip(tone(role.as_ref(), scope)) })
        }
        Part::KeyValue { rows, of } => key_value(budget, rows, of.as_ref(), scope)?,
        Part::Table { rows, columns } => match rows.get(scope) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(items)) => table(budget, items, columns, scope)?,
            Some(_) => return Some(not_a_list(component, rows)),
        },
        Part::List { items, text, ordered } => match items.get(scope) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(all)) => {
                let mut items = Vec::new();
                for item in all.iter().take(MAX_REPEATED) {
                    if !budget.node() {
                        break;
                    }
                    items.push(cell(budget, text, None, None, Scope { item, ..scope }));
                }
                let left = all.len() - items.len();
                with_more(Node::List { ordered: *ordered, items }, left, all.is_empty())?
            }
            Some(_) => return Some(not_a_list(component, items)),
        },
        Part::Code { text, language } => {
            let language = budget.expand(language, scope, 40);
            Node::Code { text: some(budget.expand(text, scope, CODE_BYTES))?, language }
        }
        Part::Diff { path, old, new } => {
            let path = budget.expand(path, scope, 1_000);
            let mut side = |side: &Option<Path>| {
                side.as_ref().and_then(|it| it.get(scope)?.as_str()).map(|text| budget.text(text, CODE_BYTES))
            };
            let (old, new) = (side(old), side(new));
            if old.is_none() && new.is_none() {
                return problem("neither text is in the data".to_owned());
            }
            Node::Diff { path, old, new }
        }
        Part::Progress { label, value, max, role } => {
            let (Some(value), Some(max)) = (amount(value, scope), amount(max, scope)) else {
                return problem("its value isn't a number".to_owned());
            };
            if max <= 0.0 {
                return problem("its `max` isn't greater than 0".to_owned());
            }
            let label = budget.expand(label, scope, 200);
            let tone = tone_if(role.as_ref(), scope).unwrap_or(Tone::Info);
            Node::Progress { label, value: value.clamp(0.0, max), max, tone }
        }
        Part::Chart { rows, .. } => match rows.get(scope) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(items)) => chart(budget, part, items, scope)?,
            Some(_) => return Some(not_a_list(component, rows)),
        },
        Part::Image { blob, alt } => {
            let blob = some(budget.expand(blob, scope, 200))?;
            let sha256 = blob.strip_prefix("sha256:").unwrap_or(&blob).to_ascii_lowercase();
            if sha256.len() != 64 || !sha256.bytes().all(|b| b.is_ascii_hexdigit()) {
                return problem("`blob` isn't the SHA-256 of an uploaded file".to_owned());
            }
            Node::Image { sha256, alt: budget.expand(alt, scope, 500) }
        }
        Part::Link { text, href } => {
            let href = some(budget.expand(href, scope, TEXT_BYTES))?;
            if !is_safe_link(&href) {
                return problem("a link begins with `https://`, `http://` or `mailto:`".to_owned());
            }
            let text = budget.expand(text, scope, 500);
            Node::Link { text: some(text).unwrap_or_else(|| href.clone()), href }
        }
        Part::Button { label, value, role } => {
            let label = some(budget.expand(label, scope, 200))?;
            let value = some(budget.expand(value, scope, 200)).unwrap_or_else(|| label.clone());
            Node::Button { label, value, tone: tone(role.as_ref(), scope) }
        }
        Part::Input { name, label, kind, options } => {
            let label = some(budget.expand(label, scope, 200)).unwrap_or_else(|| name.clone());
            Node::Input { name: name.clone(), label, kind: *kind, options: options.clone() }
        }
        Part::Columns(children) => Node::Columns(some_of(nodes(budget, children, scope))?),
        Part::Group(children) => Node::Group(some_of(nodes(budget, children, scope))?),
        Part::Section { title, open, children } => {
            let title = budget.expand(title, scope, 500);
            Node::Section { title, open: *open, children: some_of(nodes(budget, children, scope))? }
        }
        Part::Callout { role, title, children } => {
            let tone = tone_if(role.as_ref(), scope).unwrap_or(Tone::Info);
            let title = budget.expand(title, scope, 500);
            let children = nodes(budget, children, scope);
            if title.is_empty() && children.is_empty() {
                return None;
            }
            Node::Callout { tone, title, children }
        }
        Part::Divider => Node::Divider,
        Part::Json { value } => Node::Json(budget.tree(value.get(scope)?)),
    })
}

fn some(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

fn some_of(nodes: Vec<Node>) -> Option<Vec<Node>> {
    (!nodes.is_empty()).then_some(nodes)
}

/// Adds the number of items that were left out.
fn with_more(node: Node, left: usize, is_empty: bool) -> Option<Node> {
    match left {
        0 => (!is_empty).then_some(node),
        left => Some(Node::Group(vec![node, Node::More(left)])),
    }
}

fn cell(budget: &mut Budget, text: &Template, href: Option<&Template>, role: Option<&Role>, scope: Scope<'_>) -> Cell {
    let time = text.time(scope).and_then(moment);
    let text = budget.expand(text, scope, TEXT_BYTES);
    let href = href.map(|href| budget.expand(href, scope, TEXT_BYTES)).filter(|href| is_safe_link(href));
    let look = match (href, tone_if(role, scope), time) {
        (Some(href), ..) if !text.is_empty() => CellLook::Link(href),
        (_, Some(tone), _) if !text.is_empty() => CellLook::Chip(tone),
        (.., Some(at)) => CellLook::Time(Micros(at.as_microsecond())),
        _ => CellLook::Plain,
    };
    Cell { text, look }
}

fn key_value(budget: &mut Budget, rows: &[LabelledRow], of: Option<&Path>, scope: Scope<'_>) -> Option<Node> {
    let mut made = Vec::new();
    for row in rows {
        if !row.condition.as_ref().is_none_or(|condition| holds(condition, scope)) || !budget.node() {
            continue;
        }
        let value = cell(budget, &row.value, row.href.as_ref(), row.role.as_ref(), scope);
        if !value.text.trim().is_empty() {
            made.push((budget.expand(&row.label, scope, 200), value));
        }
    }
    let mut left = 0;
    if let Some(path) = of {
        match path.get(scope) {
            None | Some(Value::Null) => {}
            Some(Value::Object(fields)) => {
                let mut shown = 0;
                for (name, value) in fields.iter().take(MAX_FIELDS) {
                    if !budget.step(1) || !budget.node() {
                        break;
                    }
                    shown += 1;
                    let text = super::format::plain(value, TEXT_BYTES);
                    made.push((budget.text(name, 200), Cell::plain(budget.text(&text, TEXT_BYTES))));
                }
                left = fields.len() - shown;
            }
            Some(_) => {
                let problem = format!("`{}` of the data isn't an object", path.text());
                return Some(Node::Problem { component: "key_value", problem });
            }
        }
    }
    let is_empty = made.is_empty();
    with_more(Node::KeyValue(made), left, is_empty)
}

fn table(budget: &mut Budget, items: &[Value], columns: &[TableColumn], scope: Scope<'_>) -> Option<Node> {
    let named;
    let columns = if columns.is_empty() {
        named = columns_of(items);
        &named
    } else {
        columns
    };
    let titles = columns.iter().map(|it| (budget.expand(&it.title, scope, 200), it.right)).collect();
    let mut rows = Vec::new();
    for item in items.iter().take(MAX_REPEATED) {
        if !budget.node() || !budget.step(columns.len()) {
            break;
        }
        let scope = Scope { item, ..scope };
        let cells =
            columns.iter().map(|it| cell(budget, &it.value, it.href.as_ref(), it.role.as_ref(), scope)).collect();
        rows.push(cells);
    }
    let left = items.len() - rows.len();
    with_more(Node::Table(Table { columns: titles, rows }), left, items.is_empty())
}

/// Returns the fields of the first rows, and whether their values are numbers.
pub(super) fn field_names(items: &[Value]) -> Vec<(&str, bool)> {
    const LOOKED_AT: usize = 20;
    const MAX_COLUMNS: usize = 12;
    let mut names: Vec<(&str, bool)> = Vec::new();
    for (name, value) in items.iter().take(LOOKED_AT).filter_map(Value::as_object).flatten() {
        let known = names.len();
        match names.iter_mut().find(|(known, _)| *known == name.as_str()) {
            Some((_, figures)) => *figures &= value.is_number(),
            None if known < MAX_COLUMNS => names.push((name, value.is_number())),
            None => {}
        }
    }
    names
}

/// Returns the columns of a table whose document lists none. Rows that aren't objects make a single column.
fn columns_of(items: &[Value]) -> Vec<TableColumn> {
    let column = |title: String, path: &str, right| {
        let (title, value) = (Template::literal(title), Path::parse(path).map(Template::value)?);
        Some(TableColumn { title, value, href: None, role: None, right })
    };
    let names = field_names(items);
    if names.is_empty() {
        return column(String::new(), ".", false).into_iter().collect();
    }
    let named = |(name, right): (&str, bool)| column(label(name), &format!(".{}", strict::token(name)), right);
    names.into_iter().filter_map(named).collect()
}

fn chart(budget: &mut Budget, part: &Part, items: &[Value], scope: Scope<'_>) -> Option<Node> {
    let Part::Chart { kind, title, unit, x, series, .. } = part else { return None };
    let mut chart = Chart {
        kind: *kind,
        title: budget.expand(title, scope, 500),
        unit: budget.expand(unit, scope, 40),
        x: Vec::new(),
        series: series.iter().map(|(name, _)| (budget.expand(name, scope, 200), Vec::new())).collect(),
    };
    for item in items.iter().take(MAX_REPEATED) {
        if !budget.step(1 + series.len()) {
            break;
        }
        let scope = Scope { item, ..scope };
        chart.x.push(budget.expand(x, scope, 200));
        for ((_, values), (_, path)) in chart.series.iter_mut().zip(series) {
            values.push(path.get(scope).and_then(Value::as_f64));
        }
    }
    let left = items.len() - chart.x.len();
    with_more(Node::Chart(chart), left, items.is_empty())
}

fn amount(amount: &Amount, scope: Scope<'_>) -> Option<f64> {
    match amount {
        Amount::Fixed(number) => Some(*number),
        Amount::Of(path) => path.get(scope)?.as_f64(),
    }
    .filter(|n| n.is_finite())
}

fn tone(role: Option<&Role>, scope: Scope<'_>) -> Tone {
    tone_if(role, scope).unwrap_or(Tone::Neutral)
}

fn tone_if(role: Option<&Role>, scope: Scope<'_>) -> Option<Tone> {
    Some(match role? {
        Role::Fixed(tone) => *tone,
        Role::Of { value, map, otherwise } => {
            let word = value.get(scope).map(|value| match value {
                Value::String(text) => text.clone(),
                Value::Array(_) | Value::Object(_) => String::new(),
                scalar => scalar.to_string(),
            });
            let found = word.and_then(|word| map.iter().find(|(known, _)| *known == word));
            found.map_or(*otherwise, |(_, tone)| *tone)
        }
    })
}

fn holds(condition: &Condition, scope: Scope<'_>) -> bool {
    let value = condition.value.get(scope).unwrap_or(&Value::Null);
    match &condition.test {
        Test::Holds => match value {
            Value::Null => false,
            Value::Bool(yes) => *yes,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
        },
        Test::Is(other) => same(value, other),
        Test::Not(other) => !same(value, other),
        Test::In(others) => others.iter().any(|other| same(value, other)),
        Test::Above(limit) => value.as_f64().is_some_and(|n| n > *limit),
        Test::Below(limit) => value.as_f64().is_some_and(|n| n < *limit),
    }
}

/// Compares JSON values. `1` equals `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}
