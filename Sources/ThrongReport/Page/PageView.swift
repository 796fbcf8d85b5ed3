internal import ThrongPlan
internal import ThrongRelease

/// Everything that the page's template shows.
enum PageView {
    static func of(_ document: ReportDocument, css: String) -> TemplateView {
        let locale = document.locale
        var view: TemplateView = ["css": css, "say": locale.words, "pageLanguage": locale.tag.attributes]
        view["reportTitle"] = document.title
        view["reportTitleLanguage"] = document.language(of: "reports.\(document.name).title")
        view["ledeLanguage"] = document.language(of: "reports.\(document.name).explanation")
        view["appTitleLanguage"] = document.language(of: "app.title")
        view["ledes"] = [document.explanation].compactMap { $0 }
        view["partNotes"] = document.partNotes
        view["deletions"] = [document.deleteBy].compactMap { $0 }.map {
            locale.say(.deleteCopies, ["time": document.names.instant($0)])
        }
        view["partnerTitle"] = document.partner.title
        view["appTitle"] = document.app.title
        view["isHidden"] = document.publicity != .listed
        view["questions"] = locale.say(.questions, ["contact": document.app.contact])
        view["periodTitle"] = document.periodTitle
        view["periodLabel"] = document.periodLabel
        view["timeZone"] = document.app.timeZone
        view["planVersion"] = document.plan.hex
        let manifest =
            ReportFile.stem(report: document.name.text, period: document.periodLabel) + ReportFile.manifestEnding
        view["signed"] = locale.say(.signed, ["manifest": manifest])
        view["withheldMarker"] = NumberStatus.withheld.marker(in: locale)
        let tables = document.answers.compactMap(\.answered?.table)
        let views = document.answers.compactMap(\.answered?.view)
        view["hasRest"] = zip(tables, views).contains { $0.rest?.quantity != nil && $1 == .table }
        view["hasOthers"] = views.contains { if case .ranking(let ranking) = $0 { ranking.rest != nil } else { false } }
        let bases = document.answers.compactMap(\.answered?.basis)
        view["hasSample"] = bases.contains { $0.sampling < 1 }
        view["hasWindow"] = bases.contains { $0.devices == .window }
        view["hasSaid"] = bases.contains { $0.devices == .firsts || $0.devices == .answers }
        view["hasIdentifiers"] = bases.contains { $0.counts == .identifiers }
        view["hasQuantiles"] = document.answers.contains {
            if case .quantiles(at: _) = $0.insight.kind { true } else { false }
        }
        view["hasImpossible"] = tables.contains { $0.rows.contains { $0.figure == .impossible } }
        document.tell(in: &view)
        view["sources"] = document.sources.map {
            [
                "sourceTitle": $0.title, "sourcePeriod": $0.period,
                "sourceThreshold": locale.written("\($0.threshold.devices)"), "sourceCost": locale.written($0.cost),
                "sourceDigest": $0.digest.hex,
            ] as TemplateView
        }
        return view
    }
}

extension ReportDocument {
    /// Fills in what stands out, the tiles and the insights.
    fileprivate func tell(in view: inout TemplateView) {
        let findings = findings
        view["findings"] = findings.map {
            ["findingAnchor": Self.anchor($0.place), "findingTitle": $0.title, "findingSentence": $0.sentence]
                as TemplateView
        }
        let notes = [nothingYet].compactMap { $0 }
        view["hasFindings"] = !findings.isEmpty
        view["firstNotes"] = notes
        view["isStory"] = !findings.isEmpty || !notes.isEmpty
        let answers = answers.map(\.inWords)
        let titles = answers.map { language(of: "insights.\($0.insight.name).title") }
        // No number stands there twice, also where two insights have it.
        var tiles: [TileView] = []
        for (place, answer) in answers.enumerated() {
            guard let tile = TileView(answer, anchor: Self.anchor(place), language: titles[place]),
                !tiles.indices.contains(where: { tiles[$0].absorb(tile) })
            else { continue }
            tiles.append(tile)
        }
        view["tiles"] = tiles.filter(\.isLarge) + tiles.filter { !$0.isLarge }
        view["hasTiles"] = !tiles.isEmpty
        let bases = answers.compactMap { answer in answer.answered?.basis.words(in: answer.wording) }
        let common = (bases.first ?? []).filter { part in bases.allSatisfy { $0.contains(part) } }
        view["commonParts"] = common
        var told: Set<String> = [""]
        view["sections"] = answers.enumerated().map { place, answer in
            let why = answer.insight.explanation ?? answer.question
            return SectionView.of(
                answer, anchor: Self.anchor(place), tongues: (titles[place], whyLanguage(of: answer.insight)),
                why: told.insert(why).inserted ? why : nil, common: common)
        }
    }

    private static func anchor(_ place: Int) -> String { "insight-\(place + 1)" }

    /// The attributes of an element that shows a text of the plan; none where nobody knows its language.
    fileprivate func language(of place: String) -> String { languages[place].attributes }

    /// The same of what says why an insight is asked: its own explanation, or its metric's question.
    fileprivate func whyLanguage(of insight: Insight) -> String {
        language(
            of: insight.explanation == nil
                ? "metrics.\(insight.metric).question" : "insights.\(insight.name).explanation")
    }
}

/// One insight: heading, sentence, chart, and folded on narrow screens its table, what is withheld, and what the numbers
/// stand on.
///
/// At most one kind of chart is there; arrays of none or some keep the template free of lookups in outer scopes.
enum SectionView {
    /// - Parameters:
    ///   - tongues: the attributes of language of its title and of what says why it is asked.
    ///   - why: the reason for asking it; nil where that is told already.
    ///   - common: what all numbers of the page stand on.
    static func of(
        _ answer: InsightAnswer, anchor: String, tongues: (title: String, why: String), why: String?, common: [String]
    ) -> TemplateView {
        var view: TemplateView = [
            "anchor": anchor, "heading": answer.insight.title, "headingLanguage": tongues.title,
            "whyLanguage": tongues.why, "isAnswered": false,
        ]
        view["why"] = [why].compactMap { $0 }
        view["scopes"] = answer.scopes
        guard let answered = answer.answered else {
            view["openAnswers"] = [answer.sentence]
            return view
        }
        view["isAnswered"] = true
        // The tile of a single number has told it.
        view[answered.axes.isEmpty ? "foldedAnswers" : "openAnswers"] = [answer.sentence]
        let (kind, charts) = charts(answer, answered, anchor: anchor)
        view[kind] = charts
        view["maps"] = [MapView(answer, answered, anchor: anchor)].compactMap { $0 }
        view["isCharted"] = kind != "heatTables" && !charts.isEmpty
        view["evidenceClass"] = kind == "heatTables" || charts.count > 1 ? "evidence wide" : "evidence"
        // Shades have no room for intervals.
        if kind != "heatTables" || charts.isEmpty || answered.basis.hasInterval(answer.insight.kind) {
            view["dataTables"] = [DataTableView(answer, answered: answered)]
        }
        view["withheldNotes"] = answer.withheldNotes
        view["chanceNotes"] = answer.leaningNotes
        view["ageNotes"] = answer.ageNotes + answer.likenesses + answer.notes.map(\.words)
        view["basisParts"] = answered.basis.words(in: answer.wording).filter { !common.contains($0) }
        return view
    }

    /// Returns the charts of an answer and the name by which the template knows them.
    static func charts(
        _ answer: InsightAnswer, _ answered: InsightAnswer.Answered, anchor: String
    ) -> (kind: String, charts: [Any]) {
        let table = answered.table
        switch (answered.view, answer.insight.kind) {
        case (.trend(let points), _): return ("lineCharts", lines(answer, table, points, anchor: anchor))
        case (_, .quantiles(let quantiles)):
            return ("rangeCharts", [RangeChartView(answer, table: table, quantiles: quantiles, anchor: anchor)])
        case (.ranking(let ranking), _): return ("barCharts", [BarChartView(answer, ranking: ranking, anchor: anchor)])
        case (.funnel(let stages), _):
            return ("barCharts", [BarChartView(answer, answered: answered, stages: stages, anchor: anchor)])
        case (.table, _) where answered.axes.count > 1:
            return ("heatTables", [HeatTableView(answer, answered: answered)].compactMap { $0 })
        case (.table, .share) where answered.axes.isEmpty:
            return ("shareBars", table.rows.prefix(1).map { shareBar($0.figure, answer, anchor: anchor) })
        case (.table, _), (.change, _):
            guard !answered.axes.isEmpty else { return ("barCharts", []) }
            return ("barCharts", [BarChartView(answer, answered: answered, anchor: anchor)])
        }
    }

    private static func shareBar(_ figure: Figure, _ answer: InsightAnswer, anchor: String) -> TemplateView {
        [
            "sharePublished": figure.quantity != nil, "shareWithheld": figure == .withheld,
            "shareWidth": Coordinate.percent(figure.quantity?.approximate ?? 0), "chartID": "\(anchor)-chart",
            "chartTitle": answer.insight.title, "chartSummary": answer.sentence,
        ]
    }

    /// One drawing a row, each by a scale of its own: how one moved would not be seen beside a much larger one.
    private static func lines(
        _ answer: InsightAnswer, _ table: AnswerTable, _ points: [AnswerPoint], anchor: String
    ) -> [LineChartView] {
        table.rows.enumerated().map { place, row in
            LineChartView(
                answer, points: points, row: place, label: row.buckets.isEmpty ? nil : row.label, anchor: anchor,
                isSpark: false)
        }
    }
}

/// One answer on the first screen that is a single number: the number, and how it changed.
///
/// It is large where it has earlier numbers beside it. What is a breakdown has its numbers in its chart alone.
struct TileView {
    /// `tile`, and `large` where it has earlier numbers.
    private(set) var tileClass = "tile"
    let tileAnchor: String
    let tileHeading: String
    let tileLanguage: String
    let number: String
    let numberUnit: String
    let isNumber: Bool
    let isWithheld: Bool
    /// The words in place of a number that everybody knows not to be there.
    let nothings: [String]
    private(set) var deltas: [DeltaView]
    /// The line of a trend, without words.
    private(set) var sparks: [LineChartView]
    private let asked: Insight

    /// Nil for an answer that is not a single number.
    init?(_ answer: InsightAnswer, anchor: String, language: String) {
        guard let answered = answer.answered, answered.axes.isEmpty, let figure = answered.table.rows.first?.figure
        else { return nil }
        (asked, tileAnchor, tileLanguage, tileHeading) = (answer.insight, anchor, language, answer.insight.title)
        isNumber = figure.quantity != nil
        isWithheld = figure == .withheld
        nothings = [figure.nothing(in: answer.locale)].compactMap { $0 }
        number = figure.quantity.map(answer.text) ?? ""
        numberUnit =
            figure.quantity.map { answer.wording.unit(beside: $0, of: answer.counted, unit: answer.unit) } ?? ""
        switch answered.view {
        case .change(let comparisons): (deltas, sparks) = (comparisons.map { DeltaView(answer, $0, row: 0) }, [])
        case .trend(let points):
            deltas = []
            sparks = [LineChartView(answer, points: points, row: 0, label: nil, anchor: anchor, isSpark: true)]
        case .table, .ranking, .funnel: (deltas, sparks) = ([], [])
        }
        if isLarge { tileClass = "tile large" }
    }

    /// Takes over what another tile of the same number has besides it; false where that asks for another.
    mutating func absorb(_ other: TileView) -> Bool {
        guard (asked.metric, asked.kind) == (other.asked.metric, other.asked.kind), asked.filters == other.asked.filters
        else { return false }
        deltas += other.deltas
        sparks += other.sparks
        if isLarge { tileClass = "tile large" }
        return true
    }

    var isLarge: Bool { !deltas.isEmpty || !sparks.isEmpty }
}

struct DeltaView {
    let deltaText: String
    let deltaAgainst: String
    let deltaPublished: Bool
    let deltaWithheld: Bool
    /// The words in place of a change that everybody knows not to be there.
    let deltaNothings: [String]

    init(_ answer: InsightAnswer, _ comparison: AnswerComparison, row: Int) {
        let then = Moment(comparison, date: answer.names.short(comparison.period))
        deltaAgainst = answer.locale.say(.against, ["kind": then.kind, "date": then.date])
        let outcome = row < comparison.rows.count ? comparison.rows[row].change : .absent(.notReleased)
        deltaText = outcome.change.map(answer.short) ?? ""
        deltaPublished = outcome.change != nil
        deltaWithheld = outcome == .withheld
        deltaNothings = [outcome.nothing(in: answer.locale)].compactMap { $0 }
    }
}

/// A drawing of one insight as a file of its own: SVG that other pages and slides show, with its heading and its period.
///
/// It has no script and nothing from elsewhere; its letters are not scaled. Shades and single numbers have none.
enum DrawingView {
    /// The sizes of a drawing: as wide as a chart without its borders, and the lines above it. Unit: pixels.
    private static let (width, top, gap) = (672.0, 84.0, 24.0)
    /// The bars beyond which a map is the better drawing, where there is one.
    private static let mostBars = 20
    /// The widest heading. Unit: ems.
    private static let widestHeading = 36.0
    /// The letters beside an axis, and the line above one of several drawings. Unit: pixels.
    private static let (letters, line) = (12.0, 22.0)

    /// Returns the view of an answer's drawing, and its height in pixels; nil where it has none.
    static func of(
        _ answer: InsightAnswer, in document: ReportDocument, css: String
    ) -> (view: TemplateView, height: Int)? {
        guard let answered = answer.answered else { return nil }
        var (kind, charts) = SectionView.charts(answer, answered, anchor: "drawing")
        if answered.table.rows.count > mostBars, let map = MapView(answer, answered, anchor: "drawing") {
            (kind, charts) = ("mapCharts", [map])
        }
        guard kind != "heatTables", !charts.isEmpty else { return nil }
        var bottom = top
        let drawn = charts.map { chart -> TemplateView in
            var view: TemplateView = [kind: [chart], "drawnY": Coordinate.number(bottom)]
            var height = 16.0
            if let bars = chart as? BarChartView { height = Double(bars.height) ?? 0 }
            if let ranges = chart as? RangeChartView { height = Double(ranges.height) ?? 0 }
            if let map = chart as? MapView { height = map.fullHeight.rounded(.up) }
            if let lines = chart as? LineChartView {
                let (axis, head) = (lines.axis * letters, lines.lineHeads.isEmpty ? 0 : line)
                height = head + (Double(lines.height) ?? 0)
                view["headHeight"] = Coordinate.number(head)
                view["axisPixels"] = Coordinate.number(axis)
                view["plotPixels"] = Coordinate.number(width - axis)
            }
            view["drawnHeight"] = Coordinate.number(height)
            bottom += height + gap
            return view
        }
        let view: TemplateView = [
            "css": css, "pageLanguage": document.locale.tag.attributes, "drawn": drawn,
            "drawingHeight": "\(Int(bottom))",
            "heading": answer.insight.title.shortened(toWidth: widestHeading),
            "drawingCaption": "\(document.periodTitle) · \(document.app.title)",
        ]
        return (view, Int(bottom))
    }
}
