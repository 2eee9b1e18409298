//! The rules by which keys and tokens are known.

use crate::plausible;
use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

const FILE: &str = include_str!("../rules/rules.jsonl");
/// Bytes that a compiled rule may take.
const SIZE: usize = 20 << 20;
/// Rules whose value must be plausible, since a name before it is all that they go by.
const BY_NAME: [&str; 2] = ["assigned-secret", "quoted-secret"];
/// The group of `assigned-secret` that isn't in quotation marks.
const BARE: usize = 4;
const RANDOM: &str = "long-random";

#[derive(Debug, Deserialize)]
struct Line {
    id: &'static str,
    title: &'static str,
    source: &'static str,
    keywords: Vec<&'static str>,
    regex: String,
    #[serde(default)]
    entropy: Option<f64>,
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub id: &'static str,
    pub title: &'static str,
    pub source: &'static str,
    pattern: String,
    /// Bits a character that a secret has at least.
    entropy: f64,
    compiled: OnceLock<Option<Regex>>,
}

#[derive(Debug)]
pub(crate) struct Rules {
    pub all: Vec<Rule>,
    /// Finds the words of all rules; None if it can't be made, and then all rules are tried.
    words: Option<AhoCorasick>,
    /// Index of the rule, for each word.
    of_word: Vec<usize>,
    /// Rules without words.
    always: Vec<usize>,
}

impl Rules {
    /// A line that can't be read is left out; the tests read all.
    pub(crate) fn read() -> Self {
        let lines = FILE.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let (mut all, mut words, mut of_word, mut always) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for line in lines {
            let index = all.len();
            let (empty, own): (Vec<_>, Vec<_>) = line.keywords.into_iter().partition(|word| word.is_empty());
            always.extend((!empty.is_empty()).then_some(index));
            of_word.extend(own.iter().map(|_| index));
            words.extend(own);
            all.push(Rule {
                id: line.id,
                title: line.title,
                source: line.source,
                pattern: line.regex,
                entropy: line.entropy.unwrap_or_default(),
                compiled: OnceLock::new(),
            });
        }
        let words = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
        Self { all, words, of_word, always }
    }

    /// Tells each secret in a text with the id and title of its rule.
    pub(crate) fn find(&self, text: &str, found: &mut dyn FnMut(Range<usize>, &'static str, &'static str)) {
        let candidates: BTreeSet<usize> = match &self.words {
            Some(words) => {
                let seen = words.find_overlapping_iter(text).filter_map(|it| self.of_word.get(it.pattern().as_usize()));
                seen.chain(&self.always).copied().collect()
            }
            None => (0..self.all.len()).collect(),
        };
        for rule in candidates.into_iter().filter_map(|index| self.all.get(index)) {
            let Some(regex) = rule.regex() else { continue };
            for captures in regex.captures_iter(text) {
                let group = (1..captures.len()).find_map(|index| Some((index, captures.get(index)?)));
                let Some((index, secret)) = group else { continue };
                if rule.accepts(index, secret.as_str()) {
                    found(secret.range(), rule.id, rule.title);
                }
            }
        }
    }
}

impl Rule {
    /// The compiled pattern; None of one that can't be compiled, which the tests rule out.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        let compile = || RegexBuilder::new(&self.pattern).size_limit(SIZE).build().ok();
        self.compiled.get_or_init(compile).as_ref()
    }

    fn accepts(&self, group: usize, secret: &str) -> bool {
        if BY_NAME.contains(&self.id) {
            return plausible::is_value(secret, group < BARE || self.id != BY_NAME[0]);
        }
        (self.id != RANDOM || plausible::is_random(secret)) && plausible::entropy(secret) >= self.entropy
    }
}

/// Returns true if a field with this name contains a secret.
pub(crate) fn names_secret(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "apikey",
        "accesskey",
        "privatekey",
        "accesstoken",
        "authtoken",
        "refreshtoken",
        "clientsecret",
        "credential",
    ];
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    WORDS.iter().any(|word| name.ends_with(word))
}
