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

    /// The answer as a page says it: its buckets in the reader's words.
    package var inWords: InsightAnswer {
        guard var told = answered else { return self }
        func worded(_ label: BucketLabel, _ place: Int) -> BucketLabel {
            let (name, isLast) = (told.axes[place].name, place == told.axes.count - 1)
            return switch insight.kind {
            case .frequency(band: name): BucketLabel(locale.times(label.text, endsBefore: counted != .identifiers))
            case .distribution where isLast: BucketLabel(words(for: label, of: name, unit: bandUnit))
            default: BucketLabel(words(for: label, of: name))
            }
        }
        func worded(_ row: AnswerRow) -> AnswerRow {
            AnswerRow(buckets: row.buckets.enumerated().map { worded($1, $0) }, figure: row.figure)
        }
        if case .ranking(var ranking) = told.view {
            ranking.rows = ranking.rows.map { .init(rank: $0.rank, lastRank: $0.lastRank, row: worded($0.row)) }
            told.view = .ranking(ranking)
        }
        told.table = AnswerTable(rows: told.table.rows.map(worded), whole: told.table.whole, rest: told.table.rest)
        told.axes = told.axes.enumerated().map { place, axis in
            AnswerAxis(name: axis.name, title: axis.title, labels: axis.labels.map { worded($0, place) })
        }
        var answer = self
        answer.outcome = .answered(told)
        return answer
    }

    /// A bucket of one of its dimensions in the reader's words.
    func words(for bucket: BucketLabel, of name: DimensionName, unit: String = "") -> String {
        locale.words(for: bucket, by: telling[name], unit: unit)
    }

    /// The sentences about published numbers of a sample that lean high because others like them were withheld; none
    /// where no number does.
    package var leaningNotes: [String] {
        guard let answered, answered.basis.hasInterval(insight.kind) else { return [] }
        var shown: [(label: String, figure: Figure)] = answered.table.rows.map { ($0.label, $0.figure) }
        switch answered.view {
        case .table, .change, .funnel: break
        case .ranking(let ranking): shown = ranking.rows.map { ($0.row.label, $0.row.figure) }
        case .trend(let points):
            shown = points.flatMap { point in
                zip(answered.table.rows, point.figures).map { row, figure in
                    ([row.label, names.short(point.period)].filter { !$0.isEmpty }.joined(separator: ", "), figure)
                }
            }
        }
        let leaning = shown.filter { $0.figure.quantity.map(leansHigh) ?? false }.map(\.label)
        guard !leaning.isEmpty else { return [] }
        return [
            locale.say(
                .leans,
                [
                    "case": shown.count == 1 ? "alone" : leaning.count > 3 ? "many" : "few", "count": leaning.count,
                    "all": shown.count, "groups": locale.list(leaning.map(wording.quoted)),
                    "threshold": locale.text(answered.basis.threshold.devices),
                ])
        ]
    }

    private func leansHigh(_ quantity: Quantity) -> Bool {
        guard let answered else { return false }
        let kept: Int64? =
            switch quantity {
            case .estimate(let estimate): estimate.counted
            case .share(let part, _, _): part
            case .drawn, .settled, .mean, .quantile: nil
            }
        return kept.map { Estimate.leansHigh($0, rate: answered.basis.sampling, threshold: answered.basis.threshold) }
            ?? false
    }

    // Trends in words: which way a number went, as far as margins tell, and over what span.

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

extension AnswerTable {
    /// The published row with the largest number; the first of equals.
    package var largest: AnswerRow? { largestPlace.map { rows[$0] } }
    /// The place of the published row with the largest number; the first of equals.
    package var largestPlace: Int? {
        let values = rows.map { $0.figure.quantity?.approximate }
        return values.indices.filter { values[$0] != nil }.max { values[$0] ?? 0 < values[$1] ?? 0 }
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

extension [Figure] {
    /// The counts of numbers that are absent, by reason, in the order of first occurrence.
    fileprivate var absences: [(Absence, Int)] {
        let all = compactMap { if case .absent(let absence) = $0 { absence } else { nil } }
        let found = all.reduce(into: [Absence]()) { if !$0.contains($1) { $0.append($1) } }
        return found.map { absence in (absence, all.count { $0 == absence }) }
    }
}
