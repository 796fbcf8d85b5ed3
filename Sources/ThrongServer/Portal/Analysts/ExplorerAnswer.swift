internal import Foundation
internal import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
internal import ThrongStore

/// The answer in a view's rows: numbers, marks in their places, and sentences from published numbers alone.
struct ExplorerAnswer {
    let choice: ExplorerChoice
    let titles: ExplorerTitles
    let rows: [AnalystRow]
    let total: Int
    /// Shares, means, changes and quotients of the rows.
    let figures: [ExplorerFigure]
    /// The totals at the edges of a table of two dimensions.
    let edges: [(question: AnalystQuestion, rows: [AnalystRow])]
    /// The published numbers of the whole by period, where there is one.
    private let wholes: [UnixSeconds: Int64]

    /// The measure of a row that is drawn.
    private var drawn: Int { choice.measures.firstIndex(of: choice.measure) ?? 0 }

    /// - Parameter total: how many rows all parts have.
    init(
        _ choice: ExplorerChoice, rows: [AnalystRow], total: Int, beside neighbours: ExplorerNeighbours,
        titles: ExplorerTitles
    ) {
        (self.choice, self.titles, self.rows, edges) = (choice, titles, rows, neighbours.edges)
        self.total = max(total, choice.question.offset + rows.count)
        figures = Self.figures(of: rows, choice, neighbours, titles)
        let all = neighbours.wholes.compactMap { row in
            (row.numbers.first??.units).map { (row.start, Int64(clamping: $0)) }
        }
        wholes = Dictionary(all) { first, _ in first }
    }

    // MARK: Marks

    /// A number, or what stands in its place: the same for everything that is withheld.
    func mark(_ row: AnalystRow, _ place: Int) -> ChartMark {
        mark(row, place, choice.measures[place], choice.question.reasons)
    }

    /// The mark of a measure's number in a row that has such columns of reasons.
    private func mark(_ row: AnalystRow, _ place: Int, _ column: AnalystColumn, _ reasons: [String]) -> ChartMark {
        guard let number = row.numbers[place] else {
            return mark(reasons.firstIndex { $0 == column.beside?.reason }.flatMap { row.reasons[$0] })
        }
        let decimals = Decimals(units: number.units, places: number.places)
        let words =
            quantity(number, column, of: row).map { wording.words($0) } ?? wording.amount(decimals, unit: column.unit)
        return .number(decimals.approximate, text: language.text(decimals), words: words)
    }

    func mark(_ row: AnalystRow) -> ChartMark { mark(row, drawn) }

    /// The total of all cells in some buckets, by column, as it is published: nothing is added up here.
    func total(in buckets: [String: String]) -> ChartMark {
        let names = Set(buckets.keys).union(choice.filters.map(\.column))
        guard let edge = edges.first(where: { Set($0.question.columns.map(\.name)) == names }),
            let row = edge.rows.first(where: { row in
                zip(edge.question.columns, row.buckets).allSatisfy { (buckets[$0.name] ?? $1) == $1 }
            })
        else { return missing }
        return mark(row, 0, choice.measure, edge.question.reasons)
    }

    /// The reasons of a number that would need one of a period that is not released, or of all of a period.
    static let (notReleased, incomparable) = ("not released", "not comparable")

    /// The mark of a number that is not released, and of one that the plan rules out.
    var missing: ChartMark { nothing("not_released") }
    private var impossible: ChartMark { nothing("impossible") }

    private func nothing(_ status: String) -> ChartMark { .nothing(language.say(.marker, ["status": status])) }

    /// The mark in the place of a number that is missing for a reason.
    private func mark(_ reason: String?) -> ChartMark {
        switch reason {
        case Impossible.marker: impossible
        case Self.notReleased: missing
        case Self.incomparable: nothing("changed")
        case let reason? where reason.hasPrefix(Withheld.marker): .withheld
        default: nothing("untold")
        }
    }

    /// A computed number of a row, on a page: a share in per cent; a change that is within its margin as none.
    func mark(_ figure: ExplorerFigure, _ place: Int) -> ChartMark {
        switch figure.values[place] {
        case .missing(let reason): return mark(reason)
        case .number(let value, let within):
            let number = value.approximate
            let isChange = figure.kind == .change
            let isSame = abs(number) <= within?.approximate ?? 0
            if isChange && isSame { return .nothing(language.say(.aboutTheSame)) }
            func percent() -> String { isChange ? language.signedPercent(value) : language.percent(value) }
            let rounded = Decimals(number, rounded: .toNearestOrEven, places: 2)
            let text = figure.isFraction ? percent() : language.text(rounded)
            return .number(number, text: text, words: text)
        }
    }

    /// Returns the quantity of a number; nil for a sum.
    private func quantity(_ number: AnalystRow.Number, _ column: AnalystColumn, of row: AnalystRow) -> Quantity? {
        let units = Int64(clamping: number.units)
        let within = number.within.map { Int64(clamping: $0) }
        return switch column.kind {
        case .reached: .drawn(units, of: .identifiers, within: within)
        case .count: .drawn(units, of: counted, within: within)
        case .devices, .clientDevices: .drawn(units, of: .devices, within: within)
        case .sum, .dimension: nil
        }
    }

    /// Returns the words beside the number that is drawn, where it is written large.
    func unit(beside row: AnalystRow) -> String {
        let number = row.numbers[drawn].flatMap { quantity($0, choice.measure, of: row) }
        return number.map { wording.unit(beside: $0, of: counted, unit: "") } ?? choice.measure.unit
    }

    private var counted: Counted { choice.shape.count.flatMap { Counted(rawValue: $0.unit) } ?? .events }

    // MARK: What it is about

    /// The dimensions that are not confined to one bucket, with their places in a row.
    var open: [(place: Int, column: AnalystColumn)] {
        choice.question.columns.enumerated().filter { _, column in !choice.filters.contains { $0.column == column.name }
        }.map { (place: $0.offset, column: $0.element) }
    }

    /// The dimensions that rows are split by or confined to.
    var dimensions: [DimensionName] {
        choice.question.columns.compactMap { column in
            guard case .dimension(let name) = column.kind else { return nil }
            return name
        }
    }

    /// Every period from the first to the last, released or not; nil where they are too many to draw.
    var periods: [Period]? {
        guard let first = choice.releases.first?.period, let last = choice.releases.last?.period else { return [] }
        var periods = [first]
        while let next = periods.last, next.end <= last.start {
            guard periods.count < Self.mostPeriods else { return nil }
            periods.append(choice.calendar.period(choice.kind, containing: next.end))
        }
        return periods
    }

    private static let mostPeriods = 400

    func title(of column: AnalystColumn) -> String {
        guard case .dimension(let name) = column.kind else { return column.name }
        return titles.dimension(name, of: choice.metric)
    }

    /// A bucket of a column as pages show it: in the plan's and the reader's words, or in English as SQL has it.
    func named(_ bucket: String, at place: Int) -> String {
        guard case .dimension(let name) = choice.question.columns[place].kind else { return bucket }
        let (label, telling) = (BucketLabel(bucket), titles.telling(name, of: choice.metric))
        guard language != .english || telling?.titles[label] != nil else { return bucket }
        return language.words(for: label, by: telling)
    }

    /// "Events by Operating system and Shopper".
    var heading: String {
        let (measure, split) = (titles.heading(choice.measure, choice), open.map { title(of: $0.column) })
        guard !split.isEmpty else { return measure }
        return language.say(.exploreBy, ["title": measure, "groups": language.list(split)])
    }

    /// "Saturday, 21 November 2026", "8 days, 2026-11-14 to 2026-11-21".
    private var span: String {
        guard choice.releases.count != 1 else {
            return choice.calendar.title(of: choice.releases[0].period, in: language)
        }
        let count = wording.periods(periods?.count ?? choice.releases.count, choice.kind)
        return count + language.say(.comma)
            + language.say(.span, ["ends": "both", "low": choice.from, "high": choice.to])
    }

    /// "Shopper: returning", one a bucket that it is confined to.
    private var scopes: [String] {
        choice.filters.map { filter in
            let place = choice.question.columns.firstIndex { $0.name == filter.column }
            let title = choice.shape.dimension(filter.column).map(title) ?? filter.column
            let bucket = place.map { named(filter.bucket, at: $0) } ?? filter.bucket
            return language.say(.scope, ["dimension": title, "bucket": bucket])
        }
    }

    // MARK: Sentences

    /// The sentence about what is shown, and the first thing to see in it.
    var sentence: String {
        let shown = language.say(
            .exploreShown,
            [
                "title": titles.metric(choice.metric), "other": heading, "period": span, "hasScope": !scopes.isEmpty,
                "groups": language.list(scopes),
            ])
        return language.joined([shown, finding])
    }

    private var finding: String {
        // A finding about a part may not be true of the whole.
        guard isWhole else { return found("many") }
        let marks = rows.map { mark($0) }
        guard marks.contains(where: { $0.isNumber }) else {
            if marks.isEmpty { return found("none") }
            let isOne = marks.count == 1
            if marks.contains(.withheld) { return Withheld.sentence(ofOne: isOne, in: language) }
            return marks[0] == impossible ? Impossible.sentence(ofOne: isOne, in: language) : found("untold")
        }
        if case .reached = choice.measure.kind { return way(marks) }
        if open.isEmpty, choice.releases.count == 1, case .number(_, _, let words) = marks[0] {
            let number = rows[0].numbers[drawn].flatMap { quantity($0, choice.measure, of: rows[0]) }
            let single = number == nil ? language.say(.about, ["number": words]) : words
            return language.joined([off(single.sentenceCased, rows[0]), estimate(of: rows[0])])
        }
        guard let most = extreme(marks, by: >), let least = extreme(marks, by: <) else { return "" }
        if open.isEmpty {
            let span = language.say(
                .shownBetween, ["low": least.mark.text(in: language), "high": most.mark.text(in: language)])
            return off(span.sentenceCased, most.row)
        }
        let leaders = leaders(marks, of: most)
        let isSure = marks.allSatisfy { $0.isNumber || $0 == impossible }
        guard leaders.count == 1 else {
            return off(wording.superlative(wording.undecided(leaders, .largest), isSure: isSure), most.row)
        }
        let largest = language.say(
            .largest, ["group": leaders[0].label, "kind": "largest", "number": part(most.row, most.mark)])
        return language.joined([off(wording.superlative(largest, isSure: isSure), most.row), estimate(of: most.row)])
    }

    /// The finding that there is none.
    private func found(_ what: String) -> String {
        language.say(.exploreFound, ["found": what, "number": language.text(total)])
    }

    /// "Of about 1,200 identifiers at “Cart”, about 380 came as far as “Paid” (32%)." of one group of one period; else nothing.
    private func way(_ marks: [ChartMark]) -> String {
        let steps = zip(rows, marks).filter { $0.1.isNumber }
        guard open.count == 1, choice.releases.count == 1, let first = steps.first, let last = steps.last,
            first.0 != last.0, let part = last.0.numbers[drawn], let whole = first.0.numbers[drawn], whole.units > 0
        else { return "" }
        let (reached, all) = (Int64(clamping: part.units), Int64(clamping: whole.units))
        let quantity = Quantity.drawn(reached, of: .identifiers, within: part.within.map { Int64(clamping: $0) })
        func about(_ mark: ChartMark) -> String { language.say(.about, ["number": mark.text(in: language)]) }
        let words: KeyValuePairs<String, any MessageArgument> = [
            "first": about(first.1), "noun": wording.noun(.identifiers).many, "hasGroup": false, "group": "",
            "from": label(of: first.0), "to": label(of: last.0), "number": about(last.1),
            "last": wording.share(quantity, reached, of: all),
        ]
        return off(language.say(.funnelOne, words), last.0)
    }

    private func label(of row: AnalystRow) -> String {
        open.map { named(row.buckets[$0.place], at: $0.place) }.joined(separator: " \u{00b7} ")
    }

    /// The rows of which any may be the largest: those that are no further from it than two margins.
    private func leaders(_ marks: [ChartMark], of most: MarkedRow) -> [(label: String, number: String)] {
        guard case .number(let largest, _, _) = most.mark else { return [] }
        let reach = 2 * (most.row.numbers[drawn]?.margin ?? 0)
        return zip(rows, marks).compactMap { row, mark in
            guard case .number(let value, _, let words) = mark, row == most.row || value >= largest - reach else {
                return nil
            }
            let when = choice.releases.count == 1 ? "" : " (\(short(row)))"
            return (label: label(of: row) + when, number: words)
        }
    }

    /// "about 1,410 of about 2,500 events (56%)" where the whole is published.
    private func part(_ row: AnalystRow, _ mark: ChartMark) -> String {
        guard choice.measure.kind == .count, let whole = wholes[row.start], let number = row.numbers[drawn],
            let part = quantity(number, choice.measure, of: row)
        else { return mark.words(in: language) }
        return wording.part(part, of: .drawn(whole, of: counted, within: part.within))
    }

    private typealias MarkedRow = (row: AnalystRow, mark: ChartMark)

    private func extreme(_ marks: [ChartMark], by beats: (Double, Double) -> Bool) -> MarkedRow? {
        var best: (row: AnalystRow, mark: ChartMark, value: Double)?
        for (row, mark) in zip(rows, marks) {
            guard case .number(let value, _, _) = mark else { continue }
            if best.map({ beats(value, $0.value) }) ?? true { best = (row, mark, value) }
        }
        return best.map { ($0.row, $0.mark) }
    }

    /// A row's period where there is little room.
    func short(_ row: AnalystRow) -> String {
        choice.calendar.shortTitle(of: choice.calendar.period(choice.kind, containing: row.start), in: language)
    }

    /// The note about what is withheld, and how much of the whole that leaves out; nil where nothing is.
    var withheldNote: String? {
        let withheld = rows.count { $0.withheld != nil && $0.withheld != Impossible.marker }
        guard withheld > 0 else { return nil }
        let note = Withheld.note(withheld, of: rows.count, "rows", in: language)
        guard !open.isEmpty else { return note }
        let parts = [note, leftOut, wording.withheld(withheld, leaving: rest, counts: counted)]
        return language.joined(parts.compactMap(\.self))
    }

    /// The sentence about periods whose rows are all withheld; nil without any, and where not all rows are here.
    private var leftOut: String? {
        guard isWhole else { return nil }
        let periods = Dictionary(grouping: rows, by: \.start)
        let empty = periods.values.count { rows in
            rows.count > 1 && rows.allSatisfy { $0.withheld != nil }
                && rows.contains { $0.withheld != Impossible.marker }
        }
        guard empty > 0 else { return nil }
        if periods.count == 1 { return language.say(.leftOut) }
        let all = wording.periods(periods.count, choice.kind)
        return language.say(.leftOutOften, ["number": language.text(empty), "periods": all])
    }

    /// The whole less the published rows, over all periods; unknown as soon as one of them has no published whole.
    private var rest: AnswerRest? {
        var published: [UnixSeconds: Int64] = [:]
        for row in rows {
            published[row.start, default: 0] += row.numbers.first.flatMap { $0 }.map { Int64(clamping: $0.units) } ?? 0
        }
        let whole = published.keys.compactMap { wholes[$0] }
        let all = whole.reduce(0, +)
        let left = all - published.values.reduce(0, +)
        guard isWhole, whole.count == published.count, all > 0, left >= 0 else { return nil }
        let threshold = Threshold(devices: choice.releases.map(\.threshold).max() ?? 0)
        let within = rows.compactMap { $0.numbers.first??.within }.max().map { Int64(clamping: $0) }
        return AnswerRest(
            events: left, whole: all, quantity: .drawn(left, of: counted),
            hasWithheld: rows.contains { $0.withheld != nil && $0.withheld != Impossible.marker },
            isTold: threshold.isReached(by: left) && left > within ?? 0)
    }

    private func release(of row: AnalystRow) -> AnalystRelease? {
        choice.releases.first { $0.period.start == row.start }
    }

    /// A finding as a sentence, which says how far off its number is where that is no estimate.
    private func off(_ finding: String, _ row: AnalystRow) -> String {
        guard let number = row.numbers[drawn], let within = number.within, estimate(of: row).isEmpty else {
            return language.say(.finding, ["finding": finding])
        }
        return wording.sentence(finding, offBy: Decimals(units: within, places: number.places))
    }

    /// Returns the sentence about the total that a sampled number of events stands for; empty for other numbers.
    private func estimate(of row: AnalystRow) -> String {
        guard choice.measure.kind == .count, let (estimate, interval) = estimate(row, drawn) else { return "" }
        return wording.standsFor(estimate, interval)
    }

    /// The place of the number of events, where some of the releases count a sample of them.
    var sampled: Int? {
        guard choice.releases.contains(where: { $0.rate < 1 }) else { return nil }
        return choice.measures.firstIndex { $0.kind == .count }
    }

    /// All events of which a row counts a sample, and between which ends they are in 19 of 20 cases; nil where each was
    /// counted, and where the number is withheld.
    func estimate(_ row: AnalystRow, _ place: Int) -> (Estimate, Interval)? {
        guard let rate = release(of: row)?.rate, let number = row.numbers[place] else { return nil }
        let (kept, margin) = (Int64(clamping: number.units), number.within.map { Int64(clamping: $0) } ?? 0)
        let threshold = Threshold(devices: release(of: row)?.threshold ?? 0)
        guard let interval = Interval(ofTotal: kept, rate: rate, margin: margin, threshold: threshold) else {
            return nil
        }
        return (Estimate(counted: kept, rate: rate, counts: .events), interval)
    }

    var basis: [String] {
        var parts = [titles.meaning(choice.measure, of: choice.metric)]
        let least = language.text(choice.releases.map(\.threshold).min() ?? 0)
        let noun = wording.noun(.devices).many
        parts.append(language.say(.leastBehind, ["threshold": least, "noun": noun, "isProved": false]))
        let numbers = rows.compactMap { $0.numbers[drawn] } + edges.flatMap(\.rows).compactMap { $0.numbers[0] }
        if let widest = numbers.compactMap(\.within).max() {
            parts.append(wording.off(by: Decimals(units: widest, places: numbers[0].places)).sentenceCased)
        }
        let rates = Set(choice.releases.map(\.rate)).sorted().map { language.text(Decimals(exactly: $0)) }
        let rate = language.list(rates, isChoice: true)
        parts.append(sampled == nil ? language.say(.everythingCounted) : language.say(.exploreSampled, ["rate": rate]))
        let ageing = titles.ageing(of: choice.metric, by: choice.kind, splitBy: dimensions)
        return parts + [ageing].compactMap(\.self)
    }

    private var language: Language { titles.language }
    var wording: Wording { Wording(language) }
}

extension ChartMark { fileprivate var isNumber: Bool { if case .number = self { true } else { false } } }
