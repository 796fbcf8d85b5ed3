internal import ThrongPlan

/// A scale from zero, or a round number at or below the lowest one, to a round number at or above the highest, with two
/// or three between.
struct LineScale {
    let top: Double
    /// The lower end: zero, unless something lies below it.
    let bottom: Double
    /// The places at which lines are drawn, ascending; without zero where that is the lower end.
    let marks: [Double]
    private let step: Double

    init(highest: Double, lowest: Double = 0) {
        let (high, low) = (max(highest, 0), min(lowest, 0))
        let range = high - low
        guard range > 0, range.isFinite else {
            (top, bottom, marks, step) = (1, 0, [], 1)
            return
        }
        var power = 1.0
        while power * 10 <= range { power *= 10 }
        while power > range { power /= 10 }
        let steps = [0.2, 0.25, 0.5, 1, 2, 2.5, 5].map { $0 * power }
        let step = steps.first { range / $0 <= 4 } ?? 5 * power
        let last = Int((high / step).rounded(.up))
        let first = Int((low / step).rounded(.down))
        self.step = step
        top = Double(last) * step
        bottom = Double(first) * step
        marks = (first...max(last, first)).filter { $0 != 0 || first < 0 }.map { Double($0) * step }
    }

    init(over values: [Double]) { self.init(highest: values.max() ?? 0, lowest: values.min() ?? 0) }

    func height(of value: Double) -> Double { min(max((value - bottom) / (top - bottom), 0), 1) }

    /// A mark as it is written beside its line: "2,000", "40%".
    func text(_ mark: Double, isShare: Bool, in locale: ReportLocale) -> String {
        if isShare { return locale.percent(ofHundred: Decimals(exactly: mark * 100).rounded(to: 1)) }
        return locale.text(Decimals(exactly: mark).rounded(to: step < 1 ? 2 : 1).withoutTrailingZeros)
    }
}
