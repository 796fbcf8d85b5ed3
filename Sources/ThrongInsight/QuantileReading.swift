package import ThrongPlan

/// A value below which a given part of the events lies, as far as a histogram tells it: the band that holds it, and a
/// number inside the band if its events were spread evenly.
package struct QuantileReading: Sendable, Hashable {
    /// Which part.
    package let quantile: Quantile
    /// Where the band begins, nil where it is open. Unit: the histogram's.
    package let lowest: Decimals?
    /// Where the band ends, nil where it is open. Unit: the histogram's.
    package let highest: Decimals?
    /// By linear interpolation inside the band, rounded to a whole number or, in a band of less than 10, to the largest power
    /// of ten that is at most a tenth of its width; nil where the band is open, or where withheld numbers decide the place
    /// inside it. Unit: the histogram's.
    package let value: Decimals?

    /// Puts a reading together.
    package init(quantile: Quantile, lowest: Decimals?, highest: Decimals?, value: Decimals?) {
        self.quantile = quantile
        self.lowest = lowest
        self.highest = highest
        self.value = value
    }
}
