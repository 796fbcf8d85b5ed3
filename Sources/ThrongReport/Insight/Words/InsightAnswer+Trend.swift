internal import ThrongPlan

/// Trends in words: which way a number went, as far as margins tell, and over what span.
extension InsightAnswer {
    /// The number now, how it differs from the first period that has one, the span of the published numbers, and what
    /// is missing.
    func sentence(of points: [AnswerPoint], _ answered: Answered) -> String {
        let kind = points.last?.period.kind ?? .day
        let now = tableSentence(answered)
        let courses = courses(over: points, answered)
        guard answered.axes.isEmpty else {
            guard let first = courses.first else {
                return "\(now) The lines show \(wording.count(points.count, kind.rawValue))."
            }
            return "\(now) \(moves(courses.map { ($0.label, $0.change) }, since: names.short(first.since)))"
        }
        let known = points.compactMap { point in point.figures.first?.quantity.map { (point.period, $0) } }
        let gaps = missing(in: points)
        guard let high = known.max(by: { $1.1.exceeds($0.1) }), let low = known.min(by: { $1.1.exceeds($0.1) }),
            known.count > 1
        else { return now + gaps }
        let course = courses.first.map { " \(way($0.change, since: names.short($0.since)))" } ?? ""
        let range =
            "Over \(wording.count(points.count, kind.rawValue)), "
            + Wording.range(from: (text(low.1), names.short(low.0)), to: (text(high.1), names.short(high.0)))
        return "\(now)\(course) \(range)\(gaps)"
    }

    /// Returns the change of each row since the first period with any number, for rows that are published then and now.
    func courses(
        over points: [AnswerPoint], _ answered: Answered
    ) -> [(label: String, since: Period, change: Change)] {
        guard let first = points.first(where: { $0.figures.contains { $0.quantity != nil } }), let last = points.last,
            first.period != last.period
        else { return [] }
        return zip(answered.table.rows, zip(first.figures, last.figures)).compactMap { row, figures in
            guard let then = figures.0.quantity, let now = figures.1.quantity,
                let change = Change(from: then, to: now, interval: interval)
            else { return nil }
            return (label: row.label, since: first.period, change: change)
        }
    }

    private func way(_ change: Change, since then: String) -> String {
        guard !isWithinChance(change) else { return "Chance alone may explain how it differs from \(then)." }
        return "It \(change.direction == .up ? "rose" : "fell") by \(amount(of: change)) since \(then)."
    }

    private func missing(in points: [AnswerPoint]) -> String {
        let figures = points.compactMap(\.figures.first)
        var parts: [String] = []
        let withheld = figures.count { $0 == .withheld }
        if withheld > 0 { parts.append("\(withheld) \(withheld == 1 ? "is" : "are") withheld") }
        parts += figures.absences.map { absence, count in absence.words(for: count) }
        return parts.isEmpty ? "" : " Of \(figures.count) numbers, \(parts.joined(separator: ", "))."
    }
}

extension [Figure] {
    /// The counts of numbers that are absent, by reason, in the order of first occurrence.
    fileprivate var absences: [(Absence, Int)] {
        var found: [(Absence, Int)] = []
        for case .absent(let absence) in self {
            if let place = found.firstIndex(where: { $0.0 == absence }) {
                found[place].1 += 1
            } else {
                found.append((absence, 1))
            }
        }
        return found
    }
}
