internal import ThrongPlan

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
