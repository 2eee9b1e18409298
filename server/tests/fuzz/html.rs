//! The rules for HTML of ours, whatever it was made of: tags in the strict form that we write, elements that are closed
//! in their order, no element or attribute that runs or loads anything, and links to where links may lead.

/// Elements of which a text in markdown is made.
pub const MARKDOWN: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "button",
    "code",
    "del",
    "div",
    "em",
    "figure",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];
/// Elements of what a terminal shows.
pub const TERMINAL: &[&str] = &["span"];
/// Elements of cards beside those of markdown.
pub const CARD: &[&str] = &[
    "article",
    "dd",
    "details",
    "dl",
    "dt",
    "fieldset",
    "footer",
    "form",
    "h1",
    "img",
    "input",
    "label",
    "legend",
    "path",
    "section",
    "select",
    "option",
    "summary",
    "svg",
    "time",
    "textarea",
    "circle",
    "rect",
    "caption",
    "col",
    "colgroup",
    "nav",
    "output",
    "aside",
    "g",
    "line",
    "polyline",
    "polygon",
    "ellipse",
    "strong",
    "progress",
    "meter",
    "abbr",
    "var",
    "samp",
    "cite",
    "q",
    "template",
    "figure",
    "figcaption",
    "audio",
    "video",
    "button",
    "title",
];
const VOID: &[&str] = &["br", "hr", "img", "input", "col"];
/// Attributes that lead elsewhere.
const LINKS: &[&str] = &["href", "src", "action", "formaction", "srcset", "poster", "xlink:href", "data", "cite"];
/// How addresses begin.
const SCHEMES: &[&str] = &["http://", "https://", "mailto:"];

/// Panics where something is in it that may not be.
pub fn check(html: &str, elements: &[&[&str]]) {
    if let Err(problem) = checked(html, elements) {
        panic!("{problem}\nin {html}");
    }
}

fn checked(html: &str, elements: &[&[&str]]) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '>']) {
        rest = &rest[at..];
        if rest.starts_with('>') {
            return Err(format!("a sign that isn't escaped: {}", excerpt(rest)));
        }
        if let Some(comment) = rest.strip_prefix("<!") {
            // Leptos marks places with them. Nothing of a message is in one.
            let end = comment.find('>').ok_or("a comment without an end")?;
            if !matches!(&comment[..end], "" | "----" | "--[--" | "--]--" | "--<() />--") {
                return Err(format!("a comment: {}", excerpt(rest)));
            }
            rest = &comment[end + 1..];
            continue;
        }
        if let Some(closing) = rest.strip_prefix("</") {
            let (name, behind) = closing.split_once('>').ok_or("a tag without an end")?;
            if open.pop() != Some(name) {
                return Err(format!("{name} closes what isn't open: {}", excerpt(rest)));
            }
            rest = behind;
            continue;
        }
        let (name, behind) = word(&rest[1..]);
        if !elements.iter().any(|elements| elements.contains(&name)) {
            return Err(format!("the element {name}: {}", excerpt(rest)));
        }
        let (behind, is_closed) = attributes(name, behind)?;
        if !is_closed && !VOID.contains(&name) {
            open.push(name);
        }
        rest = behind;
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

/// Reads the attributes of a tag. Returns what comes behind it, and whether it closes itself.
fn attributes<'h>(element: &str, mut rest: &'h str) -> Result<(&'h str, bool), String> {
    loop {
        if let Some(behind) = rest.strip_prefix("/>") {
            return Ok((behind, true));
        }
        if let Some(behind) = rest.strip_prefix('>') {
            return Ok((behind, false));
        }
        let behind = rest.strip_prefix(' ').ok_or_else(|| format!("a tag of {element}: {}", excerpt(rest)))?;
        let (name, behind) = word(behind);
        if name.is_empty() {
            // Leptos leaves a space where an attribute has no value.
            rest = behind;
            continue;
        }
        let Some(value) = behind.strip_prefix("=\"") else {
            rest = behind;
            continue;
        };
        let (value, behind) = value.split_once('"').ok_or_else(|| format!("{name} of {element} has no end"))?;
        attribute(element, name, value)?;
        rest = behind;
    }
}

fn attribute(element: &str, name: &str, value: &str) -> Result<(), String> {
    let bad = |why: &str| Err(format!("{name} of {element} {why}: {value}"));
    if name.starts_with("on") || name == "srcdoc" {
        return bad("runs");
    }
    if name == "style" && !value.split(';').all(is_style) {
        return bad("is a style of somebody else's");
    }
    let is_own =
        value.starts_with('#') || (value.starts_with('/') && !value.starts_with("//") && !value.starts_with("/\\"));
    let value = value.replace("&amp;", "&").to_lowercase();
    let leads = LINKS.contains(&name);
    let is_elsewhere = SCHEMES.iter().any(|scheme| value.starts_with(scheme));
    let is_drawn = element == "img" && value.starts_with("data:image/");
    if leads && !(is_own || is_drawn || (element == "a" && is_elsewhere) || value.is_empty() || value.starts_with('?'))
    {
        return bad("leads elsewhere");
    }
    Ok(())
}

/// Numbers, colours and widths: nothing that loads.
fn is_style(style: &str) -> bool {
    let style = style.trim();
    style.is_empty()
        || style.split_once(':').is_some_and(|(name, value)| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-#.%(), ".contains(c);
            (name.starts_with("--") || ["counter-set", "min-width"].contains(&name))
                && value.chars().all(is_plain)
                && !value.contains("url")
        })
}

fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-:_".contains(c))).unwrap_or(text.len());
    text.split_at(end)
}

fn excerpt(text: &str) -> &str {
    &text[..text.floor_char_boundary(120)]
}

/// The text of HTML without its tags, as a browser reads it.
pub fn text(html: &str) -> String {
    let mut text = String::new();
    for (number, piece) in html.split('<').enumerate() {
        text += if number == 0 { piece } else { piece.split_once('>').map_or("", |(_, behind)| behind) };
    }
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    signs.iter().fold(text, |text, (name, sign)| text.replace(name, sign))
}
