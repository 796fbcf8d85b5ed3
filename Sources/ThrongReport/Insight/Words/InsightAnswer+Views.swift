package import ThrongPlan

extension InsightAnswer {
    /// "“Phone” leads with …, ahead of “Desktop” and “Tablet”. The other 2 together have …".
    func sentence(of ranking: AnswerRanking, _ answered: Answered) -> String? {
        guard let top = ranking.rows.first, let quantity = top.row.figure.quantity else { return nil }
        let leaders = leaders(answered)
        let followers = ranking.rows.dropFirst().map { "“\($0.row.label)”" }
        let ahead = followers.isEmpty ? "" : ", ahead of \(followers.listed)"
        let number = part(quantity, of: answered.shareBase)
        let leading =
            only(top.row, number, answered)
            ?? superlative("“\(top.row.label)” leads with \(number)\(ahead).", answered)
        let lead = leaders.count > 1 ? undecided(leaders, "leads") : ranged(offByMargin(leading), quantity)
        guard let rest = ranking.rest else { return lead }
        let others = ranking.others == 1 ? "The other one has" : "The other \(ranking.others) together have"
        return "\(lead) \(others) \(part(rest, of: answered.shareBase))."
    }

    /// The current number and how it compares; of a breakdown, which row rose and which fell most.
    func sentence(of comparisons: [AnswerComparison], _ answered: Answered) -> String {
        let now = tableSentence(answered)
        guard answered.axes.isEmpty else {
            return ([now] + comparisons.map { moves(in: $0, answered.table) }).joined(separator: " ")
        }
        guard answered.table.rows.first?.figure.quantity != nil else { return now }
        return ([now] + comparisons.compactMap(comparison)).joined(separator: " ")
    }

    private func comparison(_ comparison: AnswerComparison) -> String? {
        guard let row = comparison.rows.first else { return nil }
        let then = "\(comparison.reference.words(of: comparison.period.kind)) (\(names.long(comparison.period)))"
        switch row.change {
        case .published(let change):
            guard let earlier = row.earlier.quantity else { return nil }
            return sentence(of: change, since: then, from: earlier)
        case .withheld: return "The change since \(then) is \(Withheld.wording)."
        case .impossible: return nil
        case .absent(let absence): return "There is no comparison with \(then): \(absence.reason)."
        }
    }

    private func moves(in comparison: AnswerComparison, _ table: AnswerTable) -> String {
        let then = "\(comparison.reference.words(of: comparison.period.kind)) (\(names.long(comparison.period)))"
        let changes = zip(table.rows, comparison.rows).compactMap { row, compared in
            compared.change.change.map { (label: row.label, change: $0) }
        }
        guard !changes.isEmpty else {
            guard case .absent(let absence)? = comparison.rows.first?.change else {
                return "Every change since \(then) is \(Withheld.wording)."
            }
            return "There is no comparison with \(then): \(absence.reason)."
        }
        return moves(changes, since: then)
    }

    /// Returns the sentence about a row that rose and one that fell, chosen by what they contribute and not by their
    /// relative change: small groups change most of all. Which of several moved most would be noise, and is not said.
    func moves(_ changes: [(label: String, change: Change)], since then: String) -> String {
        func weight(_ change: Change) -> Double { change.difference.approximate }
        let sure = changes.filter { !isWithinChance($0.change) }
        guard let most = sure.max(by: { weight($0.change) < weight($1.change) }),
            let least = sure.min(by: { weight($0.change) < weight($1.change) })
        else { return "Since \(then), every group shown is about the same." }
        var parts: [String] = []
        if most.change.direction == .up {
            parts.append("“\(most.label)” rose by \(amount(of: most.change))")
        }
        if least.change.direction == .down {
            parts.append("“\(least.label)” fell by \(amount(of: least.change))")
        }
        return "Since \(then), \(parts.joined(separator: ", and "))."
    }

    /// Returns the size of a change, without its sign: "12.3% (132)", "1.3 percentage points".
    func amount(of change: Change) -> String {
        let difference = shownDifference(change).magnitude
        if unit == "share" { return "\(locale.points(difference)) percentage points" }
        let absolute = locale.text(difference)
        return relativeSize(change).map { "\($0) (\(absolute))" } ?? absolute
    }

    /// A change beside a number: "▲ +12.3%", "▼ −1.3 points", and "about the same" where that is within margins.
    package func short(_ change: Change) -> String {
        if isWithinChance(change) { return "about the same" }
        return "\(change.direction.arrow) \(signedRelative(change) ?? difference(change))"
    }

    /// Returns the sign for the direction in which a number went: "≈" where that may be noise.
    package func arrow(_ change: Change) -> String {
        isWithinChance(change) ? "\u{2248}" : change.direction.arrow
    }

    /// The difference with its sign, in the answer's unit.
    package func difference(_ change: Change) -> String {
        wording.difference(shownDifference(change), isShare: unit == "share")
    }

    /// The relative change with its sign; a difference of shares in points.
    package func percent(_ change: Change) -> String {
        if unit == "share" { return difference(change) }
        return signedRelative(change) ?? "\u{2013}"
    }

    /// "1,020 to 1,455", "40.1% to 42.0%".
    package func text(from interval: Interval, isShare: Bool = false) -> String {
        wording.span(interval, isShare: isShare || unit == "share")
    }

    /// "Half of the orders were under about 34 EUR (20 to 50) and 90% under about 120 EUR (100 to 200)."
    func quantileSentence(_ answered: Answered) -> String {
        let rows = answered.table.rows
        guard rows.contains(where: { $0.figure.quantity != nil }) else {
            return Self.gap(answered.table, isOne: false)
        }
        guard case .quantiles(let quantiles) = insight.kind, let first = quantiles.first else { return "" }
        guard answered.axes.count == 1 else {
            let parts = rows.filter { $0.buckets.last?.text == "\(first)" }.compactMap { row in
                row.figure.quantity.map {
                    "for “\(row.buckets.dropLast().map(\.text).joined(separator: " · "))” \(bound($0))"
                }
            }
            return "\(part(first).sentenceCased) of the \(noun.many) were under a value: \(parts.listed)."
        }
        let parts = zip(quantiles, rows).compactMap { quantile, row in
            row.figure.quantity.map { "\(part(quantile)) of the \(noun.many) were under \(bound($0))" }
        }
        return parts.listed.sentenceCased + "."
    }

    /// "half", "90%".
    private func part(_ quantile: Quantile) -> String {
        quantile == .median ? "half" : locale.percent(of: quantile)
    }

    /// The value under which they were: "about 34 EUR (20 to 50)", "20 EUR", "a value from 200 EUR on".
    private func bound(_ quantity: Quantity) -> String {
        guard case .quantile(let reading) = quantity, reading.value == nil else { return words(quantity) }
        let ends = [reading.lowest, reading.highest].map { $0.map { wording.amount($0, unit: unit) } }
        return switch (ends[0], ends[1]) {
        case (nil, let high?): high
        case (let low?, nil): "a value from \(low) on"
        case (.some, .some): "a value of \(words(quantity))"
        case (nil, nil): "any value"
        }
    }
}

extension Insight.Reference {
    /// "the day before", "the same day a week before".
    package func words(of kind: PeriodKind) -> String {
        switch self {
        case .periodBefore: "the \(kind.rawValue) before"
        case .weekBefore: "the same \(kind.rawValue) a week before"
        }
    }
}

extension Change.Direction {
    /// A sign that does not need colour.
    package var arrow: String {
        switch self {
        case .up: "\u{25b2}"
        case .same: "="
        case .down: "\u{25bc}"
        }
    }
}
