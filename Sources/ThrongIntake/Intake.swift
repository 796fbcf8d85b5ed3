internal import Synchronization
package import ThrongCounting
package import ThrongPlan

/// Turns the bytes of a request into a bucketed batch: decode, then bucket, in one pass over the parsed document.
///
/// - Complexity: O(bytes). Each call borrows a reader with buffers of its own, so calls run in parallel.
package final class Intake: Sendable {
    /// How large a request may be.
    package let limits: IntakeLimits
    let apps: [AppTables]
    let appNames: ByteTable
    /// The labels that revealed dimensions have by now.
    package let vocabulary = RevealedVocabulary()
    /// By what senders show who they are; nil where nobody is asked.
    package let keys: AppKeyRing?
    private let readers = Mutex<[BatchReader]>([])

    /// Compiles the plans; their layouts must be part of the cell space.
    ///
    /// - Parameter keys: by what senders show who they are; nil asks nobody, where all batches are the house's own.
    package init(
        plans: [Plan], space: CellSpace, rules: UserAgentRules, limits: IntakeLimits = IntakeLimits(),
        keys: AppKeyRing? = nil
    ) throws {
        self.limits = limits
        self.keys = keys
        apps = try plans.map { try AppTables(plan: $0, space: space, rules: rules) }
        var names = ByteTable()
        for (place, plan) in plans.enumerated() { names.insert(plan.app.name.text, place) }
        appNames = names
    }

    /// The largest k of an app; nil where no plan is for it.
    package func largestThreshold(of app: AppName) -> Threshold? {
        apps.first { $0.name == app }?.largestThreshold
    }

    /// Reads the body of `POST /v1/batches`, or of `POST /v1/preview`.
    ///
    /// - Parameters:
    ///   - body: JSON, not compressed any more.
    ///   - signals: the opt-out signals of the request's headers.
    ///   - bearer: the secret of the request's headers.
    ///   - use: what the batch is read for.
    ///   - isSealed: whether it came sealed, through a relay.
    /// - Throws: ``IntakeError`` where the batch as a whole is refused.
    package func read(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String? = nil, now: UnixSeconds,
        use: IntakeUse = .counting, isSealed: Bool = false
    ) throws(IntakeError) -> IntakeOutcome {
        let outcome = try read(
            body, signals: signals, bearer: bearer, now: now, use: use, isSealed: isSealed, isHurried: false)
        guard let outcome else {
            preconditionFailure("only a reader in a hurry gives up")
        }
        return outcome
    }

    /// Reads the body of `POST /v1/batches` for somebody whom others wait for.
    ///
    /// - Returns: nil for a batch that takes long, with which nothing has happened: one that brings user agents for the
    ///   first time.
    /// - Throws: ``IntakeError`` where the batch as a whole is refused.
    package func readQuickly(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String? = nil, now: UnixSeconds,
        isSealed: Bool = false
    ) throws(IntakeError) -> IntakeOutcome? {
        try read(
            body, signals: signals, bearer: bearer, now: now, use: .counting, isSealed: isSealed, isHurried: true)
    }

    private func read(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String?, now: UnixSeconds,
        use: IntakeUse, isSealed: Bool, isHurried: Bool
    ) throws(IntakeError) -> IntakeOutcome? {
        guard body.count <= limits.bodyBytes else { throw .bodyTooLarge(limit: limits.bodyBytes) }
        guard var reader = readers.withLock({ $0.popLast() }) ?? BatchReader(limits: limits) else { throw .noMemory }
        defer { readers.withLock { $0.append(reader) } }
        reader.isHurried = isHurried
        return try reader.read(
            body, apps: apps, appNames: appNames, vocabulary: vocabulary, keys: keys, signals: signals, bearer: bearer,
            now: now, use: use, isSealed: isSealed)
    }
}

/// What a batch is read for.
package enum IntakeUse: Sendable {
    /// To be counted.
    case counting
    /// To tell what would be counted: `id`, `batch` and `window` may be left out.
    case preview
}
