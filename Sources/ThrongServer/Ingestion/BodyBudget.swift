internal import Dispatch
internal import Glibc
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
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
        do throws(IntakeError) { return try UnpackedBody(packed, isGzip: isGzip, limit: BodyBudget.smallBytes) } catch {
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

/// Lets the connections of one event loop take turns. In a round each connection has one request taken, and all
/// together a few more. A connection with further requests rests until the loop has looked at all sockets again.
///
/// An event loop finishes its tasks before it looks at sockets, and an answer of the router makes a task for the next
/// request. A hundred connections that each bring a thousand requests would keep the loop from everybody else for half
/// a minute. So resting connections are woken by a pipe, which the loop sees among its sockets, and not by a task.
///
/// Unchecked: confined to its event loop.
final class LoopFairness: @unchecked Sendable {
    private var resting: [BatchHandler] = []
    private let bell: Int32
    /// True if the loop does not hear the pipe: then no connection rests for longer than a task.
    private var isDeaf = false

    /// Requests that were taken in this round beyond the first of their connection.
    private var further = 0

    /// The number of resting connections that have a turn in one round, and of further requests that are taken in it.
    private static let most = 16

    /// Creates the turns of an event loop; nil if there are no descriptors left.
    private init?(_ loop: any EventLoop) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let listening = ends[0]
        bell = ends[1]
        NIOPipeBootstrap(group: loop).channelInitializer { [weak self] channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Listener(self)) }
        }.takingOwnershipOfDescriptor(input: listening).whenFailure { [weak self] _ in
            close(listening)
            self?.isDeaf = true
            self?.turn()
        }
    }

    deinit { close(bell) }

    /// Returns true if a connection may have one more request taken in this round, after so many: its first, or one of
    /// the few further ones that all connections have together.
    func allow(_ taken: Int) -> Bool {
        guard taken > 1 else { return true }
        guard further < Self.most else { return false }
        further += 1
        return true
    }

    func add(_ handler: BatchHandler) {
        guard !isDeaf else { return handler.context?.eventLoop.execute { handler.goOn() } ?? () }
        resting.append(handler)
        if resting.count == 1 { ring() }
    }

    private func ring() {
        var byte: UInt8 = 0
        // A pipe that is full rings, too.
        _ = write(bell, &byte, 1)
    }

    private func turn() {
        further = 0
        let some = isDeaf ? resting[...] : resting.prefix(Self.most)
        resting.removeFirst(some.count)
        if !resting.isEmpty { ring() }
        for handler in some { handler.goOn() }
    }

    /// Hears the bell. The pipe closes with the turns, which ring it.
    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private weak var turns: LoopFairness?

        init(_ turns: LoopFairness?) { self.turns = turns }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { turns?.turn() }
    }

    /// The turns of all event loops of a listener.
    final class All: Sendable {
        private let known = Mutex<[ObjectIdentifier: LoopFairness]>([:])

        /// Returns the event loop's turns; nil if there can be none. Called on the loop.
        func turns(of loop: any EventLoop) -> LoopFairness? {
            known.withLock { known in
                if let turns = known[ObjectIdentifier(loop)] { return turns }
                let turns = LoopFairness(loop)
                known[ObjectIdentifier(loop)] = turns
                return turns
            }
        }
    }
}

extension BatchHandler {
    /// The number of answers of one connection that may wait for the disk; with one read, all that it can hold.
    private static let mostInFlight = 256

    /// Returns true if a request has to wait because too many answers of its connection wait for the disk.
    func isFull(before part: HTTPServerRequestPart) -> Bool {
        guard inFlight > 0, case .head = part, let queue else { return false }
        return inFlight >= Self.mostInFlight || !queue.hasRoom
    }

    /// Returns true if the next waiting part may be taken: an event or an error comes after all answers.
    func mayTake(_ next: WaitingParts.Element) -> Bool {
        guard case .part(let part) = next else { return inFlight == 0 }
        return !isFull(before: part) && !mustRest(before: part)
    }

    /// Returns true if a request has to wait until others have had their turn: one may bring thousands at once.
    func mustRest(before part: HTTPServerRequestPart) -> Bool {
        guard case .head = part, let turns, !isResting else { return isResting }
        taken += 1
        guard !turns.allow(taken) else { return false }
        isResting = true
        turns.add(self)
        return true
    }

    func goOn() {
        (isResting, taken) = (false, 0)
        guard let context else { return }
        takeWaiting(context)
    }

    func turnAway(_ ingestion: Ingestion) {
        security.note(.room)
        ingestion.turnAway()
        answer(IntakeAnswer(.crowded))
    }

    /// A request that is arriving. A class, because the stage is read with every part, and would copy all headers.
    final class Collection {
        let ingestion: Ingestion
        let headers: RequestHeaders
        /// The gateway that opens a sealed request; nil for a plain batch.
        let gateway: ObliviousGateway?
        /// The longest body. Unit: bytes.
        let limit: Int
        private(set) var body: ByteBuffer?

        init(ingestion: Ingestion, headers: consuming RequestHeaders, gateway: ObliviousGateway?, limit: Int) {
            (self.ingestion, self.headers, self.gateway, self.limit) = (ingestion, headers, gateway, limit)
        }

        /// Adds a part of the body; returns the body's length so far. Unit: bytes.
        func add(_ bytes: ByteBuffer) -> Int {
            if body == nil { body = bytes } else { body?.writeImmutableBuffer(bytes) }
            return body?.readableBytes ?? 0
        }
    }
}
