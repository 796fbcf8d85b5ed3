internal import ThrongPlan

/// Changes in words: noise is not told as one.
extension InsightAnswer {
    /// "That is 12% (130) more than the day before (…), when it was about 1,100 events; the difference is between 90
    /// and 170 in 19 of 20 cases."
    func sentence(of change: Change, since then: String, from earlier: Quantity) -> String {
        guard !isWithinChance(change) else {
            // An interval beyond 0 is one of many on the page, some of which are so by chance.
            let off = change.isWithinChance() ? span(change.interval).map { "; the difference is \($0)" } : nil
            return "That is about the same as \(then), when it was \(words(earlier))\(off ?? "")."
        }
        let than = change.direction == .up ? "more than" : "less than"
        let sentence = "That is \(amount(of: change)) \(than) \(then), when it was \(words(earlier))."
        guard let (low, high) = size(of: change.interval) else { return sentence }
        let scale = unit == "share" ? 100.0 : 1
        let range = wording.range(
            Interval(low * scale, high * scale, places: Quantity.sharePlaces), isShare: false, unit: ownUnit)
        return Wording.sentence(sentence, with: "the difference is \(range)")
    }

    /// A difference as it is shown: to the first digit of how far off it may be.
    func shownDifference(_ change: Change) -> Decimals {
        let (low, high) = change.interval.ends
        return change.difference.rounded(toFirstDigitOf: (high - low) / 2)
    }

    /// Returns the size of a relative change, without its sign; nil where there is none.
    func relativeSize(_ change: Change) -> String? {
        guard let interval = change.relativeInterval else { return change.relative.map(locale.size) }
        let (low, high) = interval.ends
        return change.relative.map { relative in
            let rounded = relative.magnitude.rounded(toFirstDigitOf: min((high - low) / 2, 0.5)).rounded(to: 3)
            return locale.percent(ofHundred: Decimals(units: rounded.units * 100, places: rounded.places))
        }
    }

    /// A relative change with its sign; nil of shares, whose changes are in points.
    func signedRelative(_ change: Change) -> String? {
        guard unit != "share" else { return nil }
        let sign = change.direction == .down ? "\u{2212}" : change.direction == .up ? "+" : ""
        return relativeSize(change).map { sign + $0 }
    }

    /// "between −12 and 25 in 19 of 20 cases".
    private func span(_ interval: Interval) -> String? {
        guard let low = interval.low, let high = interval.high else { return nil }
        let ends = [low, high].map { wording.difference($0, isShare: unit == "share") }
        return "between \(ends[0]) and \(ends[1]) \(Wording.usually)"
    }

    /// Returns the least and the largest size of a change, whichever way it went; nil where an end is open, or where
    /// the change may have gone either way.
    private func size(of interval: Interval) -> (low: Double, high: Double)? {
        let (low, high) = interval.ends
        guard low.isFinite, high.isFinite else { return nil }
        return low >= 0 ? (low, high) : high <= 0 ? (-high, -low) : nil
    }

    /// The unit of a difference that is no number of events or devices.
    private var ownUnit: String {
        if case .mean = insight.kind { unit } else { unit == "share" ? "percentage points" : "" }
    }
}
