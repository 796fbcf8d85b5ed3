internal import ThrongPlan

/// Trends in words: which way a number went, as far as margins tell, and over what span.
extension InsightAnswer {
    /// The number now, how it differs from the first period that has one, the span of the published numbers, and what
    /// is missing.
    func sentence(of points: [AnswerPoint], _ answered: Answered) -> String {
        let now = tableSentence(answered)
        let courses = courses(over: points, answered)
        guard let since = courses.first.map({ moment($0.since) }) else {
            let isNew = !points.dropLast().flatMap(\.figures).contains { $0 == .withheld || $0.quantity != nil }
            return locale.joined([
                now, locale.say(isNew ? .nothingYet : .tooFewToCompare), missing(in: points, answered),
            ])
        }
        let all = courses.first { $0.label == nil }.map { way($0.change, since: since) } ?? ""
        let rows = courses.compactMap { course in course.label.map { (label: $0, change: course.change) } }
        guard answered.axes.isEmpty else {
            return locale.joined([now, all, rows.isEmpty ? "" : moves(rows, since: Moment(date: since))])
        }
        let known = points.compactMap { $0.figures.first?.quantity }
        guard let high = known.max(by: { $1.exceeds($0) }), let low = known.min(by: { $1.exceeds($0) }) else {
            return now
        }
        let periods = wording.periods(points.count, points.last?.period.kind ?? .day)
        let span = locale.say(.trendSpan, ["periods": periods, "low": text(low), "high": text(high)])
        return locale.joined([now, all, span, missing(in: points, answered)])
    }

    /// Returns the changes since the first period with any number, where there is one then and now: that of all rows
    /// together, which has no label, and that of each row.
    func courses(
        over points: [AnswerPoint], _ answered: Answered
    ) -> [(label: String?, since: Period, then: Quantity, now: Quantity, change: Change)] {
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
            return (label: label, since: first.period, then: then, now: now, change: change)
        }
    }

    /// A period behind "since", by its short name unless another is given: "22 Nov", in German "dem 22. Nov.".
    func moment(_ period: Period, _ name: String? = nil) -> String {
        locale.say(.sinceWhen, ["kind": period.kind.rawValue, "date": name ?? names.short(period)])
    }

    private func way(_ change: Change, since then: String) -> String {
        let what = if case .mean = insight.kind { "mean" } else { unit == "share" ? "share" : "total" }
        return locale.say(
            .course,
            [
                "direction": isWithinChance(change) ? "same" : "\(change.direction)", "since": then, "what": what,
                "amount": amount(of: change),
            ])
    }

    private func missing(in points: [AnswerPoint], _ answered: Answered) -> String {
        guard answered.axes.isEmpty else { return "" }
        let figures = points.compactMap(\.figures.first)
        func part(_ status: NumberStatus, _ count: Int, _ difference: String = "") -> String {
            locale.say(.missingPart, ["reason": status.rawValue, "count": count, "difference": difference])
        }
        let withheld = figures.count { $0 == .withheld }
        let parts =
            (withheld > 0 ? [part(.withheld, withheld)] : [])
            + figures.absences.map { part(NumberStatus($0), $1, $0.difference(in: locale)) }
        guard !parts.isEmpty else { return "" }
        return locale.say(.missing, ["all": figures.count, "parts": locale.list(parts)])
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
