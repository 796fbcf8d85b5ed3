internal import Foundation
package import ThrongPlan

/// The reason why an alert goes out, from released numbers: beyond their margins, and beyond the season.
package struct AlertFinding: Sendable, Hashable {
    /// The words for readers.
    package let sentence: String

    /// Nil where the number is as it should be, or where nothing tells.
    ///
    /// A number that is withheld stands for too few devices: it is below any bound, and unlike those that were shown.
    ///
    /// - Parameters:
    ///   - answer: to the alert's insight, one number.
    ///   - kind: of the answer's period.
    ///   - usual: the same in the periods that tell what is usual.
    init?(_ alert: Alert, answer: InsightAnswer, kind: PeriodKind, usual: [Figure]) {
        guard let figure = answer.answered?.table.rows.first?.figure else { return nil }
        let now = figure.quantity
        let ends = now.flatMap { Self.ends(of: $0, answer) }
        let locale = answer.locale
        func says(_ word: String, _ bound: Double? = nil) -> String {
            let number = bound.map { Self.text($0, locale) } ?? ""
            return locale.say(.alert, ["title": answer.insight.title, "case": word, "number": number])
        }
        if let below = alert.below, figure == .withheld || ends.map({ $0.high < below }) == true {
            sentence = says("below", below)
            return
        }
        if let above = alert.above, let ends, ends.low > above {
            sentence = says("above", above)
            return
        }
        let before = usual.compactMap(\.quantity)
        guard alert.isUnusual, before.count >= Alert.fewest, let least = before.min(by: { $1.exceeds($0) }),
            let most = before.max(by: { $1.exceeds($0) })
        else { return nil }
        let span = locale.say(
            .alertUsual,
            [
                "kind": kind.rawValue, "low": answer.text(least), "high": answer.text(most),
                "periods": locale.say(
                    .periods, ["kind": kind > .day ? kind.rawValue : PeriodKind.week.rawValue, "count": before.count]),
            ])
        guard let now, let ends else {
            guard figure == .withheld else { return nil }
            sentence = locale.joined([says("hidden"), span])
            return
        }
        let (middle, far) = Self.range(of: before.map(\.approximate))
        let gap = now.approximate - middle
        let margin = gap > 0 ? now.approximate - ends.low : ends.high - now.approximate
        guard abs(gap) > far, abs(gap) > margin * (1 + 1 / Double(before.count)).squareRoot() else { return nil }
        sentence = locale.joined([says(gap > 0 ? "high" : "low"), span])
    }

    /// The ends between which a number lies in 19 of 20 cases.
    private static func ends(of quantity: Quantity, _ answer: InsightAnswer) -> (low: Double, high: Double)? {
        if let within = quantity.within {
            return (quantity.approximate - Double(within), quantity.approximate + Double(within))
        }
        return answer.interval(of: quantity)?.ends
    }

    private static func text(_ bound: Double, _ locale: Language) -> String {
        let places = (0...Quantity.sharePlaces).first { place in
            let scaled = bound * pow(10, Double(place))
            return abs(scaled - scaled.rounded()) < 1e-6 * max(abs(scaled), 1)
        }
        return locale.text(Decimals(bound, rounded: .toNearestOrEven, places: places ?? Quantity.sharePlaces))
    }

    /// The mean of numbers, and how far from it the next one lies in one of a hundred cases: the prediction interval of
    /// Student's t. Their scatter holds the noise of each.
    private static func range(of numbers: [Double]) -> (mean: Double, far: Double) {
        let count = Double(numbers.count)
        let mean = numbers.reduce(0, +) / count
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let scatter = (squares / (count - 1)).squareRoot()
        let t = quantiles[min(numbers.count, Alert.usual) - Alert.fewest]
        return (mean, t * scatter * (1 + 1 / count).squareRoot())
    }

    /// Student's t at 0.995 with 3 to 7 degrees of freedom, for 4 to 8 numbers.
    private static let quantiles = [5.841, 4.604, 4.032, 3.707, 3.499]
}

extension Report {
    /// The periods besides its own whose releases it reads for an insight.
    package func earlierPeriods(of period: Period, for insight: Insight, in calendar: PeriodCalendar) -> [Period] {
        let asked = insight.earlierPeriods(of: period, in: calendar)
        guard let alert, alert.insight == insight.name else { return asked }
        return asked + alert.periods(before: period, in: calendar).filter { !asked.contains($0) }
    }
}
