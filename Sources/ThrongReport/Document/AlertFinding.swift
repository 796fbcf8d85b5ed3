internal import Foundation
package import ThrongPlan
internal import ThrongRelease

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

/// Two measures of one thing: a report that has both says why their numbers differ.
extension Plan {
    /// Returns the sentences, by answer: each is told beside the later of the two.
    func likenesses(of answers: [InsightAnswer]) -> [[String]] {
        let tallies = answers.map(tallies)
        return tallies.indices.map { place in
            for mine in tallies[place].reversed() {
                for other in tallies[..<place].joined() where other.events == mine.events && other.way != mine.way {
                    return [
                        answers[place].locale.say(
                            .likeness,
                            [
                                "title": mine.title, "way": mine.way, "other": other.title, "otherWay": other.way,
                                "isApart": mine.purpose != other.purpose,
                            ])
                    ]
                }
            }
            return []
        }
    }

    /// A number of happenings, or of those that they happened to.
    private struct Tally {
        let title: String
        let events: Set<EventName>
        /// The words behind "counts".
        let way: String
        let purpose: PurposeName
    }

    /// Returns what an answer counts: one thing, or the steps of a funnel; nothing for what is computed from counts.
    private func tallies(of answer: InsightAnswer) -> [Tally] {
        guard answer.answered != nil, answer.filters.isEmpty, let metric = metric(answer.insight.metric) else {
            return []
        }
        func way(_ kind: String) -> String {
            answer.locale.say(.way, ["kind": kind, "noun": answer.noun.many, "one": answer.noun.one])
        }
        func tally(_ kind: String) -> [Tally] {
            [Tally(title: answer.insight.title, events: Set(metric.events), way: way(kind), purpose: metric.purpose)]
        }
        switch (answer.insight.kind, metric.within?.kind) {
        case (.funnel(let dimension), .funnel(let steps)?):
            return steps.dropFirst().filter(\.filters.isEmpty).map {
                let title = answer.words(for: $0.title, of: dimension)
                return Tally(title: title, events: [$0.event], way: way("steps"), purpose: metric.purpose)
            }
        case (.reach, _): return tally("devices")
        case (.frequency, _): return tally("once")
        case (.count, nil): return tally("every")
        default: return []
        }
    }

    /// Returns the sentences, by answer, about those that did more than counts. Each is told once, beside the first numbers
    /// that lack it, where a frequency of the same report has a band that tells it.
    func excesses(of answers: [InsightAnswer], in releases: [MetricName: Release]) -> [[String]] {
        var told: Set<MetricName> = []
        return answers.map { answer in
            guard answer.answered != nil, answer.insight.kind.counts == .events, !told.contains(answer.insight.metric),
                let metric = metric(answer.insight.metric), let frequency = frequency(telling: metric),
                let counted = releases[metric.name]?.header, let source = releases[frequency.name],
                counted.chosenBound == nil || counted.period.kind == counted.layout.period,
                source.header.events == counted.events, source.header.layout.rotation == counted.layout.rotation,
                let teller = answers.first(where: { other in
                    let (asked, isAnswered) = (other.insight, other.answered != nil)
                    return isAnswered && asked.metric == frequency.name && asked.by.isEmpty && asked.filters.isEmpty
                }), let sentence = excess(over: counted.layout.contributionBound, in: source, answer, teller)
            else { return [] }
            told.insert(metric.name)
            return [sentence]
        }
    }

    /// Returns the sentences, by answer, about bounds that releases chose. Each is told once; sums over periods that chose theirs
    /// have none.
    func choices(of answers: [InsightAnswer], in releases: [MetricName: Release]) -> [[String]] {
        var told: Set<MetricName> = []
        return answers.map { answer in
            guard answer.answered != nil, answer.insight.kind.counts == .events,
                let header = releases[answer.insight.metric]?.header, let bound = header.chosenBound,
                header.period.kind == header.layout.period, told.insert(answer.insight.metric).inserted
            else { return [] }
            let sentence = answer.locale.say(
                .chosenBound,
                [
                    "noun": answer.wording.noun(.events).many, "most": answer.wording.number(bound),
                    "case": header.layout.rotation == .longest ? "device" : "visit",
                ])
            return [sentence.sentenceCased]
        }
    }

    /// - Parameter teller: the answer that shows the frequency, of whose words the sentence takes those for who had them.
    private func excess(
        over bound: Int, in source: Release, _ answer: InsightAnswer, _ teller: InsightAnswer
    ) -> String? {
        guard let times = ReachedTimes(source),
            let band = times.edges.firstIndex(of: bound + 1) ?? times.edges.dropFirst().firstIndex(of: bound),
            let (reached, _, isTold) = times.reached(band), isTold,
            reached.count >= source.header.threshold.devices + reached.margin
        else { return nil }
        let (wording, noun) = (answer.wording, answer.wording.noun(.events))
        let number = Quantity.drawn(reached.count, of: .identifiers, within: reached.margin)
        let finding = answer.locale.say(
            .excess,
            [
                "number": teller.wording.words(number).sentenceCased, "one": noun.one, "noun": noun.many,
                "case": bound == 1 ? "one" : times.edges[band] > bound ? "more" : "least",
                "most": wording.number(bound),
            ])
        return wording.sentence(finding, offBy: Decimals(units: Int128(reached.margin), places: 0))
    }
}
