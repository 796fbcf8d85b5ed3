internal import Foundation
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The answer in a view's rows: numbers, marks in their places, and sentences from published numbers alone.
struct ExplorerAnswer {
    let choice: ExplorerChoice
    let titles: ExplorerTitles
    let rows: [AnalystRow]
    let total: Int
    /// The published numbers of the whole by period, where there is one.
    private let wholes: [UnixSeconds: Int64]

    /// The column of a row that is drawn: what is counted comes first, another measure behind it.
    private var drawn: Int { choice.measures.firstIndex(of: choice.measure) ?? 0 }

    /// - Parameter total: how many rows all parts have.
    init(_ choice: ExplorerChoice, rows: [AnalystRow], total: Int, whole: [AnalystRow], titles: ExplorerTitles) {
        self.choice = choice
        self.titles = titles
        self.rows = rows
        self.total = max(total, choice.question.offset + rows.count)
        wholes = Dictionary(
            whole.compactMap { row in row.numbers.first.flatMap { $0 }.map { (row.start, Int64(clamping: $0.units)) } }
        ) { first, _ in first }
    }

    // MARK: Marks

    /// A number, or what stands in its place: the same for everything that is withheld.
    func mark(_ row: AnalystRow, _ place: Int) -> ChartMark {
        guard let number = row.numbers[place] else {
            switch row.withheld {
            case nil: return .nothing(Untold.marker)
            case Impossible.marker: return .nothing(Impossible.marker)
            default: return .withheld
            }
        }
        let decimals = Decimals(units: number.units, places: number.places)
        let column = choice.measures[place]
        let words =
            quantity(number, column, of: row).map { wording.words($0) } ?? wording.amount(decimals, unit: column.unit)
        return .number(decimals.approximate, text: wording.locale.text(decimals), words: words)
    }

    func mark(_ row: AnalystRow) -> ChartMark { mark(row, drawn) }

    /// Returns the quantity of a number; nil for a sum.
    private func quantity(_ number: AnalystRow.Number, _ column: AnalystColumn, of row: AnalystRow) -> Quantity? {
        let units = Int64(clamping: number.units)
        let within = release(of: row).flatMap { margin(of: $0, column) }
        return switch column.kind {
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
        choice.question.columns.enumerated().filter { _, column in
            !choice.filters.contains { $0.column == column.name }
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

    /// "Events by Operating system and Shopper".
    var heading: String {
        let split = open.map { title(of: $0.column) }
        return titles.heading(choice.measure) + (split.isEmpty ? "" : " by \(split.listed)")
    }

    /// "on Saturday, 21 November 2026", "over 8 days, 2026-11-14 to 2026-11-21".
    private var span: String {
        guard let first = choice.releases.first else { return "" }
        guard choice.releases.count == 1 else {
            let count = wording.count(periods?.count ?? choice.releases.count, choice.kind.rawValue)
            return "over \(count), \(choice.from) to \(choice.to)"
        }
        return choice.calendar.phrase(of: first.period)
    }

    /// "Shopper is “returning”", one a bucket that it is confined to.
    private var scopes: [String] {
        choice.filters.map { filter in
            "\(choice.shape.dimension(filter.column).map(title) ?? filter.column) is \u{201c}\(filter.bucket)\u{201d}"
        }
    }

    // MARK: Sentences

    /// The sentence about what is shown, and the first thing to see in it.
    var sentence: String {
        let split = open.map { title(of: $0.column) }
        let shown =
            "\(titles.heading(choice.measure)) of \u{201c}\(titles.metric(choice.metric))\u{201d}"
            + (split.isEmpty ? "" : " by \(split.listed)") + " \(span)"
            + (scopes.isEmpty ? "." : ", where \(scopes.listed).")
        return "\(shown) \(finding)"
    }

    private var finding: String {
        // A finding about a part may not be true of the whole.
        guard isWhole else { return "These are \(wording.count(total, "row")), too many to sum up." }
        let marks = rows.map { mark($0) }
        guard marks.contains(where: { $0.isNumber }) else {
            if marks.isEmpty { return "There are no such rows: age took them, or they were never released." }
            let isOne = marks.count == 1
            if marks.contains(.withheld) { return Withheld.sentence(ofOne: isOne) }
            return marks[0] == .nothing(Impossible.marker)
                ? Impossible.sentence(ofOne: isOne) : Untold.sentence(ofOne: isOne)
        }
        if open.isEmpty, choice.releases.count == 1, case .number(_, _, let words) = marks[0] {
            let number = rows[0].numbers[drawn].flatMap { quantity($0, choice.measure, of: rows[0]) }
            let single = number == nil ? "The sum is about \(words)." : "\(words.sentenceCased)."
            return off(single, rows[0]) + estimate(of: rows[0])
        }
        guard let most = extreme(marks, by: >), let least = extreme(marks, by: <) else { return "" }
        if open.isEmpty {
            return off(Wording.range(from: least.mark.text, to: most.mark.text).sentenceCased, most.row)
        }
        let leaders = leaders(marks, of: most)
        let isSure = marks.allSatisfy { $0.isNumber || $0 == .nothing(Impossible.marker) }
        guard leaders.count == 1 else {
            let words = wording.undecided(leaders, "is the largest")
            return off(Wording.superlative(words, isSure: isSure), most.row)
        }
        let when = choice.releases.count == 1 ? "" : " (\(short(most.row)))"
        let largest = "“\(label(of: most.row))”\(when) is the largest, with \(part(most.row, most.mark))."
        return off(Wording.superlative(largest, isSure: isSure), most.row) + estimate(of: most.row)
    }

    private func label(of row: AnalystRow) -> String {
        open.map { row.buckets[$0.place] }.joined(separator: " \u{00b7} ")
    }

    /// The rows of which any may be the largest: those that are no further from it than two margins.
    private func leaders(
        _ marks: [ChartMark], of most: (row: AnalystRow, mark: ChartMark)
    ) -> [(label: String, number: String)] {
        guard case .number(let largest, _, _) = most.mark else { return [] }
        let places = most.row.numbers[drawn]?.places ?? 0
        let within = release(of: most.row).flatMap { margin(of: $0, choice.measure) } ?? 0
        let reach = 2 * Decimals(units: Int128(within), places: places).approximate
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
        guard choice.measure.kind == .count, let whole = wholes[row.start],
            let number = row.numbers[drawn], let part = quantity(number, choice.measure, of: row)
        else { return mark.words }
        return wording.part(part, of: .drawn(whole, of: counted, within: part.within))
    }

    private func extreme(
        _ marks: [ChartMark], by beats: (Double, Double) -> Bool
    ) -> (row: AnalystRow, mark: ChartMark)? {
        var best: (row: AnalystRow, mark: ChartMark, value: Double)?
        for (row, mark) in zip(rows, marks) {
            guard case .number(let value, _, _) = mark else { continue }
            if best.map({ beats(value, $0.value) }) ?? true { best = (row, mark, value) }
        }
        return best.map { ($0.row, $0.mark) }
    }

    /// A row's period where there is little room.
    func short(_ row: AnalystRow) -> String {
        choice.calendar.shortTitle(of: choice.calendar.period(choice.kind, containing: row.start))
    }

    /// The note about what is withheld, and how much of the whole that leaves out; nil where nothing is.
    var withheldNote: String? {
        let withheld = rows.count { $0.withheld != nil && $0.withheld != Impossible.marker }
        guard withheld > 0 else { return nil }
        let note = Withheld.note(withheld, of: rows.count, "rows")
        guard !open.isEmpty else { return note }
        let parts = [note, leftOut, wording.withheld(withheld, leaving: rest, counts: counted)]
        return parts.compactMap(\.self).joined(separator: " ")
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
        let kind = choice.kind.rawValue
        return Withheld.leftOut(
            for: periods.count == 1
                ? "this period" : "\(wording.number(empty)) of \(wording.count(periods.count, kind))")
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
        let within = choice.shape.count.flatMap { count in choice.releases.compactMap { margin(of: $0, count) }.max() }
        return AnswerRest(
            events: left, whole: all, quantity: .drawn(left, of: counted),
            hasWithheld: rows.contains { $0.withheld != nil && $0.withheld != Impossible.marker },
            isTold: threshold.isReached(by: left) && left > within ?? 0)
    }

    private func release(of row: AnalystRow) -> AnalystRelease? {
        choice.releases.first { $0.period.start == row.start }
    }

    /// A sentence and how far off its number is, where it is no estimate.
    private func off(_ sentence: String, _ row: AnalystRow) -> String {
        guard let release = release(of: row), let places = row.numbers[drawn]?.places, estimate(of: row).isEmpty,
            let margin = margin(of: release, choice.measure)
        else { return sentence }
        return wording.sentence(sentence, offBy: Decimals(units: Int128(margin), places: places))
    }

    /// Returns the margin that holds 19 of 20 of a release's numbers in a column. Unit: the number's last digit.
    private func margin(of release: AnalystRelease, _ column: AnalystColumn) -> Int64? {
        switch column.kind {
        case .count: return release.margin
        case .devices, .clientDevices: return release.deviceMargin
        case .sum:
            let sums = choice.shape.measures.filter { if case .sum = $0.kind { true } else { false } }
            guard let place = sums.firstIndex(of: column), place < release.sumMargins.count else { return nil }
            return release.sumMargins[place]
        case .dimension: return nil
        }
    }

    /// Returns the sentence about the total that a sampled number of events stands for; empty for other numbers.
    private func estimate(of row: AnalystRow) -> String {
        guard choice.measure.kind == .count, let (estimate, interval) = estimate(row, drawn) else { return "" }
        return " \(wording.standsFor(estimate, interval))"
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
        let kept = Int64(clamping: number.units)
        let threshold = Threshold(devices: release(of: row)?.threshold ?? 0)
        let margin = release(of: row)?.margin ?? 0
        guard let interval = Interval(ofTotal: kept, rate: rate, margin: margin, threshold: threshold)
        else { return nil }
        return (Estimate(counted: kept, rate: rate, counts: .events), interval)
    }

    private var meaning: String {
        guard choice.measure.kind == .count, let within = titles.within(choice.metric) else {
            return choice.measure.meaning
        }
        switch within.kind {
        case .frequency: return "Identifiers, each counted once a window, by how many of the events it sent"
        case .funnel:
            return
                "Identifiers, each counted once a window, at the furthest step it came to; to know how many came to a "
                + "step, add those of the later ones"
        }
    }

    var basis: [String] {
        var parts = [meaning]
        let thresholds = Set(choice.releases.map(\.threshold)).sorted()
        let most = thresholds.last ?? 0
        let least = thresholds.first ?? most
        parts.append(wording.threshold(least...most))
        if let widest = choice.releases.compactMap({ margin(of: $0, choice.measure) }).max() {
            let places = rows.lazy.compactMap { $0.numbers[drawn]?.places }.first ?? 0
            parts.append(wording.off(by: Decimals(units: Int128(widest), places: places)).sentenceCased)
        }
        let sampling = wording.sampling(Set(choice.releases.map(\.rate)).sorted())
        parts.append(
            sampled == nil
                ? sampling
                : sampling + ": numbers are those of the sample; divide by the rate to estimate all, but for devices")
        let ageing = titles.ageing(of: choice.metric, by: choice.kind, splitBy: dimensions)
        return parts + [ageing].compactMap(\.self)
    }

    // MARK: Parts

    var isWhole: Bool { total == rows.count }

    var parts: Int { AnalystQuestion.parts(ofRows: total) }

    /// The first and the last row of a part, from 1.
    func span(ofPart part: Int) -> (first: Int, last: Int) {
        let first = (part - 1) * AnalystQuestion.mostRows + 1
        return (first, min(first + AnalystQuestion.mostRows - 1, total))
    }

    var fileName: String {
        let span = span(ofPart: choice.part)
        return choice.fileName(isWhole ? nil : "rows-\(span.first)-\(span.last)-of-\(total)")
    }

    var wording: Wording { .english }
}

extension ChartMark {
    fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
}

extension ExplorerAnswer {
    /// The rows as the query gives them: a line a row, with the query's columns, and last when copies are to be deleted, because
    /// the number is kept no longer; empty where no plan in force has the metric.
    ///
    /// Shape: RFC 4180 in UTF-8 with CRLF, without a byte order mark; formulas are defused as in reports.
    var csv: String {
        let columns = choice.question.columns + choice.measures
        let heads = ["period_start"] + columns.map(\.name) + ["withheld", "delete_by"]
        let kept = titles.end(of: choice.metric, by: choice.kind, splitBy: dimensions)?.after
        let lines = rows.map { row in
            var cells = [CSVCell.text(Instant.text(row.start))]
            cells += row.buckets.map { .text($0) }
            for number in row.numbers {
                cells.append(number.map { .number("\(Decimals(units: $0.units, places: $0.places))") } ?? .empty)
            }
            cells.append(row.withheld.map { .text($0) } ?? .empty)
            let end = choice.calendar.period(choice.kind, containing: row.start).end
            cells.append(kept.map { .text(Instant.text(end + $0.components.seconds)) } ?? .empty)
            return cells
        }
        return ([heads.map { CSVCell.text($0) }] + lines)
            .map { $0.map(\.written).joined(separator: ",") + "\r\n" }.joined()
    }
}
