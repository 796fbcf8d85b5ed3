internal import ThrongPlan

extension InsightAnswer {
    /// "“Phone” leads with …, ahead of “Desktop” and “Tablet”. The other 2 together have …".
    func sentence(of ranking: AnswerRanking, _ answered: Answered) -> String? {
        guard let top = ranking.rows.first, let quantity = top.row.figure.quantity else { return nil }
        let leaders = leaders(answered)
        let followers = ranking.rows.dropFirst().map { wording.quoted($0.row.label) }
        let number = part(quantity, of: answered.shareBase)
        let leading =
            only(top.row, number, answered)
            ?? superlative(
                locale.say(
                    .leads,
                    [
                        "group": top.row.label, "number": number, "hasFollowers": !followers.isEmpty,
                        "followers": locale.list(followers),
                    ]), answered)
        let lead = leaders.count > 1 ? undecided(leaders, .lead) : closed(leading, quantity)
        let others = ranking.rest.map {
            locale.say(.others, ["count": ranking.others, "number": part($0, of: answered.shareBase)])
        }
        return locale.joined([lead, others ?? ""])
    }

    /// The current number and how it compares; of a breakdown, which row rose and which fell most.
    func sentence(of comparisons: [AnswerComparison], _ answered: Answered) -> String {
        let now = tableSentence(answered)
        guard answered.axes.isEmpty else {
            return locale.joined([now] + comparisons.map { moves(in: $0, answered.table) })
        }
        guard answered.table.rows.first?.figure.quantity != nil else { return now }
        return locale.joined([now] + comparisons.compactMap(comparison))
    }

    private func comparison(_ comparison: AnswerComparison) -> String? {
        guard let row = comparison.rows.first else { return nil }
        let then = Moment(comparison, date: names.long(comparison.period))
        switch row.change {
        case .published(let change):
            guard let earlier = row.earlier.quantity else { return nil }
            return sentence(of: change, since: then, from: earlier)
        case .withheld: return locale.say(.changeWithheld, ["kind": then.kind, "date": then.date])
        case .impossible: return nil
        case .absent(let absence): return none(since: then, absence)
        }
    }

    private func none(since then: Moment, _ absence: Absence) -> String {
        locale.say(
            .noComparison,
            [
                "kind": then.kind, "date": then.date, "reason": NumberStatus(absence).rawValue,
                "difference": absence.difference(in: locale),
            ])
    }

    private func moves(in comparison: AnswerComparison, _ table: AnswerTable) -> String {
        let then = Moment(comparison, date: names.long(comparison.period))
        let changes = zip(table.rows, comparison.rows).compactMap { row, compared in
            compared.change.change.map { (label: row.label, change: $0) }
        }
        guard changes.isEmpty else {
            let moment = Moment(date: moment(comparison.period, then.date))
            return moves(changes, since: then.kind == moment.kind ? moment : then)
        }
        if case .absent(let absence)? = comparison.rows.first?.change { return none(since: then, absence) }
        return locale.say(.movesWithheld, ["kind": then.kind, "date": then.date])
    }

    /// Returns the sentence about a row that rose and one that fell, chosen by what they contribute and not by their
    /// relative change: small groups change most of all. Which of several moved most would be noise, and is not said.
    func moves(_ changes: [(label: String, change: Change)], since then: Moment) -> String {
        func weight(_ change: Change) -> Double { change.difference.approximate }
        let sure = changes.filter { !isWithinChance($0.change) }
        let most = sure.max { weight($0.change) < weight($1.change) }.flatMap { $0.change.direction == .up ? $0 : nil }
        let least = sure.min { weight($0.change) < weight($1.change) }
            .flatMap { $0.change.direction == .down ? $0 : nil }
        let ways = most != nil && least != nil ? "both" : most != nil ? "up" : least != nil ? "down" : "same"
        return locale.say(
            .moves,
            [
                "case": ways, "kind": then.kind, "date": then.date, "up": most?.label ?? "",
                "upAmount": most.map { amount(of: $0.change) } ?? "", "down": least?.label ?? "",
                "downAmount": least.map { amount(of: $0.change) } ?? "",
            ])
    }

    /// Returns the size of a change, without its sign: "12.3% (132)", "1.3 percentage points".
    func amount(of change: Change) -> String {
        let difference = shownDifference(change).magnitude
        if unit == "share" { return locale.say(.amountPoints, ["number": locale.points(difference)]) }
        let absolute = locale.text(difference)
        return relativeSize(change).map { locale.say(.amountRelative, ["share": $0, "number": absolute]) } ?? absolute
    }

    /// A change beside a number: "▲ +12.3%", "▼ −1.3 points", and "about the same" where that is within margins.
    package func short(_ change: Change) -> String {
        if isWithinChance(change) { return locale.say(.aboutTheSame) }
        return "\(change.direction.arrow) \(signedRelative(change) ?? difference(change))"
    }

    /// Returns the sign for the direction in which a number went: "≈" where that may be noise.
    package func arrow(_ change: Change) -> String { isWithinChance(change) ? "\u{2248}" : change.direction.arrow }

    /// The difference with its sign, in the answer's unit.
    package func difference(_ change: Change) -> String {
        wording.difference(shownDifference(change), isShare: unit == "share")
    }

    /// The relative change with its sign; a difference of shares in points.
    package func percent(_ change: Change) -> String {
        if unit == "share" { return difference(change) }
        return signedRelative(change) ?? "\u{2013}"
    }

    /// "1,020 to 1,455", "40.1% to 42.0%"; the ends of a mean as far as they can be told.
    package func text(from interval: Interval, isShare: Bool = false) -> String {
        if case .mean = insight.kind { return wording.span(interval.told()) }
        return wording.span(interval, isShare: isShare || unit == "share")
    }

    /// "Half of the orders were under about 34 EUR (20 to 50) and 90% under about 120 EUR (100 to 200)."
    func quantileSentence(_ answered: Answered) -> String {
        let rows = answered.table.rows
        guard rows.contains(where: { $0.figure.quantity != nil }) else { return gap(answered.table, isOne: false) }
        guard case .quantiles(let quantiles) = insight.kind, let first = quantiles.first else { return "" }
        func were(_ quantile: Quantile, _ message: Message, _ under: String) -> String {
            locale.say(
                message,
                [
                    "isHalf": quantile == .median, "share": locale.percent(of: quantile), "noun": noun.many,
                    "bound": under, "parts": under,
                ])
        }
        let finding: String
        if answered.axes.count == 1 {
            let parts = zip(quantiles, rows).compactMap { quantile, row in
                row.figure.quantity.map { were(quantile, .quantile, bound($0)) }
            }
            finding = locale.list(parts)
        } else {
            let parts = rows.filter { $0.buckets.last?.text == "\(first)" }.compactMap { row in
                row.figure.quantity.map { locale.say(.quantileGroup, ["group": row.group, "bound": bound($0)]) }
            }
            finding = were(first, .quantileGroups, locale.list(parts))
        }
        return locale.say(.finding, ["finding": finding.sentenceCased])
    }

    /// The value under which they were: "about 34 EUR (20 to 50)", "20 EUR", "a value from 200 EUR on".
    private func bound(_ quantity: Quantity) -> String {
        guard case .quantile(let reading) = quantity, reading.value == nil else { return words(quantity) }
        let ends = [reading.lowest, reading.highest].map { $0.map { wording.amount($0, unit: unit) } }
        return switch (ends[0], ends[1]) {
        case (nil, let high?): high
        case (let low?, nil): locale.say(.boundFrom, ["low": low])
        case (.some, .some): locale.say(.boundIn, ["band": words(quantity)])
        case (nil, nil): locale.say(.boundAny)
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
