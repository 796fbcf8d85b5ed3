package import ThrongPlan

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

    /// Returns the progress of the groups, up to the furthest step that most of them have published, so that they can
    /// be compared.
    package func funnelReaches(_ answered: Answered) -> [FunnelReach] {
        guard case .funnel(let stages) = answered.view, let steps = answered.axes.last?.labels.count, steps > 0 else {
            return []
        }
        let rows = answered.table.rows
        let starts = stride(from: 0, to: rows.count, by: steps).filter { rows[$0].figure.quantity != nil }
        func published(_ step: Int) -> Int { starts.count { stages[$0 + step].ofFirst?.quantity != nil } }
        let most = (1..<max(steps, 1)).map(published).max() ?? 0
        guard most > 0, let last = (1..<steps).last(where: { published($0) == most }) else { return [] }
        return starts.compactMap { start in
            let place = start + last
            guard let first = rows[start].figure.quantity, let number = rows[place].figure.quantity,
                let conversion = stages[place].ofFirst?.quantity
            else { return nil }
            return FunnelReach(
                group: rows[start].buckets.dropLast().map(\.text).joined(separator: " · "),
                first: (rows[start].buckets.last?.text ?? "", first),
                last: (rows[place].buckets.last?.text ?? "", number), conversion: conversion)
        }
    }

    /// "Of about 1,200 visits at “Cart”, about 31% came as far as “Paid” (380); between 28% and 34% in 19 of 20 cases."
    func funnelSentence(_ answered: Answered) -> String {
        let reaches = funnelReaches(answered)
        guard let best = reaches.max(by: { $1.conversion.exceeds($0.conversion) }) else {
            guard let row = answered.table.rows.first(where: { $0.figure.quantity != nil }),
                let quantity = row.figure.quantity
            else { return Withheld.sentence(ofOne: false, in: locale) }
            return locale.say(.funnelCame, ["number": words(quantity), "step": row.label]).sentenceCased
        }
        let (from, to) = (best.first.title, best.last.title)
        if reaches.count == 1 {
            let first = locale.say(.about, ["number": text(best.first.number)])
            return closed(
                locale.say(
                    .funnelOne,
                    [
                        "first": first, "noun": noun.many, "hasGroup": !best.group.isEmpty, "group": best.group,
                        "from": from, "to": to, "number": words(best.conversion), "last": text(best.last.number),
                    ]), best.conversion)
        }
        let groups = answered.table.rows.count / max(answered.axes.last?.labels.count ?? 1, 1)
        func most(_ finding: String) -> String { wording.superlative(finding, isSure: reaches.count == groups) }
        guard reaches.allSatisfy({ $0.group == best.group || isSurely(best.conversion, above: $0.conversion) }) else {
            return locale.say(
                .finding,
                ["finding": most(locale.say(.funnelTooClose, ["count": reaches.count, "from": from, "to": to]))])
        }
        let finding = locale.say(
            .funnelBest, ["group": best.group, "from": from, "to": to, "number": words(best.conversion)])
        return closed(most(finding), best.conversion)
    }

    /// True if one quotient is larger than another of other identifiers, as far as margins tell.
    func isSurely(_ larger: Quantity, above smaller: Quantity) -> Bool {
        let order = RowOrder(quantities: [larger, smaller], numbers: [nil, nil], interval: interval)
        return order.lead(of: 0, over: 1) > Interval.z(sharedBy: comparisons)
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

/// The progress of a group of identifiers in a funnel, as far as it is published.
package struct FunnelReach {
    /// The group's label; empty where there is only one group.
    package let group: String
    /// The first step and the furthest one that is published.
    package let first: (title: String, number: Quantity)
    package let last: (title: String, number: Quantity)
    /// Part over whole.
    package let conversion: Quantity
}

extension PeriodCalendar {
    /// A period in words: "Saturday, 21 November 2026", "16 to 22 November 2026", "November 2026"; an hour that the
    /// wall clock shows twice with its offset: "25 October 2026, 02:00 to 03:00 (UTC+02:00)".
    package func title(of period: Period, in locale: Language = .english) -> String {
        let (first, last) = (date(at: period.start), date(at: period.end - 1))
        switch period.kind {
        case .hour:
            let repetition = repetition(at: period.start)
            // Where there are two, the end is told by the clock that the period began with.
            let end =
                repetition.isEmpty
                ? clock(at: period.end, in: locale)
                : clock(secondOfDay(at: period.start) + (period.end - period.start), in: locale)
            return locale.say(
                .periodHour,
                [
                    "date": locale.date("yMMMMd", first), "from": clock(at: period.start, in: locale), "until": end,
                    "isRepeated": !repetition.isEmpty, "offset": repetition,
                ])
        case .day: return locale.date("yMMMMEEEEd", first)
        case .week:
            let day = locale.digits("\(first.day)")
            let isDayFirst = locale.date("MMMMd", first).hasPrefix(day)
            let isWithinMonth = first.month == last.month && isDayFirst
            return locale.say(
                .periodWeek,
                [
                    "within": first.year != last.year ? "none" : isWithinMonth ? "month" : "year", "day": day,
                    "first": locale.date("MMMMd", first), "firstWithYear": locale.date("yMMMMd", first),
                    "last": locale.date("yMMMMd", last),
                ])
        case .month: return locale.date("yMMMM", first)
        }
    }

    /// A period where there is little room: "21 Nov 10:00", "21 Nov", "W47", "Nov 2026".
    package func shortTitle(of period: Period, in locale: Language = .english) -> String {
        let first = date(at: period.start)
        let day = locale.date("MMMd", first)
        return switch period.kind {
        case .hour: "\(day) \(clock(at: period.start, in: locale))\(repetition(at: period.start))"
        case .day: day
        case .week: locale.say(.weekShort, ["week": locale.digits("\(first.isoWeek.week)")])
        case .month: locale.date("yMMM", first)
        }
    }

    /// "21 November 2026, 14:05".
    package func instantTitle(of time: UnixSeconds, in locale: Language = .english) -> String {
        let clock = "\(clock(at: time, in: locale))\(repetition(at: time))"
        return locale.say(.instant, ["date": locale.date("yMMMMd", date(at: time)), "time": clock])
    }

    private func clock(at time: UnixSeconds, in locale: Language) -> String { clock(secondOfDay(at: time), in: locale) }

    private func clock(_ seconds: Int64, in locale: Language) -> String {
        let minutes = seconds % 86_400 / 60
        return locale.digits([minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":"))
    }
}
