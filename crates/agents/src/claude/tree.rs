//! The tree that `parentUuid` makes of the lines, as far as it tells which turns still hold.
//!
//! Who rewinds a conversation, or edits a prompt, goes on from an earlier line: the turns behind it are left behind, but stay in
//! the file. Most forks are nothing of that kind: results of calls that ran side by side, progress, attachments, commands that
//! were typed meanwhile. A turn counts as left behind only if another prompt took its place: both stand behind the very
//! same line of the conversation. Since every turn is one stretch of the file, it is named by its first message and the next one's.

use super::at::{hash, message_id};
use super::obj::Obj;
use super::session::Standing;
use crate::change::Stretch;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

#[derive(Default)]
pub(crate) struct Tree {
    /// By the hash of a line's id.
    nodes: HashMap<u64, Node>,
    turns: Vec<Turn>,
    /// The line that is being read, and the one that it stands behind.
    current: Option<(u64, Option<Node>)>,
    /// True once a line has named one before it. Without that all lines would be first ones.
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

/// The effect of a prompt on earlier turns.
pub(crate) struct Rewind {
    /// Turns that are left behind, or hold again: their messages, where they stand in the file, and whether they are left.
    pub stretches: Vec<(Stretch, Range<u64>, bool)>,
    /// How the session stood at the end of the turn after which the conversation goes on. None if it begins anew.
    pub end: Option<Standing>,
}

impl Tree {
    /// A line that is no part of the main conversation comes next.
    pub fn enter_aside(&mut self) {
        self.current = None;
    }

    /// A line of the main conversation comes next.
    pub fn enter(&mut self, line: &Obj) {
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

    /// The present line begins a turn. Gives back what that makes of earlier ones.
    pub fn begin(&mut self, id: &str, offset: u64, standing: Standing) -> Option<Rewind> {
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
        if changed.is_empty() {
            return None;
        }
        let stretch = |(at, left)| {
            let (turn, next): (&Turn, &Turn) = (self.turns.get(at)?, self.turns.get(at + 1)?);
            let stretch = Stretch { from: message_id(&turn.id), before: message_id(&next.id) };
            Some((stretch, turn.offset..next.offset, left))
        };
        let end = parent.map(|parent| self.turns.get(parent).map(|turn| turn.end.clone()).unwrap_or_default());
        Some(Rewind { stretches: changed.into_iter().filter_map(stretch).collect(), end })
    }
}

impl Turn {
    fn place(&self) -> (Option<usize>, u64) {
        (self.parent, self.anchor)
    }
}
