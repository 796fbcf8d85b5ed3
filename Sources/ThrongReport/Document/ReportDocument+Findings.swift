internal import ThrongPlan

/// A thing that readers see first: a title that says it, and the numbers behind it.
package struct Finding: Sendable, Hashable {
    /// The place of its answer in the report.
    package let place: Int
    package let title: String
    package let sentence: String
}

extension ReportDocument {
    /// The largest change, what is outside of all that was before, and the worst step of a funnel; each only where margins
    /// leave no doubt.
    package var findings: [Finding] {
        let answers = answers.map(\.inWords)
        func told(_ one: (InsightAnswer) -> InsightAnswer.Told?) -> Finding? {
            let found = answers.enumerated().compactMap { place, answer in one(answer).map { (place, $0) } }
            return found.max { $0.1.weight < $1.1.weight }.map {
                Finding(place: $0.0, title: $0.1.title, sentence: $0.1.sentence)
            }
        }
        return [told(\.largestChange), told(\.outlier), told(\.worstStep)].compactMap { $0 }
    }

    /// The sentence of a report all of whose comparisons lack what they compare with; nil for others.
    package var nothingYet: String? {
        var isCompared = false
        for answered in answers.compactMap(\.answered) {
            let earlier: [Figure]
            switch answered.view {
            case .change(let comparisons): earlier = comparisons.flatMap(\.rows).map(\.earlier)
            case .trend(let points): earlier = points.dropLast().flatMap(\.figures)
            case .table, .ranking, .funnel: continue
            }
            isCompared = true
            guard earlier.allSatisfy(\.isAbsent) else { return nil }
        }
        return isCompared ? locale.say(.nothingYet) : nil
    }
}

extension Figure { fileprivate var isAbsent: Bool { if case .absent = self { true } else { false } } }

extension InsightAnswer {
    /// A candidate for a finding, and how much it weighs against others of its kind: a fraction of what it is a part of.
    fileprivate struct Told {
        let weight: Double
        let title: String
        let sentence: String
    }

    /// The periods that are enough to call a number unusual, and those that it is held against.
    private static let (fewestBefore, mostBefore) = (7, 8)

    /// The change that contributes most, of the whole or of a row.
    fileprivate var largestChange: Told? {
        guard let answered else { return nil }
        var all: [Told?] = []
        switch answered.view {
        case .change(let comparisons):
            for comparison in comparisons {
                let sum = Self.sum(comparison.rows.map(\.earlier))
                all += zip(answered.table.rows, comparison.rows).map { row, compared in
                    guard let change = compared.change.change, let then = compared.earlier.quantity,
                        let now = row.figure.quantity
                    else { return nil }
                    return told(change, of: row.label, from: then, to: now, since: comparison.period, sum)
                }
            }
        case .trend(let points):
            all = courses(over: points, answered).map { course in
                let sum = Self.sum(points.first { $0.period == course.since }?.figures ?? [])
                return told(
                    course.change, of: course.label ?? "", from: course.then, to: course.now, since: course.since, sum)
            }
        case .table, .ranking, .funnel: return nil
        }
        return all.compactMap { $0 }.max { $0.weight < $1.weight }
    }

    private static func sum(_ figures: [Figure]) -> Double {
        figures.compactMap { $0.quantity?.approximate }.reduce(0, +)
    }

    /// - Parameter sum: of the numbers of all rows then, of which a change is a part; quotients have none.
    private func told(
        _ change: Change, of group: String, from then: Quantity, to now: Quantity, since period: Period, _ sum: Double
    ) -> Told? {
        guard !isWithinChance(change) else { return nil }
        let whole = then.amount == nil ? then.approximate : sum
        let size = abs(change.difference.approximate)
        let title = locale.say(
            .titleChange,
            [
                "title": subject(group), "direction": "\(change.direction)", "amount": amount(of: change),
                "date": moment(period),
            ])
        let finding = locale.say(
            .nowAndThen, ["number": words(now).sentenceCased, "earlier": words(then), "date": names.long(period)])
        return Told(
            weight: unit == "share" ? size : size / max(whole, 1), title: title,
            sentence: sentence(finding, differingBy: change))
    }

    /// The number of a trend that lies outside of all of the periods before it.
    fileprivate var outlier: Told? {
        guard let answered, case .trend(let points) = answered.view, let last = points.last else { return nil }
        let before = points.dropLast().suffix(Self.mostBefore)
        guard before.count >= Self.fewestBefore else { return nil }
        return answered.table.rows.indices.compactMap { row -> Told? in
            let earlier = before.compactMap { $0.figures[row].quantity }
            guard earlier.count == before.count, let now = last.figures[row].quantity,
                let high = earlier.max(by: { $1.exceeds($0) }), let low = earlier.min(by: { $1.exceeds($0) })
            else { return nil }
            let changes = earlier.compactMap { Change(from: $0, to: now, interval: interval) }
            guard let direction = changes.first?.direction, changes.count == earlier.count,
                changes.allSatisfy({ !isWithinChance($0) && $0.direction == direction })
            else { return nil }
            let gap = abs(now.approximate - (direction == .up ? high : low).approximate)
            return Told(
                weight: unit == "share" ? gap : gap / max(high.approximate, 1),
                title: locale.say(
                    .titleOutlier,
                    [
                        "title": subject(answered.table.rows[row].label), "direction": "\(direction)",
                        "periods": wording.periods(before.count, last.period.kind),
                    ]),
                sentence: locale.say(
                    .nowAndSpan, ["number": words(now).sentenceCased, "low": text(low), "high": text(high)]))
        }.max { $0.weight < $1.weight }
    }

    /// The step of an undivided funnel from which the smallest part goes on, where all steps are published.
    fileprivate var worstStep: Told? {
        guard let answered, case .funnel(let stages) = answered.view, answered.axes.count == 1 else { return nil }
        let parts = stages.dropFirst().compactMap { $0.ofPrevious?.quantity }
        guard parts.count > 1, parts.count == stages.count - 1,
            let worst = parts.indices.min(by: { parts[$1].exceeds(parts[$0]) }),
            parts.indices.allSatisfy({ $0 == worst || isSurely(parts[$0], above: parts[worst]) }),
            let all = answered.table.rows[worst].figure.quantity,
            let went = answered.table.rows[worst + 1].figure.quantity
        else { return nil }
        let (from, to) = (answered.table.rows[worst].label, answered.table.rows[worst + 1].label)
        let number = locale.say(.about, ["number": text(went)]).sentenceCased
        return Told(
            weight: 1 - parts[worst].approximate,
            title: locale.say(.titleStep, ["from": from, "to": to, "share": words(parts[worst])]),
            sentence: closed(locale.say(.partOfAll, ["number": number, "whole": words(all)]), parts[worst]))
    }

    /// The words for what a finding is about: what is counted, or else the insight's title; and a row of it.
    private func subject(_ group: String) -> String {
        let isPlain = insight.kind == .count && filters.isEmpty
        let all = isPlain ? noun.many.sentenceCased : insight.title
        return locale.say(.titleAbout, ["title": all, "hasGroup": !group.isEmpty, "group": group])
    }
}
