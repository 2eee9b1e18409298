//! The tree that `parentUuid` makes of the lines, as far as it tells which turns still hold.
//!
//! Who rewinds a conversation, or edits a prompt, goes on from an earlier line: the turns behind it are left behind, but stay in
//! the file. Most forks are nothing of that kind: results of calls that ran side by side, progress, attachments, commands that
//! were typed meanwhile. A turn counts as left behind only if another prompt took its place: both stand behind the very
//! same line of the conversation. Since every turn is one stretch of the file, it is named by its first message and the next one's.

use super::at::hash;
use super::obj::Obj;
use super::session::Standing;
use super::state::State;
use crate::change::Stretch;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(crate) struct Tree {
    /// By the hash of a line's id.
    nodes: HashMap<u64, Node>,
    turns: Vec<Turn>,
    /// The line that is being read, and the one that it stands behind.
    current: Option<(u64, Option<Node>)>,
    /// Has any line named one before it? Without that all lines would be first ones.
    is_linked: bool,
}

#[derive(Clone, Copy)]
struct Node {
    /// The turn that the line is in.
    turn: Option<usize>,
    /// The nearest line of the conversation, itself included, or the one that all began with; 0 above that.
    anchor: u64,
}

struct Turn {
    parent: Option<usize>,
    /// The line of the conversation that its prompt stands behind.
    anchor: u64,
    /// The id of its first message, and where in the file it begins.
    id: String,
    offset: u64,
    left: bool,
    /// How the session stood when the next turn of the file began.
    end: Standing,
}

/// Turns that are left behind or hold again, and the turn after which the conversation goes on.
type Rewind = (Vec<(usize, bool)>, Option<usize>);

impl Tree {
    /// A line of the main conversation comes next.
    fn enter(&mut self, line: &Obj) {
        self.current = None;
        let Some(uuid) = line.filled("uuid").map(|uuid| hash(&uuid)) else { return };
        if self.nodes.contains_key(&uuid) {
            return;
        }
        let parent = line.filled("parentUuid").or_else(|| line.filled("logicalParentUuid"));
        let above = match parent {
            Some(parent) => {
                let found = self.nodes.get(&hash(&parent)).copied();
                self.is_linked |= found.is_some();
                // A line that isn't in the file: the conversation goes on from wherever it was.
                found.or(Some(Node { turn: self.turns.len().checked_sub(1), anchor: hash(&parent) }))
            }
            None if line.is_null("parentUuid") && (self.is_linked || self.turns.is_empty()) => {
                Some(Node { turn: None, anchor: 0 })
            }
            None => None,
        };
        let speaks = matches!(line.str("type").as_deref(), Some("user" | "assistant")) && !line.is_true("isMeta");
        // A conversation that was cleared begins anew behind a line of its own.
        let speaks = speaks || line.filled("parentUuid").is_none();
        let before = above.unwrap_or(Node { turn: self.turns.len().checked_sub(1), anchor: 0 });
        self.nodes.insert(uuid, Node { turn: before.turn, anchor: if speaks { uuid } else { before.anchor } });
        self.current = Some((uuid, above));
    }

    /// A line stands for another one, of which it is a copy.
    pub fn alias(&mut self, copy: u64, first: u64) {
        if let Some(node) = self.nodes.get(&first).copied() {
            self.nodes.entry(copy).or_insert(node);
        }
    }

    /// The present line begins a turn. Gives back the turns that are left behind by that, or hold again, and the turn after
    /// which the conversation goes on.
    fn begin(&mut self, id: &str, offset: u64, standing: Standing) -> Option<Rewind> {
        let (line, above) = self.current.take()?;
        let new = self.turns.len();
        let last = new.checked_sub(1);
        if let Some(last) = self.turns.last_mut() {
            last.end = standing;
        }
        let Node { turn: parent, anchor } = above.unwrap_or(Node { turn: last, anchor: line });
        self.turns.push(Turn { parent, anchor, id: id.to_owned(), offset, left: false, end: Standing::default() });
        if let Some(node) = self.nodes.get_mut(&line) {
            node.turn = Some(new);
        }
        if parent == last && self.turns.iter().rev().nth(1).is_none_or(|turn| !turn.left) {
            return None;
        }
        let mut path = HashSet::new();
        let mut at = Some(new);
        while let Some(turn) = at.and_then(|at| self.turns.get(at)) {
            path.extend(at);
            at = turn.parent;
        }
        let places: HashSet<_> = path.iter().filter_map(|at| self.turns.get(*at)).map(Turn::place).collect();
        let mut left: Vec<bool> = Vec::with_capacity(new);
        for (at, turn) in self.turns.iter().enumerate() {
            let after_left = turn.parent.and_then(|parent| left.get(parent)).copied().unwrap_or(false);
            left.push(!path.contains(&at) && (after_left || places.contains(&turn.place())));
        }
        let mut changed = Vec::new();
        for (at, (turn, left)) in self.turns.iter_mut().zip(left).enumerate() {
            if std::mem::replace(&mut turn.left, left) != left {
                changed.push((at, left));
            }
        }
        Some((changed, parent))
    }
}

impl Turn {
    fn place(&self) -> (Option<usize>, u64) {
        (self.parent, self.anchor)
    }
}

impl State {
    /// A line comes next. Only those of the session itself are a tree: a sub-agent is never rewound.
    pub fn enter_line(&mut self, line: &Obj) {
        if self.agent_file || line.is_true("isSidechain") {
            self.tree.current = None;
        } else {
            self.tree.enter(line);
        }
    }

    /// The line begins a turn, whose first message has this id. What an earlier one left behind no longer holds.
    pub fn begin_turn(&mut self, session: usize, id: &str, offset: u64) {
        if session != self.main {
            return;
        }
        let standing = self.book.sessions[session].standing();
        let Some((changed, parent)) = self.tree.begin(id, offset, standing) else { return };
        if changed.is_empty() {
            return;
        }
        let turns = &self.tree.turns;
        let end = parent.and_then(|parent| turns.get(parent)).map(|turn| turn.end.clone()).unwrap_or_default();
        for (at, left) in changed {
            if let (Some(turn), Some(next)) = (turns.get(at), turns.get(at + 1)) {
                let stretch =
                    Stretch { from: super::at::message_id(&turn.id), before: super::at::message_id(&next.id) };
                self.book.leave(session, stretch, turn.offset..next.offset, left);
            }
        }
        self.book.sessions[session].go_back(end, parent.is_none());
    }
}
