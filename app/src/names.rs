//! What people call things: types of messages, projects, models.

use api::sessions::Facet;
#[cfg(feature = "ssr")]
use model::Role;

/// Roles by which messages are filtered, in the order in which they are offered.
#[cfg(feature = "ssr")]
pub const ROLES: [(Role, &str); 6] = [
    (Role::User, "You"),
    (Role::Assistant, "Assistant"),
    (Role::Tool, "Tool"),
    (Role::Model, "Reasoning"),
    (Role::System, "System"),
    (Role::Host, "Verbatim"),
];

/// Explains why a sub-agent's session stands among those of its callers.
#[cfg(feature = "ssr")]
pub const PARENT_MISSING: &str = "The session that started this sub-agent isn't imported";

/// What is known of a thing, in one line: `bot · slipway · main`.
pub fn listed(facts: impl IntoIterator<Item = Option<String>>) -> String {
    facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" \u{b7} ")
}

/// A project by the shortest end of its path that no other project has; a worktree by its repository.
pub fn project_name(path: &str, projects: &[Facet]) -> String {
    let (path, worktree) = repository(path);
    let parts = parts(path);
    let others: Vec<Vec<&str>> = projects
        .iter()
        .map(|facet| repository(&facet.value).0)
        .filter(|other| *other != path)
        .map(|other| self::parts(other))
        .collect();
    let ends = (1..=parts.len()).map(|n| &parts[parts.len() - n..]);
    let name = ends.into_iter().find(|end| !others.iter().any(|other| other.ends_with(end))).unwrap_or(&parts);
    let name = if name.is_empty() { path.to_owned() } else { name.join("/") };
    worktree.map_or(name.clone(), |worktree| format!("{name} ({worktree})"))
}

/// The repository of a worktree that lies inside of it, and the worktree's own name.
fn repository(path: &str) -> (&str, Option<&str>) {
    const PLACES: [&str; 3] = ["/.claude/worktrees/", "/.worktrees/", "/.git/worktrees/"];
    // Paths of Windows have backslashes, one byte each as well.
    let slashed = path.replace('\\', "/");
    let split = PLACES.iter().find_map(|place| {
        let at = slashed.find(place)?;
        Some((path.get(..at)?, path.get(at + place.len()..)?))
    });
    let split = split.filter(|(repository, worktree)| !repository.is_empty() && !worktree.is_empty());
    split.map_or((path, None), |(repository, worktree)| (repository, Some(worktree)))
}

fn parts(path: &str) -> Vec<&str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty()).collect()
}

/// What agents are told before a plan. It says nothing of one session that it wouldn't say of the next.
#[cfg(feature = "ssr")]
const BEFORE_A_PLAN: &str = "Implement the following plan:";

/// A session's title as it is shown: that of a session which carries out a plan begins with the plan's own heading.
#[cfg(feature = "ssr")]
pub fn title(title: &str) -> String {
    let plan = title.strip_prefix(BEFORE_A_PLAN).map(str::trim_start);
    let heading = plan.map(|plan| plan.strip_prefix("Plan:").map_or(plan, str::trim_start));
    crate::visible::line(heading.filter(|heading| !heading.is_empty()).unwrap_or(title))
}

/// A path as its folder, with the separator behind it, and its name, which readers are to see in any case. `\` separates as
/// well, but in an absolute path of Unix it is a letter.
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

/// The last part of a path.
pub fn last_part(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().filter(|part| !part.is_empty()).unwrap_or(path)
}

/// `claude-opus-4-5-20251101` as `opus 4.5`; other models as they are called.
pub fn model_name(model: &str) -> String {
    let Some(rest) = model.strip_prefix("claude-") else { return model.to_owned() };
    let date = |part: &&str| part.len() == 8 && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = rest.split('-').filter(|part| !date(part)).collect();
    let number = |part: &&str| part.bytes().all(|b| b.is_ascii_digit());
    let (numbers, words): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(number);
    [words.join(" "), numbers.join(".")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{model_name, path_within, project_name, split_path, title};
    use api::sessions::Facet;

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

    #[test]
    fn projects_that_end_alike_are_told_apart() {
        let facet = |value: &str| Facet { value: value.to_owned(), sessions: 1 };
        let all = ["/home/a/cli", "/home/b/cli", "/home/b/web", "/opt/b/cli", "/home/a/cli/.worktrees/2", "here", ""];
        let projects = all.map(facet);
        let names = projects.each_ref().map(|facet| project_name(&facet.value, &projects));
        assert_eq!(names, ["a/cli", "home/b/cli", "web", "opt/b/cli", "a/cli (2)", "here", ""]);
        assert_eq!(project_name("C:\\src\\pump-house", &[]), "pump-house");
        assert_eq!(project_name("C:\\src\\pump-house\\.claude\\worktrees\\dry", &[]), "pump-house (dry)");
    }

    #[test]
    fn a_session_with_a_plan_is_called_as_the_plan() {
        let titles = [
            "Implement the following plan: Plan: Mend the roof",
            "Implement the following plan: Two oars",
            "Implement the following plan:",
            "Plan: Mend",
        ];
        assert_eq!(titles.map(title), ["Mend the roof", "Two oars", "Implement the following plan:", "Plan: Mend"]);
    }

    #[test]
    fn models_without_their_dates() {
        let names = ["claude-opus-4-5-20251101", "claude-3-5-haiku-20241022", "claude-sonnet-4", "gpt-5.2"];
        assert_eq!(names.map(model_name), ["opus 4.5", "haiku 3.5", "sonnet 4", "gpt-5.2"]);
    }
}
