internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

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
        return [
            Charts.heat(
                side: answer.title(of: answer.open[down].column),
                across: (
                    title: answer.title(of: answer.open[across].column),
                    labels: sizes[across].map { answer.named($0, at: answer.open[across].place) }
                ),
                rows: sizes[down].map { label in
                    (
                        label: answer.named(label, at: answer.open[down].place),
                        marks: sizes[across].map { found[[label, $0]] ?? answer.missing }
                    )
                }, caption, in: answer.titles.language)
        ]
    }
}
