internal import ThrongPlan

/// From zero to a round number at or above the highest one, with two or three round numbers between.
struct LineScale {
    /// The upper end.
    let top: Double
    /// Where lines are drawn, ascending, without zero.
    let marks: [Double]
    private let step: Double

    init(highest: Double) {
        guard highest > 0, highest.isFinite else {
            (top, marks, step) = (1, [], 1)
            return
        }
        var power = 1.0
        while power * 10 <= highest { power *= 10 }
        while power > highest { power /= 10 }
        let steps = [0.2, 0.25, 0.5, 1, 2, 2.5, 5].map { $0 * power }
        let step = steps.first { highest / $0 <= 4 } ?? 5 * power
        let count = Int((highest / step).rounded(.up))
        self.step = step
        top = Double(count) * step
        marks = (1...max(count, 1)).map { Double($0) * step }
    }

    /// A mark as it is written beside its line: "2,000", "40%".
    func text(_ mark: Double, isShare: Bool, in locale: ReportLocale) -> String {
        if isShare { return locale.text(Decimals(exactly: mark * 100).rounded(to: 1).withoutTrailingZeros) + "%" }
        return locale.text(Decimals(exactly: mark).rounded(to: step < 1 ? 2 : 1).withoutTrailingZeros)
    }
}
