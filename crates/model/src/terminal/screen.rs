//! The writable rows of a terminal, and its cursor.

use super::{Colour, Shown, Style};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use unicode_width::UnicodeWidthChar as _;
use vte::{Params, Perform};

/// Number of rows that the cursor can reach. Rows above are final, like those that scrolled out of a terminal.
const ROWS: usize = 256;
/// Column limit. A jump beyond it goes to the right edge of a terminal of usual width, or of a longer row.
const COLUMNS: usize = 500;
const EDGE: usize = 79;
const TAB: usize = 8;
/// Maximum number of blank cells that jumps create. Some are allowed for each byte of the output.
const BLANKS: usize = 64 * 1024;
const BLANKS_PER_BYTE: usize = 4;
const MAX_BLANKS: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy)]
struct Cell {
    c: char,
    /// Width of the cell; 0 for the further columns of a wide character or a tab.
    width: u8,
    style: Style,
}

impl Cell {
    const BLANK: Self = Self { c: ' ', width: 1, style: Style::NONE };
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<Cell>,
    /// Zero-width characters, by the column that they precede.
    narrow: BTreeMap<usize, String>,
}

impl Row {
    fn cut(&mut self, column: usize) {
        if column < self.cells.len() {
            self.clear(column, self.cells.len());
            self.cells.truncate(column);
        }
        if column == 0 {
            self.narrow.clear();
        }
    }

    /// Blanks the cells from a column up to another, including a wide character that is only partly inside.
    fn clear(&mut self, from: usize, to: usize) {
        let to = to.min(self.cells.len());
        if from >= to {
            return;
        }
        let continues = |cell: Option<&Cell>| cell.is_some_and(|cell| cell.width == 0);
        let (mut start, mut end) = (from, to);
        while start > 0 && continues(self.cells.get(start)) {
            start -= 1;
        }
        while continues(self.cells.get(end)) {
            end += 1;
        }
        if let Some(cells) = self.cells.get_mut(start..end) {
            cells.fill(Cell::BLANK);
        }
        if !self.narrow.is_empty() {
            self.narrow.retain(|column, _| *column <= start || *column > end);
        }
    }

    fn is_blank(&self) -> bool {
        self.cells.is_empty() && self.narrow.is_empty()
    }
}

/// How the cursor came to its position. A character over another one after a single step back is overstriking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Came {
    #[default]
    Otherwise,
    Written,
    BackFromWritten,
}

#[derive(Debug, Default)]
pub(super) struct Screen {
    text: String,
    styles: Vec<(usize, Style)>,
    rows: VecDeque<Row>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    style: Style,
    came: Came,
    last: Option<char>,
    blanks: usize,
}

impl Screen {
    pub fn new(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            rows: VecDeque::from([Row::default()]),
            blanks: bytes.saturating_mul(BLANKS_PER_BYTE).saturating_add(BLANKS).min(MAX_BLANKS),
            ..Self::default()
        }
    }

    pub fn finish<'a>(mut self) -> Shown<'a> {
        let rows = std::mem::take(&mut self.rows);
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                self.text.push('\n');
            }
            self.write_out(row);
        }
        Shown { text: Cow::Owned(self.text), styles: self.styles }
    }

    /// Breaks the line at a line feed, with a carriage return, as a terminal's driver does.
    pub fn break_line(&mut self) {
        self.column = 0;
        self.line_feed();
    }

    fn line_feed(&mut self) {
        self.came = Came::Otherwise;
        self.row += 1;
        if self.row >= self.rows.len() {
            self.rows.push_back(Row::default());
        }
        if self.rows.len() > ROWS
            && let Some(row) = self.rows.pop_front()
        {
            self.write_out(&row);
            self.text.push('\n');
            self.row = self.row.saturating_sub(1);
            self.saved.0 = self.saved.0.saturating_sub(1);
        }
    }

    fn write_out(&mut self, row: &Row) {
        let mut style = self.styles.last().map_or(Style::NONE, |(_, style)| *style);
        let mut narrow = row.narrow.iter().peekable();
        for (column, cell) in row.cells.iter().enumerate() {
            while let Some((_, chars)) = narrow.next_if(|(before, _)| **before <= column) {
                self.text.push_str(chars);
            }
            if cell.width == 0 {
                continue;
            }
            if cell.style != style {
                // A style ends with its line, not at the beginning of the next one.
                let (line, end) = (self.text.trim_end_matches('\n').len(), self.text.len());
                if style != Style::NONE && line < end {
                    self.styles.push((line, Style::NONE));
                }
                style = cell.style;
                if style != Style::NONE || line == end {
                    self.styles.push((end, style));
                }
            }
            self.text.push(cell.c);
        }
        self.text.extend(narrow.map(|(_, chars)| chars.as_str()));
    }

    fn current(&mut self) -> &mut Row {
        let row = self.row;
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Row::default);
        }
        &mut self.rows[row]
    }

    /// Fills the row with blanks up to the cursor. If the limit is reached, the cursor goes to the row's end.
    fn reach(&mut self) {
        let column = self.column;
        let length = self.current().cells.len();
        let missing = column.saturating_sub(length);
        if missing > self.blanks {
            self.column = length;
        } else if missing > 0 {
            self.blanks -= missing;
            self.current().cells.resize(column, Cell::BLANK);
        }
    }

    fn put(&mut self, c: char, width: usize, style: Style) {
        self.reach();
        let column = self.column;
        let row = self.current();
        row.clear(column, column + width);
        let cell = |width| Cell { c, width, style };
        for further in 0..width {
            let cell = cell(if further == 0 { u8::try_from(width).unwrap_or(1) } else { 0 });
            match row.cells.get_mut(column + further) {
                Some(old) => *old = cell,
                None => row.cells.push(cell),
            }
        }
        self.column = column + width;
    }

    fn tab(&mut self) {
        let width = TAB - self.column % TAB;
        if self.column >= self.current().cells.len() {
            // A tab moves the cursor and paints nothing, so it has no background or line.
            let style = Style { ground: Colour::None, inverse: false, underline: false, strike: false, ..self.style };
            self.put('\t', width, style);
        } else {
            self.column += width;
        }
    }

    /// Combines overstruck characters: written twice means bold, with a line means underlined or struck through.
    fn overstruck(&mut self, c: char) -> Option<(char, Style)> {
        if self.came != Came::BackFromWritten {
            return None;
        }
        let column = self.column;
        let below = *self.current().cells.get(column)?;
        match (below.c, c) {
            (below_c, c) if below_c == c && c != ' ' => Some((c, Style { bold: true, ..below.style })),
            ('_', c) if c != ' ' => Some((c, Style { underline: true, ..self.style })),
            (below_c, '_') if below_c != ' ' => Some((below_c, Style { underline: true, ..below.style })),
            _ => None,
        }
    }

    fn move_to_row(&mut self, row: usize) {
        let last = self.rows.len().saturating_sub(1);
        // A row below the terminal means the last one.
        self.row = if row < ROWS { row } else { last };
        self.current();
    }

    fn move_to_column(&mut self, column: usize) {
        let edge = self.current().cells.len().max(EDGE);
        self.column = if column < COLUMNS.max(edge) { column } else { edge };
    }

    fn erase_line(&mut self, how: u16) {
        let column = self.column;
        let row = self.current();
        match how {
            0 => row.cut(column),
            1 => row.clear(0, column + 1),
            2 => row.cut(0),
            _ => {}
        }
    }

    fn erase_display(&mut self, how: u16) {
        match how {
            0 => {
                self.erase_line(0);
                self.rows.truncate(self.row + 1);
            }
            1 => {
                for row in self.rows.iter_mut().take(self.row) {
                    row.cut(0);
                }
                self.erase_line(1);
            }
            2 => {
                self.rows.truncate(self.row + 1);
                for row in &mut self.rows {
                    row.cut(0);
                }
            }
            _ => {}
        }
    }

    /// Begins the alternate screen below the main one, so that it doesn't overwrite it.
    fn begin_screen(&mut self) {
        while self.rows.back().is_some_and(Row::is_blank) {
            self.rows.pop_back();
        }
        for row in std::mem::take(&mut self.rows) {
            self.write_out(&row);
            self.text.push('\n');
        }
        self.rows.push_back(Row::default());
        (self.row, self.column, self.saved) = (0, 0, (0, 0));
    }

    fn reset(&mut self) {
        self.erase_display(2);
        (self.row, self.column, self.saved, self.style) = (0, 0, (0, 0), Style::NONE);
    }

    fn delete_chars(&mut self, count: usize) {
        let column = self.column;
        let row = self.current();
        let end = column.saturating_add(count).min(row.cells.len());
        if column < end {
            row.clear(column, end);
            row.cells.drain(column..end);
        }
    }

    fn repeat(&mut self, count: usize) {
        let Some(c) = self.last else { return };
        for _ in 0..count.min(COLUMNS).min(self.blanks) {
            self.blanks -= 1;
            self.print(c);
        }
    }

    fn restore_cursor(&mut self) {
        let (row, column) = self.saved;
        self.move_to_row(row);
        self.move_to_column(column);
    }
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        match c.width().unwrap_or(0) {
            0 => {
                self.reach();
                let column = self.column;
                self.current().narrow.entry(column).or_default().push(c);
            }
            width => {
                let (c, style) = self.overstruck(c).unwrap_or((c, self.style));
                self.put(c, width, style);
                self.last = Some(c);
                self.came = Came::Written;
            }
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            // A bell, and the switches between character sets.
            0x07 | 0x0e | 0x0f => return,
            0x08 => {
                self.came = if self.came == Came::Written { Came::BackFromWritten } else { Came::Otherwise };
                self.column = self.column.saturating_sub(1);
                return;
            }
            b'\t' => self.tab(),
            b'\r' => self.column = 0,
            _ => return self.print(char::from(byte)),
        }
        self.came = Came::Otherwise;
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _ignore: bool, action: char) {
        let given = |at: usize| params.iter().nth(at).and_then(|param| param.first().copied()).unwrap_or(0);
        let count = usize::from(given(0).max(1));
        if !intermediates.is_empty() {
            if intermediates == b"?" && matches!(action, 'h' | 'l') && matches!(given(0), 47 | 1047 | 1049) {
                self.begin_screen();
            }
            return;
        }
        if action == 'm' {
            return self.style.apply(params);
        }
        self.came = Came::Otherwise;
        match action {
            'A' => self.row = self.row.saturating_sub(count),
            'B' | 'e' => self.move_to_row(self.row + count),
            'C' | 'a' => self.move_to_column(self.column + count),
            'D' => self.column = self.column.saturating_sub(count),
            'E' => {
                self.move_to_row(self.row + count);
                self.column = 0;
            }
            'F' => {
                self.row = self.row.saturating_sub(count);
                self.column = 0;
            }
            'G' | '`' => self.move_to_column(count - 1),
            'd' => self.move_to_row(count - 1),
            'H' | 'f' => {
                self.move_to_row(count - 1);
                self.move_to_column(usize::from(given(1).max(1)) - 1);
            }
            'J' => self.erase_display(given(0)),
            'K' => self.erase_line(given(0)),
            'P' => self.delete_chars(count),
            'X' => {
                let column = self.column;
                self.current().clear(column, column.saturating_add(count));
            }
            'b' => self.repeat(count),
            's' => self.saved = (self.row, self.column),
            'u' => self.restore_cursor(),
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        if !intermediates.is_empty() {
            return;
        }
        match byte {
            b'7' => self.saved = (self.row, self.column),
            b'8' => self.restore_cursor(),
            b'D' => self.line_feed(),
            b'E' => self.break_line(),
            b'M' => self.row = self.row.saturating_sub(1),
            b'c' => self.reset(),
            _ => {}
        }
    }
}
