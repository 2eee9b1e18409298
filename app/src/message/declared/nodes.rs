//! Renders the components of a view as HTML. All text is escaped: no value becomes markup, style or script.

use crate::chart::{self, Axis, Label, Point, Series, Unit};
use crate::figures::counted;
use crate::html::Html;
use crate::icon::{Glyph, IconStyle};
use crate::markdown::code_block;
use crate::message::Card;
use crate::message::code_edit::{self, Extent, diff_html};
use crate::render::render_part;
use crate::shared::attr;
use crate::{clock::Clock, json_tree, visible};
use api::Route as _;
use api::contract::GetBlob;
use model::declared::Node;
use model::declared::node::{Cell, CellLook, Chart, InputKind, Table, Tone};
use model::envelope::EditInfo;
use model::message_type::chart::{ChartKind, Table as Figures};
use model::message_type::code_edit::Edit;
use model::text::amount;

/// The HTML that components are rendered into.
pub(super) struct Drawing<'d> {
    pub card: &'d Card,
    pub html: &'d mut Html,
    /// Whether buttons can be pressed. Otherwise they are shown disabled.
    pub answers: bool,
}

impl Drawing<'_> {
    pub(super) fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Text { text, tone } => {
                self.html.tag("<p class=\"lines\"");
                self.tone(*tone);
                self.html.tag(">");
                visible::push(self.html, text);
                self.html.tag("</p>");
            }
            Node::Markdown(text) => {
                let prose = self.card.prose(text);
                self.html.tag("<div class=\"prose\">").html(&prose).tag("</div>");
            }
            Node::Heading(text) => {
                self.html.tag("<h3>").html(&visible::html(text)).tag("</h3>");
            }
            Node::Badge(cell) => {
                self.html.tag("<p>");
                self.cell(cell);
                self.html.tag("</p>");
            }
            Node::KeyValue(rows) => {
                self.html.tag("<dl class=\"kv\">");
                for (label, cell) in rows {
                    self.html.tag("<dt>").html(&visible::html(label)).tag("</dt><dd>");
                    self.cell(cell);
                    self.html.tag("</dd>");
                }
                self.html.tag("</dl>");
            }
            Node::Table(table) => self.table(table),
            Node::List { ordered, items } => {
                self.html.tag(if *ordered { "<ol>" } else { "<ul>" });
                for item in items {
                    self.html.tag("<li>");
                    self.cell(item);
                    self.html.tag("</li>");
                }
                self.html.tag(if *ordered { "</ol>" } else { "</ul>" });
            }
            Node::Code { language, text } => code_block(self.html, language, text),
            Node::Diff { path, old, new } => self.diff(path, old.as_ref(), new.as_ref()),
            Node::Progress { label, value, max, tone } => {
                self.html.tag("<p class=\"progress\"");
                self.tone(Some(*tone));
                self.html.tag("><label><span>").html(&visible::html(label)).tag("</span> <progress");
                self.html.attr("value", &value.to_string()).attr("max", &max.to_string());
                let percent = format!("{:.0}%", value / max * 100.0);
                self.html.tag("></progress></label> <span class=\"cap\">").text(&percent).tag("</span></p>");
            }
            Node::Chart(chart) => self.chart(chart),
            Node::Image { sha256, alt } => {
                let address = GetBlob.path([sha256]);
                self.html.tag("<a target=\"_blank\"").attr("href", &address).tag("><img class=\"picture\"");
                self.html.attr("src", &address).attr("alt", if alt.is_empty() { "Picture" } else { alt });
                self.html.tag(" loading=\"lazy\" decoding=\"async\"></a>");
            }
            Node::Link { text, href } => {
                self.html.tag("<p>");
                self.link(text, href);
                self.html.tag("</p>");
            }
            Node::Button { label, value, tone } => {
                self.html.tag("<button type=\"submit\" name=\"option\"").attr("value", value);
                self.html.attr(
                    "class",
                    match tone {
                        Tone::Ok | Tone::Info => "btn allow",
                        Tone::Bad => "btn deny",
                        Tone::Warn | Tone::Neutral => "btn",
                    },
                );
                self.html.tag(if self.answers { "><span>" } else { " disabled><span>" });
                self.html.html(&visible::html(label)).tag("</span></button>");
            }
            Node::Input { name, label, kind, options } => self.input(name, label, *kind, options),
            Node::Columns(children) => {
                self.html.tag("<div class=\"columns\">");
                for child in children {
                    self.html.tag("<div class=\"nodes\">");
                    self.node(child);
                    self.html.tag("</div>");
                }
                self.html.tag("</div>");
            }
            Node::Group(children) => self.nodes(children),
            Node::Section { title, open, children } => {
                self.html.tag(if *open {
                    "<details class=\"part\" open><summary>"
                } else {
                    "<details class=\"part\"><summary>"
                });
                self.html.html(&visible::html(title)).tag("</summary><div class=\"nodes\">");
                self.nodes(children);
                self.html.tag("</div></details>");
            }
            Node::Callout { tone, title, children } => {
                self.html.tag("<div class=\"callout\"");
                self.tone(Some(*tone));
                self.html.tag("><div class=\"nodes\">");
                if !title.is_empty() {
                    self.html.tag("<b>").html(&visible::html(title)).tag("</b>");
                }
                self.nodes(children);
                self.html.tag("</div></div>");
            }
            Node::Divider => {
                self.html.tag("<hr>");
            }
            Node::Json(value) => {
                let tree = json_tree::tree(value);
                self.html.html(&tree);
            }
            Node::More(left) => {
                let left = i64::try_from(*left).unwrap_or(i64::MAX);
                self.html.tag("<p class=\"cap\">").text(&counted(left, "more item")).tag("</p>");
            }
            Node::Problem { component, problem } => {
                self.html.tag("<p class=\"cap fg-warn\">").icon(Glyph::NEEDS, IconStyle::SMALL);
                self.html.tag(" Not drawn (").text(component).tag("): ");
                self.html.html(&visible::html(problem)).tag("</p>");
            }
        }
    }

    /// Adds the attribute that selects the colour.
    fn tone(&mut self, tone: Option<Tone>) {
        let Some(tone) = tone else { return };
        self.html.attr(
            attr::STATE,
            match tone {
                Tone::Ok => "done",
                Tone::Warn => "stalled",
                Tone::Bad => "failed",
                Tone::Info => "running",
                Tone::Neutral => "idle",
            },
        );
    }

    fn cell(&mut self, cell: &Cell) {
        match &cell.look {
            CellLook::Plain => visible::push(self.html, &cell.text),
            CellLook::Chip(tone) => {
                self.html.tag("<span class=\"chip\"");
                self.tone(Some(*tone));
                self.html.tag(">");
                visible::push(self.html, &cell.text);
                self.html.tag("</span>");
            }
            CellLook::Link(href) => self.link(&cell.text, href),
            CellLook::Time(at) => {
                // The browser changes it to the reader's time zone.
                let clock = Clock::utc(self.card.options.now);
                self.html.tag("<time").attr("title", &clock.full(*at)).attr(attr::US, &at.0.to_string());
                self.html.tag(" data-exact=\"\">").text(&clock.exact(*at)).tag("</time>");
            }
        }
    }

    fn link(&mut self, text: &str, href: &str) {
        self.html
            .tag("<a class=\"link\" target=\"_blank\" rel=\"noopener noreferrer nofollow\"")
            .attr("href", href)
            .tag(">");
        visible::push(self.html, text);
        self.html.tag("</a>");
    }

    fn table(&mut self, table: &Table) {
        self.html.tag("<div class=\"table-wrap\" tabindex=\"0\"><table class=\"table\">");
        if table.columns.iter().any(|(title, _)| !title.is_empty()) {
            self.html.tag("<thead><tr>");
            for (title, right) in &table.columns {
                self.html.tag(if *right { "<th scope=\"col\" class=\"num\">" } else { "<th scope=\"col\">" });
                self.html.html(&visible::html(title)).tag("</th>");
            }
            self.html.tag("</tr></thead>");
        }
        self.html.tag("<tbody>");
        for row in &table.rows {
            self.html.tag("<tr>");
            for (at, cell) in row.iter().enumerate() {
                let right = table.columns.get(at).is_some_and(|(_, right)| *right);
                self.html.tag(if right { "<td class=\"num\">" } else { "<td>" });
                self.cell(cell);
                self.html.tag("</td>");
            }
            self.html.tag("</tr>");
        }
        self.html.tag("</tbody></table></div>");
    }

    fn chart(&mut self, of: &Chart) {
        let unit = Some(of.unit.as_str()).filter(|unit| !unit.is_empty());
        let words = |value: f64| unit.map_or_else(|| amount(value), |unit| format!("{} {unit}", amount(value)));
        let point = |(at, value): (usize, &Option<f64>)| Point {
            at: at as f64,
            value: *value,
            words: value.map_or_else(String::new, words),
        };
        let series = of.series.iter().map(|(name, values)| Series {
            name: name.clone(),
            points: values.iter().enumerate().map(point).collect(),
        });
        // A pie shows one series.
        let most = if of.kind == ChartKind::Pie { 1 } else { usize::MAX };
        let head = std::iter::once("Category".to_owned()).chain(of.series.iter().map(|(name, _)| name.clone()));
        let rows = of.table().rows.into_iter().map(|row| row.into_iter().map(|cell| cell.text).collect());
        let drawn = chart::Chart {
            kind: of.kind,
            title: of.title.clone(),
            note: unit.map_or_else(String::new, |unit| format!("in {unit}")),
            unit: unit.map_or(Unit::None, |unit| Unit::Named(unit.to_owned())),
            axis: Axis::Categories(of.x.iter().map(|x| Label { long: x.clone(), short: x.clone() }).collect()),
            series: series.take(most).collect(),
            table: Figures { head: head.collect(), rows: rows.collect() },
            csv: None,
        };
        self.html.html(&render_part(|| chart::view(&drawn)));
    }

    fn diff(&mut self, path: &str, old: Option<&String>, new: Option<&String>) {
        let edit = Edit {
            file_path: if path.is_empty() { "text".to_owned() } else { path.to_owned() },
            old_content: old.cloned(),
            new_content: new.cloned(),
            language: None,
        };
        let info = EditInfo::default();
        let drawn = diff::texts(&edit, &info).file_diff(&edit, crate::patch::CONTEXT);
        self.html
            .tag("<figure class=\"edit\"><figcaption class=\"path\">")
            .html(&visible::path(&edit.file_path))
            .tag("</figcaption>");
        match drawn {
            Some(drawn) => {
                let (lines, hidden) = diff_html(&drawn, code_edit::DiffStyle::of(Extent::Whole));
                self.html.html(&lines);
                if hidden > 0 {
                    self.html.tag("<p class=\"cap\">").text(&counted(i64::from(hidden), "more line")).tag("</p>");
                }
            }
            None => {
                self.html.tag("<p class=\"cap\">Nothing changed</p>");
            }
        }
        self.html.tag("</figure>");
    }

    fn input(&mut self, name: &str, label: &str, kind: InputKind, options: &[String]) {
        let name = format!("field-{name}");
        self.html.tag("<label class=\"answer-field\"><span>").html(&visible::html(label)).tag("</span>");
        if kind == InputKind::Select {
            self.html.tag("<select").attr("name", &name);
            self.disabled();
            self.html.tag("><option value=\"\">Choose</option>");
            for option in options {
                self.html.tag("<option").attr("value", option).tag(">").text(&visible::plain(option)).tag("</option>");
            }
            self.html.tag("</select></label>");
            return;
        }
        self.html.tag(match kind {
            InputKind::Number => "<input type=\"number\" step=\"any\"",
            InputKind::Date => "<input type=\"date\"",
            InputKind::Checkbox => "<input type=\"checkbox\" class=\"tick\" value=\"true\"",
            InputKind::Text | InputKind::Select => "<input type=\"text\" dir=\"auto\"",
        });
        self.html.attr("name", &name);
        self.disabled();
        self.html.tag("></label>");
    }

    fn disabled(&mut self) {
        self.html.tag(if self.answers { "" } else { " disabled" });
    }
}
