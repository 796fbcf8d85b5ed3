internal import ThrongPlan
internal import ThrongRelease

extension InsightReading {
    /// Those that took at least each step: its cell and the later ones. Where a later one is withheld, the whole less
    /// the earlier ones; where one of these is, too, nobody can tell.
    package var funnelTable: AnswerTable {
        guard let step = axes.last else { return AnswerTable(rows: [], whole: nil, rest: nil) }
        let steps = step.labels.count
        let numbers = reachedNumbers
        var rows: [AnswerRow] = []
        for group in groups {
            let cells = (0..<steps).map { count(in: group, step: $0) }
            let whole = count(in: group, step: nil)
            for place in 0..<steps {
                let reached = Self.sum(cells[place...]) ?? Self.difference(whole, Self.sum(cells[..<place]))
                let quantity = reached.map { Quantity.drawn($0, of: .identifiers, within: numbers[rows.count]?.margin) }
                rows.append(
                    AnswerRow(
                        buckets: labels(of: group) + [step.labels[place]],
                        figure: quantity.map { .published($0) } ?? .withheld))
            }
        }
        return AnswerTable(rows: rows, whole: nil, rest: nil)
    }

    package var stages: [AnswerStage] {
        let numbers = reachedNumbers
        return AnswerStage.all(funnelTable.rows.map(\.figure), steps: max(axes.last?.labels.count ?? 1, 1)) {
            QuotientNoise(numbers[$0], over: numbers[$1])
        }
    }

    /// The noise, by row, of those that took at least the row's step: sums of several cells are further off than one
    /// cell is.
    private var reachedNumbers: [DrawnNumber?] {
        let steps = axes.last?.labels.count ?? 0
        return groups.flatMap { group in (0..<steps).map { reached(in: group, from: $0, of: steps) } }
    }

    private static func sum(_ cells: ArraySlice<Int64?>) -> Int64? {
        var sum: Int64 = 0
        for cell in cells {
            guard let cell else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(cell)
            guard !overflow else { return nil }
            sum = next
        }
        return sum
    }

    private static func difference(_ whole: Int64?, _ part: Int64?) -> Int64? {
        guard let whole, let part, part < whole else { return nil }
        return whole - part
    }
}
