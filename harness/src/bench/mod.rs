//! Measurements of the server: how fast it is there and how much memory it holds (`start`), how much it asks
//! of the driver (`wire`).
//!
//! Owns: measuring, and the figures of the original program that stand beside ours. Does not own:
//! printing (`cli/bench`).

pub mod start;
pub mod wire;

/// Middle of these values, the lower one of two; none if there are none.
pub fn median<T: Copy + Ord>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_a_measured_value() {
        assert_eq!(median([9, 1, 5]), Some(5));
        assert_eq!(median([4, 1, 3, 2]), Some(2));
        assert_eq!(median(Vec::<u8>::new()), None);
    }
}
