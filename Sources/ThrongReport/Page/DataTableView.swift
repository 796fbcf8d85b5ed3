internal import ThrongPlan

struct DataTableView {
    let caption: String
    let tableName: String
    let tableClass: String
    let labelHeads: [String]
    let numberHeads: [String]
    let dataRows: [DataRowView]
    /// The total of the withheld rows, in a row of its own before the whole.
    let rests: [DataRowView]
    let totals: [DataRowView]

    /// The longest word that stays whole. Unit: ems.
    private static let longest = 14.0

    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        let body = DataTableBody(answer, answered)
        caption = answer.insight.title
        tableName = answer.locale.say(.tableNamed, ["title": caption])
        (labelHeads, numberHeads) = (body.labelHeads, body.numberHeads)
        (dataRows, rests, totals) = (body.rows, body.rests, body.totals)
        // A word without a gap would push the numbers out of sight: it is broken there.
        let words = dataRows.flatMap(\.labels).flatMap { $0.split(separator: " ") }
        tableClass = words.contains { String($0).width > Self.longest } ? "data long" : "data"
    }
}

struct DataRowView {
    let labels: [String]
    let cells: [DataCellView]
}

struct DataCellView {
    let cellNumbers: [String]
    let cellWithheld: Bool
    let cellNothings: [String]
    let cellSpan: Int

    init(_ text: String) { (cellNumbers, cellWithheld, cellNothings, cellSpan) = ([text], false, [], 1) }

    init<Value>(insteadOf reported: Reported<Value>, in locale: Language, span: Int = 1) {
        (cellNumbers, cellWithheld, cellSpan) = ([], reported == .withheld, span)
        cellNothings = [reported.nothing(in: locale)].compactMap { $0 }
    }

    /// A figure, of which each number is a cell of its own; what has none spans them all.
    static func cells(
        of figure: Figure, numbers: (Quantity) -> [String], span: Int, in locale: Language
    ) -> [DataCellView] {
        if let quantity = figure.quantity { return numbers(quantity).map { DataCellView($0) } }
        return [DataCellView(insteadOf: figure, in: locale, span: span)]
    }
}

struct DataTableBody {
    let labelHeads: [String]
    let numberHeads: [String]
    let rows: [DataRowView]
    /// The total of the withheld rows.
    var rests: [DataRowView] = []
    var totals: [DataRowView] = []
}

extension DataTableBody {
    init(_ answer: InsightAnswer, _ answered: InsightAnswer.Answered) {
        let columns = DataColumns(answer, answered)
        let table = answered.table
        switch answered.view {
        case .trend(let points): self.init(trend: points, of: answer, answered, columns)
        case .ranking(let ranking): self.init(ranking, of: answered, columns, in: answer.locale)
        case .change(let comparisons) where answered.axes.isEmpty:
            self.init(changeOfOneNumber: comparisons, of: answer, table, columns)
        case .change(let comparisons):
            let heads: [String] = columns.heads.prefix(1) + comparisons.flatMap(columns.heads)
            self.init(
                labelHeads: columns.labelHeads, numberHeads: heads,
                rows: table.rows.enumerated().map { place, row in
                    DataRowView(
                        labels: columns.labels(of: row),
                        cells: [columns.cell(row.figure)] + comparisons.flatMap { columns.cells(of: $0.rows[place]) })
                })
        case .funnel(let stages):
            self.init(
                labelHeads: columns.labelHeads, numberHeads: columns.heads,
                rows: zip(table.rows, stages).map { row, stage in
                    DataRowView(labels: columns.labels(of: row), cells: columns.cells(row.figure, stage))
                })
        case .table:
            let blanks = Self.blanks(answered)
            self.init(
                labelHeads: columns.labelHeads, numberHeads: columns.heads,
                rows: table.rows.map { DataRowView(labels: columns.labels(of: $0), cells: columns.cells($0.figure)) },
                rests: [table.rest?.quantity].compactMap { $0 }.map {
                    DataRowView(
                        labels: [answer.locale.say(.withheldTogether)] + blanks, cells: columns.cells(ofRest: $0))
                },
                totals: [table.whole].compactMap { $0 }.map {
                    DataRowView(labels: [answer.locale.say(.headAll)] + blanks, cells: columns.cells($0))
                })
        }
    }

    /// A row a period, the latest last.
    private init(
        trend points: [AnswerPoint], of answer: InsightAnswer, _ answered: InsightAnswer.Answered,
        _ columns: DataColumns
    ) {
        labelHeads = [answer.locale.say(.periodKind, ["kind": (points.last?.period.kind ?? .day).rawValue])]
        numberHeads = answered.axes.isEmpty ? columns.heads : answered.table.rows.map(\.label)
        rows = points.map { point in
            DataRowView(
                labels: [answer.names.short(point.period)],
                cells: point.figures.flatMap { answered.axes.isEmpty ? columns.cells($0) : [columns.cell($0)] })
        }
    }

    /// A row a rank.
    private init(
        _ ranking: AnswerRanking, of answered: InsightAnswer.Answered, _ columns: DataColumns, in locale: Language
    ) {
        let blanks = Self.blanks(answered)
        labelHeads = [locale.say(.headRank)] + answered.axes.map(\.title)
        numberHeads = columns.heads
        rows = ranking.rows.map { ranked in
            DataRowView(
                labels: [ranked.place(in: locale)] + ranked.row.buckets.map(\.text),
                cells: columns.cells(ranked.row.figure))
        }
        rests = [ranking.rest].compactMap { $0 }.map {
            DataRowView(labels: ["", locale.say(.othersTogether)] + blanks, cells: columns.cells(ofRest: $0))
        }
        totals = [answered.table.whole].compactMap { $0 }.map {
            DataRowView(labels: ["", locale.say(.headAll)] + blanks, cells: columns.cells($0))
        }
    }

    /// One number: a row a period is narrower than three columns a period.
    private init(
        changeOfOneNumber comparisons: [AnswerComparison], of answer: InsightAnswer, _ table: AnswerTable,
        _ columns: DataColumns
    ) {
        let kind = (comparisons.first?.period.kind ?? .day).rawValue
        labelHeads = [answer.locale.say(.periodKind, ["kind": kind])]
        numberHeads = columns.heads.prefix(1) + columns.changeHeads
        let now = table.rows.prefix(1).map { row in
            DataRowView(
                labels: [answer.locale.say(.thisPeriod, ["kind": kind])],
                cells: [columns.cell(row.figure)] + columns.changeHeads.map { _ in DataCellView("\u{2013}") })
        }
        let then = comparisons.map { comparison in
            DataRowView(
                labels: [answer.names.short(comparison.period)],
                cells: comparison.rows.prefix(1).flatMap(columns.cells))
        }
        rows = now + then
    }

    /// The empty labels of a total, beside its first.
    private static func blanks(_ answered: InsightAnswer.Answered) -> [String] {
        Array(repeating: "", count: max(answered.axes.count - 1, 0))
    }
}

/// The columns of an answer's data table.
struct DataColumns {
    let labelHeads: [String]
    let heads: [String]
    private let answer: InsightAnswer
    private let whole: Quantity?
    private let margin: String?
    private let scope: String
    /// True if the column behind those of the numbers is their interval.
    let hasInterval: Bool

    init(_ answer: InsightAnswer, _ answered: InsightAnswer.Answered) {
        self.answer = answer
        whole = answered.shareBase?.quantity
        labelHeads = answered.axes.isEmpty ? [answer.locale.say(.headGroup)] : answered.axes.map(\.title)
        scope = answer.scopes.joined(separator: ", ")
        hasInterval = answered.basis.hasInterval(answer.insight.kind)
        // An interval has the margin in it, and the steps of a funnel stand beside intervals.
        let isFunnel = if case .funnel = answered.view { true } else { false }
        let within = hasInterval || isFunnel ? nil : answered.basis.margin(of: answer.insight.kind)
        margin = within.map(answer.offBy)
        heads =
            Self.heads(answer, whole: whole) + (hasInterval ? [answer.locale.say(.interval)] : [])
            + (margin == nil ? [] : [answer.locale.say(.headWithin)])
    }

    func labels(of row: AnswerRow) -> [String] {
        guard !row.buckets.isEmpty else { return [scope.isEmpty ? answer.locale.say(.headAll) : scope] }
        guard case .quantiles(at: _) = answer.insight.kind, let last = row.buckets.last?.text,
            let name = QuantileReading.name(ofRow: last, in: answer.locale)
        else { return row.buckets.map(\.text) }
        return row.buckets.dropLast().map(\.text) + [name]
    }

    /// A figure with all that belongs to it.
    func cells(_ figure: Figure) -> [DataCellView] {
        func own(_ quantity: Quantity) -> String? { margin.map { quantity.within.map(answer.offBy) ?? $0 } }
        return DataCellView.cells(
            of: figure, numbers: { numbers($0, answer.interval(of: $0), margin: own($0)) }, span: heads.count,
            in: answer.locale)
    }

    /// Returns the cells for what groups leave of the whole: in a sample that has no interval, and as a sum no margin
    /// that is told.
    func cells(ofRest rest: Quantity) -> [DataCellView] {
        numbers(rest.rounded(like: whole), nil, margin: margin.map { _ in "\u{2013}" }).map { DataCellView($0) }
    }

    /// A figure alone, with its interval or margin.
    func cell(_ figure: Figure) -> DataCellView {
        figure.quantity.map { quantity in
            let interval = answer.interval(of: quantity).map {
                " (\(answer.text(from: $0, isShare: quantity.isShare)))"
            }
            let margin = quantity.within.map { " \(answer.offBy($0))" }
            return DataCellView(answer.text(quantity) + (interval ?? margin ?? ""))
        } ?? DataCellView(insteadOf: figure, in: answer.locale)
    }

    func heads(of comparison: AnswerComparison) -> [String] { [answer.names.short(comparison.period)] + changeHeads }

    var changeHeads: [String] {
        [answer.locale.say(.headChange)] + (answer.unit == "share" ? [] : [answer.locale.say(.headChangePercent)])
    }

    /// The cells of one row's comparison: the number then, the difference, and the difference in per cent.
    func cells(of compared: AnswerComparison.Compared) -> [DataCellView] {
        let columns = answer.unit == "share" ? 1 : 2
        guard let change = compared.change.change else {
            return [cell(compared.earlier), DataCellView(insteadOf: compared.change, in: answer.locale, span: columns)]
        }
        let texts = [
            "\(answer.difference(change)) (\(answer.text(from: change.interval)))",
            "\(answer.arrow(change)) \(answer.percent(change))",
        ]
        return [cell(compared.earlier)] + texts.prefix(columns).map { DataCellView($0) }
    }

    /// The cells of a funnel's step; of withheld neighbours one says so for all, as a small screen has no room for
    /// three.
    func cells(_ figure: Figure, _ stage: AnswerStage) -> [DataCellView] {
        var cells: [DataCellView] = []
        for number in [figure, stage.ofPrevious, stage.ofFirst] {
            if number == .withheld, let last = cells.last, last.cellWithheld {
                cells[cells.count - 1] = DataCellView(
                    insteadOf: Figure.withheld, in: answer.locale, span: last.cellSpan + 1)
            } else {
                cells.append(number.map(cell) ?? DataCellView("\u{2013}"))
            }
        }
        return cells
    }

    private static func heads(_ answer: InsightAnswer, whole: Quantity?) -> [String] {
        let locale = answer.locale
        let noun = answer.noun.many.sentenceCased
        // The terms of a quotient are those of the sample.
        func sampled(_ message: Message) -> String { locale.say(message, ["isSample": answer.isSample, "noun": noun]) }
        func inUnit(_ message: Message) -> String {
            locale.say(message, ["hasUnit": !answer.unit.isEmpty, "unit": answer.unit])
        }
        func mean(_ title: String) -> String {
            let title = answer.unit.isEmpty ? title : "\(title) (\(answer.unit))"
            return locale.say(.exploreFigure, ["figure": "mean", "title": title])
        }
        let share = locale.say(.headShare)
        return switch answer.insight.kind {
        case .frequency where answer.counted != .identifiers:
            [Wording.heading(devices: nil, in: locale)] + (whole?.amount != nil ? [share] : [])
        case .count, .distribution, .frequency: [noun] + (whole?.amount != nil ? [share] : [])
        case .reach: [Wording.heading(devices: answer.answered?.basis.devices, in: locale)]
        case .funnel: [noun, locale.say(.headOfStepBefore), locale.say(.headOfFirst)]
        case .retention: [share, sampled(.headDevices), locale.say(.headOfWeek)]
        case .share: [share, sampled(.headPart), locale.say(.headOf, ["noun": answer.noun.many])]
        case .mean: [answer.sumTitle.map(mean) ?? inUnit(.headMean), sampled(.headNoun)]
        case .quantiles: [inUnit(.headAbout), locale.say(.headRange)]
        }
    }

    private func numbers(_ quantity: Quantity, _ interval: Interval?, margin: String?) -> [String] {
        let locale = answer.locale
        var all: [String]
        switch quantity {
        case .drawn, .estimate:
            all = [answer.text(quantity)]
            if let part = quantity.amount, let whole = whole?.amount, whole > 0 {
                all.append(answer.wording.share(quantity, part, of: whole))
            }
        case .share(let part, let whole, let noise):
            let terms = [(part, noise.part), (whole, noise.whole)]
            all = [answer.text(quantity)] + terms.map { answer.wording.term($0, variance: $1) }
        case .settled(let part, let whole): all = [answer.text(quantity), locale.text(part), locale.text(whole)]
        case .mean(_, _, let events, let noise):
            all = [answer.text(quantity), answer.wording.term(events, variance: noise.whole)]
        case .quantile(let reading): all = [reading.shown.map(locale.text) ?? "\u{2013}", reading.band(in: locale)]
        }
        if hasInterval { all.append(interval.map { answer.text(from: $0) } ?? "\u{2013}") }
        return all + [margin].compactMap { $0 }
    }
}

extension InsightAnswer {
    /// The buckets that it is confined to: "Device: phone".
    var scopes: [String] {
        filters.map { locale.say(.scope, ["dimension": $0.title, "bucket": words(for: $0.bucket, of: $0.dimension)]) }
    }

    /// Returns the words for a number's margin: "±14".
    fileprivate func offBy(_ within: Int64) -> String { "\u{b1}\(locale.text(within))" }
}

/// A table whose cells are shaded by their numbers: the last axis across, the others down.
///
/// It is chart and data table in one. A withheld cell is hatched, whatever it hides.
struct HeatTableView {
    let heatCaption: String
    let heatName: String
    let sideHeads: [String]
    let sideCount: Int
    let acrossTitle: String
    let acrossCount: Int
    let across: [String]
    let heatRows: [TemplateView]
    /// The total of the withheld cells, in a line of its own.
    let heatRests: [String]
    let restLabel: String

    /// Shades besides the empty one.
    private static let shades = 5

    init?(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        guard let last = answered.axes.last, !last.labels.isEmpty else { return nil }
        let rows = answered.table.rows
        self.init(
            sideHeads: answered.axes.dropLast().map(\.title), acrossTitle: last.title, across: last.labels.map(\.text),
            lines: stride(from: 0, to: rows.count, by: last.labels.count).map { start in
                let line = rows[start..<min(start + last.labels.count, rows.count)]
                return (line.first.map { $0.buckets.dropLast().map(\.text) } ?? [], line.map { answer.mark($0.figure) })
            }, rests: [answered.table.rest?.quantity].compactMap { $0 }.map { answer.part($0, of: answered.shareBase) },
            caption: answer.insight.title, locale: answer.locale)
    }

    /// Lines of marks, each mark below one of the labels across.
    ///
    /// - Parameter hasTotals: true if the last line and each line's last mark are totals, which have no shade.
    init(
        sideHeads: [String], acrossTitle: String, across: [String], lines: [(sides: [String], marks: [ChartMark])],
        hasTotals: Bool = false, rests: [String], caption: String, locale: Language = .english
    ) {
        restLabel = locale.say(.withheldTogether)
        let cells = hasTotals ? lines.dropLast().flatMap { $0.marks.dropLast() } : lines.flatMap(\.marks)
        let highest = cells.compactMap(\.value).max() ?? 0
        heatCaption = caption
        heatName = locale.say(.tableNamed, ["title": caption])
        (heatRests, self.sideHeads) = (rests, sideHeads)
        (sideCount, self.acrossTitle, acrossCount, self.across) = (sideHeads.count, acrossTitle, across.count, across)
        heatRows = lines.enumerated().map { row, line in
            [
                "sides": line.sides,
                "heatCells": line.marks.enumerated().map { column, mark in
                    let isTotal = hasTotals && (row == lines.count - 1 || column == line.marks.count - 1)
                    let share = highest > 0 ? (mark.value ?? 0) / highest : 0
                    let shade = min(max(Int((share * Double(Self.shades)).rounded(.up)), 0), Self.shades)
                    let style = Self.style(mark) ?? (isTotal ? "total" : "shade-\(shade)")
                    return ["heatNumber": mark.text(in: locale), "heatClass": style] as TemplateView
                },
            ] as TemplateView
        }
    }

    private static func style(_ mark: ChartMark) -> String? {
        switch mark {
        case .number: nil
        case .withheld: "withheld"
        case .nothing: "impossible"
        }
    }
}
