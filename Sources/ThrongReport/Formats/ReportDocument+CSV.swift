internal import ThrongPlan

extension ReportDocument {
    /// The report as one tidy table: a line a number.
    ///
    /// Columns: `insight`, `period`, one a dimension that any insight uses (in order of first use; a dimension that a
    /// number is neither split by nor confined to is empty), `part` (of a share: the bucket whose share it is),
    /// `value`, `unit`, `basis`, `k`, `sampling`, `withheld_share` (of the insight's whole; empty is unknown),
    /// `status`, `row` (what the line is about: a group, the rest, the whole or a change). A dimension named like one
    /// of these columns is written as `dimension_<name>`.
    /// Further columns, each only where the report has such numbers: `numerator` and `denominator` (what a quotient or
    /// an estimate was computed from), `low` and `high` (bounds of an estimate, or the band
    /// of a quantile), `rank` and `last_rank` (what margins leave open), `against`, `earlier` and `relative` (of a
    /// change, whose `value` is the difference), `of_previous` and `of_first` (of a funnel's step: those that came so
    /// far as a part of those at the step before, and at the first), `margin` (within which 19 of 20 numbers lie) and
    /// `rho` (what one device adds to the release costs, or one event without identifiers), `aged` (dimensions that
    /// age took, and what stands for them), `counted_from` and `counted_until` (where a metric was not counted in one
    /// way all period long), and `delete_by`. Shape: RFC 4180 in UTF-8 with CRLF, without a byte order mark. A
    /// withheld number has an empty `value`.
    package var csv: String {
        let dimensions = csvDimensions
        let extras = CSVExtra.allCases.filter { extra in answers.contains(where: extra.isIn) }
        let front = ["insight", "period"]
        let back =
            ["part", "value", "unit", "basis", "k", "sampling", "withheld_share", "status", "row"]
            + extras.flatMap(\.columns) + (partial.isEmpty ? [] : ["counted_from", "counted_until"])
            + (deleteBy == nil ? [] : ["delete_by"])
        let names = dimensions.map { (front + back).contains($0.text) ? "dimension_\($0)" : $0.text }
        let lines = answers.flatMap { answer in
            csvLines(of: answer).map { line in
                [CSVCell.text(answer.insight.name.text), .text(line.period)]
                    + dimensions.map { name in line.buckets[name].map { .text($0.text) } ?? .empty }
                    + cells(of: line, answer) + extras.flatMap { $0.cells(of: line, answer) } + times(of: answer)
            }
        }
        return ([(front + names + back).map { CSVCell.text($0) }] + lines)
            .map { $0.map(\.written).joined(separator: ",") + "\r\n" }.joined()
    }

    /// Returns the cells for the part of the period that the answer's numbers are of, where that is not all of it, and
    /// for the time at which copies are to be deleted.
    private func times(of answer: InsightAnswer) -> [CSVCell] {
        func cell(_ time: UnixSeconds?) -> CSVCell { time.map { .text(Instant.text($0)) } ?? .empty }
        let part = partial.first { $0.metric == answer.insight.metric }?.part
        return (partial.isEmpty ? [] : [cell(part?.from), cell(part?.until)])
            + (deleteBy == nil ? [] : [cell(deleteBy)])
    }

    private var csvDimensions: [DimensionName] {
        var names: [DimensionName] = []
        for answer in answers {
            for name in answer.filters.map(\.dimension) + (answer.answered?.axes ?? []).map(\.name)
            where !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func cells(of line: CSVLine, _ answer: InsightAnswer) -> [CSVCell] {
        let basis = answer.answered?.basis
        return [
            answer.insight.kind.partBucket.map { .text($0.text) } ?? .empty,
            line.value.map { .number("\($0)") } ?? .empty, .text(answer.unit), .text(basis?.statement ?? ""),
            line.threshold.map { .number(String($0.devices)) } ?? .empty,
            basis.map { .number($0.samplingText) } ?? .empty, line.withheldShare.map { .number("\($0)") } ?? .empty,
            .text(line.status.rawValue), .text(line.row.rawValue),
        ]
    }

    private func csvLines(of answer: InsightAnswer) -> [CSVLine] {
        var filters: [DimensionName: BucketLabel] = [:]
        for filter in answer.filters { filters[filter.dimension] = filter.bucket }
        var blank = CSVLine(period: periodLabel, buckets: filters, status: .notReleased)
        guard let answered = answer.answered else {
            if case .absent(let absence) = answer.outcome { blank.status = NumberStatus(absence) }
            return [blank]
        }
        blank.threshold = answered.basis.threshold
        blank.withheldShare = answered.table.rest?.share
        func line(_ buckets: [BucketLabel], _ figure: Figure, _ row: CSVLine.Row = .group) -> CSVLine {
            var line = blank
            line.row = row
            for (axis, bucket) in zip(answered.axes, buckets) { line.buckets[axis.name] = bucket }
            line.value = figure.quantity?.decimal
            line.quotient = figure.quantity?.quotient
            line.bounds = row == .rest ? nil : answer.bounds(of: figure.quantity)
            line.status = row == .rest ? .derived : figure.status
            return line
        }
        func totals(_ rest: Quantity?) -> [CSVLine] {
            [rest].compactMap { $0 }.map { line([], .published($0), .rest) }
                + [answered.table.whole].compactMap { $0 }.map { line([], $0, .whole) }
        }
        let own = answered.table.rows.map { line($0.buckets, $0.figure) }
        switch answered.view {
        case .table: return own + totals(answered.table.rest?.quantity)
        case .ranking(let ranking):
            let named = ranking.rows.map { ranked in
                var line = line(ranked.row.buckets, ranked.row.figure)
                line.rank = ranked.rank
                line.lastRank = ranked.lastRank
                return line
            }
            return named + totals(ranking.rest)
        case .change(let comparisons): return own + comparisons.flatMap { changeLines(of: own, $0) }
        case .funnel(let stages):
            return zip(own, stages).map { own, stage in
                var line = own
                line.ofPrevious = stage.ofPrevious?.quantity?.decimal
                line.ofFirst = stage.ofFirst?.quantity?.decimal
                return line
            }
        case .trend(let points):
            return points.flatMap { point in
                zip(answered.table.rows, point.figures).map { row, figure in
                    var line = line(row.buckets, figure)
                    line.period = periodLabel(of: point.period)
                    line.threshold = point.threshold
                    line.withheldShare = point.withheldShare
                    return line
                }
            }
        }
    }

    /// Returns the lines for the changes of an answer's own lines since an earlier period.
    private func changeLines(of own: [CSVLine], _ comparison: AnswerComparison) -> [CSVLine] {
        zip(own, comparison.rows).map { own, compared in
            var line = own
            line.row = .change
            line.quotient = nil
            line.against = periodLabel(of: comparison.period)
            line.earlier = compared.earlier.quantity?.decimal
            line.value = compared.change.change?.difference
            line.relative = compared.change.change?.relative
            line.bounds = compared.change.change.map { ($0.interval.low, $0.interval.high) }
            line.status = compared.change.status
            return line
        }
    }
}

extension Insight.Kind {
    fileprivate var partBucket: BucketLabel? {
        guard case .share(_, let part) = self else { return nil }
        return part?.bucket
    }
}
