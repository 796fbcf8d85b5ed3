internal import ThrongPlan
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore

/// An answer as programs and files have it: the query's columns, what is computed from them, and when copies are to be
/// deleted. CSV, workbook and JSON have the same columns under the same names.
struct NumbersTable {
    struct Column {
        let name: String
        /// period, bucket, count, reached, sum, devices, client_devices, share, quotient, mean, change, margin, reason, time.
        let kind: String
        var unit: String?
        /// The buckets of a dimension, `other` among them; nil where it is made of another one.
        var buckets: Int?
        var meaning: String?
        /// The columns that say how far off it is and why it is missing.
        var margin: String?
        var reason: String?
        /// True if numbers of rows without overlap may be added.
        var adds = false
    }

    let columns: [Column]
    /// A cell a column. Times and dates are texts.
    let rows: [[SheetCell]]
    private let answer: ExplorerAnswer

    init(_ answer: ExplorerAnswer) {
        let choice = answer.choice
        self.answer = answer
        var columns = [Column(name: "period", kind: "period"), Column(name: "local_date", kind: "time")]
        columns += [Column(name: "period_start", kind: "time")]
        for column in choice.question.columns {
            let size = zip(choice.shape.dimensions, choice.metric.sizes).first { $0.0 == column }?.1 ?? 0
            columns.append(Column(name: column.name, kind: "bucket", buckets: size > 0 ? size : nil))
        }
        for measure in choice.measures {
            columns.append(
                Column(
                    name: measure.name, kind: measure.word, unit: measure.unit, meaning: measure.meaning,
                    margin: measure.beside?.margin, reason: measure.beside?.reason, adds: measure.adds))
            if let beside = measure.beside { columns.append(Column(name: beside.margin, kind: "margin")) }
        }
        columns += choice.question.reasons.map { Column(name: $0, kind: "reason") }
        for figure in answer.figures {
            let (margin, reason) = ("\(figure.name)_margin", "\(figure.name)_withheld")
            columns += [
                Column(
                    name: figure.name, kind: figure.kind.rawValue, meaning: figure.title, margin: margin, reason: reason
                ), Column(name: margin, kind: "margin"), Column(name: reason, kind: "reason"),
            ]
        }
        columns.append(Column(name: "delete_by", kind: "time"))
        self.columns = columns
        let kept = answer.titles.end(of: choice.metric, by: choice.kind, splitBy: answer.dimensions)?.after
        rows = answer.rows.enumerated().map { place, row in
            var cells: [SheetCell] = [.text(row.period), .text("\(row.date)"), .text(Instant.text(row.start))]
            cells += row.buckets.map { .text($0) }
            for (number, measure) in zip(row.numbers, choice.measures) {
                cells.append(SheetCell(number?.decimals))
                guard measure.beside != nil else { continue }
                cells.append(
                    SheetCell(number.flatMap { one in one.within.map { Decimals(units: $0, places: one.places) } }))
            }
            cells += row.reasons.map { $0.map { .text($0) } ?? .empty }
            for figure in answer.figures {
                let isShare = figure.isFraction
                switch figure.values[place] {
                case .missing(let reason): cells += [.empty, .empty, .text(reason)]
                case .number(let number, let within):
                    cells += [SheetCell(number, isShare: isShare), SheetCell(within, isShare: isShare), .empty]
                }
            }
            let end = choice.calendar.period(choice.kind, containing: row.start).end
            return cells + [kept.map { .text(Instant.text(end + $0.components.seconds)) } ?? .empty]
        }
    }

    /// A line a row, and before them one with the columns' names.
    ///
    /// Shape: RFC 4180 in UTF-8 with CRLF, without a byte order mark; formulas are defused as in reports.
    var csv: String {
        let lines = rows.map { row in
            row.map { cell -> CSVCell in
                switch cell {
                case .text(let text): .text(text)
                case .number(let number, _): .number("\(number)")
                case .empty: .empty
                }
            }
        }
        return ([columns.map { CSVCell.text($0.name) }] + lines)
            .map { $0.map(\.written).joined(separator: ",") + "\r\n" }.joined()
    }

    /// A workbook of one sheet, as of the end of the last period.
    func workbook() throws -> [UInt8] {
        let (choice, titles) = (answer.choice, answer.titles)
        let sheet = Sheet(
            name: titles.metric(choice.metric),
            lines: [titles.app(choice.metric.app), answer.heading, answer.sentence], heads: columns.map(\.name),
            rows: rows, notes: answer.basis + [answer.withheldNote].compactMap(\.self))
        return try Workbook.bytes(
            of: [sheet].named, created: choice.releases.last?.period.end ?? .epoch, file: answer.fileName("xlsx"))
    }

    /// - Parameter next: the address of the next part; nil where this is the last one.
    func json(next: String?) -> JSONText {
        let choice = answer.choice
        return [
            "app": .string(choice.metric.app.text), "metric": .string(choice.metric.metric.text),
            "title": .string(answer.titles.metric(choice.metric)), "layout": .number("\(choice.metric.version)"),
            "kind": .string(choice.kind.rawValue), "time_zone": .string(choice.metric.timeZone),
            "grouping": .array(choice.margin.columns.map { .string($0) }),
            "where": .object(choice.filters.map { (key: $0.column, value: .string($0.bucket)) }),
            "from": .string(choice.from), "to": .string(choice.to),
            "sampling": .array(Set(choice.releases.map(\.sampling)).sorted().map { .number($0) }),
            "k": .array(Set(choice.releases.map(\.threshold)).sorted().map { .number("\($0)") }),
            "columns": .array(columns.map(\.json)), "rows": .array(rows.map(object)),
            "total": .number("\(answer.total)"), "next": .text(next), "sql": .string(choice.question.sql),
        ]
    }

    private func object(_ row: [SheetCell]) -> JSONText {
        .object(
            zip(columns, row).map { column, cell in
                switch cell {
                case .text(let text): (key: column.name, value: .string(text))
                case .number(let number, _): (key: column.name, value: .digits(number))
                case .empty: (key: column.name, value: .null)
                }
            })
    }
}

extension NumbersTable.Column {
    var json: JSONText {
        [
            "name": .string(name), "kind": .string(kind), "unit": unit.map { .string($0) },
            "buckets": buckets.map { .number("\($0)") },
            "meaning": meaning.map { .string($0) }, "margin": margin.map { .string($0) },
            "reason": reason.map { .string($0) }, "adds": margin.map { _ in .boolean(adds) },
        ]
    }
}

extension AnalystColumn {
    /// The kind of its numbers, for programs.
    var word: String {
        switch kind {
        case .dimension: "bucket"
        case .count: "count"
        case .reached: "reached"
        case .sum: "sum"
        case .devices: "devices"
        case .clientDevices: "client_devices"
        }
    }
}
