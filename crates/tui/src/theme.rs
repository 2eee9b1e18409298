//! Colours: the terminal's own sixteen, so that they fit its background.

use ratatui::style::{Color, Modifier, Style};

/// How things are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// By colour as well.
    Colours,
    /// By signs and weight alone, as `NO_COLOR` asks for.
    Plain,
}

#[expect(clippy::unused_self, reason = "one place for all styles, also for those that are the same in each theme")]
impl Theme {
    fn colour(self, colour: Color) -> Style {
        match self {
            Self::Colours => Style::new().fg(colour),
            Self::Plain => Style::new(),
        }
    }

    pub(crate) fn added(self) -> Style {
        self.colour(Color::Green)
    }

    pub(crate) fn removed(self) -> Style {
        self.colour(Color::Red)
    }

    /// Style of people's messages, and of keys.
    pub(crate) fn person(self) -> Style {
        self.colour(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn agent(self) -> Style {
        self.colour(Color::Blue).add_modifier(Modifier::BOLD)
    }

    /// Style of open requests, and of marks of invisible characters.
    pub(crate) fn warning(self) -> Style {
        self.colour(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn failed(self) -> Style {
        self.colour(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn code(self) -> Style {
        self.colour(Color::Magenta)
    }

    /// Style of less important text.
    pub(crate) fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The row that keys act on.
    pub(crate) fn current(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Words that changed, or that were sought.
    pub(crate) fn marked(self, style: Style) -> Style {
        style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }
}
