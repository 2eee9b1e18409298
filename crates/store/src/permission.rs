//! The owner's decisions on folders of transcripts, and their effect.

/// Whether Verbatim reads a folder's transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// Found, not yet agreed to.
    Waiting,
    Following,
    Paused,
    Excluded,
}

impl Following {
    const ALL: [Self; 4] = [Self::Waiting, Self::Following, Self::Paused, Self::Excluded];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Following => "following",
            Self::Paused => "paused",
            Self::Excluded => "excluded",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|following| following.as_str() == word)
    }
}

/// The owner's word that a batch depends on: it is written only while the folder is to be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    pub folder: String,
    /// Where the folder leads, if it is a link: the word must be about that place.
    pub leads_to: Option<String>,
    /// The state without a decision of the owner.
    pub unless_said: Following,
}

impl Permission {
    /// Returns what holds, given what a person said of the folder and where it led then. Agreement is to one place: a
    /// folder that leads elsewhere now is as if nobody had spoken of it.
    pub fn word(&self, said: Option<(Following, Option<&str>)>) -> Following {
        match said {
            Some((following, leads_to))
                if following != Following::Following || leads_to == self.leads_to.as_deref() =>
            {
                following
            }
            _ => self.unless_said,
        }
    }
}
