//! Styles of SGR sequences: colours, weight, lines.

use vte::Params;

/// A colour of text or background. Of the sixteen terminal colours, bright ones equal plain ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colour {
    /// The theme's own colour, also for black and white.
    #[default]
    None,
    /// `31`, `91`.
    Red,
    /// `32`, `92`.
    Green,
    /// `33`, `93`.
    Yellow,
    /// `34`, `94`.
    Blue,
    /// `35`, `95`.
    Magenta,
    /// `36`, `96`.
    Cyan,
    /// Bright black: `90`.
    Grey,
    /// Red, green and blue, 0 to 255: the other 240 colours of the palette, and `38;2`.
    Rgb(u8, u8, u8),
}

/// The style of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a terminal")]
pub struct Style {
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined, in any form.
    pub underline: bool,
    /// Text and background colours are swapped.
    pub inverse: bool,
    /// Struck through.
    pub strike: bool,
    /// Colour of the characters.
    pub text: Colour,
    /// Colour behind the characters.
    pub ground: Colour,
}

impl Style {
    /// The default style of a terminal.
    pub const NONE: Self = Self {
        bold: false,
        dim: false,
        italic: false,
        underline: false,
        inverse: false,
        strike: false,
        text: Colour::None,
        ground: Colour::None,
    };

    /// Applies the parameters of one sequence.
    pub(super) fn apply(&mut self, params: &Params) {
        let mut params = params.iter();
        while let Some(param) = params.next() {
            let [code, rest @ ..] = param else { continue };
            match code {
                0 => *self = Self::NONE,
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                // `4:0` means no underline, `4:3` a curly one.
                4 => self.underline = rest.first() != Some(&0),
                7 => self.inverse = true,
                9 => self.strike = true,
                21 => self.underline = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underline = false,
                27 => self.inverse = false,
                29 => self.strike = false,
                30..=37 | 39 => self.text = named(code % 10),
                40..=47 | 49 => self.ground = named(code % 10),
                90..=97 => self.text = bright(code % 10),
                100..=107 => self.ground = bright(code % 10),
                38 => self.text = extended(rest, &mut params),
                48 => self.ground = extended(rest, &mut params),
                // Colour of underlines. Its parameters aren't SGR codes.
                58 => _ = extended(rest, &mut params),
                _ => {}
            }
        }
    }
}

impl Default for Style {
    fn default() -> Self {
        Self::NONE
    }
}

/// Returns the colour of a code's last digit.
fn named(digit: u16) -> Colour {
    match digit {
        1 => Colour::Red,
        2 => Colour::Green,
        3 => Colour::Yellow,
        4 => Colour::Blue,
        5 => Colour::Magenta,
        6 => Colour::Cyan,
        _ => Colour::None,
    }
}

fn bright(digit: u16) -> Colour {
    if digit == 0 { Colour::Grey } else { named(digit) }
}

/// Parses the colour after a 38: `38;5;n` and `38;2;r;g;b`. With colons, `38:2::r:g:b` has an empty field.
fn extended<'p>(within: &[u16], params: &mut impl Iterator<Item = &'p [u16]>) -> Colour {
    let mut next = || params.next().and_then(|param| param.first().copied());
    let byte = |value: Option<u16>| u8::try_from(value.unwrap_or(0)).unwrap_or(u8::MAX);
    match within {
        [] => match next() {
            Some(5) => indexed(next().unwrap_or(0)),
            Some(2) => Colour::Rgb(byte(next()), byte(next()), byte(next())),
            _ => Colour::None,
        },
        [5, n, ..] => indexed(*n),
        [2, r, g, b] | [2, _, r, g, b, ..] => Colour::Rgb(byte(Some(*r)), byte(Some(*g)), byte(Some(*b))),
        _ => Colour::None,
    }
}

/// Returns one of 256 colours: the sixteen, a cube of 6 steps, 24 greys.
fn indexed(n: u16) -> Colour {
    let byte = |value: u16| u8::try_from(value).unwrap_or(u8::MAX);
    let step = |n: u16| if n == 0 { 0 } else { byte(55 + 40 * n) };
    match n {
        0..=7 => named(n),
        8..=15 => bright(n - 8),
        16..=231 => {
            let n = n - 16;
            Colour::Rgb(step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        232..=255 => {
            let grey = byte(8 + 10 * (n - 232));
            Colour::Rgb(grey, grey, grey)
        }
        _ => Colour::None,
    }
}
