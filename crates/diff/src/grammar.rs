//! Grammars: what they say about a text, within a bound.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;

use arborium::tree_sitter::{
    Language, Node, ParseOptions, Parser, Query, QueryCursor, QueryCursorOptions, StreamingIterator,
};

/// More languages nested in each other than this stay plain.
const MAX_LEVELS: usize = 2;
/// Blocks of other languages in one text.
const MAX_BLOCKS: usize = 2_000;

/// Unfinished matches that a query keeps; the oldest are dropped.
const MAX_MATCHES: u32 = 256;

/// A range of the text and what the grammar calls it.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) range: Range<usize>,
    pub(crate) capture: &'static str,
    /// Later rules of a grammar refine earlier ones.
    pub(crate) rule: usize,
}

struct Grammar {
    language: Language,
    highlights: Query,
    injections: Option<Query>,
}

macro_rules! grammars {
    ($($name:literal $module:ident,)*) => {
        /// Queries are compiled when a language is first asked for, and kept for all threads.
        fn grammar(language: &str) -> Option<&'static Grammar> {
            match language {
                $($name => {
                    static GRAMMAR: LazyLock<Option<Grammar>> = LazyLock::new(|| Grammar::compile(
                        arborium::$module::language().into(),
                        &arborium::$module::HIGHLIGHTS_QUERY,
                        &arborium::$module::INJECTIONS_QUERY,
                    ));
                    GRAMMAR.as_ref()
                })*
                _ => None,
            }
        }
    };
}

grammars! {
    "bash" lang_bash,
    "c" lang_c,
    "c-sharp" lang_c_sharp,
    "cpp" lang_cpp,
    "css" lang_css,
    "diff" lang_diff,
    "dockerfile" lang_dockerfile,
    "go" lang_go,
    "hcl" lang_hcl,
    "html" lang_html,
    "java" lang_java,
    "javascript" lang_javascript,
    "json" lang_json,
    "lua" lang_lua,
    "make" lang_make,
    "markdown" lang_markdown,
    "nix" lang_nix,
    "php" lang_php,
    "python" lang_python,
    "ruby" lang_ruby,
    "rust" lang_rust,
    "scss" lang_scss,
    "sql" lang_sql,
    "svelte" lang_svelte,
    "swift" lang_swift,
    "toml" lang_toml,
    "tsx" lang_tsx,
    "typescript" lang_typescript,
    "vue" lang_vue,
    "xml" lang_xml,
    "yaml" lang_yaml,
}

impl Grammar {
    fn compile(language: Language, highlights: &str, injections: &str) -> Option<Self> {
        let highlights = Query::new(&language, highlights).ok()?;
        let injections = Query::new(&language, injections).ok().filter(|query| query.pattern_count() > 0);
        Some(Self { language, highlights, injections })
    }
}

/// Returns the grammar's spans, including embedded languages; None for a language without a grammar, or if the work
/// would be too much.
pub(crate) fn spans(language: &str, text: &str) -> Option<Vec<Span>> {
    let steps = Steps::for_text(text);
    let mut spans = Vec::new();
    let mut blocks = vec![(grammar(language)?, 0..text.len(), 0)];
    let mut at = 0;
    while let Some((grammar, range, level)) = blocks.get(at).cloned() {
        at += 1;
        let within = collect(grammar, &text[range.clone()], range.start, &steps, &mut spans)?;
        if level < MAX_LEVELS {
            let room = MAX_BLOCKS.saturating_sub(blocks.len());
            blocks.extend(within.into_iter().take(room).map(|(grammar, range)| (grammar, range, level + 1)));
        }
    }
    Some(spans)
}

/// Steps that one text may still take, counted in hundreds as parser and query report them. A count instead of a deadline
/// gives the same colours on any machine. It doesn't bound what a single step costs: in very deep nesting that grows.
struct Steps {
    left: Cell<usize>,
}

/// Ordinary code takes a step for 40 bytes, 17 µs each.
const BYTES_PER_STEP: usize = 20;
const MIN_STEPS: usize = 2_000;

impl Steps {
    fn for_text(text: &str) -> Self {
        Self { left: Cell::new(MIN_STEPS + text.len() / BYTES_PER_STEP) }
    }

    fn take(&self) -> ControlFlow<()> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }

    fn are_spent(&self) -> bool {
        self.left.get() == 0
    }
}

type Blocks = Vec<(&'static Grammar, Range<usize>)>;

/// Adds the spans of one language and returns the blocks of others within; None when the steps are spent.
fn collect(grammar: &'static Grammar, text: &str, base: usize, steps: &Steps, spans: &mut Vec<Span>) -> Option<Blocks> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let mut step = |_: &_| steps.take();
    let options = ParseOptions::new().progress_callback(&mut step);
    let tree =
        parser.parse_with_options(&mut |at, _| text.as_bytes().get(at..).unwrap_or_default(), None, Some(options))?;

    let names = grammar.highlights.capture_names();
    let mut step = |_: &_| steps.take();
    let options = QueryCursorOptions::new().progress_callback(&mut step);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_MATCHES);
    let mut matches = cursor.matches_with_options(&grammar.highlights, tree.root_node(), text.as_bytes(), options);
    while let Some(found) = matches.next() {
        for capture in found.captures {
            let name = names[capture.index as usize];
            if !name.starts_with('_') {
                let range = base + capture.node.start_byte()..base + capture.node.end_byte();
                spans.push(Span { range, capture: name, rule: found.pattern_index });
            }
        }
    }
    let within = grammar.injections.as_ref().map(|query| blocks(query, tree.root_node(), text, base, steps));
    (!steps.are_spent()).then(|| within.unwrap_or_default())
}

fn blocks(query: &Query, root: Node<'_>, text: &str, base: usize, steps: &Steps) -> Blocks {
    let (content, named) =
        (query.capture_index_for_name("injection.content"), query.capture_index_for_name("injection.language"));
    let mut step = |_: &_| steps.take();
    let options = QueryCursorOptions::new().progress_callback(&mut step);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_MATCHES);
    let mut matches = cursor.matches_with_options(query, root, text.as_bytes(), options);
    let mut found = Vec::new();
    while let Some(block) = matches.next() {
        let node =
            |index: Option<u32>| block.captures.iter().find(|capture| Some(capture.index) == index).map(|it| it.node);
        let fixed = query.property_settings(block.pattern_index).iter().find(|it| &*it.key == "injection.language");
        let language = match fixed.and_then(|setting| setting.value.as_deref()) {
            Some(fixed) => Some(fixed),
            None => node(named).and_then(|node| text.get(node.byte_range())),
        };
        let grammar = language.and_then(crate::language::language_named).and_then(grammar);
        if let (Some(node), Some(grammar)) = (node(content), grammar)
            && text.get(node.byte_range()).is_some_and(|block| !block.is_empty())
        {
            found.push((grammar, base + node.start_byte()..base + node.end_byte()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::language::LANGUAGES;

    #[test]
    fn every_language_has_a_grammar_whose_queries_compile() {
        let without: Vec<&str> =
            LANGUAGES.iter().map(|row| row.0).filter(|name| super::spans(name, "a").is_none()).collect();
        assert_eq!(without, Vec::<&str>::new());
    }
}
