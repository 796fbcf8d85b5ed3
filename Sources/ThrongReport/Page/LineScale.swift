internal import ThrongPlan

/// From zero to a round number at or above the highest one, with two or three round numbers between; from a round number
/// at or below the lowest one where there are numbers below zero.
struct LineScale {
    /// The upper end.
    let top: Double
    /// The lower end: zero, or less.
    let bottom: Double
    /// Where lines are drawn, ascending, without zero.
    let marks: [Double]
    private let step: Double

    init(highest: Double, lowest: Double = 0) {
        let highest = max(highest, 0)
        let depth = max(-lowest, 0)
        let range = highest + depth
        guard range > 0, range.isFinite else {
            (top, bottom, marks, step) = (1, 0, [], 1)
            return
        }
        var power = 1.0
        while power * 10 <= range { power *= 10 }
        while power > range { power /= 10 }
        let steps = [0.2, 0.25, 0.5, 1, 2, 2.5, 5].map { $0 * power }
        let step = steps.first { range / $0 <= 4 } ?? 5 * power
        let (above, below) = (Int((highest / step).rounded(.up)), Int((depth / step).rounded(.up)))
        self.step = step
        top = Double(above) * step
        bottom = Double(-below) * step
        marks = (-below...above).filter { $0 != 0 }.map { Double($0) * step }
    }

    /// The scale of a line with these marks.
    init(of marks: [ChartMark]) {
        let values = marks.compactMap(\.value)
        self.init(highest: values.max() ?? 0, lowest: values.min() ?? 0)
    }

    /// How far below the upper end a number stands. Unit: parts of the whole height, 0 to 1.
    func depth(_ value: Double) -> Double { min(max((top - value) / (top - bottom), 0), 1) }

    /// A mark as it is written beside its line: "2,000", "40%".
    func text(_ mark: Double, isShare: Bool, in locale: ReportLocale) -> String {
        if isShare { return locale.text(Decimals(exactly: mark * 100).rounded(to: 1).withoutTrailingZeros) + "%" }
        return locale.text(Decimals(exactly: mark).rounded(to: step < 1 ? 2 : 1).withoutTrailingZeros)
    }
}
