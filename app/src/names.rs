//! Display names of message types, projects and models.

use api::sessions::Facet;
#[cfg(feature = "ssr")]
use model::model_context::CacheMissCause;
use model::worktree::{elsewhere, repository};
#[cfg(feature = "ssr")]
use model::{Role, Session};

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

/// Joins known facts to one line: `bot · slipway · main`.
pub fn listed(facts: impl IntoIterator<Item = Option<String>>) -> String {
    facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" \u{b7} ")
}

/// A project by the shortest end of its path that no other project has; a worktree by its repository.
pub fn project_name(path: &str, projects: &[Facet]) -> String {
    let (path, worktree) = place(path);
    let parts = parts(path);
    let others: Vec<Vec<&str>> = projects
        .iter()
        .map(|facet| place(&facet.value).0)
        .filter(|other| *other != path)
        .map(|other| self::parts(other))
        .collect();
    let ends = (1..=parts.len()).map(|n| &parts[parts.len() - n..]);
    let name = ends.into_iter().find(|end| !others.iter().any(|other| other.ends_with(end))).unwrap_or(&parts);
    let name = if name.is_empty() { path.to_owned() } else { name.join("/") };
    worktree.map_or(name.clone(), |worktree| format!("{name} ({worktree})"))
}

/// A session's project, with the worktree that the session works in.
#[cfg(feature = "ssr")]
pub fn session_project(session: &Session, projects: &[Facet]) -> String {
    let name = project_name(&session.project, projects);
    match session.cwd.as_deref().map(repository) {
        Some((repository, Some(worktree))) if repository == session.project => format!("{name} ({worktree})"),
        _ => name,
    }
}

/// The repository of a folder, and the name of the worktree that it is.
fn place(path: &str) -> (&str, Option<&str>) {
    match elsewhere(path) {
        Some((repository, worktree)) => (repository, Some(worktree)),
        None => repository(path),
    }
}

fn parts(path: &str) -> Vec<&str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty()).collect()
}

/// A session's title as it is shown.
#[cfg(feature = "ssr")]
pub fn title(title: &str) -> String {
    crate::visible::line(title)
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

/// Why a request missed the provider's cache, in words.
#[cfg(feature = "ssr")]
pub fn cache_miss(cause: CacheMissCause) -> &'static str {
    match cause {
        CacheMissCause::Model => "another model answered",
        CacheMissCause::Tools => "the tool definitions changed",
        CacheMissCause::System => "the system prompt changed",
        CacheMissCause::Settings => "settings of the request changed",
        CacheMissCause::Messages => "earlier messages changed",
        CacheMissCause::Expired => "the entry had expired",
        CacheMissCause::Unknown => "the records don't show why",
    }
}

#[cfg(test)]
mod tests {
    use super::{model_name, project_name};
    use api::sessions::Facet;

    #[test]
    fn projects_that_end_alike_are_told_apart() {
        let facet = |value: &str| Facet { value: value.to_owned(), sessions: 1 };
        let all = ["/home/a/cli", "/home/b/cli", "/home/b/web", "/opt/b/cli", "/home/a/cli/.worktrees/2", "here", ""];
        let projects = all.map(facet);
        let names = projects.each_ref().map(|facet| project_name(&facet.value, &projects));
        assert_eq!(names, ["a/cli", "home/b/cli", "web", "opt/b/cli", "a/cli (2)", "here", ""]);
        assert_eq!(project_name("C:\\src\\pump-house", &[]), "pump-house");
        let codex = "/home/a/.codex/worktrees/4f2a/cli";
        assert_eq!(project_name(codex, &[facet("/home/b/cli"), facet(codex)]), "cli (4f2a)");
        assert_eq!(project_name("C:\\src\\pump-house\\.claude\\worktrees\\dry", &[]), "pump-house (dry)");
    }

    #[test]
    fn models_without_their_dates() {
        let names = ["claude-opus-4-5-20251101", "claude-3-5-haiku-20241022", "claude-sonnet-4", "gpt-5.2"];
        assert_eq!(names.map(model_name), ["opus 4.5", "haiku 3.5", "sonnet 4", "gpt-5.2"]);
    }
}
