/// Time cut at every start and end of a published period, and, where a period was issued again, by batch.
///
/// Days, weeks, months, rolling weeks, cumulative series and days of two time zones all are sets of such moments.
struct Moments {
    /// The pieces in order.
    let pieces: [Piece]

    /// An interval between neighbouring cuts, and one batch of what was counted in it.
    struct Piece: Hashable {
        let start: Int64
        let end: Int64
        let batch: Int
    }

    /// - Complexity: O(periods · pieces).
    init(_ periods: Set<AuditPeriod>) {
        let cuts = Set(periods.flatMap { [$0.start, $0.end] }).sorted()
        var pieces: [Piece] = []
        for (start, end) in zip(cuts, cuts.dropFirst()) {
            let covering = periods.filter { $0.start <= start && $0.end >= end }
            guard !covering.isEmpty else { continue }
            let batches = (covering.compactMap(\.revision).max() ?? 0) + 1
            for batch in 0..<batches { pieces.append(Piece(start: start, end: end, batch: batch)) }
        }
        self.pieces = pieces
    }

    /// The pieces of a period.
    func members(of period: AuditPeriod) -> [Int32] {
        pieces.indices.filter {
            pieces[$0].start >= period.start && pieces[$0].end <= period.end
                && pieces[$0].batch <= (period.revision ?? .max)
        }.map(Int32.init)
    }
}
