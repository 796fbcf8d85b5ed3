internal import HummingbirdCore
internal import NIOCore
internal import Synchronization
internal import ThrongIngest

/// The memory for bodies of requests while they arrive, for all connections together.
///
/// A client may send a body as slowly as a request may take to arrive, and open as many connections as there are
/// descriptors: without this the kernel would have to draw the line. Only bytes that have come count, not the announced
/// length: a silent client takes nothing. Batches beyond ``smallBytes`` may take half of the memory together, and all
/// other bodies a quarter: even if none of them ever ends, small batches have the rest.
final class BodyBudget: Sendable {
    /// The kind of request that a body is of.
    enum Purpose {
        case batch
        case other
    }

    private let limit: Int
    private let taken = Atomic<Int>(0)
    private let takenByOthers = Atomic<Int>(0)
    private let takenByLarge = Atomic<Int>(0)

    /// The largest size of a small batch, which most are: they share nothing with larger ones. Unit: bytes.
    static let smallBytes = 64 << 10

    /// - Parameter limit: the memory for all bodies. Unit: bytes.
    init(limit: Int) { self.limit = limit }

    /// The memory taken now. Unit: bytes.
    var bytes: Int { taken.load(ordering: .relaxed) }

    /// Gives back the `held` bytes of one body, and takes the `wanted` ones; false, and no change, without room.
    ///
    /// A body that is alone always has room: the size of one body is another limit.
    func exchange(_ held: Int, for wanted: Int, of purpose: Purpose = .batch) -> Bool {
        switch purpose {
        case .other: exchange(held, for: wanted, inShare: (held, wanted), of: takenByOthers, limit: limit / 4)
        case .batch:
            exchange(
                held, for: wanted, inShare: (Self.large(held), Self.large(wanted)), of: takenByLarge, limit: limit / 2)
        }
    }

    /// Returns the memory of a body that has come so far: all of a small block, and the used pages of a large one,
    /// since blocks double in size. Unit: bytes.
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

    /// Returns the bytes that a batch takes of the share of large ones.
    private static func large(_ bytes: Int) -> Int { bytes > smallBytes ? bytes : 0 }

    private static func exchange(
        _ held: Int, for wanted: Int, in taken: borrowing Atomic<Int>, limit: Int
    ) -> Bool {
        let after = taken.add(wanted - held, ordering: .relaxed).newValue
        guard wanted > held, after > limit, after > wanted else { return true }
        taken.subtract(wanted - held, ordering: .relaxed)
        return false
    }

    /// Lends a body of a request other than a batch, once it has come, and gives its memory back once the work is done.
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
