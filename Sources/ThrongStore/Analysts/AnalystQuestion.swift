internal import Foundation
package import ThrongPlan

/// A question about one view: some measures of one margin over some periods, confined to some buckets.
///
/// The answer is ordered by period and, within one, by the plan's order of buckets. It is never ordered by numbers: the
/// place of a withheld row would tell something of its number.
package struct AnalystQuestion: Sendable {
    package let view: String
    package let kind: PeriodKind
    package let margin: AnalystMargin
    package let measures: [AnalystColumn]
    /// The range of starts of the periods wanted.
    package let starts: ClosedRange<UnixSeconds>
    package let filters: [Filter]
    /// The columns of the margin, in its order.
    package let columns: [AnalystColumn]
    /// The number of the part of the rows, from 1; each part but the last has ``mostRows``.
    package let part: Int

    /// A bucket that rows are confined to.
    package struct Filter: Sendable, Hashable {
        package let column: String
        package let bucket: String

        package init(column: String, bucket: String) {
            self.column = column
            self.bucket = bucket
        }
    }

    /// The most rows of a part. Unit: rows.
    package static let mostRows = 10_000
    /// The most buckets that are put in the plan's order; more are in the order of their names.
    private static let mostOrdered = 500

    /// Leaves out columns of the margin that the shape does not have.
    package init(
        view: String, kind: PeriodKind, margin: AnalystMargin, measures: [AnalystColumn],
        starts: ClosedRange<UnixSeconds>,
        filters: [Filter], shape: AnalystShape, part: Int = 1
    ) {
        self.view = view
        self.kind = kind
        self.margin = margin
        self.measures = measures
        self.starts = starts
        self.filters = filters
        columns = margin.columns.compactMap(shape.dimension)
        self.part = max(part, 1)
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
        var text: PastedStatement = "select count(*)"
        text += confined
        return text.statement("analyst_view.count")
    }

    private var text: PastedStatement {
        var text: PastedStatement = "select\n    period_start,\n"
        for column in columns + measures { text += "    \(name: column.name),\n" }
        text += "    withheld"
        text += confined
        text += "\norder by\n    period_start"
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

    /// The `from` and `where` clauses.
    private var confined: PastedStatement {
        var text: PastedStatement = """

            from analyst.\(name: view)
            where period_kind = \(kind.rawValue, as: "text")
                and period_start between \(Self.instant(starts.lowerBound), as: "timestamptz")
                    and \(Self.instant(starts.upperBound), as: "timestamptz")
                and margin = \(margin.name, as: "text")
            """
        for filter in filters {
            text += "\n    and \(name: filter.column) = \(filter.bucket, as: "text")"
        }
        return text
    }

    private static func instant(_ time: UnixSeconds) -> String {
        Date(timeIntervalSince1970: Double(time.value)).formatted(.iso8601)
    }
}
