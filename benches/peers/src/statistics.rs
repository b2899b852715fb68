//! Medians of what was measured, and means of ratios.

/// The middle one of some numbers.
pub fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// The middle one of the ratios within each turn. What disturbs the machine disturbs both sides of a turn alike.
pub fn ratio(of: &[f64], to: &[f64]) -> Option<f64> {
    median(of.iter().zip(to).map(|(of, to)| of / to).collect())
}

/// The geometric mean of some ratios.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_middle_one_in_order() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn a_ratio_is_taken_within_each_turn() {
        // The second turn was disturbed on both sides.
        assert_eq!(ratio(&[2.0, 20.0, 2.0], &[1.0, 10.0, 1.0]), Some(2.0));
        assert_eq!(ratio(&[], &[1.0]), None);
    }

    #[test]
    fn a_geometric_mean_of_inverse_ratios_is_one() {
        let mean = geometric_mean(&[4.0, 0.25]).expect("there are ratios");
        assert!((mean - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
