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

        /// The same batch, which a checkpoint has and a replay gives again: with a place for its refusals that is this process's.
        mutating func takeIn(_ later: Self) { (place, answer) = (later.place, later.answer) }
    }

    private var table = OrderedTable<Answered>()
    /// Of batches with refusals: accepted events, the refusals' size, both LEB128, and the refusals.
    private var packed: [UInt8] = []
    private var first: JournalPosition?
    private var last = JournalPosition.start
    /// Clients choose the names: without these numbers nobody can make them meet.
    private var secret = (UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1)

    /// Up to which record a checkpoint has everything.
    private var through = JournalPosition.start

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
        guard position > through else { return }
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

extension AnsweredBatches {
    /// Its part of a checkpoint: refusals before batches, so that those that the batches' slots say are never missing. Both say
    /// more than `head`, and what is behind that is noted again.
    func part(_ kind: WindowPart.Kind, from place: WindowPart.Place, refusalBytes: Int) -> WindowPart.Contents? {
        switch kind {
        case .head:
            .numbers(
                [secret.0, secret.1, first?.value ?? 0, last.value, UInt64(packed.count)].map { Int64(bitPattern: $0) })
        // They only grow at their end.
        case .refusals: .raw(Array(packed[place.start..<min(place.start + place.bytes, refusalBytes)]))
        case .batches: .sections(of: table, from: place)
        default: nil
        }
    }

    /// Takes a part over; false where it is none.
    mutating func load(_ part: WindowPart.Loaded) -> Bool {
        switch part.kind {
        case .head:
            let numbers = part.numbers.map { UInt64(bitPattern: $0) }
            guard numbers.count == 5 else { return false }
            secret = (numbers[0], numbers[1])
            first = numbers[2] == 0 ? nil : JournalPosition(numbers[2])
            last = JournalPosition(numbers[3])
            through = part.through
            packed.reserveCapacity(Int(clamping: min(numbers[4], 1 << 30)))
            return true
        case .refusals:
            packed.append(contentsOf: part.contents)
            return true
        case .batches: return part.fill(&table)
        default: return false
        }
    }
}
