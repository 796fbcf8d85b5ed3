internal import ThrongPlan

extension InsightAnswer {
    /// The answer in a sentence or two, from published numbers only.
    package var sentence: String {
        guard let answered else {
            guard case .absent(let absence) = outcome else { return "" }
            return absence.wording
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
            guard let quantity = table.rows.first?.figure.quantity else {
                return Self.gap(table, isOne: true)
            }
            return offByMargin(singleSentence(quantity))
        }
        guard let top = table.largest, let quantity = top.figure.quantity else {
            return Self.gap(table, isOne: false)
        }
        let leaders = leaders(answered)
        if leaders.count > 1 { return undecided(leaders, insight.kind.superlative) }
        func most(_ number: String, after words: String = ", with") -> String {
            only(top, number, answered)
                ?? superlative("“\(top.label)” \(insight.kind.superlative)\(words) \(number).", answered)
        }
        switch insight.kind {
        case .count, .reach, .distribution, .frequency:
            return offByMargin(most(part(quantity, of: answered.shareBase)))
        case .quantiles, .funnel:
            return ""
        case .retention:
            guard let row = table.latestWeek, let quantity = row.figure.quantity,
                case .share(let part, let whole, let noise) = quantity
            else { return "Every number of those who came back is \(Withheld.wording)." }
            let terms = terms(part, whole, noise)
            return ranged(
                """
                In week \(row.week) after their first, \(terms[0]) devices\(row.ofGroup)\(sampleWords) came back: \
                \(words(quantity)) of \(terms[1]) of week 0 in the same period.
                """, quantity)
        case .share(_, nil):
            return ranged(most(words(quantity), after: " of \(noun.many):"), quantity)
        case .share(_, let part?):
            return ranged(most("\(words(quantity)) of its \(noun.many)", after: " of “\(part.bucket)”:"), quantity)
        case .mean:
            return ranged(most("\(words(quantity)) per \(noun.one)"), quantity)
        }
    }

    /// Returns the sentence for several rows any of which may be the largest.
    func undecided(_ leaders: [AnswerRow], _ what: String) -> String {
        let numbers = leaders.compactMap { row in row.figure.quantity.map { (label: row.label, number: words($0)) } }
        let sentence = wording.undecided(numbers, what)
        return offByMargin(answered.map { superlative(sentence, $0) } ?? sentence)
    }

    /// The sentence for the only number that is shown, beside others that are withheld; nil where there are more.
    func only(_ row: AnswerRow, _ number: String, _ answered: Answered) -> String? {
        guard answered.table.withheldRows > 0, answered.table.rows.count(where: { $0.figure.quantity != nil }) == 1
        else { return nil }
        return "Only “\(row.label)” is shown: \(number)."
    }

    /// A superlative about rows, which says so where one that is withheld may be larger.
    func superlative(_ sentence: String, _ answered: Answered) -> String {
        let isSure = answered.leadOverWithheld > Interval.z(sharedBy: comparisons)
        return Wording.superlative(sentence, isSure: isSure)
    }

    private func singleSentence(_ quantity: Quantity) -> String {
        switch (quantity, insight.kind) {
        case (.drawn, _):
            let said = answered?.basis.devices == .firsts ? ", as they say themselves" : ""
            return "\(words(quantity).sentenceCased)\(said)."
        case (.estimate(let estimate), _):
            let counted =
                "\(words(quantity).sentenceCased), estimated from \(locale.text(estimate.counted)) in the sample"
            guard let interval = interval(of: quantity) else { return counted + "." }
            return "\(counted): \(Wording.interval) \(wording.span(interval))."
        case (.share(let part, let whole, let noise), .share(_, let filter)):
            let thing = filter.map { "“\($0.bucket)”" } ?? "This group"
            let verb = counted == .devices ? "was seen on" : "makes up"
            let terms = terms(part, whole, noise).joined(separator: " of ")
            return ranged("\(thing) \(verb) \(words(quantity)) of \(noun.many): \(terms)\(sampleWords).", quantity)
        case (.settled, .share(_, let filter)):
            return
                "None of the \(noun.many) \(filter.map { "are “\($0.bucket)”" } ?? "are here"): \(Impossible.reason)."
        case (.mean(_, _, let events, let noise), _):
            let number = "about " + wording.term(events, variance: noise.whole)
            return ranged(
                "\(words(quantity).sentenceCased) per \(noun.one) on average, over \(number) \(noun.many)\(sampleWords).",
                quantity)
        case (.share, _), (.settled, _), (.quantile, _):
            return "\(text(quantity))."
        }
    }

    /// The sentence and, where its number is neither computed nor an estimate, how far off that may be.
    func offByMargin(_ sentence: String) -> String {
        guard let margin = answered?.basis.margin(of: insight.kind) else { return sentence }
        return wording.sentence(sentence, offBy: Decimals(margin, over: 1, places: 0))
    }

    /// The sentence and, where its number is a quotient, where that lies.
    func ranged(_ sentence: String, _ quantity: Quantity) -> String {
        guard quantity.drawnQuotient != nil, let interval = interval(of: quantity) else { return sentence }
        return Wording.sentence(
            sentence, with: wording.range(interval, isShare: unit == "share" || quantity.isShare, unit: unit))
    }

    /// Part and whole: "about 30".
    private func terms(_ part: Int64, _ whole: Int64, _ noise: QuotientNoise) -> [String] {
        ["about " + wording.term(part, variance: noise.part), "about " + wording.term(whole, variance: noise.whole)]
    }

    /// A number as a part of the whole, where that is published: "about 8,410 of about 24,610 orders (34.2%)".
    package func part(_ quantity: Quantity, of whole: Figure?) -> String {
        wording.part(quantity, of: whole?.quantity, unit: unit)
    }

    static func gap(_ table: AnswerTable, isOne: Bool) -> String {
        table.withheldRows == 0 ? Impossible.sentence(ofOne: isOne) : Withheld.sentence(ofOne: isOne)
    }

    /// The words behind a number that is not scaled up; empty where every event is counted.
    package var sampleWords: String { (answered?.basis.sampling ?? 1) < 1 ? " in the sample" : "" }

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
    /// The group of a retention that is split further: " of “iOS”".
    package var ofGroup: String {
        let group = buckets.dropLast().map(\.text).joined(separator: " · ")
        return group.isEmpty ? "" : " of “\(group)”"
    }
    package var label: String { buckets.map(\.text).joined(separator: " · ") }
}

extension Insight.Kind {
    /// The words behind "which of these".
    var superlative: String {
        switch self {
        case .count, .reach, .funnel, .retention, .quantiles: "is the largest"
        case .distribution, .frequency: "is the most frequent"
        case .share: "has the largest share"
        case .mean: "is the highest"
        }
    }
}
