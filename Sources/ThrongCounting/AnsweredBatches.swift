internal import ThrongPlan
internal import ThrongWire

/// The batches of a window, with what their clients were told, so that a repeat is told the same.
///
/// - Cost: 30 to 38 bytes a batch whose events were all counted.
struct AnsweredBatches: Sendable {
    /// A batch's name, mixed, and its answer.
    private struct Answered: HashedSlot {
        static var free: Self { Self(order: 0, rest: 0) }
        let order: UInt64
        let rest: UInt64
        /// Batches after the window's first.
        var place: UInt32 = 0
        /// Accepted events where none was refused; else, behind the highest bit, a place in the list of answers.
        var answer: UInt32 = 0

        func isSame(as other: Self) -> Bool { rest == other.rest }
    }

    private var table = OrderedTable<Answered>()
    private var answers: [BatchAnswer] = []
    private var first: JournalPosition?
    /// Clients choose the names: without these numbers nobody can make them meet.
    private let secret = (UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1)

    private static var isListed: UInt32 { 1 << 31 }

    /// What the client of a batch was told, and where the journal has it; nil for a batch that did not come yet.
    mutating func answer(to batch: BatchID) -> (answer: BatchAnswer, position: JournalPosition)? {
        guard let known = table.slot(like: probe(batch)), let first else { return nil }
        let answer =
            known.answer & Self.isListed == 0
            ? BatchAnswer(accepted: Int(known.answer), refused: []) : answers[Int(known.answer & ~Self.isListed)]
        return (answer, JournalPosition(first.value + UInt64(known.place)))
    }

    /// Notes an answer, in the order of positions.
    mutating func add(_ batch: BatchID, _ answer: BatchAnswer, at position: JournalPosition) {
        _ = table.insert(slot(of: batch, answer, at: position))
    }

    /// Notes an answer, in the order of positions, for which nobody asks yet.
    mutating func addLater(_ batch: BatchID, _ answer: BatchAnswer, at position: JournalPosition) {
        table.insertLater(slot(of: batch, answer, at: position))
    }

    /// Brings in what waits.
    mutating func settle() { table.settle() }

    private mutating func slot(of batch: BatchID, _ answer: BatchAnswer, at position: JournalPosition) -> Answered {
        let first = first ?? position
        self.first = first
        var slot = probe(batch)
        // A window of more than 2^32 batches would only answer its repeats later than it could.
        slot.place = UInt32(clamping: position.value - min(first.value, position.value))
        if answer.refused.isEmpty, answer.accepted < Int(Self.isListed) {
            slot.answer = UInt32(answer.accepted)
        } else {
            slot.answer = UInt32(answers.count) | Self.isListed
            answers.append(answer)
        }
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
