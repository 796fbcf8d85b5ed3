internal import ThrongPlan

/// Changes in words: noise is not told as one.
extension InsightAnswer {
    /// "That is 12% (130) more than the day before (…), when it was about 1,100 events; the difference is between 90
    /// and 170 in 19 of 20 cases."
    func sentence(of change: Change, since then: Moment, from earlier: Quantity) -> String {
        let isSame = isWithinChance(change)
        let finding = locale.say(
            isSame ? .changeSame : .changeMoved,
            [
                "kind": then.kind, "date": then.date, "earlier": words(earlier), "amount": amount(of: change),
                "direction": "\(change.direction)",
            ])
        if isSame {
            // An interval beyond 0 is one of many on the page, some of which are so by chance.
            guard change.isWithinChance(), let low = change.interval.low, let high = change.interval.high else {
                return locale.say(.finding, ["finding": finding])
            }
            let ends = [low, high].map { wording.difference($0, isShare: unit == "share") }
            return locale.span(ends[0], ends[1], .findingDifference, finding: finding)
        }
        return sentence(finding, differingBy: change)
    }

    /// A finding as a sentence that says between what the size of a change lies.
    func sentence(_ finding: String, differingBy change: Change) -> String {
        guard let (low, high) = size(of: change.interval) else { return locale.say(.finding, ["finding": finding]) }
        let scale = unit == "share" ? 100.0 : 1
        return wording.sentence(
            finding, within: Interval(low * scale, high * scale, places: Quantity.sharePlaces), isShare: false,
            .findingDifference
        ) { number in
            if unit == "share" { return locale.say(.amountPoints, ["number": locale.text(number)]) }
            guard case .mean = insight.kind else { return locale.text(number) }
            return wording.amount(number, unit: unit)
        }
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

    /// Returns the least and the largest size of a change, whichever way it went; nil where an end is open, or where
    /// the change may have gone either way.
    private func size(of interval: Interval) -> (low: Double, high: Double)? {
        let (low, high) = interval.ends
        guard low.isFinite, high.isFinite else { return nil }
        return low >= 0 ? (low, high) : high <= 0 ? (-high, -low) : nil
    }
}

/// An earlier time that a message names: by what it is to the report's period, and by its date.
struct Moment {
    /// The word by which messages choose: `day`, `weekDay` for the same day a week before, `date` for its date alone.
    let kind: String
    /// "Saturday, 21 November 2026".
    let date: String

    /// A time of which only the date is told.
    init(date: String) { (kind, self.date) = ("date", date) }

    init(_ comparison: AnswerComparison, date: String) {
        let word = comparison.period.kind.rawValue
        kind =
            switch comparison.reference {
            case .periodBefore: word
            case .weekBefore: "week\(word.sentenceCased)"
            case .yearBefore: "date"
            }
        self.date = date
    }
}
