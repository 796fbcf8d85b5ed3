internal import ThrongPlan

/// Trends in words: which way a number went, as far as margins tell, and over what span.
extension InsightAnswer {
    /// The number now, how it differs from the first period that has one, the span of the published numbers, and what
    /// is missing.
    func sentence(of points: [AnswerPoint], _ answered: Answered) -> String {
        let now = tableSentence(answered)
        let courses = courses(over: points, answered)
        guard let since = courses.first.map({ names.short($0.since) }) else {
            let isNew = !points.dropLast().flatMap(\.figures).contains { $0 == .withheld || $0.quantity != nil }
            let why = isNew ? "There is nothing to compare with yet" : "Too few are shown then and now to compare them"
            return "\(now) \(why).\(missing(in: points, answered))"
        }
        let all = courses.first { $0.label == nil }.map { " \(way($0.change, since: since))" } ?? ""
        let rows = courses.compactMap { course in course.label.map { (label: $0, change: course.change) } }
        guard answered.axes.isEmpty else {
            return "\(now)\(all)\(rows.isEmpty ? "" : " \(moves(rows, since: since))")"
        }
        let known = points.compactMap { $0.figures.first?.quantity }
        guard let high = known.max(by: { $1.exceeds($0) }), let low = known.min(by: { $1.exceeds($0) }) else {
            return now
        }
        let over = " Over \(wording.count(points.count, (points.last?.period.kind ?? .day).rawValue)), "
        return "\(now)\(all)\(over)\(Wording.range(from: text(low), to: text(high)))\(missing(in: points, answered))"
    }

    /// Returns the changes since the first period with any number, where there is one then and now: that of all rows
    /// together, which has no label, and that of each row.
    func courses(
        over points: [AnswerPoint], _ answered: Answered
    ) -> [(label: String?, since: Period, change: Change)] {
        guard let first = points.first(where: { $0.figures.contains { $0.quantity != nil } }), let last = points.last,
            first.period != last.period
        else { return [] }
        let labels = answered.axes.isEmpty ? [nil] : [nil] + answered.table.rows.map(\.label)
        func figures(_ point: AnswerPoint) -> [Figure] {
            answered.axes.isEmpty ? point.figures : [point.whole ?? .withheld] + point.figures
        }
        return zip(labels, zip(figures(first), figures(last))).compactMap { label, figures in
            guard let then = figures.0.quantity, let now = figures.1.quantity,
                let change = Change(from: then, to: now, interval: interval)
            else { return nil }
            return (label: label, since: first.period, change: change)
        }
    }

    private func way(_ change: Change, since then: String) -> String {
        let subject =
            if case .mean = insight.kind { "the average" } else { unit == "share" ? "the share" : "the total" }
        guard !isWithinChance(change) else { return "Since \(then), \(subject) is about the same." }
        return "Since \(then), \(subject) \(change.direction == .up ? "rose" : "fell") by \(amount(of: change))."
    }

    private func missing(in points: [AnswerPoint], _ answered: Answered) -> String {
        guard answered.axes.isEmpty else { return "" }
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
