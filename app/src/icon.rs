//! Icons: the component, and the names of the shapes in `style/icons.css`.
//!
//! How to add one: its shape there and its name here; a test compares the two lists.

use leptos::prelude::*;

/// Writes the icons: the enum, and the class that gives an element its shape.
macro_rules! icons {
    ($( $Name:ident = $id:literal; )*) => {
        /// A shape: 16 px, drawn with a stroke in the colour of the text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Glyph { $( $Name, )* }

        impl Glyph {
            /// The class of the shape: `i-copy`.
            pub const fn class(self) -> &'static str {
                match self { $( Self::$Name => concat!("i-", $id), )* }
            }
        }

        #[cfg(test)]
        const CLASSES: &[&str] = &[$( concat!("i-", $id), )*];
    };
}

/// Size of an icon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Size {
    /// 16 px.
    #[default]
    Normal,
    /// 14 px.
    Small,
    /// 14 px and turning: something runs.
    Spinning,
}

impl Size {
    const fn class(self) -> &'static str {
        match self {
            Self::Normal => "i",
            Self::Small => "i sm",
            Self::Spinning => "i sm spin",
        }
    }
}

/// An icon beside its word. Give it a `label` only where no word stands beside it.
#[component]
pub fn Icon(
    glyph: Glyph,
    #[prop(optional)] size: Size,
    #[prop(optional_no_strip, into)] label: Option<&'static str>,
    /// Gives it the colour of a state.
    #[prop(optional_no_strip, into)]
    state: Option<&'static str>,
) -> impl IntoView {
    let role = label.map(|_| "img");
    view! { <i class=format!("{} {}", size.class(), glyph.class()) data-state=state role=role aria-label=label></i> }
}

icons! {
    Archive = "archive";
    Ask = "ask";
    Bell = "bell";
    Branch = "branch";
    Chart = "chart";
    Check = "check";
    Chev = "chev";
    Clip = "clip";
    Clock = "clock";
    Code = "code";
    Comment = "comment";
    Copy = "copy";
    Cut = "cut";
    Db = "db";
    Diff = "diff";
    Dn = "dn";
    Done = "done";
    Down = "down";
    Edit = "edit";
    Exit = "exit";
    Expand = "expand";
    Eye = "eye";
    Fail = "fail";
    File = "file";
    Filter = "filter";
    Fold = "fold";
    Folder = "folder";
    Gear = "gear";
    Globe = "globe";
    Half = "half";
    Home = "home";
    Idle = "idle";
    Kbd = "kbd";
    Key = "key";
    Layers = "layers";
    Link = "link";
    List = "list";
    Lock = "lock";
    Lost = "lost";
    Mark = "mark";
    More = "more";
    Needs = "needs";
    Panel = "panel";
    Pin = "pin";
    Plug = "plug";
    Plus = "plus";
    Refresh = "refresh";
    Search = "search";
    Split = "split";
    Stop = "stop";
    Sub = "sub";
    Sun = "sun";
    Term = "term";
    Think = "think";
    Trash = "trash";
    Undo = "undo";
    Unified = "unified";
    Up = "up";
    User = "user";
    Work = "work";
    X = "x";
}

#[cfg(test)]
mod tests {
    use super::CLASSES;

    #[test]
    fn every_name_has_a_shape_and_every_shape_a_name() {
        let style = include_str!("../../style/icons.css");
        let shapes: Vec<&str> = style
            .lines()
            .filter_map(|line| line.trim().strip_prefix(".i-")?.split_once(' '))
            .map(|(id, _)| id)
            .collect();
        let names: Vec<&str> = CLASSES.iter().filter_map(|class| class.strip_prefix("i-")).collect();
        assert_eq!(names, shapes);
    }
}
