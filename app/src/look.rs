//! How pages look on the reader's device: theme, density, colours, contrast. Each is a cookie, so that the server draws
//! the page as it shall be, and an attribute of `<html>`.
//!
//! How to add one: a line in [`CHOICES`], and the style of its attribute in `style/tokens.css`.
use crate::shared::attr;

/// One thing to choose. The first value is what holds without a choice, and leaves the attribute away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Name of the cookie.
    pub name: &'static str,
    pub attribute: &'static str,
    pub label: &'static str,
    /// Word and label.
    pub values: &'static [(&'static str, &'static str)],
}

pub const CHOICES: [Choice; 4] = [
    Choice {
        name: "theme",
        attribute: attr::THEME,
        label: "Theme",
        values: &[("system", "Same as the device"), ("light", "Light"), ("dark", "Dark")],
    },
    Choice {
        name: "density",
        attribute: attr::DENSITY,
        label: "Density",
        values: &[("normal", "Normal"), ("compact", "Compact"), ("comfortable", "Comfortable")],
    },
    Choice {
        name: "colours",
        attribute: attr::CVD,
        label: "Diff colours",
        values: &[("usual", "Green and red"), ("deuteran", "Blue and orange"), ("tritan", "Blue and red")],
    },
    Choice {
        name: "contrast",
        attribute: attr::CONTRAST,
        label: "Contrast",
        values: &[("system", "Same as the device"), ("more", "High")],
    },
];

/// Returns the label of the button that changes the theme.
pub fn theme_words(theme: &str) -> String {
    format!("Theme: {theme}. Switch")
}

/// A value for each choice, in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look([usize; CHOICES.len()]);

impl Look {
    /// Reads the cookies. Anything unknown is as if nothing was chosen.
    pub fn read<'a>(cookie: impl Fn(&str) -> Option<&'a str>) -> Self {
        Self(CHOICES.map(|choice| {
            let said = cookie(choice.name).unwrap_or_default();
            choice.values.iter().position(|(word, _)| *word == said).unwrap_or(0)
        }))
    }

    /// Each choice with the word that holds.
    pub fn chosen(&self) -> impl Iterator<Item = (&'static Choice, &'static str)> + use<> {
        let values = self.0;
        CHOICES
            .iter()
            .zip(values)
            .map(|(choice, value)| (choice, choice.values.get(value).map_or("", |(word, _)| *word)))
    }

    /// `system`, `light` or `dark`.
    pub fn theme(&self) -> &'static str {
        self.chosen().find(|(choice, _)| choice.name == "theme").map_or("system", |(_, word)| word)
    }
}

#[cfg(test)]
mod tests {
    use super::Look;

    #[test]
    fn cookies_are_read_and_nonsense_is_passed_over() {
        let said = |name: &str| match name {
            "theme" => Some("dark"),
            "density" => Some("huge"),
            "colours" => Some("tritan"),
            _ => None,
        };
        let words: Vec<_> = Look::read(said).chosen().map(|(_, word)| word).collect();
        assert_eq!(words, ["dark", "normal", "tritan", "system"]);
        assert_eq!(Look::default().theme(), "system");
    }
}
