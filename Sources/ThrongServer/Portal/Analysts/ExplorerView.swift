internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

struct ExplorerView {
    /// Links of which one is chosen.
    struct Facet {
        let facetTitle: String
        let facetLinks: [Link]
    }

    struct Link {
        let linkText: String
        /// One where it leads somewhere else; none where it is chosen.
        let linkHrefs: [String]
    }

    struct Hidden {
        let hiddenName: String
        let hiddenValue: String
    }

    struct Select {
        let selectID: String
        let selectName: String
        let selectLabel: String
        let options: [Option]
    }

    struct Option {
        let optionValue: String
        let optionText: String
        let isChosen: Bool
    }

    struct Row {
        let sides: [String]
        let cells: [Cell]
    }

    /// A number, or what stands in the place of all of a row's numbers.
    struct Cell {
        let cellNumbers: [String]
        let cellWithheld: Bool
        let cellNothings: [String]
        let cellSpan: Int
    }

    struct Source {
        let sourcePeriod: String
        let sourceThreshold: String
        let sourceSampling: String
        let sourceDigest: String
    }

    let frame: PageFrame
    let appTitle: String
    let metricTitle: String
    let questions: [String]
    let facets: [Facet]
    let hiddens: [Hidden]
    let selects: [Select]
    let heading: String
    let sentence: String
    /// The sentence about which of the rows are shown, where these are not all.
    let warnings: [String]
    let hasParts: Bool
    let partLinks: [Link]
    let hints: [String]
    let stats: [ExplorerCharts.Stat]
    let barCharts: [Any]
    let lineCharts: [Any]
    let heatTables: [Any]
    let evidenceClass: String
    let hasChart: Bool
    let isFolded: Bool
    let sideHeads: [String]
    let numberHeads: [String]
    let dataRows: [Row]
    let withheldNotes: [String]
    let withheldMarker = Withheld.marker
    let basisParts: [String]
    let sources: [Source]
    /// The sentence about the number of releases, where not all are listed.
    let sourceNotes: [String]
    let csvHref: String
    let sqlLines: [String]

    static let mostShown = 1000
    /// The most periods that a list has, the latest ones; addresses may name any.
    private static let mostPeriods = 500

    init(_ answer: ExplorerAnswer, metrics: [AnalystMetric], frame: PageFrame) {
        let (choice, titles) = (answer.choice, answer.titles)
        self.frame = frame
        appTitle = titles.app(choice.metric.app)
        metricTitle = titles.metric(choice.metric)
        questions = [titles.question(choice.metric)].compactMap { $0 }
        facets = Self.facets(answer, metrics)
        hiddens = choice.carried.compactMap { name, value in
            value.map { Hidden(hiddenName: name, hiddenValue: $0) }
        }
        selects = Self.selects(answer)
        heading = answer.heading
        sentence = answer.sentence
        warnings = [Self.extent(answer)].compactMap { $0 }
        partLinks = Self.partLinks(answer)
        hasParts = answer.parts > 1
        let charts = ExplorerCharts(answer)
        (stats, barCharts, lineCharts) = (charts.stats, charts.barCharts, charts.lineCharts)
        (heatTables, hints) = (charts.heatTables, charts.hints)
        hasChart = !(stats.isEmpty && barCharts.isEmpty && lineCharts.isEmpty)
        isFolded = !heatTables.isEmpty
        evidenceClass = hasChart ? (lineCharts.count > 1 ? "evidence wide" : "evidence") : "evidence alone"
        // Every row begins with something to call it by.
        let hasPeriods = choice.releases.count > 1 || choice.question.columns.isEmpty
        sideHeads = (hasPeriods ? ["Period"] : []) + choice.question.columns.map(answer.title)
        numberHeads =
            choice.measures.map { titles.heading($0) } + (answer.sampled == nil ? [] : ["Estimated", Wording.interval])
        dataRows = answer.rows.prefix(Self.mostShown).map { row in
            Row(
                sides: (hasPeriods ? [Self.label(of: row, choice)] : []) + row.buckets,
                cells: Self.cells(row, answer))
        }
        withheldNotes = [answer.withheldNote].compactMap { $0 }
        basisParts = answer.basis
        sources = choice.releases.suffix(Self.mostPeriods).map { release in
            Source(
                sourcePeriod: choice.calendar.label(of: release.period),
                sourceThreshold: String(release.threshold), sourceSampling: release.sampling,
                sourceDigest: release.digest)
        }
        sourceNotes =
            choice.releases.count > Self.mostPeriods
            ? [
                "The latest \(answer.wording.number(Self.mostPeriods)) of "
                    + "\(answer.wording.count(choice.releases.count, "release")). Choose a shorter range to see the others."
            ] : []
        csvHref = choice.address(of: "/explore.csv")
        sqlLines = choice.question.sql.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// One rule for all: SQL and CSV have a part of the rows, mostly the only one, and the table the first of it.
    private static func extent(_ answer: ExplorerAnswer) -> String? {
        guard answer.rows.count > mostShown || !answer.isWhole else { return nil }
        let total = answer.wording.number(answer.total)
        let (first, last) = answer.span(ofPart: answer.choice.part)
        let shown = min(answer.rows.count, mostShown)
        let table =
            shown == answer.rows.count
            ? "this table has them all"
            : "this table has \(answer.wording.number(first)) to \(answer.wording.number(first + shown - 1)) of them"
        guard !answer.isWhole else { return "There are \(total) rows; SQL and CSV below have them all, \(table)." }
        return "There are \(total) rows; SQL and CSV below have rows \(answer.wording.number(first)) to "
            + "\(answer.wording.number(last)), \(table). The other parts have the rest; fewer periods, or a bucket, "
            + "have fewer rows."
    }

    private static func partLinks(_ answer: ExplorerAnswer) -> [Link] {
        let (chosen, last) = (answer.choice.part, answer.parts)
        return Set([1, chosen - 1, chosen, chosen + 1, last]).sorted().filter { (1...last).contains($0) }.map { part in
            let span = answer.span(ofPart: part)
            return Link(
                linkText: "Rows \(answer.wording.number(span.first)) to \(answer.wording.number(span.last))",
                linkHrefs: part == chosen ? [] : [answer.choice.address(part: part)])
        }
    }

    private static func label(of row: AnalystRow, _ choice: ExplorerChoice) -> String {
        choice.calendar.label(of: choice.calendar.period(choice.kind, containing: row.start))
    }

    /// A cell a number; one over all of them where the row has none.
    private static func cells(_ row: AnalystRow, _ answer: ExplorerAnswer) -> [Cell] {
        var marks = row.numbers.indices.map { answer.mark(row, $0) }
        if let place = answer.sampled {
            let estimate = answer.estimate(row, place)
            let texts = estimate.map { [answer.wording.about($0.decimal), answer.wording.span($1)] }
            // A number of events that were all counted is no estimate.
            marks += texts?.map { .number(0, text: $0, words: $0) } ?? [marks[place], .nothing("\u{2013}")]
        }
        if row.withheld != nil, let mark = marks.first { return [cell(mark, span: marks.count)] }
        return marks.map { cell($0, span: 1) }
    }

    private static func cell(_ mark: ChartMark, span: Int) -> Cell {
        switch mark {
        case .number(_, let text, _):
            Cell(cellNumbers: [text], cellWithheld: false, cellNothings: [], cellSpan: span)
        case .withheld: Cell(cellNumbers: [], cellWithheld: true, cellNothings: [], cellSpan: span)
        case .nothing(let marker): Cell(cellNumbers: [], cellWithheld: false, cellNothings: [marker], cellSpan: span)
        }
    }

    /// True if a form brings a value back as it was: the text shown in place of steering characters is another one.
    private static func survivesForms(_ text: String) -> Bool {
        !text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    private static func facets(_ answer: ExplorerAnswer, _ metrics: [AnalystMetric]) -> [Facet] {
        let (choice, titles) = (answer.choice, answer.titles)
        func link(_ text: String, _ address: String, isChosen: Bool) -> Link {
            Link(linkText: text, linkHrefs: isChosen ? [] : [address])
        }
        let split = Facet(
            facetTitle: "Split by",
            facetLinks: choice.shape.margins.map { margin in
                let names = margin.columns.compactMap(choice.shape.dimension).map(answer.title)
                return link(
                    names.isEmpty ? "Nothing" : names.joined(separator: " \u{00d7} "), choice.address(margin: margin),
                    isChosen: margin == choice.margin)
            })
        let offered = choice.shape.measures.filter {
            $0.kind != .devices || $0 == choice.measure || titles.hasReach(choice.metric)
        }
        let measure = Facet(
            facetTitle: "Show",
            facetLinks: offered.map { column in
                link(titles.heading(column), choice.address(measure: column), isChosen: column == choice.measure)
            })
        let kind = Facet(
            facetTitle: "By",
            facetLinks: choice.metric.spans.map { span in
                link(
                    span.kind.rawValue.sentenceCased, choice.start(kind: span.kind), isChosen: span.kind == choice.kind)
            })
        let layouts = metrics.filter { $0.app == choice.metric.app && $0.metric == choice.metric.metric }
        let layout = Facet(
            facetTitle: "Layout",
            facetLinks: layouts.map { metric in
                link(
                    metric.isCurrent ? "Current" : "Former, no. \(metric.version)",
                    choice.start(layout: metric.version), isChosen: metric.version == choice.metric.version)
            })
        return [split, measure, kind, layout].filter { $0.facetLinks.count > 1 }
    }

    private static func selects(_ answer: ExplorerAnswer) -> [Select] {
        let choice = answer.choice
        let known = choice.shape.releases
        func periods(_ chosen: String) -> [Option] {
            let labels = known.suffix(mostPeriods).reversed().map { choice.calendar.label(of: $0.period) }
            return (labels.contains(chosen) ? labels : labels + [chosen]).map {
                Option(optionValue: $0, optionText: $0, isChosen: $0 == chosen)
            }
        }
        let spans =
            known.count < 2
            ? []
            : [("from", "From", choice.from), ("to", "To", choice.to)].map { name, label, chosen in
                Select(selectID: "choose-\(name)", selectName: name, selectLabel: label, options: periods(chosen))
            }
        let buckets = choice.question.columns.enumerated().map { place, column in
            let chosen = choice.filters.first { $0.column == column.name }?.bucket
            return Select(
                selectID: "choose-\(place)", selectName: ExplorerChoice.bucket + column.name,
                selectLabel: answer.title(of: column),
                options: [Option(optionValue: "", optionText: "All", isChosen: chosen == nil)]
                    + column.buckets.filter(Self.survivesForms).map {
                        Option(optionValue: $0, optionText: $0, isChosen: $0 == chosen)
                    })
        }
        return spans + buckets
    }
}
