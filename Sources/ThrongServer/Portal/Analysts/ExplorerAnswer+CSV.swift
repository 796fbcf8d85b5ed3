internal import Foundation
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

extension ExplorerAnswer {
    /// The rows as the query gives them: a line a row, with the query's columns, and last when copies are to be deleted, because
    /// the number is kept no longer; empty where no plan in force has the metric.
    ///
    /// Shape: RFC 4180 in UTF-8 with CRLF, without a byte order mark; formulas are defused as in reports.
    var csv: String {
        let columns = choice.question.columns + choice.measures
        let heads = ["period_start"] + columns.map(\.name) + ["withheld", "delete_by"]
        let kept = titles.end(of: choice.metric, by: choice.kind, splitBy: dimensions)?.after
        let lines = rows.map { row in
            var cells = [CSVCell.text(Instant.text(row.start))]
            cells += row.buckets.map { .text($0) }
            for number in row.numbers {
                cells.append(number.map { .number("\(Decimals(units: $0.units, places: $0.places))") } ?? .empty)
            }
            cells.append(row.withheld.map { .text($0) } ?? .empty)
            let end = choice.calendar.period(choice.kind, containing: row.start).end
            cells.append(kept.map { .text(Instant.text(end + $0.components.seconds)) } ?? .empty)
            return cells
        }
        return ([heads.map { CSVCell.text($0) }] + lines)
            .map { $0.map(\.written).joined(separator: ",") + "\r\n" }.joined()
    }
}
