//! The server as a systemd service. systemd's own program checks what is written; a double of `systemctl` notes what is asked.

#![cfg(target_os = "linux")]

use crate::support::Place;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

/// Says of each call what it was asked, and what systemd would.
const SYSTEMCTL: &str = r#"#!/bin/sh
echo "$*" >> "$HOME/asked"
case "$*" in
  *show-environment) [ ! -e "$HOME/nobus" ] || { echo 'Failed to connect to bus: No medium found' >&2; exit 1; } ;;
  *is-enabled*) echo enabled ;;
  *is-active*) echo active ;;
esac
"#;

fn place() -> Place {
    let place = Place::new();
    let double = place.write("bin/systemctl", SYSTEMCTL);
    std::fs::set_permissions(double, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(place.path("home")).unwrap();
    place
}

fn service(place: &Place, arguments: &[&str]) -> Output {
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    place.program(&[&["service"], arguments].concat()).env("PATH", path).output().unwrap()
}

/// Returns the output of a command, with standard error behind it.
fn said(place: &Place, arguments: &[&str]) -> String {
    let output = service(place, arguments);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    text.replace(place.path("home").to_str().unwrap(), "HOME")
}

fn asked(place: &Place) -> Vec<String> {
    let asked = std::fs::read_to_string(place.path("home/asked")).unwrap_or_default();
    let _ = std::fs::remove_file(place.path("home/asked"));
    asked.lines().map(str::to_owned).collect()
}

const FILE: &str = "home/.config/systemd/user/verbatim.service";
const SOCKET: &str = "home/.config/systemd/user/verbatim.socket";

#[test]
fn it_is_installed_and_removed() {
    let place = place();
    assert_eq!(said(&place, &["status"]), "Not installed. `verbatim service install` installs the service\n");
    assert_eq!(said(&place, &["uninstall"]), "Not installed\n");
    assert_eq!(asked(&place), [""; 0]);
    for again in [false, true] {
        let installed = said(&place, &["install"]);
        assert!(
            installed.starts_with("HOME/.config/systemd/user/verbatim.service is written, and the service runs\n"),
            "{installed}"
        );
        // The port stays open the second time.
        let listens: &[&str] = if again {
            &["is-active verbatim.socket", "daemon-reload", "enable verbatim.service verbatim.socket"]
        } else {
            &[
                "daemon-reload",
                "enable verbatim.service verbatim.socket",
                "stop verbatim.socket verbatim.service",
                "start verbatim.socket",
            ]
        };
        let expected = [&["show-environment"], listens, &["restart verbatim.service"]].concat();
        assert_eq!(asked(&place), expected.iter().map(|said| format!("--user {said}")).collect::<Vec<_>>());
    }
    let printed = String::from_utf8(service(&place, &["install", "--print"]).stdout).unwrap();
    let written = |file: &str| std::fs::read_to_string(place.path(file)).unwrap();
    assert_eq!(printed, format!("# verbatim.service\n{}\n# verbatim.socket\n{}", written(FILE), written(SOCKET)));
    assert!(written(SOCKET).contains("\nListenStream=127.0.0.1:7117\n"));
    let expected =
        "file     HOME/.config/systemd/user/verbatim.service\nenabled  enabled\nactive   active\nsocket   active\n";
    assert_eq!(said(&place, &["status"]), expected);
    let asks = ["is-enabled verbatim.service", "is-active verbatim.service", "is-active verbatim.socket"];
    assert_eq!(asked(&place), asks.map(|said| format!("--user {said}")));
    // Another address is listened on.
    place.write("home/.config/verbatim/config.toml", "listen = \"127.0.0.1:7200\"");
    said(&place, &["install"]);
    assert!(written(SOCKET).contains("\nListenStream=127.0.0.1:7200\n"));
    assert!(asked(&place).contains(&"--user stop verbatim.socket verbatim.service".to_owned()));
    place.write("home/.config/verbatim/config.toml", "listen = \"127.0.0.1:0\"");
    let refused = "verbatim: `listen` is 127.0.0.1:0\nA service needs a port of its own, such as 127.0.0.1:7117\n";
    assert_eq!(said(&place, &["install"]), refused);
    place.write("home/.config/verbatim/config.toml", "listen = \"0.0.0.0:7117\"");
    let refused = "verbatim: `listen` is 0.0.0.0:7117, which other machines reach, and nothing serves it with TLS\n\
         Set `public-url`, and `tls-cert` and `tls-key`, `tls-acme`, or `trusted-proxy`, in `config.toml` first\n";
    assert_eq!(said(&place, &["install"]), refused);
    assert_eq!(asked(&place), [""; 0]);
    let removed = said(&place, &["uninstall"]);
    assert_eq!(
        removed,
        "The service is stopped, and HOME/.config/systemd/user/verbatim.service is removed. The data stays\n"
    );
    let asks = ["disable --now verbatim.socket", "disable --now verbatim.service", "daemon-reload"];
    assert_eq!(asked(&place), asks.map(|said| format!("--user {said}")));
    assert!(!place.path(FILE).exists() && !place.path(SOCKET).exists());
}

/// Also where the path of the program has what systemd reads otherwise.
#[test]
fn systemd_takes_the_file() {
    let place = place();
    let printed = |folder: &str| {
        let program = place.path(folder).join("verbatim");
        std::fs::create_dir_all(place.path(folder)).unwrap();
        let built = env!("CARGO_BIN_EXE_verbatim");
        std::fs::hard_link(built, &program).or_else(|_| std::fs::copy(built, &program).map(drop)).unwrap();
        std::process::Command::new(program).args(["service", "install", "--print"]).output().unwrap()
    };
    let refused = String::from_utf8(printed("an \"odd\" one").stderr).unwrap();
    assert!(
        refused.starts_with("verbatim: systemd starts no program with quotes or backslashes in its path\n"),
        "{refused}"
    );
    let units = String::from_utf8(printed("odd $b %c").stdout).unwrap();
    let (unit, socket) = units.split_once("\n# verbatim.socket\n").unwrap();
    place.write("verbatim.service", unit);
    place.write("verbatim.socket", socket);
    let analyze = |file: &str| {
        let mut analyze = std::process::Command::new("systemd-analyze");
        analyze.args(["verify", "--user"]).arg(place.path(file)).env("XDG_RUNTIME_DIR", place.path("home")).output()
    };
    // A system without systemd has no such program.
    let Ok(checked) = analyze("verbatim.service") else { return };
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let checked = analyze("verbatim.socket").unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    place.write("broken.service", "[Service]\nExecStart=/nowhere/verbatim serve\n");
    assert!(!analyze("broken.service").unwrap().status.success(), "a broken one is found");
}

#[test]
fn without_systemd_nothing_is_written() {
    let place = place();
    place.write("home/nobus", "");
    let said = said(&place, &["install"]);
    let expected = "verbatim: `systemctl --user show-environment` failed: Failed to connect to bus: No medium found\n\
                    Start the server by hand: `verbatim serve`\n";
    assert_eq!(said, expected);
    assert!(!place.path(FILE).exists());
}
