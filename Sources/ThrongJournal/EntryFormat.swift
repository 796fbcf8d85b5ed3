// A record's plaintext is a series of entries, each as follows. Numbers are little-endian. Each begins with its kind,
// u8: 0 is a batch, 1 the closing of its window, 2 a part of a closing that the next position continues, 3 a
// withdrawal, 4 a request for a removal, 5 a removal, 6 a part of a removal that the next position continues, 7 a batch
// whose identifier is proved.
//
// Batch
//     size          what
//     16            batch id: high, low
//     16            identifier under the window's key: high, low
//     4             accepted events
//     4             bytes of refusals: r
//     r             refusals, packed (PackedRefusals)
//     4             additions: a
//     a × ...       layout u16 (place in the segment's table), cell u32, period start i64, count i64, sums i64 each,
//                   and, where the layout's highest bit is set, firsts u64: bit i is the layout's first i;
//                   the layout's second highest bit says that the events' own period was released before, the third
//                   that the identifier was proved by then
//     4             appearances: p
//     p × 15        layout u16, tracked margin u8 (place in the layout), cell u32, period start i64
//     4             advances: v
//     v × 16        layout u16, cell u32, period start i64, progress u16
//
// Closing, or a part of it
//     4             additions: a
//     a × 18        layout u16, cell u32, period start i64, identifiers u32
//
// Withdrawal, request for a removal
//     16            identifier under the window's key: high, low
//
// Removal, or a part of it
//     16            identifier under the window's key: high, low
//     1             outcomes: o
//     o × 9         CoverageKind.code u8, events i64
//     4, a × ...    additions, as of a batch
//     4, p × 15     appearances, as of a batch

internal import ThrongIngest
internal import ThrongPlan

enum EntryFormat {
    /// A flag in an addition's layout: firsts follow.
    private static let hasFirsts: UInt16 = 0x8000
    /// A flag in an addition's layout: it is late. A segment mentions fewer layouts than this number.
    private static let isLate: UInt16 = 0x4000
    /// A flag in an addition's layout: the identifier was proved.
    private static let isProved: UInt16 = 0x2000

    private static let batchKind: UInt8 = 0
    private static let closingKind: UInt8 = 1
    private static let partKind: UInt8 = 2
    private static let withdrawalKind: UInt8 = 3
    private static let requestKind: UInt8 = 4
    private static let removalKind: UInt8 = 5
    private static let removalPartKind: UInt8 = 6
    private static let provedBatchKind: UInt8 = 7

    static let mostLayouts = Int(isProved)

    static func add(_ record: CountedRecord, to writer: inout ByteWriter) {
        switch record {
        case .batch(let batch):
            writer.add(batch.isProved ? provedBatchKind : batchKind)
            add(batch, to: &writer)
            add(batch.advances, to: &writer)
        case .withdrawal(let withdrawal):
            writer.add(withdrawalKind)
            add(withdrawal.identifier, to: &writer)
        case .removalRequest(let request):
            writer.add(requestKind)
            add(request.identifier, to: &writer)
        case .removal(let removal):
            writer.add(removal.hasMore ? removalPartKind : removalKind)
            add(removal, to: &writer)
        case .closing(let closing):
            writer.add(closing.hasMore ? partKind : closingKind)
            writer.add(UInt32(closing.additions.count))
            for addition in closing.additions {
                writer.add(UInt16(addition.metric))
                writer.add(addition.cell.value)
                writer.add(addition.periodStart.value)
                writer.add(addition.identifiers)
            }
        }
    }

    private static func add(_ identifier: KeyedIdentifier, to writer: inout ByteWriter) {
        writer.add(identifier.high)
        writer.add(identifier.low)
    }

    private static func add(_ removal: Removal, to writer: inout ByteWriter) {
        add(removal.identifier, to: &writer)
        writer.add(UInt8(removal.outcomes.count))
        for outcome in removal.outcomes {
            writer.add(outcome.kind.code)
            writer.add(outcome.events)
        }
        add(removal.additions, to: &writer)
        add(removal.appearances, to: &writer)
    }

    private static func add(_ advances: [CountedBatch.Advance], to writer: inout ByteWriter) {
        writer.add(UInt32(advances.count))
        for advance in advances {
            writer.add(UInt16(advance.metric))
            writer.add(advance.cell.value)
            writer.add(advance.periodStart.value)
            writer.add(advance.progress)
        }
    }

    private static func add(_ batch: CountedBatch, to writer: inout ByteWriter) {
        let refusals = PackedRefusals(batch.answer.refused).bytes
        writer.add(size: 40) {
            $0.put(batch.batch.high, at: 0)
            $0.put(batch.batch.low, at: 8)
            $0.put(batch.identifier.high, at: 16)
            $0.put(batch.identifier.low, at: 24)
            $0.put(UInt32(batch.answer.accepted), at: 32)
            $0.put(UInt32(refusals.count), at: 36)
        }
        writer.bytes.append(contentsOf: refusals)
        add(batch.additions, to: &writer)
        add(batch.appearances, to: &writer)
    }

    private static func add(_ additions: [CountedBatch.Addition], to writer: inout ByteWriter) {
        writer.add(UInt32(additions.count))
        for addition in additions {
            let flags =
                (addition.firsts.isEmpty ? 0 : hasFirsts) | (addition.isLate ? isLate : 0)
                | (addition.isProved ? isProved : 0)
            writer.add(size: 22) {
                $0.put(UInt16(addition.metric) | flags, at: 0)
                $0.put(addition.cell.value, at: 2)
                $0.put(addition.periodStart.value, at: 6)
                $0.put(addition.count, at: 14)
            }
            for sum in addition.sums { writer.add(sum) }
            if !addition.firsts.isEmpty { writer.add(addition.firsts.bits) }
        }
    }

    private static func add(_ appearances: [CountedBatch.Appearance], to writer: inout ByteWriter) {
        writer.add(UInt32(appearances.count))
        for appearance in appearances {
            writer.add(size: 15) {
                $0.put(UInt16(appearance.metric), at: 0)
                $0.put(UInt8(appearance.margin), at: 2)
                $0.put(appearance.cell.value, at: 3)
                $0.put(appearance.periodStart.value, at: 7)
            }
        }
    }

    /// Returns the size of a plaintext, with its kind. Unit: bytes.
    static func size(of record: CountedRecord) -> Int {
        switch record {
        case .batch(let batch): size(of: batch) + 5 + batch.advances.count * 16
        case .closing(let closing): 5 + closing.additions.count * 18
        case .withdrawal, .removalRequest: 17
        case .removal(let removal):
            26 + removal.outcomes.count * 9 + size(of: removal.additions) + removal.appearances.count * 15
        }
    }

    /// The most that each event of a batch adds to its plaintext, and the fixed part. Unit: bytes.
    struct Bound: Sendable {
        /// The size of a refusal between events that were refused for another reason, or not at all.
        static let event = 7
        static let batch = 64
        static let advance = 16
        /// The sizes of a layout's addition, and of its appearances in all margins.
        let addition: Int
        let appearances: Int
        /// The size of the additions that a batch has once more because an identifier comes to a further rung.
        let rungs: Int

        init(_ layout: MetricLayout) {
            addition = 22 + 8 * layout.sums.count + (layout.firsts == nil ? 0 : 8)
            appearances = 15 * layout.trackedMargins.count
            rungs = addition * ((layout.rungs?.count ?? 1) - 1)
        }
    }

    private static func size(of batch: CountedBatch) -> Int {
        let refusals = batch.answer.refused.isEmpty ? 0 : PackedRefusals(batch.answer.refused).bytes.count
        return 48 + refusals + size(of: batch.additions) + batch.appearances.count * 15
    }

    private static func size(of additions: [CountedBatch.Addition]) -> Int {
        var words = 0
        // The loop goes by places: copying an addition would count references to its sums.
        for place in additions.indices {
            words += additions[place].sums.count + (additions[place].firsts.isEmpty ? 0 : 1)
        }
        return additions.count * 22 + words * 8
    }

    /// Reads a record back; the space's ordinals are by place in the segment's table of layouts.
    static func record(
        from reader: inout RecordReader, position: JournalPosition, window: WindowID, space: CellSpace, ordinals: [Int]
    ) throws(JournalError) -> CountedRecord {
        let kind = try reader.next(UInt8.self)
        switch kind {
        case batchKind, provedBatchKind:
            return .batch(
                try batch(
                    from: &reader, position: position, window: window, space: space, ordinals: ordinals,
                    isProved: kind == provedBatchKind))
        case withdrawalKind:
            return .withdrawal(
                Withdrawal(position: position, window: window, identifier: try identifier(from: &reader)))
        case requestKind:
            return .removalRequest(
                Withdrawal(position: position, window: window, identifier: try identifier(from: &reader)))
        case removalKind, removalPartKind:
            return .removal(
                try removal(
                    from: &reader, position: position, window: window, space: space, ordinals: ordinals,
                    hasMore: kind == removalPartKind))
        case closingKind, partKind:
            var additions: [WindowClosing.Addition] = []
            let count = try reader.next(UInt32.self)
            additions.reserveCapacity(min(Int(count), reader.remaining / 18))
            for _ in 0..<count {
                let (metric, cell) = try place(from: &reader, space: space, ordinals: ordinals)
                additions.append(
                    .init(
                        metric: metric, cell: cell, periodStart: UnixSeconds(try reader.next()),
                        identifiers: try reader.next()))
            }
            return .closing(
                WindowClosing(position: position, window: window, additions: additions, hasMore: kind == partKind))
        default: throw .malformedRecord
        }
    }

    private static func identifier(from reader: inout RecordReader) throws(JournalError) -> KeyedIdentifier {
        KeyedIdentifier(high: try reader.next(), low: try reader.next())
    }

    private static func removal(
        from reader: inout RecordReader, position: JournalPosition, window: WindowID, space: CellSpace, ordinals: [Int],
        hasMore: Bool
    ) throws(JournalError) -> Removal {
        let identifier = try identifier(from: &reader)
        var outcomes: [Removal.Outcome] = []
        for _ in 0..<(try reader.next(UInt8.self)) {
            guard let kind = CoverageKind(code: try reader.next()) else { throw .malformedRecord }
            outcomes.append(.init(kind: kind, events: try reader.next()))
        }
        let additions = try additions(from: &reader, space: space, ordinals: ordinals)
        let appearances = try appearances(from: &reader, space: space, ordinals: ordinals)
        return Removal(
            position: position, window: window, identifier: identifier, additions: additions, appearances: appearances,
            outcomes: outcomes, hasMore: hasMore)
    }

    private static func ordinal(_ place: UInt16, in ordinals: [Int]) throws(JournalError) -> Int {
        guard Int(place) < ordinals.count, ordinals[Int(place)] >= 0 else { throw .malformedRecord }
        return ordinals[Int(place)]
    }

    /// Returns a cell of a layout that counts identifiers.
    private static func place(
        from reader: inout RecordReader, space: CellSpace, ordinals: [Int]
    ) throws(JournalError) -> (metric: Int, cell: CellIndex) {
        let place = Int(try reader.next(UInt16.self))
        let cell = try reader.next(UInt32.self)
        guard place < ordinals.count, ordinals[place] >= 0, space.layouts[ordinals[place]].within != nil else {
            throw .malformedRecord
        }
        let layout = space.layouts[ordinals[place]]
        guard cell < layout.size(of: layout.leaf) else { throw .malformedRecord }
        return (ordinals[place], CellIndex(cell))
    }

    /// Reads a batch back; `ordinals` maps the segment's layout table to the space's ordinals.
    private static func batch(
        from reader: inout RecordReader, position: JournalPosition, window: WindowID, space: CellSpace, ordinals: [Int],
        isProved: Bool
    ) throws(JournalError) -> CountedBatch {
        let batch = BatchID(high: try reader.next(), low: try reader.next())
        let identifier = try identifier(from: &reader)
        let accepted = try reader.next(UInt32.self)
        let refused = try refusals(from: &reader)
        let additions = try additions(from: &reader, space: space, ordinals: ordinals)
        let appearances = try appearances(from: &reader, space: space, ordinals: ordinals)
        var advances: [CountedBatch.Advance] = []
        for _ in 0..<(try reader.next(UInt32.self)) {
            let (metric, cell) = try place(from: &reader, space: space, ordinals: ordinals)
            advances.append(
                .init(
                    metric: metric, cell: cell, periodStart: UnixSeconds(try reader.next()), progress: try reader.next()
                ))
        }
        return CountedBatch(
            position: position, window: window, batch: batch, identifier: identifier,
            answer: BatchAnswer(accepted: Int(accepted), refused: refused), additions: additions,
            appearances: appearances, advances: advances, isProved: isProved)
    }

    private static func additions(
        from reader: inout RecordReader, space: CellSpace, ordinals: [Int]
    ) throws(JournalError) -> [CountedBatch.Addition] {
        var additions: [CountedBatch.Addition] = []
        let count = try reader.next(UInt32.self)
        additions.reserveCapacity(min(Int(count), reader.remaining / 22))
        for _ in 0..<count {
            let layout = try reader.next(UInt16.self)
            let metric = try ordinal(layout & ~(hasFirsts | isLate | isProved), in: ordinals)
            let cell = CellIndex(try reader.next())
            let start = UnixSeconds(try reader.next())
            let count = try reader.next(Int64.self)
            var sums: [Int64] = []
            for _ in space.layouts[metric].sums { sums.append(try reader.next()) }
            let firsts = layout & hasFirsts == 0 ? FirstSet.none : FirstSet(bits: try reader.next())
            guard firsts.bits >> UInt64(space.layouts[metric].firsts?.count ?? 0) == 0 else { throw .malformedRecord }
            additions.append(
                .init(
                    metric: metric, cell: cell, periodStart: start, count: count, sums: sums, firsts: firsts,
                    isLate: layout & isLate != 0, isProved: layout & isProved != 0))
        }
        return additions
    }

    private static func appearances(
        from reader: inout RecordReader, space: CellSpace, ordinals: [Int]
    ) throws(JournalError) -> [CountedBatch.Appearance] {
        var appearances: [CountedBatch.Appearance] = []
        let count = try reader.next(UInt32.self)
        appearances.reserveCapacity(min(Int(count), reader.remaining / 15))
        for _ in 0..<count {
            let metric = try ordinal(try reader.next(), in: ordinals)
            let margin = Int(try reader.next(UInt8.self))
            guard margin < space.layouts[metric].trackedMargins.count else { throw .malformedRecord }
            let cell = CellIndex(try reader.next())
            appearances.append(
                .init(metric: metric, margin: margin, cell: cell, periodStart: UnixSeconds(try reader.next())))
        }
        return appearances
    }

    private static func refusals(from reader: inout RecordReader) throws(JournalError) -> [BatchAnswer.Refusal] {
        let count = try reader.next(UInt32.self)
        let packed = PackedRefusals(bytes: Array(try reader.nextBytes(Int(count))))
        guard let refused = packed.refusals else { throw .malformedRecord }
        return refused
    }
}
