//! The files that an agent may ask for.

use drivers::Folder;
use serde_json::json;
use std::fs;
use std::io::ErrorKind;

#[test]
fn files_within_are_read_by_lines_and_written() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::open(place.path()).unwrap();
    assert_eq!(folder.write_text("new/deep/a.txt", "1\n2\n3\n").unwrap(), json!({}));
    let absolute = folder.path().join("new/deep/a.txt").display().to_string();
    assert_eq!(folder.read_text(&absolute, None, None).unwrap(), json!({"content": "1\n2\n3\n"}));
    assert_eq!(folder.read_text("new/../new/deep/a.txt", Some(2), Some(1)).unwrap(), json!({"content": "2\n"}));
    folder.write_text("new/deep/a.txt", "4").unwrap();
    assert_eq!(folder.read_text(&absolute, None, None).unwrap(), json!({"content": "4"}));
}

#[cfg(unix)]
#[test]
fn no_path_leads_out_of_it() {
    let place = tempfile::tempdir().unwrap();
    let inside = place.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::create_dir(place.path().join("inside-too")).unwrap();
    fs::write(place.path().join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink(place.path(), inside.join("up")).unwrap();
    std::os::unix::fs::symlink(place.path().join("secret"), inside.join("link")).unwrap();
    std::os::unix::fs::symlink(place.path().join("absent"), inside.join("dangling")).unwrap();
    let folder = Folder::open(&inside).unwrap();
    let absolute = place.path().join("inside-too/x").display().to_string();
    for path in ["../secret", "up/secret", "link", "/etc/passwd", "up/new", "../new", "nothing/../../secret", &absolute]
    {
        assert_eq!(folder.read_text(path, None, None).unwrap_err().kind(), ErrorKind::PermissionDenied, "{path}");
        assert_eq!(folder.write_text(path, "x").unwrap_err().kind(), ErrorKind::PermissionDenied, "{path}");
    }
    assert_eq!(folder.write_text("dangling", "x").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(fs::read_to_string(place.path().join("secret")).unwrap(), "secret");
    assert!(!place.path().join("new").exists() && !place.path().join("absent").exists());
    let real = folder.path().display().to_string();
    let message = folder.read_text("../secret", None, None).unwrap_err().to_string();
    assert_eq!(message, format!("`../secret` is outside of the session's folder `{real}`"));
}
