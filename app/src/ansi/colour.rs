//! What SGR sequences say: colours, weight, lines.

use crate::html::Html;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Colour {
    #[default]
    None,
    /// 1 to 6: red, green, yellow, blue, magenta, cyan. Black and white are the theme's own.
    Named(u8),
    Rgb(u8, u8, u8),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a terminal")]
pub(super) struct Style {
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    inverse: bool,
    strike: bool,
    text: Colour,
    ground: Colour,
}

impl Style {
    /// `<span class="..." style="...">`.
    pub fn open(self, html: &mut Html) {
        let mut classes = Vec::new();
        classes.push(match self.text {
            Colour::None => "",
            Colour::Named(1) => "a31",
            Colour::Named(2) => "a32",
            Colour::Named(3) => "a33",
            Colour::Named(4) => "a34",
            Colour::Named(5) => "a35",
            Colour::Named(_) => "a36",
            Colour::Rgb(..) => "ac",
        });
        classes.push(match self.ground {
            Colour::None => "",
            Colour::Named(1) => "b41",
            Colour::Named(2) => "b42",
            Colour::Named(3) => "b43",
            Colour::Named(4) => "b44",
            Colour::Named(5) => "b45",
            Colour::Named(_) => "b46",
            Colour::Rgb(..) => "ab",
        });
        let switches = [
            (self.bold, "a1"),
            (self.dim, "a2"),
            (self.italic, "a3"),
            (self.underline, "a4"),
            (self.inverse, "a7"),
            (self.strike, "a9"),
        ];
        classes.extend(switches.into_iter().filter(|(on, _)| *on).map(|(_, class)| class));
        classes.retain(|class| !class.is_empty());
        html.tag("<span").attr("class", &classes.join(" "));
        let value = |name: &str, colour: Colour| match colour {
            Colour::Rgb(r, g, b) => Some(format!("--{name}:#{r:02x}{g:02x}{b:02x}")),
            _ => None,
        };
        let data: Vec<String> = [value("c", self.text), value("b", self.ground)].into_iter().flatten().collect();
        if !data.is_empty() {
            html.attr("style", &data.join(";"));
        }
        html.tag(">");
    }
}

/// The parameters of one sequence.
pub(super) fn apply(parameters: &str, style: &mut Style) {
    let mut codes = parameters.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or(0));
    while let Some(code) = codes.next() {
        match code {
            0 => *style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            3 => style.italic = true,
            4 => style.underline = true,
            7 => style.inverse = true,
            9 => style.strike = true,
            22 => (style.bold, style.dim) = (false, false),
            23 => style.italic = false,
            24 => style.underline = false,
            27 => style.inverse = false,
            29 => style.strike = false,
            90 => (style.text, style.dim) = (Colour::None, true),
            30..=37 | 39 | 91..=97 => style.text = named(code % 10),
            40..=47 | 49 | 100..=107 => style.ground = named(code % 10),
            38 => style.text = extended(&mut codes),
            48 => style.ground = extended(&mut codes),
            _ => {}
        }
    }
}

/// The colour of a last digit; 0, 7 and 9 are the theme's own.
fn named(digit: u16) -> Colour {
    match digit {
        1..=6 => Colour::Named(digit as u8),
        _ => Colour::None,
    }
}

/// `38;5;n` and `38;2;r;g;b`, after the 38.
fn extended(codes: &mut impl Iterator<Item = u16>) -> Colour {
    match codes.next() {
        Some(5) => indexed(codes.next().unwrap_or(0)),
        Some(2) => {
            let mut part = || codes.next().unwrap_or(0).min(255) as u8;
            Colour::Rgb(part(), part(), part())
        }
        _ => Colour::None,
    }
}

/// One of 256: the sixteen, a cube of 6 steps, 24 greys.
fn indexed(n: u16) -> Colour {
    let step = |n: u16| if n == 0 { 0 } else { (55 + 40 * n) as u8 };
    match n {
        0..=15 => named(n % 8),
        16..=231 => {
            let n = n - 16;
            Colour::Rgb(step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        232..=255 => {
            let grey = (8 + 10 * (n - 232)) as u8;
            Colour::Rgb(grey, grey, grey)
        }
        _ => Colour::None,
    }
}
