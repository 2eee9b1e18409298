//! Previews of files that don't execute any of their content.

use super::FileItem;

/// Component that shows a file in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// A raster image. SVG isn't included, because it can contain scripts.
    Image,
    /// A document that browsers open in their own viewer.
    Pdf,
    /// An audio player.
    Audio,
    /// A video player.
    Video,
    /// The first lines of a text.
    Text,
}

/// Media types that browsers can show.
const MEDIA: [(&str, Preview); 20] = [
    ("image/png", Preview::Image),
    ("image/jpeg", Preview::Image),
    ("image/gif", Preview::Image),
    ("image/webp", Preview::Image),
    ("image/avif", Preview::Image),
    ("application/pdf", Preview::Pdf),
    ("audio/mpeg", Preview::Audio),
    ("audio/mp4", Preview::Audio),
    ("audio/x-m4a", Preview::Audio),
    ("audio/aac", Preview::Audio),
    ("audio/ogg", Preview::Audio),
    ("audio/wav", Preview::Audio),
    ("audio/x-wav", Preview::Audio),
    ("audio/webm", Preview::Audio),
    ("audio/flac", Preview::Audio),
    ("audio/x-flac", Preview::Audio),
    ("video/mp4", Preview::Video),
    ("video/webm", Preview::Video),
    ("video/ogg", Preview::Video),
    ("video/quicktime", Preview::Video),
];

/// Media types of texts other than `text/`.
const TEXT: [&str; 8] = [
    "application/json",
    "application/x-ndjson",
    "application/javascript",
    "application/toml",
    "application/yaml",
    "application/x-yaml",
    "application/sql",
    "application/x-sh",
];

/// Extensions of text files, for files without a media type.
const ENDINGS: [&str; 34] = [
    "c", "cfg", "conf", "cpp", "cs", "css", "csv", "diff", "go", "h", "ini", "java", "js", "json", "jsonl", "kt",
    "lock", "log", "md", "patch", "php", "py", "rb", "rs", "sh", "sql", "swift", "toml", "ts", "tsv", "tsx", "txt",
    "yaml", "yml",
];

impl Preview {
    /// Returns the preview of a media type, and the `Content-Type` to serve it with, which isn't taken from the
    /// uploader. None for types that are only downloaded, such as HTML, SVG and XML, which browsers execute.
    pub fn of(mime: &str) -> Option<(Self, &'static str)> {
        let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if let Some((name, preview)) = MEDIA.into_iter().find(|(name, _)| *name == mime) {
            return Some((preview, name));
        }
        let is_markup = mime.ends_with("html") || mime.ends_with("xml");
        let is_text = (mime.starts_with("text/") && !is_markup) || TEXT.contains(&mime.as_str());
        is_text.then_some((Self::Text, "text/plain; charset=utf-8"))
    }
}

impl FileItem {
    /// Returns the preview of the file, by its media type or otherwise its extension.
    pub fn preview(&self) -> Option<Preview> {
        let is_unknown = matches!(self.mime.trim(), "" | "application/octet-stream");
        let by_name = || self.ending().filter(|_| is_unknown).filter(|ending| ENDINGS.contains(&ending.as_str()));
        Preview::of(&self.mime).map(|(preview, _)| preview).or_else(|| by_name().map(|_| Preview::Text))
    }

    /// Returns the extension of its name, in lower case.
    pub fn ending(&self) -> Option<String> {
        self.name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).filter(|ending| !ending.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{FileItem, FileState},
        Preview,
    };

    #[test]
    fn only_what_runs_nothing_is_shown() {
        use Preview::{Audio, Image, Pdf, Text, Video};
        let shown = [
            "image/png",
            "image/svg+xml",
            "IMAGE/PNG; x=1",
            "application/pdf",
            "audio/mpeg",
            "video/mp4",
            "text/x-rust",
            "text/html",
            "text/xml",
            "application/xhtml+xml",
            "application/json",
            "application/zip",
            "",
        ]
        .map(|mime| Preview::of(mime).map(|(preview, _)| preview));
        let expected = [
            Some(Image),
            None,
            Some(Image),
            Some(Pdf),
            Some(Audio),
            Some(Video),
            Some(Text),
            None,
            None,
            None,
            Some(Text),
            None,
            None,
        ];
        assert_eq!(shown, expected);
        assert_eq!(Preview::of("Image/PNG"), Some((Image, "image/png")), "the type is served in words of ours");
    }

    #[test]
    fn a_name_says_what_the_type_does_not() {
        let preview = |name: &str, mime: &str| {
            let (name, mime) = (name.to_owned(), mime.to_owned());
            let item =
                FileItem { name, mime, size: 1, blob: None, state: FileState::Ready, error: None, actions: Vec::new() };
            item.preview()
        };
        assert_eq!(preview("main.RS", "application/octet-stream"), Some(Preview::Text));
        assert_eq!(preview("main.rs", ""), Some(Preview::Text));
        assert_eq!(preview("page.html", ""), None);
        assert_eq!(preview("core", "application/octet-stream"), None);
        assert_eq!(preview("notes.txt", "application/zip"), None);
    }
}
