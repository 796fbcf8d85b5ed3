internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

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
}
