//! Paths of files, of Unix and of Windows, as strings: agents may run on another machine.

/// A path as its folder, with the separator behind it, and its name, which readers are to see in any case. `\`
/// separates as well, but in an absolute path of Unix it is a letter.
pub fn split_path(path: &str) -> (&str, &str) {
    let is_separator = |c: char| c == '/' || (c == '\\' && !path.starts_with('/'));
    let name = path.trim_end_matches(is_separator);
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let at = name.rfind(is_separator).map_or(if drive { 2 } else { 0 }, |at| at + 1);
    // A root has no name of its own.
    if at >= name.len() { ("", path) } else { path.split_at(at) }
}

/// Returns the path relative to a folder, or None if it lies elsewhere. The case of a drive letter is ignored.
pub fn path_within<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let folder = folder.trim_end_matches(['/', '\\']);
    let (begins, rest) = path.split_at_checked(folder.len())?;
    let is_drive = begins.as_bytes().get(1) == Some(&b':');
    let same =
        begins == folder || (is_drive && begins.eq_ignore_ascii_case(folder) && begins.get(1..) == folder.get(1..));
    rest.strip_prefix(['/', '\\']).filter(|rest| same && !folder.is_empty() && !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{path_within, split_path};

    #[test]
    fn a_path_is_its_folder_and_its_name() {
        let cases = [
            ("/home/ada/mill/wheel.rs", ("/home/ada/mill/", "wheel.rs")),
            ("src/wheel.rs", ("src/", "wheel.rs")),
            ("wheel.rs", ("", "wheel.rs")),
            (r"C:\Users\mira\pump-house\run.ps1", (r"C:\Users\mira\pump-house\", "run.ps1")),
            (r"\\server\share\run.ps1", (r"\\server\share\", "run.ps1")),
            (r"C:/mixed\run.ps1", (r"C:/mixed\", "run.ps1")),
            (r"scripts\run.ps1", (r"scripts\", "run.ps1")),
            ("C:run.ps1", ("C:", "run.ps1")),
            ("/home/ada/mill/", ("/home/ada/", "mill/")),
            (r"C:\Users\", (r"C:\", r"Users\")),
            (r"/home/ada/back\slash.txt", ("/home/ada/", r"back\slash.txt")),
            ("/", ("", "/")),
            (r"C:\", ("", r"C:\")),
            ("", ("", "")),
            ("ü:x", ("", "ü:x")),
        ];
        for (path, parts) in cases {
            assert_eq!(split_path(path), parts, "{path}");
        }
    }

    #[test]
    fn a_path_within_a_folder_is_what_is_left_of_it() {
        let cases = [
            ("/home/ada/mill/src/wheel.rs", "/home/ada/mill", Some("src/wheel.rs")),
            ("/home/ada/mill/wheel.rs", "/home/ada/mill/", Some("wheel.rs")),
            ("/home/ada/mill2/wheel.rs", "/home/ada/mill", None),
            ("/home/ada/mill", "/home/ada/mill", None),
            (r"C:\pump-house\run.ps1", r"C:\pump-house", Some("run.ps1")),
            (r"c:\pump-house\src\run.ps1", r"C:\pump-house", Some(r"src\run.ps1")),
            (r"D:\pump-house\run.ps1", r"C:\pump-house", None),
            ("/x", "", None),
        ];
        for (path, folder, rest) in cases {
            assert_eq!(path_within(path, folder), rest, "{path} in {folder}");
        }
    }
}
