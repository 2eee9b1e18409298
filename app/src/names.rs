//! What people call things: types of messages, projects, models.

use api::sessions::Facet;

/// A project by the last part of its path; by the last two where another project ends alike.
pub fn project_name(path: &str, projects: &[Facet]) -> String {
    let name = last_part(path);
    let alike = |facet: &Facet| facet.value != path && last_part(&facet.value) == name;
    if !projects.iter().any(alike) {
        return name.to_owned();
    }
    let above = path.strip_suffix(name).map(|rest| last_part(rest.trim_end_matches(['/', '\\']))).unwrap_or_default();
    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
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

/// Tag and name, the most frequent ones first.
pub const TYPES: [(&str, &str); 8] = [
    ("TEXT", "Text"),
    ("CODE_EDIT", "Code edit"),
    ("TOOL_CALL", "Tool call"),
    ("TODO", "Todo"),
    ("APPROVAL", "Approval"),
    ("ACTION", "Answer to a question"),
    ("FILE", "File"),
    ("ERROR", "Error"),
];

/// The name; of a type that isn't built in the tag itself.
pub fn type_name(tag: &str) -> &str {
    TYPES.iter().find(|(known, _)| *known == tag).map_or(tag, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{model_name, project_name};
    use api::sessions::Facet;

    #[test]
    fn projects_that_end_alike_are_told_apart() {
        let facet = |value: &str| Facet { value: value.to_owned(), sessions: 1 };
        let projects = ["/home/a/cli", "/home/b/cli", "/home/b/web", "cli"].map(facet);
        let names = projects.each_ref().map(|facet| project_name(&facet.value, &projects));
        assert_eq!(names, ["a/cli", "b/cli", "web", "cli"]);
    }

    #[test]
    fn models_without_their_dates() {
        let names = ["claude-opus-4-5-20251101", "claude-3-5-haiku-20241022", "claude-sonnet-4", "gpt-5.2"];
        assert_eq!(names.map(model_name), ["opus 4.5", "haiku 3.5", "sonnet 4", "gpt-5.2"]);
    }
}
