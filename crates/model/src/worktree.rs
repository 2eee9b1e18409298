//! Worktrees: folders that programs make of a repository, each for one piece of work. They are one project with it.

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
