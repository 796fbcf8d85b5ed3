internal import HummingbirdCore
internal import NIOCore
internal import Synchronization
internal import ThrongIntake

/// The memory that bodies of requests may take while they arrive, those of all connections together.
///
/// A client may send a body as slowly as a request may take to arrive, and open as many connections as there are
/// descriptors: without this the kernel would have to draw the line. What is counted is what has come, not what is
/// announced: who says nothing takes nothing. Batches beyond ``smallBytes`` may take half of it together, everything that is
/// no batch a quarter: however many of them never end, small batches have the rest.
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
    /// Of it, by batches that are not small.
    private let takenByLarge = Atomic<Int>(0)

    /// Batches of up to this size, which most are, share nothing with larger ones. Unit: bytes.
    static let smallBytes = 64 << 10

    /// - Parameter limit: Unit: bytes.
    init(limit: Int) { self.limit = limit }

    /// What is taken now. Unit: bytes.
    var bytes: Int { taken.load(ordering: .relaxed) }

    /// Gives back what one body took, and takes what it takes now; false, with nothing changed, where there is no room.
    ///
    /// A body that is alone always has room: how large one may be is another limit.
    func exchange(_ held: Int, for wanted: Int, of purpose: Purpose = .batch) -> Bool {
        switch purpose {
        case .other: exchange(held, for: wanted, inShare: (held, wanted), of: takenByOthers, limit: limit / 4)
        case .batch:
            exchange(
                held, for: wanted, inShare: (Self.large(held), Self.large(wanted)), of: takenByLarge, limit: limit / 2)
        }
    }

    /// What a body takes that has come so far: of a small block all of it, of a large one the pages that hold anything, since
    /// blocks double in size. Unit: bytes.
    static func size(of body: ByteBuffer?) -> Int {
        guard let body else { return 0 }
        return max(body.readableBytes, min(body.storageCapacity, smallBytes))
    }

    private func exchange(
        _ held: Int, for wanted: Int, inShare part: (held: Int, wanted: Int), of share: borrowing Atomic<Int>,
        limit shareLimit: Int
    ) -> Bool {
        guard Self.exchange(part.held, for: part.wanted, in: share, limit: shareLimit) else { return false }
        if Self.exchange(held, for: wanted, in: taken, limit: limit) { return true }
        share.subtract(part.wanted - part.held, ordering: .relaxed)
        return false
    }

    /// What a batch takes of the share of large ones.
    private static func large(_ bytes: Int) -> Int { bytes > smallBytes ? bytes : 0 }

    private static func exchange(
        _ held: Int, for wanted: Int, in taken: borrowing Atomic<Int>, limit: Int
    ) -> Bool {
        let after = taken.add(wanted - held, ordering: .relaxed).newValue
        guard wanted > held, after > limit, after > wanted else { return true }
        taken.subtract(wanted - held, ordering: .relaxed)
        return false
    }

    /// Lends a body that is no batch's, once it has come, and gives its room back once the work is done.
    ///
    /// - Throws: ``IntakeError/bodyTooLarge(limit:)``, or ``IntakeError/noMemory`` where others leave no room.
    func collect<Value>(
        _ body: RequestBody, upTo limit: Int, _ work: (ByteBuffer) async throws -> Value
    ) async throws -> Value {
        var whole = ByteBuffer()
        var held = 0
        defer { _ = exchange(held, for: 0, of: .other) }
        for try await part in body {
            guard whole.readableBytes + part.readableBytes <= limit else {
                throw IntakeError.bodyTooLarge(limit: limit)
            }
            if whole.readableBytes == 0 { whole = part } else { whole.writeImmutableBuffer(part) }
            let wanted = Self.size(of: whole)
            guard exchange(held, for: wanted, of: .other) else { throw IntakeError.noMemory }
            held = wanted
        }
        return try await work(whole)
    }
}
