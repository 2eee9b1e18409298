//! How much work the files of a session may take together.

/// Steps that are left for comparing and folding several files. A count and no clock: the same files always get the same
/// answer. What there are no steps left for is shown as changed as a whole, and edits stand for themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// Lines that both sides have, multiplied.
    pub compared: u64,
    /// Bytes of lines that folding goes through.
    pub folded: u64,
}

impl Default for Allowance {
    /// For all files of a session: ten times what one comparison takes at most, and 4 GiB.
    fn default() -> Self {
        Self { compared: 1_000_000_000, folded: 1 << 32 }
    }
}
