internal import ThrongPlan
internal import ThrongWire

/// The batches of a window, with what their clients were told, so that a repeat is told the same.
///
/// - Cost: 30 to 38 bytes a batch, and some bytes more for each run of events that were refused for one reason.
struct AnsweredBatches: Sendable {
    /// A batch's name, mixed, and its answer.
    private struct Answered: HashedSlot {
        static var free: Self { Self(order: 0, rest: 0) }
        let order: UInt64
        let rest: UInt64
        /// Batches after the window's first.
        var place: UInt32 = 0
        /// Accepted events where none was refused, or, behind ``isUnlisted``, which are not known any more; else, behind
        /// ``isListed``, a place in the packed answers.
        var answer: UInt32 = 0

        func isSame(as other: Self) -> Bool { rest == other.rest }
    }

    private var table = OrderedTable<Answered>()
    /// Of batches with refusals: accepted events, the refusals' size, both LEB128, and the refusals.
    private var packed: [UInt8] = []
    private var first: JournalPosition?
    private var last = JournalPosition.start
    /// Clients choose the names: without these numbers nobody can make them meet.
    private let secret = (UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1)

    private static var isListed: UInt32 { 1 << 31 }
    private static var isUnlisted: UInt32 { 1 << 30 }

    /// How many batches there are, once what waits is in: ``settle()``.
    var count: Int { table.count }
    /// What refusals take. Unit: bytes.
    var refusalBytes: Int { packed.count }

    /// What the client of a batch was told, and where the journal has it; nil for a batch that did not come yet.
    ///
    /// - Parameter events: how many the repeat has: of refusals that are not listed any more only their number is known.
    mutating func answer(to batch: BatchID, events: Int) -> (answer: BatchAnswer, position: JournalPosition)? {
        guard let known = table.slot(like: probe(batch)), let first else { return nil }
        // What lies too far behind the first for its number may be as late as the last.
        let position = known.place == .max ? last : JournalPosition(first.value + UInt64(known.place))
        return (answer(known.answer, events: events), position)
    }

    private func answer(_ kept: UInt32, events: Int) -> BatchAnswer {
        if kept & Self.isListed != 0 {
            var rest = packed[Int(kept & ~Self.isListed)...]
            if let accepted = PackedRefusals.number(from: &rest), let size = PackedRefusals.number(from: &rest),
                let refused = PackedRefusals(bytes: Array(rest.prefix(size))).refusals
            {
                return BatchAnswer(accepted: accepted, refused: refused)
            }
        }
        let accepted = Int(kept & ~(Self.isListed | Self.isUnlisted))
        guard kept & Self.isUnlisted != 0 else { return BatchAnswer(accepted: accepted, refused: []) }
        return BatchAnswer(accepted: accepted, refused: [], unlisted: max(0, events - accepted))
    }

    /// Notes an answer, in the order of positions.
    ///
    /// - Parameter room: the most that refusals may take; beyond it they are not listed. Unit: bytes.
    mutating func add(_ batch: BatchID, _ answer: BatchAnswer, at position: JournalPosition, room: Int = .max) {
        _ = table.insert(slot(of: batch, answer, at: position, room: room))
    }

    /// Notes an answer, in the order of positions, for which nobody asks yet: see ``add(_:_:at:room:)``.
    mutating func addLater(_ batch: BatchID, _ answer: BatchAnswer, at position: JournalPosition, room: Int = .max) {
        table.insertLater(slot(of: batch, answer, at: position, room: room))
    }

    /// Brings in what waits.
    mutating func settle() { table.settle() }

    private mutating func slot(
        of batch: BatchID, _ answer: BatchAnswer, at position: JournalPosition, room: Int
    ) -> Answered {
        let first = first ?? position
        self.first = first
        last = max(last, position)
        var slot = probe(batch)
        slot.place = UInt32(clamping: position.value - min(first.value, position.value))
        slot.answer = UInt32(answer.accepted)
        guard !answer.refused.isEmpty else { return slot }
        let refusals = PackedRefusals(answer.refused).bytes
        let place = packed.count
        // A size and a number take five bytes at most: no batch has 2^30 events.
        guard place + refusals.count + 10 <= min(room, Int(Self.isUnlisted)) else {
            slot.answer |= Self.isUnlisted
            return slot
        }
        PackedRefusals.add(answer.accepted, to: &packed)
        PackedRefusals.add(refusals.count, to: &packed)
        packed.append(contentsOf: refusals)
        slot.answer = UInt32(place) | Self.isListed
        return slot
    }

    /// Mixes a name reversibly with the secret, in two rounds: different names stay different, and their order is uniform.
    private func probe(_ batch: BatchID) -> Answered {
        func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
            let product = left.multipliedFullWidth(by: right)
            return product.high ^ product.low
        }
        let rest = batch.low ^ folded(batch.high ^ secret.0, secret.1)
        let order = batch.high ^ folded(rest ^ secret.1, secret.0)
        return Answered(order: max(order, 1), rest: rest)
    }
}
