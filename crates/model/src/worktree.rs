//! Worktrees: copies of a repository's folder that programs create for one task each. They belong to the repository's
//! project.

use std::collections::HashMap;

/// Folders of worktrees inside of a repository.
const INSIDE: [&str; 3] = ["/.claude/worktrees/", "/.worktrees/", "/.git/worktrees/"];

/// Returns the repository of a worktree folder inside of it, and the worktree's name. Any other folder is returned
/// unchanged.
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

/// Returns the names of the repository and the worktree, for a folder in which a program keeps worktrees of all
/// repositories. Such a path doesn't contain the repository's folder. None for any other folder.
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

/// Returns the folders among `projects` that are worktrees outside of their repository, each with the project that it
/// counts under: the only other one with the repository's name. If there is none, or several, the first worktree of
/// that repository is used.
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
