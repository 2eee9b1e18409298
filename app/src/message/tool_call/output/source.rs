//! A file as it was read: line numbers beside it, in the colours of its language.

use crate::html::Html;
use crate::markdown::code_lines;
use crate::visible;

/// Longer texts stay plain: colours cost an element each.
const MAX_COLOURED: usize = 200;

/// Code with its numbers, which are neither selected nor copied.
pub(super) fn draw(path: &str, first: usize, code: &str) -> Html {
    let mut html = Html::new();
    let count = code.split('\n').count();
    let numbers: Vec<String> = (first..first + count).map(|n| n.to_string()).collect();
    html.tag("<div class=\"source\"><pre class=\"nums\" aria-hidden=\"true\">").text(&numbers.join("\n"));
    html.tag("</pre><pre class=\"code\" tabindex=\"0\">");
    let mut lines = Html::new();
    let language = path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, end)| end);
    if count <= MAX_COLOURED && !language.is_empty() {
        code_lines(&mut lines, language, code);
    } else {
        visible::push(&mut lines, code);
    }
    html.html(&lines.in_pre()).tag("</pre></div>");
    html
}
