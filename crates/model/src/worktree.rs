//! Worktrees: folders that programs make of a repository, each for one piece of work. They are one project with it.

use std::collections::HashMap;

/// Folders of worktrees inside of a repository.
const INSIDE: [&str; 3] = ["/.claude/worktrees/", "/.worktrees/", "/.git/worktrees/"];

/// Returns the repository of a folder that is a worktree inside of it or below one, and the worktree's own name; any other folder as
/// it is.
///
/// ```
/// use model::worktree::repository;
/// assert_eq!(repository("/m/aviary/.claude/worktrees/nest-box/src"), ("/m/aviary", Some("nest-box")));
/// assert_eq!(repository("/m/aviary/src"), ("/m/aviary/src", None));
/// ```
pub fn repository(path: &str) -> (&str, Option<&str>) {
    // Paths of Windows have backslashes, one byte each as well.
    let slashed = path.replace('\\', "/");
    let split = INSIDE.iter().find_map(|place| {
        let at = slashed.find(place)?;
        let rest = path.get(at + place.len()..)?;
        Some((path.get(..at)?, rest.split(['/', '\\']).next().unwrap_or(rest)))
    });
    let split = split.filter(|(repository, worktree)| !repository.is_empty() && !worktree.is_empty());
    split.map_or((path, None), |(repository, worktree)| (repository, Some(worktree)))
}

/// Returns the repository's name and the worktree's of a folder in which a program keeps worktrees of all repositories: nothing tells
/// where these lie. None for any other folder.
///
/// ```
/// use model::worktree::elsewhere;
/// assert_eq!(elsewhere("/home/ada/.codex/worktrees/4f2a/aviary"), Some(("aviary", "4f2a")));
/// assert_eq!(elsewhere("/home/ada/.cursor/worktrees/aviary/nest"), Some(("aviary", "nest")));
/// assert_eq!(elsewhere("/home/ada/aviary"), None);
/// ```
pub fn elsewhere(path: &str) -> Option<(&str, &str)> {
    let names = |place: &str| {
        let at = path.replace('\\', "/").find(place)?;
        let mut parts = path.get(at + place.len()..)?.split(['/', '\\']).filter(|part| !part.is_empty());
        Some((parts.next()?, parts.next()?))
    };
    names("/.codex/worktrees/")
        .map(|(worktree, repository)| (repository, worktree))
        .or_else(|| names("/.cursor/worktrees/"))
}

/// Returns the folders among `projects` that are worktrees elsewhere, each with the project that it counts under: the one that
/// has the name of its repository and is no worktree itself. Where none has it, or several have, the first worktree of that
/// repository stands for all of them.
///
/// ```
/// use model::worktree::counted_under;
/// let (home, codex) = ("/home/ada/aviary", "/home/ada/.codex/worktrees/4f2a/aviary");
/// assert_eq!(counted_under([home, codex]).get(codex), Some(&home));
/// let (third, other) = ("/srv/aviary", "/home/ada/.codex/worktrees/99/aviary");
/// assert_eq!(counted_under([home, third, codex, other]).get(other), Some(&codex));
/// assert_eq!(counted_under([home, third]).len(), 0);
/// ```
pub fn counted_under<'p>(projects: impl IntoIterator<Item = &'p str>) -> HashMap<&'p str, &'p str> {
    let mut projects: Vec<&str> = projects.into_iter().collect();
    projects.sort_unstable();
    let mut worktrees: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut repositories: HashMap<&str, Vec<&str>> = HashMap::new();
    for path in projects {
        match elsewhere(path) {
            Some((repository, _)) => worktrees.entry(repository).or_default().push(path),
            None => repositories.entry(last_part(path)).or_default().push(path),
        }
    }
    let mut under = HashMap::new();
    for (name, folders) in worktrees {
        let alone = repositories.get(name).and_then(|found| <[_; 1]>::try_from(found.as_slice()).ok());
        let project = alone.map(|[repository]| repository).or_else(|| folders.first().copied());
        under.extend(folders.into_iter().filter_map(|folder| Some((folder, project?))));
    }
    under
}

fn last_part(path: &str) -> &str {
    path.split(['/', '\\']).rfind(|part| !part.is_empty()).unwrap_or(path)
}
