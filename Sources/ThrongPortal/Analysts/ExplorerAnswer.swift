internal import ThrongInsight
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// What the rows of a view say: numbers, marks in their places, and sentences from published numbers alone.
struct ExplorerAnswer {
    let choice: ExplorerChoice
    let titles: ExplorerTitles
    /// Those of the chosen part.
    let rows: [AnalystRow]
    /// How many rows all parts have.
    let total: Int
    /// What is published of the whole by period, where there is one.
    private let wholes: [Int64: Int64]

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
            case nil: return .nothing("not counted")
            case Impossible.marker: return .nothing(Impossible.marker)
            default: return .withheld
            }
        }
        let decimals = Decimals(units: number.units, places: number.places)
        return .number(
            decimals.approximate, text: decimals.grouped, words: words(decimals.grouped, choice.measures[place]))
    }

    /// The number that is drawn.
    func mark(_ row: AnalystRow) -> ChartMark { mark(row, drawn) }

    private func words(_ text: String, _ column: AnalystColumn) -> String {
        switch column.kind {
        case .devices: "at least \(text) devices"
        case .clientDevices: "\(text) devices"
        case .count, .sum, .dimension: column.unit.isEmpty ? text : "\(text) \(column.unit)"
        }
    }

    /// What the column of events counts: "events", "identifiers".
    private var counted: String { choice.shape.count?.unit ?? "events" }

    // MARK: What it is about

    /// The dimensions that are not confined to one bucket, with their places in a row.
    var open: [(place: Int, column: AnalystColumn)] {
        choice.question.columns.enumerated().filter { _, column in
            !choice.filters.contains { $0.column == column.name }
        }.map { (place: $0.offset, column: $0.element) }
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

    /// The most periods of a line.
    private static let mostPeriods = 400

    /// A dimension's title.
    func title(of column: AnalystColumn) -> String {
        guard case .dimension(let name) = column.kind else { return column.name }
        return titles.dimension(name, of: choice.metric)
    }

    /// "Events by Operating system and Shopper".
    var heading: String {
        let split = open.map { title(of: $0.column) }
        return titles.heading(choice.measure) + (split.isEmpty ? "" : " by \(Self.listed(split))")
    }

    /// "on Saturday, 21 November 2026", "over 8 days, 2026-11-14 to 2026-11-21".
    private var span: String {
        guard let first = choice.releases.first else { return "" }
        guard choice.releases.count == 1 else {
            return
                "over \(periods?.count ?? choice.releases.count) \(choice.kind.rawValue)s, \(choice.from) to \(choice.to)"
        }
        let title = choice.calendar.title(of: first.period)
        return switch choice.kind {
        case .hour, .day: "on \(title)"
        case .week: "in the week of \(title)"
        case .month: "in \(title)"
        }
    }

    /// "Shopper is “returning”", one a bucket that it is confined to.
    private var scopes: [String] {
        choice.filters.map { filter in
            "\(choice.shape.dimension(filter.column).map(title) ?? filter.column) is \u{201c}\(filter.bucket)\u{201d}"
        }
    }

    // MARK: Sentences

    /// What is shown, and the first thing to see in it.
    var sentence: String {
        let split = open.map { title(of: $0.column) }
        let shown =
            "\(titles.heading(choice.measure)) of \u{201c}\(titles.metric(choice.metric))\u{201d}"
            + (split.isEmpty ? "" : " by \(Self.listed(split))") + " \(span)"
            + (scopes.isEmpty ? "." : ", where \(Self.listed(scopes)).")
        return "\(shown) \(finding)"
    }

    private var finding: String {
        // What is true of a part may not be true of the whole.
        guard isWhole else { return "These are \(Self.grouped(total)) rows, too many to sum up." }
        let marks = rows.map { mark($0) }
        guard marks.contains(where: { $0.isNumber }) else {
            if marks.isEmpty { return "There are no such rows: age took them, or they were never released." }
            let many = marks.count > 1
            if marks.contains(.withheld) {
                return "\(many ? "Every number here" : "This number") is \(Withheld.wording)."
            }
            if case .nothing(let marker) = marks[0] { return "\(many ? "All of it" : "This") \(verb(marker))." }
            return ""
        }
        if open.isEmpty, choice.releases.count == 1, case .number(_, let text, let words) = marks[0] {
            return single(text, words) + noise(of: rows[0]) + estimate(of: rows[0])
        }
        guard let most = extreme(marks, by: >), let least = extreme(marks, by: <) else { return "" }
        if open.isEmpty {
            return
                """
                The published numbers lie between \(least.mark.plain) (\(short(least.row))) and \
                \(most.mark.plain) (\(short(most.row))).\(noise(of: most.row))
                """
        }
        let label = open.map { most.row.buckets[$0.place] }.joined(separator: " \u{00b7} ")
        let when = choice.releases.count == 1 ? "" : " (\(short(most.row)))"
        return
            "\u{201c}\(label)\u{201d}\(when) is the largest published group, with \(part(most.row, most.mark)).\(noise(of: most.row))\(estimate(of: most.row))"
    }

    private func verb(_ marker: String) -> String { marker == Impossible.marker ? marker : "is \(marker)" }

    private func single(_ text: String, _ words: String) -> String {
        switch choice.measure.kind {
        case .count: "\(words) were counted\(counted == "events" ? "" : ", each once a window")."
        case .devices: "At least \(text) devices were seen within one window."
        case .clientDevices: "\(words), as they say themselves."
        case .sum, .dimension: "The sum is \(words)."
        }
    }

    /// "1,410 of 2,500 events (56.4%)" where the whole is published.
    private func part(_ row: AnalystRow, _ mark: ChartMark) -> String {
        guard choice.measure.kind == .count, releaseNoise == nil, let whole = wholes[row.start], whole > 0,
            let number = row.numbers[drawn]
        else { return mark.phrase }
        let share = ReportLocale.english.percent(Int64(clamping: number.units), of: whole)
        return "\(mark.plain) of \(Decimals(units: Int128(whole), places: 0).grouped) \(counted) (\(share))"
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

    /// What is withheld, and how much of the whole that leaves out; nil where nothing is.
    var withheldNote: String? {
        let withheld = rows.count { $0.withheld != nil && $0.withheld != Impossible.marker }
        guard withheld > 0 else { return nil }
        let count = rows.count == 1 ? "" : " \(withheld) of \(rows.count) rows here."
        return "\(Withheld.wording).\(count)\(rest)"
    }

    /// The whole less the published rows, over all periods; unknown as soon as one of them has no published whole.
    private var rest: String {
        guard !open.isEmpty else { return "" }
        var published: [Int64: Int64] = [:]
        for row in rows {
            published[row.start, default: 0] += row.numbers.first.flatMap { $0 }.map { Int64(clamping: $0.units) } ?? 0
        }
        let whole = published.keys.compactMap { wholes[$0] }
        guard isWhole, whole.count == published.count else {
            return " How much of the whole that leaves out is unknown."
        }
        let all = whole.reduce(0, +)
        let left = all - published.values.reduce(0, +)
        guard all > 0, left >= 0 else { return "" }
        return " Together they are the whole less the published numbers: "
            + "\(ReportLocale.english.percent(left, of: all)) of the \(counted)."
    }

    /// The first noisy release among those that are shown.
    private var releaseNoise: AnalystRelease? { choice.releases.first { $0.noise != nil } }

    private func release(of row: AnalystRow) -> AnalystRelease? {
        choice.releases.first { $0.period.start == row.start }
    }

    /// How far off a noisy number is.
    private func noise(of row: AnalystRow) -> String {
        guard let release = release(of: row), let places = row.numbers[drawn]?.places, estimate(of: row).isEmpty else {
            return ""
        }
        var margin: Int64?
        if choice.measure.kind == .count {
            margin = release.margin
        } else if case .sum = choice.measure.kind {
            let sums = choice.shape.measures.filter { if case .sum = $0.kind { true } else { false } }
            margin = sums.firstIndex(of: choice.measure).flatMap {
                $0 < release.sumMargins.count ? release.sumMargins[$0] : nil
            }
        }
        return margin.map {
            " Give or take \(Decimals(units: Int128($0), places: places).grouped), in 19 of 20 cases."
        } ?? ""
    }

    /// What a sampled number of events stands for.
    private func estimate(of row: AnalystRow) -> String {
        guard choice.measure.kind == .count, let estimate = estimate(row, drawn) else { return "" }
        return " At a sampling rate of \(estimate.rate) that stands for about \(estimate.scaled) events: "
            + "\(estimate.low) to \(estimate.high) in 19 of 20 cases."
    }

    /// The place of the number of events, where some of the releases count a sample of them.
    var sampled: Int? {
        guard choice.releases.contains(where: { $0.rate < 1 }) else { return nil }
        return choice.measures.firstIndex { $0.kind == .count }
    }

    /// All events of which a row counts a sample, and between which ends they are in 19 of 20 cases; nil where each was
    /// counted, and where the number is withheld.
    func estimate(_ row: AnalystRow, _ place: Int) -> (scaled: String, low: String, high: String, rate: Double)? {
        guard let rate = release(of: row)?.rate, let number = row.numbers[place] else { return nil }
        let kept = Int64(clamping: number.units)
        let threshold = Threshold(devices: release(of: row)?.threshold ?? 0)
        guard let interval = Interval(ofTotal: kept, rate: rate, margin: release(of: row)?.margin, threshold: threshold)
        else { return nil }
        let scaled = Estimate(counted: kept, rate: rate, counts: .events).decimal
        return (scaled.grouped, interval.low.grouped, interval.high.grouped, rate)
    }

    /// What the chosen number is.
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

    /// What the numbers stand on, in parts.
    var basis: [String] {
        var parts = [meaning]
        if let noise = releaseNoise?.noise {
            parts.append("Noise: \(noise); numbers may be negative, and parts don\u{2019}t add up to totals")
        } else {
            let thresholds = Set(choice.releases.map(\.threshold)).sorted()
            let most = thresholds.last ?? 0
            let least = thresholds.first ?? most
            parts.append(
                least == most
                    ? "k = \(most): every number stands for \(most) devices or more"
                    : "k = \(least) to \(most), by period: every number stands for \(least) devices or more")
        }
        let rates = Set(choice.releases.map(\.sampling)).sorted()
        parts.append(
            rates == ["1"]
                ? "Every event counted"
                : "Sampling rate \(rates.joined(separator: " or ")): numbers are those of the sample; divide by the rate "
                    + "to estimate all, but for devices")
        return parts
    }

    // MARK: Parts

    /// Whether these are all rows.
    var isWhole: Bool { total == rows.count }

    /// How many parts there are; at least one.
    var parts: Int { AnalystQuestion.parts(ofRows: total) }

    /// The first and the last row of a part, from 1.
    func span(ofPart part: Int) -> (first: Int, last: Int) {
        let first = (part - 1) * AnalystQuestion.mostRows + 1
        return (first, min(first + AnalystQuestion.mostRows - 1, total))
    }

    /// The name of a file with these rows.
    var fileName: String {
        let span = span(ofPart: choice.part)
        return choice.fileName(isWhole ? nil : "rows-\(span.first)-\(span.last)-of-\(total)")
    }

    /// With separators of thousands.
    static func grouped(_ number: Int) -> String { Decimals(units: Int128(number), places: 0).grouped }

    static func listed(_ parts: [String]) -> String {
        parts.count < 2 ? (parts.first ?? "") : parts.dropLast().joined(separator: ", ") + " and " + (parts.last ?? "")
    }
}

extension ChartMark {
    fileprivate var isNumber: Bool { if case .number = self { true } else { false } }

    /// The number without its unit.
    fileprivate var plain: String { if case .number(_, let text, _) = self { text } else { "" } }

    /// The number with its unit.
    fileprivate var phrase: String { if case .number(_, _, let words) = self { words } else { "" } }
}
