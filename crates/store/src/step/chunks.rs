//! Rows and values in statements of few lengths, so that each engine prepares each statement once.

/// A piece of more rows has a multiple of so many.
const STEP: usize = 8;

/// Pieces of 1, 2, ... 8, 16, 24, ... rows, `most` (a multiple of 8) at most: the largest first.
pub(crate) fn chunks<T>(rows: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let all = rest.len().min(most);
        let length = if all > STEP { all - all % STEP } else { all };
        let (chunk, more) = rest.split_at(length);
        rest = more;
        (length > 0).then_some(chunk)
    })
}

/// Values to look for, `most` (a power of two) at a time. The last one is repeated until there are 1, 2, 4, ...: that
/// finds nothing more.
pub(crate) fn padded<T: Copy>(values: &[T], most: usize) -> impl Iterator<Item = Vec<T>> {
    values.chunks(most).map(|chunk| {
        let last = chunk.last().copied();
        chunk.iter().copied().chain(last.into_iter().cycle()).take(chunk.len().next_power_of_two()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{chunks, padded};

    #[test]
    fn lengths_are_few() {
        let rows: Vec<u32> = (0..63).collect();
        let pieces: Vec<&[u32]> = chunks(&rows, 32).collect();
        assert_eq!(pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>(), [32, 24, 7]);
        assert_eq!(pieces.concat(), rows);
        assert_eq!(chunks(&rows[..0], 8).count(), 0);
        let looked: Vec<Vec<u32>> = padded(&rows[..11], 8).collect();
        assert_eq!(looked, [vec![0, 1, 2, 3, 4, 5, 6, 7], vec![8, 9, 10, 10]]);
    }
}
