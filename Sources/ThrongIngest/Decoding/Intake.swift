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

/// A batch that was read and bucketed. Its identifier is still as the client sent it: key it at once.
package struct IncomingBatch: Sendable {
    /// The batch's cells and amounts.
    package private(set) var bucketed: BucketedBatch
    /// The identifier as the client sent it; ``RawIdentifier/none`` if the purpose has none. Not printable, not stored.
    package let identifier: RawIdentifier
    /// True if a backend sent it, which showed a secret.
    package let isBackend: Bool
    /// The most identifiers of one network that lift the purpose's floors; nil for all.
    package let floorPerNetwork: Int?
    /// The proof of the identifier; nil if there is none, or if no floor asks for it.
    package let proof: IdentifierProof?
    /// The unknown hashes of events that were not refused.
    package let candidates: [RevealCandidate]
    /// The explained refusals, by event place.
    let details: [Int: BatchAnswer.Refusal]
    /// True if a bot or a tool sent it, by its user agent: it adds to values, but to no number of devices.
    package let isBot: Bool
    /// True if its purpose counts proved identifiers.
    package var isOfKeyHolder = false
    /// True if it says that it is a test's, and counts nevertheless: see ``Intake/countsTests``.
    package var isTest = false

    /// The text that decides which daemon counts it: the identifier as it came or, without one, the batch's name.
    package var slotText: [UInt8] { identifier.isNobody ? Array(bucketed.id.description.utf8) : identifier.text }

    /// Returns the batch for a window that an epoch took over while it was open; the batch itself if `epoch` is nil.
    package func taken(over epoch: Int64?) -> IncomingBatch {
        guard let epoch else { return self }
        var other = self
        other.bucketed.window = bucketed.window.taken(over: epoch)
        return other
    }

    /// Returns the same refusals with their explanations. These come from reading the batch alone, so nothing of them
    /// has to be stored for a repeat.
    package func explained(_ refused: [BatchAnswer.Refusal]) -> [BatchAnswer.Refusal] {
        guard !details.isEmpty else { return refused }
        return refused.map { refusal in
            if let known = details[refusal.index], known.reason == refusal.reason { known } else { refusal }
        }
    }
}

/// A client's proof that its identifier is not invented: unchecked bytes.
package struct IdentifierProof: Sendable {
    /// The credential's presentation.
    package let presentation: [UInt8]
    /// The bytes of the identifier, which is their base64url.
    package let tag: [UInt8]

    /// Reads both; nil if one of them is not base64url.
    init?(_ proof: UnsafeBufferPointer<UInt8>, of identifier: UnsafeBufferPointer<UInt8>) {
        guard let presentation = Base64URL.bytes(of: proof), let tag = Base64URL.bytes(of: identifier) else {
            return nil
        }
        self.presentation = presentation
        self.tag = tag
    }
}

/// An identifier as it came from a client: 1 to 64 characters.
package struct RawIdentifier: Sendable {
    private let bytes: [UInt8]

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }
    private init() { bytes = [] }

    /// The absent identifier: no client can send it.
    static let none = RawIdentifier()

    /// True if it is the absent identifier.
    package var isNobody: Bool { bytes.isEmpty }

    /// The bytes that the client sent: to be hashed at once, and to go nowhere else.
    package var text: [UInt8] { bytes }

    /// Returns the identifier under its window's key; ``KeyedIdentifier/nobody`` if there is none.
    package func keyed(with key: WindowKey) -> KeyedIdentifier {
        bytes.isEmpty ? .nobody : bytes.withUnsafeBytes { key.keyed($0) }
    }
}

/// The result of reading a body.
package enum IntakeOutcome: Sendable {
    case batch(IncomingBatch)
    /// The request carries an opt-out signal that the purpose honours: nothing is counted, nothing is stored. The
    /// sender is given only if a metric of the purpose may have its progress, which is then to be forgotten.
    case optedOut(BatchAnswer, app: AppName, of: IncomingWithdrawal?)
    /// The person agreed to an earlier version of the purpose than the plan's: nothing is counted, nothing is stored.
    /// Counts under an earlier plan stay.
    case consentOutdated(BatchAnswer, app: AppName)
    /// The batch says that it is a test's: it was read like any other; nothing is counted, nothing is stored.
    case keptApart(BatchAnswer)
}

/// The reason why a whole batch was refused: nothing of it was counted.
///
/// Pointers are JSON pointers (RFC 6901) made of the protocol's own words and of places, never of a client's words.
package enum IntakeError: Error, Sendable, Hashable {
    case notJSON
    case foreign(ForeignBody)
    case notUTF8
    case notGzip
    case unknownEncoding
    case numberOutOfRange
    case tooDeep(limit: Int)
    case duplicateKey(pointer: String)
    case nul(pointer: String)
    case wrongShape(pointer: String, expected: String)
    case stringTooLong(pointer: String, bytes: Int, limit: Int)
    case bodyTooLarge(limit: Int)
    case tooManyEvents(found: Int, limit: Int)
    case recordTooLarge(bytes: Int, limit: Int)
    case unknownApp
    case unknownPurpose
    case identifierUnwanted
    case unproved
    case nothingToTellApart
    case noFirsts
    case periodNotOpen
    case unknownCell
    case unprovedFirst
    case obliviousOnly
    case windowOutOfRange(current: Int64)
    case originNotAllowed
    case keyRequired
    case unknownKey
    case revokedKey
    case secretRequired
    case unknownSecret
    /// The client's network brings more than one network may at once; the time after which it may bring more. Unit: seconds.
    case networkQuota(retrySeconds: Int)
    case noMemory

    /// A stable word for programs.
    package var code: String { facts.code }

    /// The place in the document, if there is one.
    package var pointer: String? { facts.pointer }

    private var facts: (code: String, pointer: String?) {
        switch self {
        case .notJSON: ("not_json", nil)
        case .foreign(let found): (found.isOtherFormat ? "unsupported_media_type" : "not_json", nil)
        case .notUTF8: ("not_utf8", nil)
        case .notGzip: ("not_gzip", nil)
        case .unknownEncoding: ("unknown_encoding", nil)
        case .numberOutOfRange: ("number_out_of_range", nil)
        case .tooDeep: ("too_deep", nil)
        case .duplicateKey(let pointer): ("duplicate_key", pointer)
        case .nul(let pointer): ("nul", pointer)
        case .wrongShape(let pointer, _): ("wrong_shape", pointer)
        case .stringTooLong(let pointer, _, _): ("string_too_long", pointer)
        case .bodyTooLarge: ("body_too_large", nil)
        case .tooManyEvents: ("too_many_events", "/events")
        case .recordTooLarge: ("record_too_large", "/events")
        case .unknownApp: ("unknown_app", "/app")
        case .unknownPurpose: ("unknown_purpose", "/purpose")
        case .identifierUnwanted: ("identifier_unwanted", "/id")
        case .unproved: ("unproved", "/proof")
        case .nothingToTellApart: ("nothing_to_tell_apart", "/purpose")
        case .noFirsts: ("no_firsts", "/metric")
        case .periodNotOpen: ("period_not_open", "/start")
        case .unknownCell: ("unknown_cell", "/cell")
        case .unprovedFirst: ("unproved_first", "/proof")
        case .obliviousOnly: ("oblivious_only", "/purpose")
        case .windowOutOfRange: ("window_out_of_range", "/window")
        case .originNotAllowed: ("origin_not_allowed", nil)
        case .keyRequired: ("key_required", "/key")
        case .unknownKey: ("unknown_key", "/key")
        case .revokedKey: ("revoked_key", "/key")
        case .secretRequired: ("secret_required", nil)
        case .unknownSecret: ("unknown_secret", nil)
        case .networkQuota: ("network_quota", nil)
        case .noMemory: ("no_memory", nil)
        }
    }

    /// Every ``code``, for metric labels.
    package static let codes = [
        "not_json", "unsupported_media_type", "not_utf8", "not_gzip", "unknown_encoding", "number_out_of_range",
        "too_deep", "duplicate_key", "nul", "wrong_shape", "string_too_long", "body_too_large", "too_many_events",
        "record_too_large", "unknown_app", "unknown_purpose", "identifier_unwanted", "unproved",
        "nothing_to_tell_apart", "no_firsts", "period_not_open", "unknown_cell", "unproved_first", "oblivious_only",
        "window_out_of_range", "origin_not_allowed", "key_required", "unknown_key", "revoked_key", "secret_required",
        "unknown_secret", "network_quota", "no_memory",
    ]

    /// The finding, the limit and the remedy.
    package var message: String {
        switch self {
        case .notJSON: "The body is not one JSON document."
        case .foreign(let found): found.message
        case .notUTF8: "The body is not UTF-8."
        case .notGzip: "The body is announced as gzip but can't be unpacked."
        case .unknownEncoding: "The body's Content-Encoding is not known; send it plain or as gzip."
        case .numberOutOfRange: "A number does not fit a 64-bit integer or a finite double."
        case .tooDeep(let limit): "The document is nested more than \(limit) levels deep."
        case .duplicateKey: "An object here has a member twice; send each once."
        case .nul: "A string here holds U+0000; leave it out."
        case .wrongShape(_, let expected): "Expected \(expected)."
        case .stringTooLong(_, let bytes, let limit): "The string has \(bytes) bytes; \(limit) are allowed."
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes; send smaller batches."
        case .tooManyEvents(let found, let limit): "The batch has \(found) events; \(limit) are allowed."
        case .recordTooLarge(let bytes, let limit):
            "What these events add could take \(bytes) bytes; \(limit) are allowed. Send smaller batches."
        case .unknownApp: "No plan on this server is for that app."
        case .unknownPurpose: "The app's plan has no such purpose; GET /v1/plan/APP lists them."
        case .identifierUnwanted: "The purpose is counted without identifiers; leave id out, and make none."
        case .unproved:
            """
            The proof does not hold for this id, app, purpose and window. Prove with a credential of the month in which the \
            window begins; or leave proof out, and the batch adds to values, and to no number of devices.
            """
        case .nothingToTellApart:
            "The purpose is counted without identifiers: nothing that was sent can be told apart, so nothing can be taken back."
        case .noFirsts:
            "Of this metric devices prove no firsts in such a length of time; GET /v1/plan/APP says in proved_firsts of which they do."
        case .periodNotOpen:
            "Firsts of this period are not taken: none begins there, it has not begun yet, or its release is due. "
                + "Forget it, or check the clock."
        case .unknownCell:
            "The cell has to name a bucket for each dimension of one of the metric's proved_firsts.groupings, and for "
                + "each of its partition, and no combination that the plan calls impossible. GET /v1/plan/APP has them."
        case .unprovedFirst:
            "The proof does not hold for this cell, metric and period, with a credential of the month of the period's "
                + "last day. Make it anew by the plan that holds now, or forget it."
        case .obliviousOnly:
            "The purpose is taken sealed and through a relay only: send it to /v1/ohttp of the relay that GET /v1/plan/APP names."
        case .windowOutOfRange(let current):
            "The window must be \(current) or its neighbour: floor(unix time / rotation). Check the clock."
        case .originNotAllowed: "Pages of this origin may not send here; the operator lists those that may."
        case .keyRequired: "The app's clients need a key in the body's key; the operator has it."
        case .unknownKey: "Nobody made this key for the app; the operator has the ones that are good."
        case .revokedKey: "The key was revoked: nothing counts that comes with it. A later client has another."
        case .secretRequired: "The purpose takes batches of backends only: send Authorization: Bearer and the secret."
        case .unknownSecret: "The bearer secret is none of the app's, or was revoked; the operator makes new ones."
        case .networkQuota:
            "The client's network brings more new identifiers, or events, than one may at once; send it again after Retry-After."
        case .noMemory: "The server has no memory for this document right now."
        }
    }
}
