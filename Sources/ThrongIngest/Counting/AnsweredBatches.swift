internal import ThrongPlan
internal import ThrongSystem

/// The batches of a window, with what their clients were told, so that a repeat is told the same.
///
/// - Cost: 30 to 38 bytes a batch, and some bytes more for each run of events that were refused for one reason.
struct AnsweredBatches: Sendable {
    /// A batch's name, mixed, and its answer.
    private struct Answered: HashedSlot {
        static var free: Self { Self(order: 0, rest: 0) }
        let order: UInt64
        let rest: UInt64
        /// The distance from the window's first batch. Unit: positions.
        var place: UInt32 = 0
        /// The number of accepted events if none was refused, or behind ``isUnlisted`` if refusals are no longer
        /// listed; behind ``isListed``, a place in the packed answers.
        var answer: UInt32 = 0

        func isSame(as other: Self) -> Bool { rest == other.rest }

        /// Takes over a replayed batch that came with a checkpoint: its place for refusals is this process's.
        mutating func takeIn(_ later: Self) { (place, answer) = (later.place, later.answer) }
    }

    private var table = OrderedTable<Answered>()
    /// Answers with refusals: for each, the accepted events and the refusals' size, both as LEB128, and then the refusals.
    private var packed: [UInt8] = []
    private var first: JournalPosition?
    private var last = JournalPosition.start
    /// Random numbers that names are mixed with: clients choose the names, and could make them collide otherwise.
    private var secret = (UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1)

    /// The last record that is fully in the checkpoint.
    private var through = JournalPosition.start

    private static var isListed: UInt32 { 1 << 31 }
    private static var isUnlisted: UInt32 { 1 << 30 }

    /// The number of batches, without those that wait for ``settle()``.
    var count: Int { table.count }
    /// The size of all refusals. Unit: bytes.
    var refusalBytes: Int { packed.count }

    /// Returns the answer to a batch and the place at which the journal has it; nil for a new batch.
    ///
    /// - Parameter events: the number of events in the repeat: of refusals that are no longer listed, only the number
    ///   is known.
    mutating func answer(to batch: BatchID, events: Int) -> (answer: BatchAnswer, position: JournalPosition)? {
        guard let known = table.slot(like: probe(batch)), let first else { return nil }
        // A batch too far behind the first for its number may be as late as the last.
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

    /// Adds an answer, in the order of positions, that nobody asks for before ``settle()``: see ``add(_:_:at:room:)``.
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

    /// Returns its part of a checkpoint. Refusals are written before batches, so that every refusal that a slot refers
    /// to is there. Both may go further than `head` says: what follows it is added again.
    func part(_ kind: WindowPart.Kind, from place: WindowPart.Place, refusalBytes: Int) -> WindowPart.Contents? {
        switch kind {
        case .head:
            .numbers(
                [secret.0, secret.1, first?.value ?? 0, last.value, UInt64(packed.count)].map { Int64(bitPattern: $0) })
        // Refusals only grow at their end.
        case .refusals: .raw(Array(packed[place.start..<min(place.start + place.bytes, refusalBytes)]))
        case .batches: .sections(of: table, from: place)
        default: nil
        }
    }

    /// Takes a part over; false if it is malformed.
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

/// The sender of a batch, with its standing for floors.
struct Sender: Sendable {
    /// The identifier under the window's key.
    let identifier: KeyedIdentifier
    /// True if the identifier is proved, by this batch or an earlier one of its window.
    let isProved: Bool
    /// True if it counts for floors that ask for no proof.
    let liftsFloors: Bool

    /// True if it counts for a metric's floors. Otherwise it adds to values alone: to counts and sums, and to nothing
    /// that says how many devices there are.
    func lifts(_ metric: MetricSpace) -> Bool { metric.needsProof ? isProved || Fault.liftUnproved.isOn : liftsFloors }
}

extension CountedBatch.Addition {
    /// Applies the sender's standing: keeps the firsts that are new, and marks the addition as proved.
    mutating func settle(_ sender: Sender, _ space: MetricSpace, in window: inout OpenWindow) {
        isProved = sender.isProved && space.provedCount != nil
        guard let known = space.firsts, !firsts.isEmpty else { return }
        firsts = sender.lifts(space) ? window.newFirsts(of: self, in: known, by: sender.identifier) : .none
    }
}

/// Two buckets that a network, or a place in it, has filled lately. They leak at a steady rate: a full one is empty after an hour.
///
/// A place may bring as much as is left of its network's bucket, and a few more. One place alone fills half of the
/// bucket; two fill a third each, and something is left for other places.
///
/// Source: Choudhury and Hahne 1998, "Dynamic queue length thresholds for shared-memory packet switches", with α = 1.
struct BroughtLately: Sendable, BitwiseCopyable {
    /// The new identifiers and the events of one batch.
    struct Amount {
        /// Unit: new identifiers.
        let identifiers: Int
        let events: Int

        /// Returns the time until so much may come from a place in a network; 0 if it may now. Unit: seconds.
        func seconds(
            beside network: BroughtLately, _ place: BroughtLately, _ limits: NetworkTallies.Limits, now: UnixSeconds
        ) -> Int64 {
            var (network, place) = (network, place)
            network.pass(to: now, limits)
            place.pass(to: now, limits)
            func wait(_ brought: Int, _ ofNetwork: Double, _ ofPlace: Double, _ limit: Int?, few: Int) -> Double {
                guard let limit, brought > 0 else { return 0 }
                let (most, sum) = (Double(limit), ofNetwork + Double(brought))
                // Both empty at the same pace.
                let excess = max(sum - most, (sum + ofPlace - most - Double(few)) / 2)
                return excess > 0 ? excess / most * BroughtLately.emptying : 0
            }
            let seconds = max(
                wait(
                    identifiers, network.identifiers, place.identifiers, limits.identifiers,
                    few: BroughtLately.fewIdentifiers),
                wait(events, network.events, place.events, limits.events, few: BroughtLately.fewEvents))
            return seconds > 0 ? max(Int64(min(seconds, 1e9).rounded(.up)), 1) : 0
        }
    }

    fileprivate var identifiers = 0.0
    fileprivate var events = 0.0
    /// Unit: seconds since 1970.
    private var at: Int64 = 0

    /// The time in which a full bucket empties. Unit: seconds.
    static let emptying = 3600.0
    /// A household's share, which a place may bring as long as its network's bucket has room. Unit: identifiers, events.
    fileprivate static let (fewIdentifiers, fewEvents) = (16, 10_000)

    fileprivate mutating func pass(to now: UnixSeconds, _ limits: NetworkTallies.Limits) {
        let hours = Double(max(now.value - at, 0)) / Self.emptying
        identifiers = max(identifiers - hours * Double(limits.identifiers ?? 0), 0)
        events = max(events - hours * Double(limits.events ?? 0), 0)
        at = max(at, now.value)
    }

    mutating func add(_ brought: Amount, _ limits: NetworkTallies.Limits, now: UnixSeconds) {
        pass(to: now, limits)
        identifiers += Double(brought.identifiers)
        events += Double(brought.events)
    }
}
