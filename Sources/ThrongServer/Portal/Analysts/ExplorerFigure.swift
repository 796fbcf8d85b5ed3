internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// A number that is computed from released ones, one a row: a share, a mean, a change, a quotient of two metrics.
struct ExplorerFigure: Sendable {
    /// The name of its column in files.
    let name: String
    /// The heading of its column on a page.
    let title: String
    let kind: Kind
    let values: [Value]

    enum Kind: String, Sendable {
        /// A part of its own whole.
        case share
        /// One metric's number over another's.
        case quotient
        /// A sum over what is counted.
        case mean
        /// A difference from the period before, as a fraction of that.
        case change
    }

    /// True for what is written in per cent.
    var isFraction: Bool {
        switch kind {
        case .share, .change: true
        case .mean: false
        case .quotient:
            values.allSatisfy { if case .number(let number, _) = $0 { number.approximate <= 1 } else { true } }
        }
    }

    enum Value: Sendable, Hashable {
        /// 19 of 20 lie within this of the quotient of what was counted; nil where a margin is not told.
        case number(Decimals, within: Decimals?)
        /// The reason why there is none.
        case missing(String)
    }

    /// A released number, or the reason why it is missing.
    enum Released {
        case number(AnalystRow.Number)
        case missing(String)

        init(_ row: AnalystRow?, _ place: Int = 0, reason: Int = 0) {
            if let number = row?.numbers[place] {
                self = .number(number)
            } else {
                self = .missing(row?.reasons[reason] ?? Untold.marker)
            }
        }
    }
}

extension ExplorerFigure.Value {
    /// A quotient of numbers of different draws. Its margin adds theirs in quadrature; of a part of its own whole that is
    /// more than what the two have in common leaves.
    init(_ part: ExplorerFigure.Released, over whole: ExplorerFigure.Released) {
        self.init(part, over: whole) { share, part, whole in (part * part + share * share * whole * whole).squareRoot()
        }
    }

    /// The change from one number to another as a fraction of the first. Both periods' draws have half of the smaller
    /// variance in common, or more (Margins page, Noise).
    init(_ now: ExplorerFigure.Released, since before: ExplorerFigure.Released) {
        self.init(now, over: before) { ratio, now, before in
            let common = min(now, before) * min(now, before) / 2
            return (now * now + ratio * ratio * before * before - 2 * ratio * common).squareRoot()
        }
        guard case .number(let ratio, let within) = self, let change = ratio.less(Decimals(whole: 1)) else { return }
        self = .number(change, within: within)
    }

    private init(
        _ part: ExplorerFigure.Released, over whole: ExplorerFigure.Released,
        margin: (_ quotient: Double, _ part: Double, _ whole: Double) -> Double
    ) {
        switch (part, whole) {
        case (.missing(let reason), _), (_, .missing(let reason)): self = .missing(reason)
        case (.number(let part), .number(let whole)):
            guard let quotient = part.decimals.over(whole.decimals) else {
                self = .missing("\(Untold.marker): it would be divided by 0")
                return
            }
            guard let near = part.margin, let far = whole.margin else {
                self = .number(quotient, within: nil)
                return
            }
            let within = margin(quotient.approximate, near, far) / whole.decimals.approximate
            self = .number(quotient, within: Decimals(within, rounded: .up, places: Quantity.sharePlaces))
        }
    }
}

extension AnalystRow.Number {
    var decimals: Decimals { Decimals(units: units, places: places) }
    var margin: Double? { within.map { Decimals(units: $0, places: places).approximate } }
}

/// The other rows that an answer's are compared with.
struct ExplorerNeighbours: Sendable {
    /// The whole of the rows, by period.
    var wholes: [AnalystRow] = []
    /// The same rows of the period before the first one.
    var before: [AnalystRow] = []
    /// The same rows of another metric, with the metric's name, its title, and its columns in their order.
    var over: Over?
    /// The rows that a table of two dimensions has at its edges, by questions about one measure.
    var edges: [(question: AnalystQuestion, rows: [AnalystRow])] = []

    struct Over: Sendable {
        let metric: MetricName
        let title: String
        let columns: [String]
        let rows: [AnalystRow]
    }
}

extension ExplorerAnswer {
    /// The sentences about releases that were not counted all period long.
    func partNotes(_ releases: [AnalystRelease]) -> [String] {
        let (calendar, language) = (choice.calendar, titles.language)
        return titles.parts(of: releases, in: choice).sorted { $0.key < $1.key }.map { start, part in
            let period = calendar.period(choice.kind, containing: start)
            let when = language.say(.comma) + calendar.title(of: period, in: language)
            return part.sentence(about: titles.metric(choice.metric) + when, period, calendar, in: language)
        }
    }

    private struct Key: Hashable {
        let start: UnixSeconds
        var buckets: [String]
    }

    /// The computed numbers of each row: first what the address asks for, a quotient of two metrics; then shares, means and
    /// changes, as far as there is anything to compute them from.
    static func figures(
        of rows: [AnalystRow], _ choice: ExplorerChoice, _ neighbours: ExplorerNeighbours, _ titles: ExplorerTitles
    ) -> [ExplorerFigure] {
        let language = titles.language
        var figures: [ExplorerFigure] = []
        let counts = rows.map { ExplorerFigure.Released($0) }
        func add(_ name: String, _ title: String, _ kind: ExplorerFigure.Kind, _ value: (Int) -> ExplorerFigure.Value) {
            let taken = choice.question.names + figures.map(\.name)
            let free = Swift.sequence(first: name) { $0 + "_" }.first { !taken.contains($0) } ?? name
            figures.append(ExplorerFigure(name: free, title: title, kind: kind, values: rows.indices.map(value)))
        }
        func title(_ figure: String, _ title: String) -> String {
            language.say(.exploreFigure, ["figure": figure, "title": title])
        }
        if let over = neighbours.over {
            let columns = choice.margin.columns
            let places = columns.map { column in over.columns.firstIndex(of: column) ?? 0 }
            let others = Dictionary(
                over.rows.map { row in (Key(start: row.start, buckets: places.map { row.buckets[$0] }), row) }
            ) { first, _ in first }
            add("over_\(over.metric)", title("over", over.title), .quotient) { place in
                let key = Key(start: rows[place].start, buckets: rows[place].buckets)
                return .init(counts[place], over: .init(others[key]))
            }
        }
        if let place = choice.measures.firstIndex(where: { if case .reached = $0.kind { true } else { false } }),
            case .reached(let steps) = choice.measures[place].kind,
            let step = choice.question.columns.firstIndex(where: { $0.kind == .dimension(steps) }),
            !choice.filters.contains(where: { $0.column == choice.question.columns[step].name })
        {
            let reason = choice.question.reasons.firstIndex { $0 == choice.measures[place].beside?.reason } ?? 0
            let known = Dictionary(rows.map { (Key(start: $0.start, buckets: $0.buckets), $0) }) { first, _ in first }
            add("of_first", language.say(.headOfFirst), .share) { row in
                var first = Key(start: rows[row].start, buckets: rows[row].buckets)
                first.buckets[step] = choice.question.columns[step].buckets.first ?? ""
                return .init(.init(rows[row], place, reason: reason), over: .init(known[first], place, reason: reason))
            }
        }
        if choice.whole != nil {
            let wholes = Dictionary(neighbours.wholes.map { ($0.start, $0) }) { first, _ in first }
            add("share", language.say(.headShare), .share) { .init(counts[$0], over: .init(wholes[rows[$0].start])) }
        }
        for (place, measure) in choice.measures.enumerated() {
            guard case .sum(let name) = measure.kind else { continue }
            let unit = measure.unit.isEmpty ? "" : " (\(measure.unit))"
            let sum = titles.sum(name, of: choice.metric) ?? name.replacing("_", with: " ")
            add("mean_\(name)", title("mean", sum) + unit, .mean) { row in
                .init(.init(rows[row], place), over: counts[row])
            }
        }
        let known = Dictionary((neighbours.before + rows).map { (Key(start: $0.start, buckets: $0.buckets), $0) }) {
            first, _ in first
        }
        let starts = Set(known.keys.map(\.start))
        func before(_ row: AnalystRow) -> UnixSeconds {
            choice.calendar.period(choice.kind, containing: row.start - 1).start
        }
        guard rows.contains(where: { starts.contains(before($0)) }),
            Set(choice.shape.releases.map(\.sampling)).count == 1
        else { return figures }
        let parts = titles.parts(of: choice.shape.releases, in: choice)
        add("change", language.say(.headChange), .change) { place in
            let start = before(rows[place])
            guard starts.contains(start) else { return .missing(ExplorerAnswer.notReleased) }
            if (parts[start] ?? parts[rows[place].start]) != nil { return .missing(ExplorerAnswer.incomparable) }
            return .init(counts[place], since: .init(known[Key(start: start, buckets: rows[place].buckets)]))
        }
        return figures
    }
}

/// The drawings of rows: nothing but a table where a drawing would hold too much.
struct ExplorerCharts {
    /// A single number with its unit, or what stands in its place.
    var stats: [TemplateView] = []
    var barCharts: [Any] = []
    var lineCharts: [Any] = []
    var heatTables: [Any] = []
    var hints: [String] = []

    /// The most bars, lines, columns and lines of a heat table.
    private static let (mostBars, mostLines, mostAcross, mostDown) = (60, 12, 24, 100)

    init(_ answer: ExplorerAnswer) {
        let language = answer.titles.language
        let tooMuch = [language.say(.exploreTooMuch)]
        let open = answer.open
        let caption = Charts.Caption(
            name: "explorer-chart", title: answer.heading,
            summary: language.joined([answer.sentence, language.say(.alsoInTable)]))
        guard !answer.rows.isEmpty, let periods = answer.periods, answer.isWhole else {
            if !answer.rows.isEmpty { hints = tooMuch }
            return
        }
        switch (open.count, periods.count) {
        case (0, 1): stats = answer.rows.prefix(1).map { answer.mark($0).view(["statUnit": answer.unit(beside: $0)]) }
        case (0, _): lineCharts = Self.lines(answer, periods, caption, series: [nil])
        case (1, 1) where answer.rows.count <= Self.mostBars:
            let bars = answer.rows.map {
                (label: answer.named($0.buckets[open[0].place], at: open[0].place), mark: answer.mark($0))
            }
            barCharts = [Charts.bars(bars, caption, in: language)]
        case (1, 2...) where Self.labels(answer, open[0].place).count <= Self.mostLines:
            lineCharts = Self.lines(
                answer, periods, caption, series: Self.labels(answer, open[0].place).map { .some($0) })
        case (2, 1):
            heatTables = Self.heat(answer, caption)
            if heatTables.isEmpty { hints = tooMuch }
        default: hints = tooMuch
        }
    }

    private static func labels(_ answer: ExplorerAnswer, _ place: Int) -> [String] {
        let held = Set(answer.rows.map { $0.buckets[place] })
        let column = answer.choice.question.columns[place]
        return column.buckets.filter(held.contains)
    }

    private static func lines(
        _ answer: ExplorerAnswer, _ periods: [Period], _ caption: Charts.Caption, series: [String?]
    ) -> [Any] {
        let place = answer.open.first?.place
        var found: [String?: [UnixSeconds: ChartMark]] = [:]
        for row in answer.rows { found[place.map { row.buckets[$0] }, default: [:]][row.start] = answer.mark(row) }
        return Charts.lines(
            series.map { label in
                (
                    label: label.map { answer.named($0, at: place ?? 0) },
                    marks: periods.map { found[label]?[$0.start] ?? answer.missing }
                )
            }, periods: periods.map { answer.choice.calendar.shortTitle(of: $0, in: answer.titles.language) }, caption,
            in: answer.titles.language)
    }

    /// The dimension with fewer buckets across, the other one down.
    private static func heat(_ answer: ExplorerAnswer, _ caption: Charts.Caption) -> [Any] {
        let sizes = answer.open.map { labels(answer, $0.place) }
        let (down, across) = sizes[0].count < sizes[1].count ? (1, 0) : (0, 1)
        guard sizes[across].count <= mostAcross, sizes[down].count <= mostDown else { return [] }
        var found: [[String]: ChartMark] = [:]
        for row in answer.rows { found[[down, across].map { row.buckets[answer.open[$0].place] }] = answer.mark(row) }
        let hasTotals = !answer.edges.isEmpty
        let (one, other) = (answer.open[down], answer.open[across])
        let all = answer.titles.language.say(.headAll)
        var lines = sizes[down].map { label -> (label: String, marks: [ChartMark]) in
            let cells = sizes[across].map { found[[label, $0]] ?? answer.missing }
            let total = hasTotals ? [answer.total(in: [one.column.name: label])] : []
            return (answer.named(label, at: one.place), cells + total)
        }
        if hasTotals {
            let below = sizes[across].map { answer.total(in: [other.column.name: $0]) }
            lines.append((all, below + [answer.total(in: [:])]))
        }
        let columns = sizes[across].map { answer.named($0, at: other.place) } + (hasTotals ? [all] : [])
        return [
            Charts.heat(
                side: answer.title(of: one.column), across: (title: answer.title(of: other.column), labels: columns),
                rows: lines, hasTotals: hasTotals, caption, in: answer.titles.language)
        ]
    }
}
