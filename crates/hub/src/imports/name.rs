//! The name of a path: text by which files and folders are stored and shown.

use std::path::Path;

/// Begins what is no UTF-8 in a name: two hex digits follow, or the character itself.
const MARK: char = '\u{fffd}';

/// Returns the path as text. Two paths have the same name only if they are the same: a byte that is no UTF-8 becomes
/// U+FFFD and its hex digits, and U+FFFD itself is doubled. All other paths are their own name.
pub fn name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name.push_str(&chunk.valid().replace(MARK, "\u{fffd}\u{fffd}"));
        for byte in chunk.invalid() {
            name.push_str(&format!("{MARK}{byte:02x}"));
        }
    }
    name
}

#[cfg(all(test, unix))]
mod tests {
    use crate::imports::name;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    #[test]
    fn different_paths_have_different_names() {
        let of = |bytes: &[u8]| name(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(of("/home/zoë/a b".as_bytes()), "/home/zoë/a b");
        assert_eq!(of(b"/a\xff/b\xfe"), "/a\u{fffd}ff/b\u{fffd}fe");
        assert_ne!(of(b"/a\xff"), of("/a\u{fffd}ff".as_bytes()));
        assert_ne!(of(b"/a\xff"), of(b"/a\xfe"));
    }
}
