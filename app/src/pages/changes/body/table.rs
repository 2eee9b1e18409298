//! The difference in words: a table, with what each line is, for those who don't see the page.

use super::Shown;
use crate::html::Html;
use crate::shared::attr;
use diff::{Arrangement, Row};
use model::view::CodeLine;

/// More rows aren't drawn: a table of more is of no use to anybody.
const MAX_ROWS: usize = 5_000;

pub fn table(html: &mut Html, shown: &Shown<'_>) {
    html.tag("<div class=\"scroll-x\"><table class=\"diff-table\" role=\"table\"><caption>").text(&shown.prepared.path);
    html.tag("</caption><thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Text</th><th scope=\"col\">Actions</th></tr></thead><tbody>");
    let mut left = MAX_ROWS;
    for (index, outline) in shown.outlines().iter().enumerate() {
        let edit = shown.place(index).edit;
        let layout = outline.lay_out(Arrangement::Unified, shown.query.context());
        let rows = layout.rows(0..left);
        left -= rows.len();
        for row in &rows {
            match row {
                Row::Gap { lines, .. } => {
                    html.tag("<tr><td colspan=\"3\">").number(*lines).tag(" unchanged lines</td></tr>");
                }
                Row::Same { new, line, .. } => {
                    line_html(html, "<tr><th scope=\"row\">Line ", At { side: 'R', number: *new, edit }, line);
                }
                Row::Changed { old, new } => {
                    if let Some((number, line)) = old {
                        let at = At { side: 'L', number: *number, edit };
                        line_html(html, "<tr class=\"del\"><th scope=\"row\">Removed line ", at, line);
                    }
                    if let Some((number, line)) = new {
                        let at = At { side: 'R', number: *number, edit };
                        line_html(html, "<tr class=\"ins\"><th scope=\"row\">Added line ", at, line);
                    }
                }
            }
        }
        if rows.len() < layout.len() {
            html.tag("<tr><td colspan=\"3\">").text(&(layout.len() - rows.len()).to_string());
            html.tag(" more rows: copy the patch to read them</td></tr>");
            break;
        }
    }
    html.tag("</tbody></table></div>");
}

/// Which line it is. With an edit, the number counts from its first line.
struct At<'a> {
    side: char,
    number: u32,
    edit: Option<&'a str>,
}

fn line_html(html: &mut Html, open: &'static str, At { side, number, edit }: At<'_>, line: &CodeLine) {
    html.tag(open)
        .number(number)
        .tag(if edit.is_some() { " of an edit" } else { "" })
        .tag("</th><td><code>")
        .text(&line.text)
        .tag("</code>");
    html.tag(if line.no_newline { " No newline at the end of the file</td><td>" } else { "</td><td>" });
    let lines = edit.map_or(format!("{side}{number}"), |edit| format!("{side}{number}@{edit}"));
    for (does, words) in [("", "Comment"), (" data-link=\"\"", "Copy link")] {
        html.tag("<button type=\"button\" class=\"btn quiet tiny\"").tag(does).attr(attr::LINES, &lines);
        html.attr("aria-label", &format!("{words}: {side}{number}")).tag(">").tag(words).tag("</button>");
    }
    html.tag("</td></tr>");
}
