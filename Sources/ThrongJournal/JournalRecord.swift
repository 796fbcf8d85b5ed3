// A record's plaintext is of counted batches, each of them this. Numbers are little-endian.
//
//     size          what
//     16            batch id: high, low
//     16            identifier under the window's key: high, low
//     4             accepted events
//     4             refused events: r
//     r × 5         index u32, reason u8 (RefusalReason.code)
//     4             additions: a
//     a × ...       layout u16 (place in the segment's table), cell u32, period start i64, count i64, sums i64 each,
//                   and, where the layout's highest bit is set, firsts u64: bit i is the layout's first i;
//                   the layout's second highest bit says that the events' own period was released before
//     4             appearances: p
//     p × 15        layout u16, tracked margin u8 (place in the layout), cell u32, period start i64

internal import ThrongCounting
internal import ThrongPlan
internal import ThrongWire

enum JournalRecord {
    /// In an addition's layout: firsts follow.
    private static let hasFirsts: UInt16 = 0x8000
    /// In an addition's layout: it is late. A segment mentions fewer layouts than this.
    private static let isLate: UInt16 = 0x4000

    static func add(_ batch: CountedBatch, to writer: inout ByteWriter) {
        writer.add(batch.batch.high)
        writer.add(batch.batch.low)
        writer.add(batch.identifier.high)
        writer.add(batch.identifier.low)
        writer.add(UInt32(batch.answer.accepted))
        writer.add(UInt32(batch.answer.refused.count))
        for refusal in batch.answer.refused {
            writer.add(UInt32(refusal.index))
            writer.add(refusal.reason.code)
        }
        writer.add(UInt32(batch.additions.count))
        for addition in batch.additions {
            writer.add(
                UInt16(addition.metric) | (addition.firsts.isEmpty ? 0 : hasFirsts) | (addition.isLate ? isLate : 0))
            writer.add(addition.cell.value)
            writer.add(addition.periodStart)
            writer.add(addition.count)
            for sum in addition.sums { writer.add(sum) }
            if !addition.firsts.isEmpty { writer.add(addition.firsts.bits) }
        }
        writer.add(UInt32(batch.appearances.count))
        for appearance in batch.appearances {
            writer.add(UInt16(appearance.metric))
            writer.add(UInt8(appearance.margin))
            writer.add(appearance.cell.value)
            writer.add(appearance.periodStart)
        }
    }

    /// The bytes of a batch's plaintext.
    static func size(of batch: CountedBatch) -> Int {
        let sums = batch.additions.reduce(0) { $0 + $1.sums.count }
        let firsts = batch.additions.reduce(0) { $0 + ($1.firsts.isEmpty ? 0 : 8) }
        return 48 + firsts + batch.answer.refused.count * 5 + batch.additions.count * 22 + sums * 8
            + batch.appearances.count * 15
    }

    /// Reads a batch back; `ordinals` maps the segment's layout table to the space's ordinals.
    static func batch(
        from reader: inout ByteReader,
        position: JournalPosition,
        window: WindowID,
        space: CellSpace,
        ordinals: [Int]
    ) throws(JournalError) -> CountedBatch {
        func ordinal(_ place: UInt16) throws(JournalError) -> Int {
            guard Int(place) < ordinals.count else { throw .malformedRecord }
            return ordinals[Int(place)]
        }
        let batch = BatchID(high: try reader.next(), low: try reader.next())
        let identifier = KeyedIdentifier(high: try reader.next(), low: try reader.next())
        let accepted = try reader.next(UInt32.self)
        var refused: [BatchAnswer.Refusal] = []
        for _ in 0..<(try reader.next(UInt32.self)) {
            let index = try reader.next(UInt32.self)
            guard let reason = RefusalReason(code: try reader.next()) else { throw .malformedRecord }
            refused.append(.init(index: Int(index), reason: reason))
        }
        var additions: [CountedBatch.Addition] = []
        let additionCount = try reader.next(UInt32.self)
        additions.reserveCapacity(min(Int(additionCount), reader.remaining / 22))
        for _ in 0..<additionCount {
            let layout = try reader.next(UInt16.self)
            let metric = try ordinal(layout & ~(hasFirsts | isLate))
            let cell = CellIndex(try reader.next())
            let start = try reader.next(Int64.self)
            let count = try reader.next(Int64.self)
            var sums: [Int64] = []
            for _ in space.layouts[metric].sums { sums.append(try reader.next()) }
            let firsts = layout & hasFirsts == 0 ? FirstSet.none : FirstSet(bits: try reader.next())
            guard firsts.bits >> UInt64(space.layouts[metric].firsts?.count ?? 0) == 0 else { throw .malformedRecord }
            additions.append(
                .init(
                    metric: metric, cell: cell, periodStart: start, count: count, sums: sums, firsts: firsts,
                    isLate: layout & isLate != 0))
        }
        var appearances: [CountedBatch.Appearance] = []
        let appearanceCount = try reader.next(UInt32.self)
        appearances.reserveCapacity(min(Int(appearanceCount), reader.remaining / 15))
        for _ in 0..<appearanceCount {
            let metric = try ordinal(try reader.next())
            let margin = Int(try reader.next(UInt8.self))
            guard margin < space.layouts[metric].trackedMargins.count else { throw .malformedRecord }
            let cell = CellIndex(try reader.next())
            appearances.append(.init(metric: metric, margin: margin, cell: cell, periodStart: try reader.next()))
        }
        return CountedBatch(
            position: position,
            window: window,
            batch: batch,
            identifier: identifier,
            answer: BatchAnswer(accepted: Int(accepted), refused: refused),
            additions: additions,
            appearances: appearances)
    }
}
