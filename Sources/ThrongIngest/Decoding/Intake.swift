internal import Synchronization
package import ThrongPlan

/// Turns the bytes of a request into a bucketed batch: it decodes and buckets in one pass over the parsed document.
///
/// - Complexity: O(bytes). Each call borrows a reader with buffers of its own, so calls run in parallel.
package final class Intake: Sendable {
    /// The limits on a request's size.
    package let limits: IntakeLimits
    let apps: [AppTables]
    let appNames: ByteTable
    /// The current labels of revealed dimensions.
    package let vocabulary = RevealedVocabulary()
    /// The credentials that senders need; nil if none are checked.
    package let keys: AppKeyRing?
    /// True if batches that say that they are a test's count like others: where all numbers are made up.
    package let countsTests: Bool
    private let readers = Mutex<[LentReader]>([])

    /// Compiles the plans; their layouts must be part of the cell space.
    ///
    /// - Parameters:
    ///   - keys: the credentials that senders need; nil to check none, if all batches are the house's own.
    ///   - countsTests: true if batches of tests count like others.
    package init(
        plans: [Plan], space: CellSpace, rules: UserAgentRules, limits: IntakeLimits = IntakeLimits(),
        keys: AppKeyRing? = nil, countsTests: Bool = false
    ) throws {
        (self.limits, self.keys, self.countsTests) = (limits, keys, countsTests)
        apps = try plans.map { try AppTables(plan: $0, space: space, rules: rules) }
        appNames = ByteTable(plans.map(\.app.name.text))
    }

    /// Returns the largest k of an app; nil if no plan is for it.
    package func largestThreshold(of app: AppName) -> Threshold? { apps.first { $0.name == app }?.largestThreshold }

    /// Reads the body of `POST /v1/batches`, or of `POST /v1/preview`, decompressed. Opt-out signals and the bearer's secret
    /// are those of the request's headers; a sealed request came through a relay.
    ///
    /// - Throws: ``IntakeError`` if the batch as a whole is refused.
    package func read(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String? = nil, now: UnixSeconds,
        use: IntakeUse = .counting, isSealed: Bool = false
    ) throws(IntakeError) -> IntakeOutcome {
        let outcome = try read(
            body, signals: signals, bearer: bearer, now: now, use: use, isSealed: isSealed, isHurried: false)
        guard let outcome else { preconditionFailure("only a reader in a hurry gives up") }
        return outcome
    }

    /// Reads the body of `POST /v1/batches` on a thread that other work waits for.
    ///
    /// - Returns: nil for a batch that takes long, which is one with new user agents; nothing has happened then.
    /// - Throws: ``IntakeError`` if the batch as a whole is refused.
    package func readQuickly(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String? = nil, now: UnixSeconds,
        isSealed: Bool = false
    ) throws(IntakeError) -> IntakeOutcome? {
        try read(body, signals: signals, bearer: bearer, now: now, use: .counting, isSealed: isSealed, isHurried: true)
    }

    private func read(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String?, now: UnixSeconds,
        use: IntakeUse, isSealed: Bool, isHurried: Bool
    ) throws(IntakeError) -> IntakeOutcome? {
        guard body.count <= limits.bodyBytes else { throw .bodyTooLarge(limit: limits.bodyBytes) }
        guard let lent = readers.withLock({ $0.popLast() }) ?? LentReader(limits: limits) else { throw .noMemory }
        defer { readers.withLock { $0.append(lent) } }
        lent.reader.isHurried = isHurried
        return try lent.reader.read(
            body, for: self, signals: signals, bearer: bearer, now: now, use: use, isSealed: isSealed)
    }
}

/// A reader that changes hands as one reference, instead of with all of its buffers.
///
/// Unchecked: the reader is either in the pool of ``Intake``, behind its mutex, or in the hands of the one call that
/// took it out. Nothing else refers to its parser.
private final class LentReader: @unchecked Sendable {
    var reader: BatchReader

    /// Returns nil if there is no memory for a parser.
    init?(limits: IntakeLimits) {
        guard let reader = BatchReader(limits: limits) else { return nil }
        self.reader = reader
    }
}

/// The purposes of reading a batch.
package enum IntakeUse: Sendable {
    case counting
    /// The result tells only what would be counted: `id`, `batch` and `window` may be left out.
    case preview
}

/// The limits on a request's size. Beyond a limit the whole batch is refused and counts nothing.
///
/// No setting changes them: every sender can rely on the same protocol. Tests make smaller ones.
package struct IntakeLimits: Sendable, Hashable {
    /// The size of the body after decompression. Unit: bytes.
    package var bodyBytes: Int
    package var eventsPerBatch: Int
    /// The size of any one string of the body. Unit: bytes.
    package var stringBytes: Int
    /// The nesting of the JSON document. Unit: levels.
    package var depth: Int
    /// The largest `count` of one event. Unit: occurrences.
    package var countPerEvent: Int

    /// The largest age of an event's `at`. Unit: seconds.
    package static let oldestEvent: Int64 = 48 * 3600
    /// The most by which an event's `at` may lie ahead. Unit: seconds.
    package static let newestEvent: Int64 = 5 * 60
    /// The longest identifier. Unit: Unicode scalars.
    package static let identifierCharacters = 64

    /// The most distinct values in one field of user agents of a batch, which comes from one device; names of buckets are not counted.
    package static let userAgentsPerBatch = 4
    /// The most refusals that a batch's answer explains.
    package static let detailsPerBatch = 8

    package init(
        bodyBytes: Int = 1 << 20, eventsPerBatch: Int = 1000, stringBytes: Int = 2048, depth: Int = 8,
        countPerEvent: Int = 1_000_000
    ) {
        (self.bodyBytes, self.eventsPerBatch, self.stringBytes) = (bodyBytes, eventsPerBatch, stringBytes)
        (self.depth, self.countPerEvent) = (depth, countPerEvent)
    }
}
