//! Names of models as transcripts write them: with providers before them, days and efforts behind them.

use model::run::TIERS;

/// Context size of Claude Code's mark `[1m]`, in tokens.
pub const LONG_CONTEXT: i64 = 1_000_000;

/// Names that stand for the newest model of a family: which one that was isn't recorded.
const ALIASES: [&str; 9] =
    ["opus", "sonnet", "haiku", "fable", "default", "auto", "opusplan", "cursor-auto", "coder-model"];

/// The name that programs give to messages which no model wrote.
const SYNTHETIC: &str = "<synthetic>";

/// The mark of a context of a million tokens.
const LONG_MARK: &str = "[1m]";

/// Families of Claude, whose version stands before or behind them.
const FAMILIES: [&str; 5] = ["opus", "sonnet", "haiku", "fable", "mythos"];

/// Suffixes of a name that don't change the price.
const SUFFIXES: [&str; 13] = [
    "-latest",
    "-preview",
    "-exp",
    "-thinking",
    "-minimal",
    "-low",
    "-medium",
    "-high",
    "-xhigh",
    "-max",
    "-chat",
    "-v1",
    "-0",
];

/// The name of a model without its tier, and that.
pub fn without_tier(name: &str) -> (&str, &str) {
    let tier = TIERS.into_iter().find(|suffix| name.ends_with(suffix)).unwrap_or_default();
    (name.strip_suffix(tier).unwrap_or(name), tier)
}

/// Returns true if the agent's program itself wrote the messages of this model.
pub fn is_synthetic(name: &str) -> bool {
    name == SYNTHETIC
}

/// Returns true if the name stands for the newest model of a family.
pub fn is_alias(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    ALIASES.contains(&name.strip_suffix(LONG_MARK).unwrap_or(&name))
}

/// Returns true if the name says that the context has a million tokens.
pub fn has_long_context(name: &str) -> bool {
    name.trim().to_lowercase().ends_with(LONG_MARK)
}

/// A name in one spelling: in lower case, without the provider, dots as dashes, the family of Claude before its version.
pub fn canonical(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let name = name.strip_suffix(LONG_MARK).unwrap_or(&name);
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.rsplit_once("anthropic.").map_or(name, |(_, own)| own);
    let name = name.strip_suffix(":0").unwrap_or(name).replace(['.', '@', ' '], "-");
    let Some(rest) = name.strip_prefix("claude-") else { return name };
    let parts: Vec<&str> = rest.split('-').collect();
    let Some(family) = parts.iter().position(|part| FAMILIES.contains(part)) else { return name };
    let behind = parts.iter().skip(family + 1);
    let all: Vec<&str> =
        parts.iter().skip(family).take(1).chain(parts.iter().take(family)).chain(behind).copied().collect();
    format!("claude-{}", all.join("-"))
}

/// The names to look for, the fullest first: what stands behind is taken away piece by piece. A tier stays: it has another price.
pub fn candidates(name: &str) -> Vec<String> {
    let name = name.trim().to_lowercase();
    let (name, tier) = without_tier(&name);
    let mut all = vec![canonical(name)];
    while let Some(shorter) = all.last().and_then(|name| shortened(name)) {
        all.push(shorter);
    }
    all.into_iter().map(|name| name + tier).collect()
}

fn shortened(name: &str) -> Option<String> {
    let suffix = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
    suffix.or_else(|| without_day(name)).filter(|rest| !rest.is_empty()).map(str::to_owned)
}

/// Without `-20250929`, `-2025-09-29`, `-0905` or `-09-2025`.
fn without_day(name: &str) -> Option<&str> {
    let parts: Vec<&str> = name.rsplit('-').take(4).collect();
    let is_number = |part: &&str, digits: usize| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
    let lengths: &[usize] = match parts.as_slice() {
        [day, month, year, _] if is_number(day, 2) && is_number(month, 2) && is_number(year, 4) => &[2, 2, 4],
        [year, month, ..] if is_number(year, 4) && is_number(month, 2) => &[4, 2],
        [day, ..] if is_number(day, 8) => &[8],
        [day, ..] if is_number(day, 4) => &[4],
        _ => return None,
    };
    let cut: usize = lengths.iter().map(|length| length + 1).sum();
    name.get(..name.len().checked_sub(cut)?)
}
