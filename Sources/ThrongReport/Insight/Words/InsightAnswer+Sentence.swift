internal import ThrongPlan

extension InsightAnswer {
    /// The answer in a sentence or two, from published numbers only.
    package var sentence: String {
        guard let answered else {
            guard case .absent(let absence) = outcome else { return "" }
            return absence.sentence(in: locale)
        }
        switch answered.view {
        case .table, .funnel: return tableSentence(answered)
        case .ranking(let ranking): return sentence(of: ranking, answered) ?? tableSentence(answered)
        case .change(let comparisons): return sentence(of: comparisons, answered)
        case .trend(let points): return sentence(of: points, answered)
        }
    }

    /// The same without what its view adds to the numbers of the period.
    package func tableSentence(_ answered: Answered) -> String {
        let table = answered.table
        if case .quantiles(at: _) = insight.kind { return quantileSentence(answered) }
        if case .funnel = answered.view { return funnelSentence(answered) }
        if answered.axes.isEmpty {
            guard let quantity = table.rows.first?.figure.quantity else { return gap(table, isOne: true) }
            return singleSentence(quantity)
        }
        guard let top = table.largest, let quantity = top.figure.quantity else { return gap(table, isOne: false) }
        let leaders = leaders(answered)
        if leaders.count > 1 { return undecided(leaders, insight.kind.superlative) }
        func most(_ number: String, _ message: Message = .largest, part: String = "") -> String {
            let finding =
                only(top, number, answered)
                ?? superlative(
                    locale.say(
                        message,
                        [
                            "group": top.label, "number": number, "kind": insight.kind.superlative.rawValue,
                            "noun": noun.many, "part": part,
                        ]), answered)
            return closed(finding, quantity)
        }
        switch insight.kind {
        case .count, .reach, .distribution, .frequency: return most(part(quantity, of: answered.shareBase))
        case .quantiles, .funnel: return ""
        case .retention: return retentionSentence(table)
        case .share(_, nil): return most(words(quantity), .largestShare)
        case .share(_, let part?):
            let number = locale.say(.ofIts, ["number": words(quantity), "noun": noun.many])
            return most(number, .largestPart, part: words(for: part))
        case .mean: return most(locale.say(.perOne, ["number": words(quantity), "one": noun.one]))
        }
    }

    private func retentionSentence(_ table: AnswerTable) -> String {
        guard let row = table.latestWeek, let quantity = row.figure.quantity,
            case .share(let part, let whole, let noise) = quantity
        else { return locale.say(.retainedNone) }
        return closed(
            locale.say(
                .retained,
                [
                    "week": row.week, "part": term(part, noise.part), "hasGroup": !row.group.isEmpty,
                    "group": row.group, "isSample": isSample, "number": words(quantity),
                    "whole": term(whole, noise.whole),
                ]), quantity)
    }

    /// Returns the sentence for several rows any of which may be the largest.
    func undecided(_ leaders: [AnswerRow], _ what: Wording.Superlative) -> String {
        let numbers = leaders.compactMap { row in row.figure.quantity.map { (label: row.label, number: words($0)) } }
        let finding = wording.undecided(numbers, what)
        return closed(answered.map { superlative(finding, $0) } ?? finding, nil)
    }

    /// The finding for the only number that is shown, beside others that are withheld; nil where there are more.
    func only(_ row: AnswerRow, _ number: String, _ answered: Answered) -> String? {
        guard answered.table.withheldRows > 0, answered.table.rows.count(where: { $0.figure.quantity != nil }) == 1
        else { return nil }
        return locale.say(.onlyShown, ["group": row.label, "number": number])
    }

    /// A superlative about rows, which says so where one that is withheld may be larger.
    func superlative(_ finding: String, _ answered: Answered) -> String {
        wording.superlative(finding, isSure: answered.leadOverWithheld > Interval.z(sharedBy: comparisons))
    }

    private func singleSentence(_ quantity: Quantity) -> String {
        let number = words(quantity).sentenceCased
        switch (quantity, insight.kind) {
        case (.drawn, _):
            let isSaid = answered?.basis.devices == .firsts
            return closed(isSaid ? locale.say(.foundSaid, ["number": number]) : number, quantity)
        case (.estimate(let estimate), _):
            let finding = locale.say(.foundEstimate, ["number": number, "counted": locale.text(estimate.counted)])
            guard let interval = interval(of: quantity) else { return closed(finding, quantity) }
            return locale.say(.findingInterval, ["finding": finding, "span": wording.span(interval)])
        case (.share(let part, let whole, let noise), .share(_, let filter)):
            return closed(
                locale.say(
                    .shareOf,
                    [
                        "hasGroup": filter != nil, "group": words(for: filter), "counts": counted.rawValue,
                        "number": words(quantity), "noun": noun.many, "part": term(part, noise.part),
                        "whole": term(whole, noise.whole), "isSample": isSample,
                    ]), quantity)
        case (.settled, .share(_, let filter)):
            return closed(
                locale.say(.noneOf, ["noun": noun.many, "hasGroup": filter != nil, "group": words(for: filter)]),
                quantity)
        case (.mean(_, _, let events, let noise), _):
            return closed(
                locale.say(
                    .meanOf,
                    [
                        "number": number, "one": noun.one, "events": term(events, noise.whole), "noun": noun.many,
                        "isSample": isSample,
                    ]), quantity)
        case (.share, _), (.settled, _), (.quantile, _): return closed(text(quantity), quantity)
        }
    }

    private func words(for part: Insight.Filter?) -> String {
        part.map { words(for: $0.bucket, of: $0.dimension) } ?? ""
    }

    /// A finding as a sentence: with where its number lies if that is a quotient, or with its margin.
    func closed(_ finding: String, _ quantity: Quantity?) -> String {
        guard let quantity, quantity.drawnQuotient != nil, let interval = interval(of: quantity) else {
            guard let margin = answered?.basis.margin(of: insight.kind) else {
                return locale.say(.finding, ["finding": finding])
            }
            return wording.sentence(finding, offBy: Decimals(margin, over: 1, places: 0))
        }
        let isShare = unit == "share" || quantity.isShare
        return wording.sentence(finding, within: interval, isShare: isShare, scale: isShare ? 100 : 1) {
            isShare ? locale.percent(ofHundred: $0) : wording.amount($0, unit: unit)
        }
    }

    /// A part or a whole: "about 30".
    private func term(_ number: Int64, _ variance: Double) -> String {
        locale.say(.about, ["number": wording.term(number, variance: variance)])
    }

    /// A number as a part of the whole, where that is published: "about 8,410 of about 24,610 orders (34.2%)".
    package func part(_ quantity: Quantity, of whole: Figure?) -> String {
        wording.part(quantity, of: whole?.quantity, unit: unit)
    }

    func gap(_ table: AnswerTable, isOne: Bool) -> String {
        table.withheldRows == 0
            ? Impossible.sentence(ofOne: isOne, in: locale) : Withheld.sentence(ofOne: isOne, in: locale)
    }

    /// True if numbers are those of a sample, not scaled up.
    package var isSample: Bool { (answered?.basis.sampling ?? 1) < 1 }

    package var counted: Counted { answered?.basis.counts ?? .events }
    package func text(_ quantity: Quantity) -> String { wording.text(quantity) }
    package func words(_ quantity: Quantity) -> String { wording.words(quantity, unit: unit) }
    package var wording: Wording { Wording(locale, of: named) }
    /// The words for what the numbers count.
    var noun: Noun { wording.noun(counted) }
}

extension AnswerTable {
    /// The published row with the largest number; the first of equals.
    package var largest: AnswerRow? { largestPlace.map { rows[$0] } }
    /// The place of the published row with the largest number; the first of equals.
    package var largestPlace: Int? {
        var best: (place: Int, value: Double)?
        for (place, row) in rows.enumerated() {
            guard let value = row.figure.quantity?.approximate else { continue }
            if best.map({ value > $0.value }) ?? true { best = (place, value) }
        }
        return best?.place
    }

    /// The published row of a retention's latest week after week 0.
    package var latestWeek: AnswerRow? {
        rows.filter { $0.figure.quantity != nil && $0.weeks > 0 }.max { $0.weeks < $1.weeks }
    }
}

extension AnswerRow {
    /// Weeks after the first, which is the last axis of a retention; -1 for `other`.
    fileprivate var weeks: Int { Int(week) ?? -1 }
    package var week: String { buckets.last?.text ?? "" }
    /// The group of a row that is split further by its last axis: "iOS"; empty if it is not.
    package var group: String { buckets.dropLast().map(\.text).joined(separator: " · ") }
    package var label: String { buckets.map(\.text).joined(separator: " · ") }
}

extension Insight.Kind {
    /// The way in which one row stands above others.
    var superlative: Wording.Superlative {
        switch self {
        case .count, .reach, .funnel, .retention, .quantiles: .largest
        case .distribution, .frequency: .frequent
        case .share: .share
        case .mean: .mean
        }
    }
}
