//! The classes of a style.

use crate::html::Html;
use model::terminal::{Colour, Style};

/// `<span class="..." style="...">`.
pub(super) fn open(style: Style, html: &mut Html) {
    let text = match style.text {
        Colour::None => "",
        Colour::Red => "a31",
        Colour::Green => "a32",
        Colour::Yellow => "a33",
        Colour::Blue => "a34",
        Colour::Magenta => "a35",
        Colour::Cyan => "a36",
        Colour::Grey if style.dim => "",
        Colour::Grey => "a2",
        Colour::Rgb(..) => "ac",
    };
    let ground = match style.ground {
        Colour::None | Colour::Grey => "",
        Colour::Red => "b41",
        Colour::Green => "b42",
        Colour::Yellow => "b43",
        Colour::Blue => "b44",
        Colour::Magenta => "b45",
        Colour::Cyan => "b46",
        Colour::Rgb(..) => "ab",
    };
    let switches = [
        (style.bold, "a1"),
        (style.dim, "a2"),
        (style.italic, "a3"),
        (style.underline, "a4"),
        (style.inverse, "a7"),
        (style.strike, "a9"),
    ];
    let mut classes = vec![text, ground];
    classes.extend(switches.into_iter().filter(|(on, _)| *on).map(|(_, class)| class));
    classes.retain(|class| !class.is_empty());
    html.tag("<span").attr("class", &classes.join(" "));
    let value = |name: &str, colour: Colour| match colour {
        Colour::Rgb(r, g, b) => Some(format!("--{name}:#{r:02x}{g:02x}{b:02x}")),
        _ => None,
    };
    let data: Vec<String> = [value("c", style.text), value("b", style.ground)].into_iter().flatten().collect();
    if !data.is_empty() {
        html.attr("style", &data.join(";"));
    }
    html.tag(">");
}
