//! The list of to-dos that Copilot CLI keeps in a table of its session's database, which the agent changes by its tool `sql`.
//!
//! Statements on the table `todos` are understood as agents write them: `INSERT INTO todos (..) VALUES ..`, `UPDATE todos SET .. WHERE
//! id = ..`, `DELETE FROM todos WHERE ..`. Others change nothing here.

use serde_json::{Map, Value, json};

/// The rows of the table, in the order in which they came.
#[derive(Clone, Default)]
pub(super) struct Todos(Vec<Row>);

/// Values by column.
type Row = Vec<(String, String)>;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Mark(char),
}

impl Todos {
    /// Carries out a call on the list, and returns its entries afterwards. None if the call changes no to-dos.
    pub fn apply(&mut self, tool: &str, input: &Map<String, Value>) -> Option<Vec<Value>> {
        let query = input.get("query").and_then(Value::as_str).filter(|_| tool == "sql")?;
        let tokens = tokens(query);
        let statements = tokens.split(|token| *token == Token::Mark(';'));
        // Each is carried out, whatever the others are.
        let changes = statements.filter(|statement| self.change(statement).is_some()).count();
        (changes > 0).then(|| self.0.iter().map(entry).collect())
    }

    fn change(&mut self, statement: &[Token]) -> Option<()> {
        let at = |word: &str| statement.iter().position(|token| token.is(word));
        let [first, ..] = statement else { return None };
        if first.is("insert") || first.is("replace") {
            let (columns, rest) = group(after_table(statement.get(at("into")? + 1..)?)?)?;
            let mut rest = rest.strip_prefix([Token::Word("values".to_owned())].as_slice())?;
            let columns: Vec<String> = columns.iter().filter_map(Token::value).collect();
            while let Some((values, behind)) = group(rest) {
                let values = values.split(|token| *token == Token::Mark(','));
                let values = values.map(|value| value.first().and_then(Token::value).unwrap_or_default());
                self.insert(columns.iter().cloned().zip(values).collect());
                rest = behind.strip_prefix([Token::Mark(',')].as_slice()).unwrap_or(behind);
            }
            return Some(());
        }
        let end = at("where").unwrap_or(statement.len());
        let (before, condition) = (statement.get(..end)?, statement.get(end + 1..).unwrap_or_default());
        let condition = Condition::of(condition)?;
        if first.is("update") {
            let set = after_table(before.get(1..)?)?.strip_prefix([Token::Word("set".to_owned())].as_slice())?;
            let pairs: Vec<(String, String)> = set.split(|token| *token == Token::Mark(',')).filter_map(pair).collect();
            for row in self.0.iter_mut().filter(|row| condition.holds(row)) {
                for (column, value) in &pairs {
                    put(row, column, value);
                }
            }
            return Some(());
        }
        let is_deletion = first.is("delete") && after_table(before.get(at("from")? + 1..)?)?.is_empty();
        is_deletion.then(|| self.0.retain(|row| !condition.holds(row)))
    }

    fn insert(&mut self, row: Row) {
        let id = get(&row, "id").map(str::to_owned);
        match self.0.iter_mut().find(|old| id.is_some() && get(old, "id") == id.as_deref()) {
            Some(old) => *old = row,
            None => self.0.push(row),
        }
    }
}

/// Which rows a statement is about.
enum Condition {
    All,
    In(String, Vec<String>),
}

impl Condition {
    /// `column = value` or `column IN (value, ..)`. None of anything else, since it isn't known what it holds of.
    fn of(tokens: &[Token]) -> Option<Self> {
        let [column, rest @ ..] = tokens else { return Some(Self::All) };
        let values = match rest {
            [Token::Mark('='), value] => vec![value.value()?],
            [is_in, list @ ..] if is_in.is("in") => {
                let (values, behind) = group(list)?;
                behind.is_empty().then(|| values.iter().filter_map(Token::value).collect())?
            }
            _ => return None,
        };
        Some(Self::In(column.value()?, values))
    }

    fn holds(&self, row: &Row) -> bool {
        match self {
            Self::All => true,
            Self::In(column, values) => get(row, column).is_some_and(|value| values.iter().any(|one| one == value)),
        }
    }
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Word(text) | Self::Text(text) => Some(text.clone()),
            Self::Mark(_) => None,
        }
    }
}

/// Returns the tokens after the table's name. None for another table.
fn after_table(tokens: &[Token]) -> Option<&[Token]> {
    let (name, rest) = tokens.split_first()?;
    (name.value()?.to_lowercase() == "todos").then_some(rest)
}

/// Returns the tokens inside the brackets at the start, and those behind them.
fn group(tokens: &[Token]) -> Option<(&[Token], &[Token])> {
    let inside = tokens.strip_prefix([Token::Mark('(')].as_slice())?;
    let mut depth = 0;
    let end = inside.iter().position(|token| {
        match token {
            Token::Mark('(') => depth += 1,
            Token::Mark(')') if depth == 0 => return true,
            Token::Mark(')') => depth -= 1,
            _ => {}
        }
        false
    })?;
    Some((inside.get(..end)?, inside.get(end + 1..)?))
}

/// `column = value`
fn pair(tokens: &[Token]) -> Option<(String, String)> {
    match tokens {
        [column, Token::Mark('='), value] => Some((column.value()?, value.value()?)),
        _ => None,
    }
}

fn get<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.iter().find(|(name, _)| name == column).map(|(_, value)| value.as_str())
}

fn put(row: &mut Row, column: &str, value: &str) {
    match row.iter_mut().find(|(name, _)| name == column) {
        Some((_, old)) => value.clone_into(old),
        None => row.push((column.to_owned(), value.to_owned())),
    }
}

fn entry(row: &Row) -> Value {
    let field = |column: &str| get(row, column).unwrap_or_default();
    let title = ["title", "description", "id"].map(field).into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let status = match field("status") {
        "done" => "completed",
        other => other,
    };
    json!({ "id": field("id"), "content": title, "status": status })
}

/// Words in lower case, numbers as words, texts without their quotes. Comments are left out.
fn tokens(query: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment.split_once('\n').map_or("", |(_, behind)| behind);
        } else if matches!(first, '\'' | '"' | '`') {
            let (text, behind) = quoted(rest.get(1..).unwrap_or_default(), first);
            tokens.push(if first == '\'' { Token::Text(text) } else { Token::Word(text) });
            rest = behind;
        } else if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            tokens.push(Token::Word(word.to_lowercase()));
            rest = behind;
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Mark(first));
            }
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    tokens
}

/// A text up to its closing quote, which stands twice where it belongs to the text; and what follows.
fn quoted(text: &str, quote: char) -> (String, &str) {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(quote) {
        out.push_str(before);
        match behind.strip_prefix(quote) {
            Some(more) => {
                out.push(quote);
                rest = more;
            }
            None => return (out, behind),
        }
    }
    out.push_str(rest);
    (out, "")
}
