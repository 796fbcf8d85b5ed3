package import ThrongPlan

/// A question about one grouping's view: its measures over some periods, confined to some buckets.
///
/// The answer is ordered by period and, within one, by the plan's order of buckets; or by a measure, the largest first.
/// Then withheld rows come last, in the plan's order: their places tell nothing of their numbers.
package struct AnalystQuestion: Sendable {
    package let margin: AnalystMargin
    package let measures: [AnalystColumn]
    /// The range of starts of the periods wanted.
    package let starts: ClosedRange<UnixSeconds>
    package let filters: [Filter]
    /// The measure that puts rows in order; nil where periods and the plan do.
    package let order: AnalystColumn?
    /// The weeks or months that days are added up to; nil where rows are those of the view.
    package let each: PeriodKind?
    /// The stretches between weeks or months that are whole: their days are no part of any sum.
    private let gaps: [ClosedRange<UnixSeconds>]
    /// The columns of the margin, in its order.
    package let columns: [AnalystColumn]
    /// The number of the part of the rows, from 1; each part but the last has ``mostRows``.
    package internal(set) var part: Int

    /// A bucket that rows are confined to.
    package struct Filter: Sendable, Hashable {
        package let column: String
        package let bucket: String

        package init(column: String, bucket: String) { (self.column, self.bucket) = (column, bucket) }
    }

    /// The most rows of a part. Unit: rows.
    package static let mostRows = 10_000
    /// The most buckets that are put in the plan's order; more are in the order of their names.
    private static let mostOrdered = 500

    /// Leaves out columns of the margin that the shape does not have.
    package init(
        margin: AnalystMargin, measures: [AnalystColumn], starts: ClosedRange<UnixSeconds>, filters: [Filter],
        shape: AnalystShape, order: AnalystColumn? = nil, part: Int = 1
    ) {
        (self.order, each) = (order, shape.each)
        gaps =
            shape.each == nil
            ? []
            : zip(shape.releases, shape.releases.dropFirst()).compactMap { before, after in
                before.period.end < after.period.start ? before.period.end...(after.period.start - 1) : nil
            }.filter { starts.overlaps($0) }
        (self.margin, self.measures, self.starts, self.filters) = (margin, measures, starts, filters)
        (columns, self.part) = (margin.columns.compactMap(shape.dimension), max(part, 1))
    }

    /// Returns the number of parts for this many rows; at least one.
    package static func parts(ofRows total: Int) -> Int { max((total + mostRows - 1) / mostRows, 1) }

    /// The number of rows before those of this part.
    package var offset: Int { (part - 1) * Self.mostRows }

    /// The query as people paste it into psql, where it gives the same rows.
    package var sql: String { text.pasted + ";" }

    var statement: Statement { text.statement("analyst_view.select") }

    /// The statement that counts the rows of all parts.
    var count: Statement {
        var text: PastedStatement = "select count(*) from (select"
        for (place, column) in selected.enumerated() { text += "\(fixed: place == 0 ? "" : ",") \(column)" }
        text += confined
        text += ") as rows"
        return text.statement("analyst_view.count")
    }

    /// The columns that say why numbers are missing; the first is that of the count.
    package var reasons: [String] {
        measures.compactMap(\.beside?.reason).reduce(into: ["withheld"]) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The names of the columns of a row: of its period, of its buckets, each number with its margin, of reasons.
    package var names: [String] {
        ["period", "local_date", "period_start"] + columns.map(\.name)
            + measures.flatMap { [$0.name] + [$0.beside?.margin].compactMap(\.self) } + reasons
    }

    private var text: PastedStatement {
        var text: PastedStatement = "select"
        for (place, column) in selected.enumerated() { text += "\(fixed: place == 0 ? "" : ",")\n    \(column)" }
        text += confined
        text += "\norder by\n    "
        if let order { text += "\(name: order.name) desc nulls last,\n    " }
        text += "period_start"
        for column in columns {
            if column.isLearned || column.buckets.count > Self.mostOrdered {
                text += ",\n    \(name: column.name) collate \"C\""
            } else {
                let order = PastedStatement.array(column.buckets)
                text += ",\n    array_position(\(order, as: "text[]"), \(name: column.name))"
            }
        }
        text += "\nlimit \(fixed: Self.mostRows)"
        if offset > 0 { text += "\noffset \(fixed: offset)" }
        return text
    }

    /// The expressions behind ``names``: columns of the view, or sums of them over longer periods.
    private var selected: [PastedStatement] {
        guard let each else { return names.map { "\(name: $0)" } }
        let first: [PastedStatement] = [
            each == .week
                ? "to_char(local_date, 'IYYY\"-W\"IW') as period" : "to_char(local_date, 'YYYY-MM') as period",
            "\(Self.start(each)) as local_date", "min(period_start) as period_start",
        ]
        let numbers = measures.flatMap { measure -> [PastedStatement] in
            guard let beside = measure.beside else { return [] }
            let type: PastedStatement = measure.kind == .count ? "::bigint" : ""
            return [
                "analyst.total(\(name: measure.name), \(name: beside.reason))\(type) as \(name: measure.name)",
                "analyst.total_margin(\(name: beside.margin), \(name: beside.reason))\(type) as \(name: beside.margin)",
            ]
        }
        return first + columns.map { "\(name: $0.name)" } + numbers
            + reasons.map { "analyst.total_reason(\(name: $0)) as \(name: $0)" }
    }

    /// The first day of a row's week or month.
    private static func start(_ each: PeriodKind) -> PastedStatement {
        each == .week ? "date_trunc('week', local_date)::date" : "date_trunc('month', local_date)::date"
    }

    /// The `from` and `where` clauses; of sums the whole weeks or months alone.
    private var confined: PastedStatement {
        var text: PastedStatement = """

            from analyst.\(name: margin.view)
            where period_start between \(starts.lowerBound.iso8601, as: "timestamptz")
                    and \(starts.upperBound.iso8601, as: "timestamptz")
            """
        for filter in filters { text += "\n    and \(name: filter.column) = \(filter.bucket, as: "text")" }
        for gap in gaps {
            text += "\n    and period_start not between \(gap.lowerBound.iso8601, as: "timestamptz")"
            text += "\n        and \(gap.upperBound.iso8601, as: "timestamptz")"
        }
        guard let each else { return text }
        text += "\ngroup by\n    1,\n    2"
        for column in columns { text += ",\n    \(name: column.name)" }
        let length: PastedStatement = each == .week ? "'1 week'" : "'1 month'"
        text += """

            having min(local_date) = \(Self.start(each))
                and max(local_date) + 1 = \(Self.start(each)) + interval \(length)
                and count(*) = max(local_date) - min(local_date) + 1
            """
        return text
    }
}

/// A query in two forms that mean the same: with parameters, to run it, and with literals, to paste it into psql.
///
/// Names become identifiers and values become parameters or literals, through ``quoted(name:)`` and ``quoted(value:)``
/// alone. All else is a literal of this program.
struct PastedStatement: ExpressibleByStringInterpolation {
    fileprivate enum Piece {
        case fixed(String)
        case name(String)
        /// The value as PostgreSQL reads it, and its type.
        case value(String, type: String)
    }

    private var pieces: [Piece]

    /// Text, names and values, one after the other.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: StaticString) { pieces.append(.fixed("\(literal)")) }
        /// The name of a view or a column.
        mutating func appendInterpolation(name: String) { pieces.append(.name(name)) }
        mutating func appendInterpolation(_ value: String, as type: StaticString) {
            pieces.append(.value(value, type: "\(type)"))
        }
        mutating func appendInterpolation(_ statement: PastedStatement) { pieces += statement.pieces }
        /// A number that this program chose.
        mutating func appendInterpolation(fixed number: Int) { pieces.append(.fixed(String(number))) }
        mutating func appendInterpolation(fixed text: StaticString) { pieces.append(.fixed("\(text)")) }
    }

    init(stringLiteral text: StaticString) { pieces = [.fixed("\(text)")] }

    init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

    static func += (statement: inout PastedStatement, part: PastedStatement) { statement.pieces += part.pieces }

    /// Returns the form that is run, with parameters.
    func statement(_ name: String) -> Statement {
        var parameters: [Parameter] = []
        let sql = pieces.map { piece in
            switch piece {
            case .fixed(let text): return text
            case .name(let name): return Self.quoted(name: name)
            case .value(let value, let type):
                parameters.append(.text(value))
                return "$\(parameters.count)::\(type)"
            }
        }
        return Statement(name: name, sql: sql.joined(), parameters: parameters)
    }

    /// The form that people paste, with literals.
    var pasted: String {
        pieces.map { piece in
            switch piece {
            case .fixed(let text): text
            case .name(let name): Self.quoted(name: name)
            case .value(let value, "text"): Self.quoted(value: value)
            case .value(let value, let type): "\(Self.quoted(value: value))::\(type)"
            }
        }.joined()
    }

    /// Returns a name as a quoted identifier (PostgreSQL's manual, 4.1.1).
    static func quoted(name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// Returns a value as a string literal, on one line and without characters that steer how text is shown. It is
    /// right whether or not standard_conforming_strings is on.
    ///
    /// Source: PostgreSQL's manual, 4.1.2, string constants with C-style escapes.
    static func quoted(value: String) -> String {
        var escaped = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.unicodeScalars {
            switch scalar {
            case "'": escaped.append(contentsOf: "''".unicodeScalars)
            case "\\":
                escaped.append(contentsOf: "\\\\".unicodeScalars)
                isEscaped = true
            case _ where scalar.isUnseen:
                let digits = String(scalar.value, radix: 16)
                escaped.append(
                    contentsOf: "\\U\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)".unicodeScalars)
                isEscaped = true
            default: escaped.append(scalar)
            }
        }
        return "\(isEscaped ? "E" : "")'\(String(escaped))'"
    }

    /// Returns texts as an array literal (PostgreSQL's manual, 8.15.6).
    static func array(_ texts: [String]) -> String {
        let elements = texts.map { text in "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
        return "{\(elements.joined(separator: ","))}"
    }
}

extension Unicode.Scalar {
    /// True if it steers how text is shown and is not shown itself.
    fileprivate var isUnseen: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }
}
