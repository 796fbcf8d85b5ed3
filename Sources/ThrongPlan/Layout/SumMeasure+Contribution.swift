extension SumMeasure {
    /// What each event counts for besides its value when contributions are compared: nothing, or, where values can be
    /// negative, as much as the lowest one lacks to 0.
    ///
    /// "The largest" says something about dominance only among numbers that are not negative. Shifted contributions of
    /// a cell add up to its sum + shift · events.
    /// - Unit: 10^-decimals of the sum's unit, per event; not negative.
    package var contributionShift: Int64 { max(0, -quantum(of: lowest)) }
}
