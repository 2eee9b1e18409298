//! Options from the environment and from `config.toml`.

use crate::support::Place;
use insta::assert_snapshot;
use serde_json::Value;
use std::process::Output;

/// Runs a command with a file and variables.
fn run(place: &Place, file: Option<&str>, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = place.program(arguments);
    if let Some(text) = file {
        place.write("config.toml", text);
        command.env("VERBATIM_CONFIG", place.path("config.toml"));
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

/// Value and source of an option.
fn setting(place: &Place, file: Option<&str>, variables: &[(&str, &str)], option: &str) -> (Value, String) {
    let output = run(place, file, variables, &["config", "show", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let settings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let setting = settings.iter().find(|setting| setting["option"] == option).unwrap();
    let source = setting["source"].as_str().unwrap().replace(place.path("config.toml").to_str().unwrap(), "FILE");
    (setting["value"].clone(), source)
}

fn error(place: &Place, file: &str, arguments: &[&str]) -> String {
    let output = run(place, Some(file), &[], arguments);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap().replace(place.path("config.toml").to_str().unwrap(), "FILE")
}

#[test]
fn all_options_are_listed() {
    let place = Place::new();
    let output = run(&place, Some("listen = \"127.0.0.1:7200\"\n"), &[], &["config", "show"]);
    assert_snapshot!(place.mask(&String::from_utf8(output.stdout).unwrap()));
}

#[test]
fn the_environment_comes_before_the_file() {
    let place = Place::new();
    let file = "# Ports\nlisten = \"127.0.0.1:7200\"\nno-discover = true\nposts-per-second = 9\n";
    assert_eq!(setting(&place, None, &[], "listen"), ("127.0.0.1:7117".into(), "default".into()));
    assert_eq!(setting(&place, Some(file), &[], "listen"), ("127.0.0.1:7200".into(), "FILE, line 2".into()));
    let variables = [("VERBATIM_LISTEN", "127.0.0.1:7300"), ("VERBATIM_NO_DISCOVER", "no")];
    assert_eq!(setting(&place, Some(file), &variables, "listen"), ("127.0.0.1:7300".into(), "VERBATIM_LISTEN".into()));
    assert_eq!(setting(&place, Some(file), &[], "no-discover"), ("true".into(), "FILE, line 3".into()));
    assert_eq!(setting(&place, Some(file), &variables, "no-discover").1, "VERBATIM_NO_DISCOVER");
    assert_eq!(setting(&place, Some(file), &[], "posts-per-second"), ("9".into(), "FILE, line 4".into()));
    // An empty one is none, as compose files set them.
    assert_eq!(setting(&place, Some(file), &[("VERBATIM_LISTEN", "")], "listen").1, "FILE, line 2");
    let lists = "channel-host = [\"matrix.test\", \"hooks.test\"]\n";
    let expected = ("matrix.test, hooks.test".into(), "FILE, line 1".into());
    assert_eq!(setting(&place, Some(lists), &[], "channel-host"), expected);
}

#[test]
fn a_secret_is_in_a_file_of_its_own() {
    let place = Place::new();
    place.write("url.txt", "postgres://verbatim@db.test/verbatim\n");
    let file = place.path("url.txt");
    let variables = [("VERBATIM_DATABASE_FILE", file.to_str().unwrap())];
    assert_eq!(setting(&place, None, &variables, "database"), ("(secret)".into(), "VERBATIM_DATABASE_FILE".into()));
    let missing = run(&place, None, &[("VERBATIM_DATABASE_FILE", "/nowhere/url.txt")], &["sessions"]);
    let said = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(
        said,
        "verbatim: `VERBATIM_DATABASE_FILE`: /nowhere/url.txt can't be read: No such file or directory (os error 2)\n"
    );
}

/// The server takes them: these would let other machines in.
#[test]
fn the_server_reads_them() {
    let place = Place::new();
    let expected = "verbatim: listening on 0.0.0.0:7117 would let other machines in without TLS";
    assert_eq!(error(&place, "listen = \"0.0.0.0:7117\"", &["serve"]).lines().next(), Some(expected));
    let output = run(&place, None, &[("VERBATIM_LISTEN", "0.0.0.0:7117")], &["serve"]);
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().next(), Some(expected));
    // Other commands find the data by them. The command line comes first.
    let elsewhere = ("VERBATIM_DATA_DIR", "/elsewhere");
    for (arguments, folder) in [(&["sessions"][..], "/elsewhere"), (&["sessions", "--data-dir", "/third"], "/third")] {
        let output = run(&place, Some("data-dir = \"/nowhere\""), &[elsewhere], arguments);
        let expected = format!("verbatim: {folder} isn't a data directory of Verbatim");
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().next(), Some(&*expected));
    }
}

#[test]
fn a_file_that_is_wrong_is_refused_by_its_line() {
    let place = Place::new();
    let mut said = String::new();
    for file in [
        "lisen = \"127.0.0.1:7117\"",
        "\nopen = true\nopen = false\n",
        "listen = [\"127.0.0.1:7117\"]",
        "channel-host = [1.5]",
        "[serve]\nlisten = \"127.0.0.1:7117\"",
        "listen = 127.0.0.1",
    ] {
        said += &error(&place, file, &["sessions"]);
        said += "\n";
    }
    assert_snapshot!(said);
    // So is a value that no option takes, in the file or in the environment.
    let expected = "verbatim: FILE, line 1: `posts-per-second` can't be `many`: invalid digit found in string\n";
    for command in [&["serve"][..], &["config", "show"]] {
        assert_eq!(error(&place, "posts-per-second = \"many\"", command), expected);
    }
    let variable = [("VERBATIM_POSTS_PER_SECOND", "many")];
    let output = run(&place, None, &variable, &["serve"]);
    let expected = expected.replace("FILE, line 1", "VERBATIM_POSTS_PER_SECOND");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    let help = run(&place, Some("lisen = 1"), &[], &["serve", "--help"]);
    assert!(help.status.success(), "help is printed all the same");
}

#[test]
fn shells_complete_commands_and_pages_describe_them() {
    let place = Place::new();
    for (shell, sign) in [("bash", "_verbatim()"), ("zsh", "#compdef verbatim"), ("fish", "complete -c verbatim")] {
        let script = place.out(&["completions", shell]);
        assert!(script.contains(sign) && script.contains("sessions"), "{shell}");
    }
    let folder = place.path("man");
    place.out(&["man", folder.to_str().unwrap()]);
    let page = std::fs::read_to_string(folder.join("verbatim-serve.1")).unwrap();
    assert!(page.contains("Address to listen on"), "{page}");
}
