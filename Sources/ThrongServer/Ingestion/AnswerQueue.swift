internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongSystem
internal import ThrongWire

/// The answers of one event loop that wait for the disk.
///
/// The journal is asked about the first of them only. When it calls back, all that are on disk by then are written in
/// one go. They go out in the order in which they were added, so that each connection has its own in order.
///
/// Unchecked: confined to its event loop.
final class AnswerQueue: @unchecked Sendable {
    enum Answer {
        case counted(BatchAnswer, Telemetry.BatchKind)
        /// An answer that waits only for those of its connection that came before it.
        indirect case ready(IntakeAnswer)
    }

    private struct Waiting {
        let position: JournalPosition
        let answer: Answer
        let reply: BatchHandler.Reply
        let handler: BatchHandler
    }

    /// The number of waiting answers from which connections may have only one each: writing them holds up the loop.
    private static let most = 1024

    let gateway: ObliviousGateway
    let traces: Traces
    let isTraced: Bool
    private let loop: any EventLoop
    private let journal: Journal
    private let telemetry: Telemetry
    private var waiting = CircularBuffer<Waiting>()
    private var last = JournalPosition.start
    private var isAsking = false
    private var responses: [Int: ByteBuffer] = [:]

    init(loop: any EventLoop, journal: Journal, gateway: ObliviousGateway, telemetry: Telemetry, traces: Traces) {
        self.gateway = gateway
        self.traces = traces
        isTraced = traces.isOn
        (self.loop, self.journal, self.telemetry) = (loop, journal, telemetry)
    }

    /// True if a connection with a waiting answer may have another one wait.
    var hasRoom: Bool { waiting.count < Self.most }

    /// Sends an answer once everything up to a position is on disk, or tells the client that it never will be.
    func add(_ answer: Answer, once position: JournalPosition, to handler: BatchHandler, _ reply: BatchHandler.Reply) {
        // A repeated batch has an older position than those before it, and waits for them.
        last = max(last, position)
        waiting.append(Waiting(position: last, answer: answer, reply: reply, handler: handler))
        if !isAsking { ask() }
    }

    private func ask() {
        guard let position = waiting.first?.position else { return }
        isAsking = true
        journal.acknowledgeable(position) { [self] result in loop.execute { self.take(result) } }
    }

    private func take(_ result: Result<JournalPosition, JournalError>) {
        // Answers that are added meanwhile are asked about below, once.
        defer {
            isAsking = false
            ask()
        }
        switch result {
        case .success(let durable): take(through: durable)
        case .failure(.full):
            // It is counted, and will be on disk once there is space: the client's next try gets the answer then.
            while let first = waiting.popFirst() {
                if case .counted = first.answer { telemetry.answered(.overloaded) }
                fail(first, .overloaded)
            }
        case .failure: while let first = waiting.popFirst() { fail(first, .failed) }
        }
    }

    private func take(through durable: JournalPosition) {
        // The lease is checked before each answer: a process that stood still may have been replaced.
        while let position = waiting.first?.position, position <= durable, journal.mayAcknowledge {
            let first = waiting.removeFirst()
            switch first.answer {
            case .counted(let answer, let outcome):
                telemetry.answered(outcome, answer)
                first.handler.deliver(IntakeAnswer(answer), first.reply, ready: response(answer))
            case .ready(let answer): first.handler.deliver(answer, first.reply)
            }
        }
    }

    /// Returns the response to a batch of which everything was taken, as most are: made once for each number of events.
    private func response(_ answer: BatchAnswer) -> ByteBuffer? {
        guard answer == BatchAnswer(accepted: answer.accepted, refused: []) else { return nil }
        if let known = responses[answer.accepted] { return known }
        let made = IntakeAnswer(answer).response(isLast: false, reader: nil)
        responses[answer.accepted] = made
        return made
    }

    private func fail(_ one: Waiting, _ reason: Unavailable) {
        let answer = if case .ready(let answer) = one.answer { answer } else { IntakeAnswer(reason) }
        one.handler.deliver(answer, one.reply)
    }
}

/// The target of connections' batches: the ingestion that counts them, and a queue of answers per event loop.
final class AnswerQueues: Sendable {
    let counting: Ingestion
    let isForMembers: Bool
    private let gateway: ObliviousGateway
    private let traces: Traces
    private let queues = Mutex<[ObjectIdentifier: AnswerQueue]>([:])

    init(counting: Ingestion, gateway: ObliviousGateway, isForMembers: Bool = false, traces: Traces = .off) {
        (self.isForMembers, self.traces, self.counting, self.gateway) = (isForMembers, traces, counting, gateway)
    }

    func queue(of loop: any EventLoop) -> AnswerQueue {
        queues.withLock { queues in
            if let queue = queues[ObjectIdentifier(loop)] { return queue }
            let queue = AnswerQueue(
                loop: loop, journal: counting.journal, gateway: gateway, telemetry: counting.telemetry,
                traces: traces)
            queues[ObjectIdentifier(loop)] = queue
            return queue
        }
    }
}

/// The parts of a connection's input that wait for the answer to the request before them, or for their turn.
///
/// Nothing is read from a socket while anything waits, unless the client has closed its end: then NIO reads all that is
/// left at once, which may be megabytes of requests. As many of these as have room wait, each of them whole.
struct WaitingParts {
    enum Element {
        case part(HTTPServerRequestPart)
        case event(Any)
        case error(any Error)

        /// The memory that it takes, roughly. Unit: bytes.
        fileprivate var bytes: Int {
            switch self {
            case .part(.head(let head)):
                head.headers.reduce(512 + head.uri.utf8.count) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
            case .part(.body(let bytes)): 64 + bytes.readableBytes
            case .part(.end(let trailers?)): trailers.reduce(64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
            default: 64
            }
        }
    }

    private var elements = CircularBuffer<Element>()
    /// The memory of all parts that have come since nothing waited. Unit: bytes.
    private var bytes = 0
    /// True if more came than has room, or nobody waits for it.
    private(set) var isCut = false
    /// True if an error follows the waiting parts.
    private var hasFailed = false

    /// The memory for waiting parts: more than one read brings, even through TLS. A request of 25 bytes, of which 32
    /// KiB have 1,310, takes 650. Unit: bytes.
    private static let most = 2 << 20

    var isEmpty: Bool { elements.isEmpty }
    var first: Element? { elements.first }
    /// True if no further input is taken for a request.
    var isClosed: Bool { isCut || hasFailed }

    mutating func append(_ element: Element) {
        if elements.isEmpty { bytes = 0 }
        bytes += element.bytes
        switch element {
        case .part where bytes > Self.most:
            isCut = true
            while let last = elements.last, !last.isEnd { elements.removeLast() }
        case .error:
            hasFailed = true
            elements.append(element)
        default: elements.append(element)
        }
    }

    mutating func removeFirst() { elements.removeFirst() }

    mutating func putBack(_ element: Element) {
        if elements.isEmpty { bytes = element.bytes }
        elements.prepend(element)
    }

    mutating func drop() {
        elements.removeAll()
        isCut = true
    }
}

extension WaitingParts.Element { fileprivate var isEnd: Bool { if case .part(.end) = self { true } else { false } } }
