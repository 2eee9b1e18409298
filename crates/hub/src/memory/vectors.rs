//! Vectors in memory, one behind the other, and an exact search over all of them.

use std::collections::{HashMap, HashSet};
use store::StoredVector;

/// Vectors that are read at a time.
pub(super) const PART: u32 = 2_000;
/// Numbers that are multiplied side by side.
const LANES: usize = 16;

/// All vectors of one model. 100,000 vectors of 384 numbers take 150 MB.
#[derive(Debug, Default)]
pub struct Vectors {
    model: String,
    /// Numbers of a vector; 0 while there is none.
    width: usize,
    rids: Vec<i64>,
    /// Rids of their sessions.
    sessions: Vec<i64>,
    numbers: Vec<f32>,
    places: HashMap<i64, usize>,
    last: i64,
}

impl Vectors {
    /// Lets go of the vectors of any other model.
    pub fn of_model(&mut self, model: &str) {
        if self.model != model {
            *self = Self { model: model.to_owned(), ..Self::default() };
        }
    }

    /// Returns the number of the last vector that was added.
    pub fn last(&self) -> i64 {
        self.last
    }

    /// Returns how many numbers a vector has; 0 while there is none.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Adds vectors. One of a known message replaces its former one; one of another width than the first is left out.
    pub fn add(&mut self, new: Vec<StoredVector>) {
        for StoredVector { no, rid, session_rid, bytes } in new {
            self.last = self.last.max(no);
            let vector = from_bytes(&bytes);
            if self.width == 0 {
                self.width = vector.len();
            }
            if vector.is_empty() || vector.len() != self.width {
                continue;
            }
            let place = self.places.get(&rid);
            if let Some(old) = place.and_then(|place| self.numbers.chunks_exact_mut(self.width).nth(*place)) {
                old.copy_from_slice(&vector);
            } else {
                self.places.insert(rid, self.rids.len());
                self.rids.push(rid);
                self.sessions.push(session_rid);
                self.numbers.extend(vector);
            }
        }
    }

    /// Returns the messages whose vectors are nearest, with the cosine of the angle between. Only those of the sessions
    /// in `only`, if that is given. Nothing for a vector of another width.
    pub fn nearest(&self, vector: &[f32], only: Option<&HashSet<i64>>, limit: usize) -> Vec<(i64, f32)> {
        if vector.len() != self.width || vector.is_empty() || limit == 0 {
            return Vec::new();
        }
        let all = self.rids.iter().zip(&self.sessions).zip(self.numbers.chunks_exact(self.width));
        let mut near: Vec<(i64, f32)> = all
            .filter(|((_, session), _)| only.is_none_or(|only| only.contains(session)))
            .map(|((rid, _), other)| (*rid, product(vector, other)))
            .collect();
        let better = |(a, one): &(i64, f32), (b, other): &(i64, f32)| other.total_cmp(one).then(b.cmp(a));
        if near.len() > limit {
            near.select_nth_unstable_by(limit - 1, better);
            near.truncate(limit);
        }
        near.sort_unstable_by(better);
        near
    }
}

/// Returns a vector with the length 1; None if it has no direction.
pub fn normalised(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length <= 0.0 {
        return None;
    }
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    Some(vector)
}

/// A vector as it is stored.
pub(super) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// Several sums side by side: the compiler makes vector instructions of them.
fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (a, rest_of_a) = a.as_chunks::<LANES>();
    let (b, rest_of_b) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for (sum, (x, y)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += x * y;
        }
    }
    let rest: f32 = rest_of_a.iter().zip(rest_of_b).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::{Vectors, normalised, to_bytes};
    use std::collections::HashSet;
    use store::StoredVector;

    fn stored(no: i64, rid: i64, vector: &[f32]) -> StoredVector {
        StoredVector {
            no,
            rid,
            session_rid: rid % 2,
            bytes: to_bytes(&normalised(vector.to_vec()).unwrap_or_default()),
        }
    }

    fn rids(near: &[(i64, f32)]) -> Vec<i64> {
        near.iter().map(|(rid, _)| *rid).collect()
    }

    #[test]
    fn the_nearest_come_first() {
        let mut vectors = Vectors::default();
        vectors.of_model("m");
        let wide = |x: f32, y: f32| [&[x, y][..], &[0.0; 17]].concat();
        vectors.add(vec![
            stored(1, 10, &wide(1.0, 0.0)),
            stored(2, 11, &wide(1.0, 1.0)),
            stored(3, 12, &wide(0.0, 2.0)),
        ]);
        let east = normalised(wide(5.0, 0.1)).unwrap();
        assert_eq!(rids(&vectors.nearest(&east, None, 9)), [10, 11, 12]);
        assert_eq!(rids(&vectors.nearest(&east, None, 2)), [10, 11]);
        assert_eq!(rids(&vectors.nearest(&east, Some(&HashSet::from([1, 99])), 9)), [11]);
        // Another text of the same message, a vector of another width, and one without a direction.
        vectors.add(vec![stored(4, 10, &wide(0.0, -1.0)), stored(5, 13, &[1.0]), stored(6, 14, &wide(0.0, 0.0))]);
        assert_eq!((rids(&vectors.nearest(&east, None, 9)), vectors.last()), (vec![11, 12, 10], 6));
        assert_eq!(vectors.nearest(&[1.0], None, 9), []);
        vectors.of_model("other");
        assert_eq!((vectors.width(), vectors.last()), (0, 0));
    }

    #[test]
    fn a_vector_without_a_direction_is_none() {
        assert_eq!(normalised(vec![0.0, 0.0]), None);
        assert_eq!(normalised(vec![f32::NAN]), None);
        assert_eq!(normalised(Vec::new()), None);
        assert_eq!(normalised(vec![0.0, 3.0]), Some(vec![0.0, 1.0]));
    }
}
