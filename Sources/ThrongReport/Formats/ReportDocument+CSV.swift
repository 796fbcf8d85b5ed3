internal import ThrongPlan

extension ReportDocument {
    /// The report as one tidy table: a line a number, and after an insight's own one with what its withheld numbers hold
    /// together.
    ///
    /// Columns: `insight`, `period`, one a dimension that any insight uses (in order of first use; a dimension that a
    /// number is neither split by nor confined to is empty), `part` (of a share: the bucket whose share it is), `value`,
    /// `unit`, `basis`, `k`, `sampling`, `withheld_share` (of the insight's whole; empty is unknown), `status`. A
    /// dimension named like one of these columns is written as `dimension_<name>`.
    /// A report with noisy numbers has two more columns: `noise` and `margin`, within which 19 of 20 numbers lie.
    /// Shape: RFC 4180 in UTF-8 with CRLF, without a byte order mark. A withheld number has an empty `value`.
    public var csv: String {
        let dimensions = csvDimensions
        let front = ["insight", "period"]
        let back =
            ["part", "value", "unit", "basis", "k", "sampling", "withheld_share", "status"]
            + (hasNoise ? ["noise", "margin"] : [])
        let names = dimensions.map { (front + back).contains($0.text) ? "dimension_\($0)" : $0.text }
        let lines = [(front + names + back).map { CSVCell.text($0) }] + answers.flatMap { csvLines(of: $0, dimensions) }
        return lines.map { $0.map(\.written).joined(separator: ",") + "\r\n" }.joined()
    }

    private var hasNoise: Bool { answers.contains { $0.answered?.basis.noise != nil } }

    private func noiseCells(of answered: InsightAnswer.Answered?) -> [CSVCell] {
        guard let noise = answered?.basis.noise else { return [.empty, .empty] }
        return [.text(noise.terms), .number(String(noise.margin))]
    }

    private var csvDimensions: [DimensionName] {
        var names: [DimensionName] = []
        for answer in answers {
            for name in answer.filters.map(\.dimension) + (answer.answered?.axes ?? []).map(\.name)
            where !names.contains(name) {
                names.append(name)
            }
        }
        return names
    }

    private func csvLines(of answer: InsightAnswer, _ dimensions: [DimensionName]) -> [[CSVCell]] {
        let answered = answer.answered
        let rows = answered?.table.rows ?? [AnswerRow(buckets: [], figure: .withheld)]
        let own = rows.map { ($0, answered == nil ? NumberStatus.notReleased : $0.figure.status) }
        let rest = (answered?.table.rest?.quantity).map {
            (AnswerRow(buckets: [], figure: .published($0)), NumberStatus.derived)
        }
        return (own + [rest].compactMap { $0 }).map { row, status in
            var buckets: [DimensionName: BucketLabel] = [:]
            for filter in answer.filters { buckets[filter.dimension] = filter.bucket }
            for (axis, bucket) in zip(answered?.axes ?? [], row.buckets) { buckets[axis.name] = bucket }
            let quantity = row.figure.quantity
            return [.text(answer.insight.name.text), .text(periodLabel)]
                + dimensions.map { name in buckets[name].map { .text($0.text) } ?? .empty }
                + [
                    answer.insight.kind.partBucket.map { .text($0.text) } ?? .empty,
                    quantity.map { .number("\($0.decimal)") } ?? .empty,
                    .text(answer.unit),
                    .text(answered?.basis.statement ?? ""),
                    answered.flatMap { $0.basis.kText.map { .number($0) } } ?? .empty,
                    answered.map { .number($0.basis.samplingText) } ?? .empty,
                    (answered?.table.rest?.share).map { .number("\($0)") } ?? .empty,
                    .text(status.rawValue),
                ] + (hasNoise ? noiseCells(of: answered) : [])
        }
    }
}

extension Insight.Kind {
    fileprivate var partBucket: BucketLabel? {
        guard case .share(_, let part) = self else { return nil }
        return part?.bucket
    }
}
