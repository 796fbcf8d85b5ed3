/// A margin found by summing an exact probability function.
struct GoldenMargin: Sendable {
    let kind: Histogram.Kind
    /// Scale or variance.
    let parameter: String
    let share: String
    let margin: Int64
}
