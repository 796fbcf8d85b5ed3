internal import HummingbirdCore
internal import NIOCore
internal import Synchronization
internal import ThrongIntake

/// The memory that bodies of requests may take while they arrive, those of all connections together.
///
/// A client may send a body as slowly as a request may take to arrive, and open as many connections as there are
/// descriptors: without this the kernel would have to draw the line. What is counted is what has come, not what is
/// announced: who says nothing takes nothing. Batches may take all of it, everything else together a quarter.
final class BodyBudget: Sendable {
    /// What a body is of.
    enum Purpose {
        case batch
        case other
    }

    private let limit: Int
    private let taken = Atomic<Int>(0)
    /// Of it, by bodies of anything but batches.
    private let takenByOthers = Atomic<Int>(0)

    /// - Parameter limit: Unit: bytes.
    init(limit: Int) { self.limit = limit }

    /// What is taken now. Unit: bytes.
    var bytes: Int { taken.load(ordering: .relaxed) }

    /// Gives back what one body took, and takes what it takes now; false, with nothing changed, where there is no room.
    ///
    /// A body that is alone always has room: how large one may be is another limit.
    func exchange(_ held: Int, for wanted: Int, of purpose: Purpose = .batch) -> Bool {
        guard purpose == .batch || Self.exchange(held, for: wanted, in: takenByOthers, limit: limit / 4) else {
            return false
        }
        if Self.exchange(held, for: wanted, in: taken, limit: limit) { return true }
        if purpose == .other { takenByOthers.subtract(wanted - held, ordering: .relaxed) }
        return false
    }

    private static func exchange(
        _ held: Int, for wanted: Int, in taken: borrowing Atomic<Int>, limit: Int
    ) -> Bool {
        let after = taken.add(wanted - held, ordering: .relaxed).newValue
        guard wanted > held, after > limit, after > wanted else { return true }
        taken.subtract(wanted - held, ordering: .relaxed)
        return false
    }

    /// Lends a body that is no batch's, once it has come, and gives its room back afterwards.
    ///
    /// - Throws: ``IntakeError/bodyTooLarge(limit:)``, or ``IntakeError/noMemory`` where others leave no room.
    func collect<Value>(
        _ body: RequestBody, upTo limit: Int, _ work: (ByteBuffer) throws -> Value
    ) async throws -> Value {
        var whole = ByteBuffer()
        var held = 0
        defer { _ = exchange(held, for: 0, of: .other) }
        for try await part in body {
            guard whole.readableBytes + part.readableBytes <= limit else {
                throw IntakeError.bodyTooLarge(limit: limit)
            }
            if whole.readableBytes == 0 { whole = part } else { whole.writeImmutableBuffer(part) }
            guard exchange(held, for: whole.storageCapacity, of: .other) else { throw IntakeError.noMemory }
            held = whole.storageCapacity
        }
        return try work(whole)
    }
}
