internal import Dispatch
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

    private static func exchange(_ held: Int, for wanted: Int, in taken: borrowing Atomic<Int>, limit: Int) -> Bool {
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

/// A request's body without its compression.
struct UnpackedBody {
    private let buffer: ByteBuffer

    /// - Throws: ``IntakeError`` if the body can't be unpacked or is larger than the limit.
    init(_ packed: ByteBuffer, isGzip: Bool, limit: Int) throws(IntakeError) {
        guard isGzip else {
            guard packed.readableBytes <= limit else { throw .bodyTooLarge(limit: limit) }
            buffer = packed
            return
        }
        buffer = ByteBuffer(
            bytes: try Self.lend(packed) { bytes throws(IntakeError) in try Gzip.unpacked(bytes, limit: limit) })
    }

    /// Returns a body that may be unpacked and read while others wait: nil if it is larger than ``BodyBudget/smallBytes``.
    static func small(_ packed: ByteBuffer, isGzip: Bool) throws(IntakeError) -> UnpackedBody? {
        guard packed.readableBytes <= BodyBudget.smallBytes else { return nil }
        do throws(IntakeError) {
            return try UnpackedBody(packed, isGzip: isGzip, limit: BodyBudget.smallBytes)
        } catch {
            guard case .bodyTooLarge = error else { throw error }
            return nil
        }
    }

    /// Lends the bytes to a reader whose errors keep their type.
    func read<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value) throws(IntakeError) -> Value {
        try Self.lend(buffer, to: body)
    }

    private static func lend<Value>(
        _ buffer: ByteBuffer, to body: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value
    ) throws(IntakeError) -> Value {
        try buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(IntakeError) in try body(bytes.bindMemory(to: UInt8.self)) }
        }.get()
    }
}

/// Takes requests that are slow to read off the event loops: one after another, on a thread of their own.
///
/// A client that sends new user agents or large bodies waits for others that do, and for nobody else. Waiting requests
/// take memory from the budget of bodies. Once too many wait, or one waits too long, others are turned away.
final class SlowBatches: Sendable {
    private struct State {
        var waiting = 0
        var wait = Duration.zero
    }

    private let bodies: BodyBudget
    private let state = Mutex(State())
    private let thread: DispatchQueue
    private let most: Int

    private static let longestWait = Duration.seconds(2)

    /// `most` is the number of requests that may wait.
    init(bodies: BodyBudget, label: String = "throng-slow-batches", most: Int = 256) {
        (self.bodies, self.most) = (bodies, most)
        thread = DispatchQueue(label: label, qos: .utility)
    }

    /// Lets a request wait for its turn, with the memory that it takes meanwhile; false if there is no room.
    func add(bytes: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        let hasTime = state.withLock { state in
            guard state.waiting == 0 || state.waiting < most && state.wait <= Self.longestWait else { return false }
            state.waiting += 1
            return true
        }
        guard hasTime else { return false }
        guard bodies.exchange(0, for: bytes) else {
            state.withLock { $0.waiting -= 1 }
            return false
        }
        let came = ContinuousClock.now
        thread.async { [self] in
            state.withLock { $0.wait = ContinuousClock.now - came }
            work()
            _ = bodies.exchange(bytes, for: 0)
            state.withLock { $0.waiting -= 1 }
        }
        return true
    }

    /// Does work in its turn; returns nil if there is no room. Its memory is in the budget already.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            if !add(bytes: 0, { continuation.resume(returning: work()) }) { continuation.resume(returning: nil) }
        }
    }

    /// Waits until all that were added are done. Blocks the calling thread.
    func finish() { thread.sync {} }
}
