internal import Logging
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

/// Learns the values of open vocabularies: notes the number of devices of each hash, asks for values that enough
/// devices have sent, and lets a value count under its name once PostgreSQL has it.
///
/// A value whose hash was sent by fewer devices is never taken in. A client's value is hashed, and unless that hash has
/// enough devices behind it, the value is forgotten before anything is done with it.
final class VocabularyLearner: Sendable {
    private let vocabulary: RevealedVocabulary
    private let keys: KeyRing
    private let store: LabelStore
    let telemetry: Telemetry
    private let logger: Logger
    private let dimensions: [AppName: [Revealed]]
    private let proving: [AppName: Set<PurposeName>]
    private let candidates = Mutex(RevealCandidates())

    /// A dimension whose labels are learned.
    struct Revealed {
        let name: DimensionName
        let most: Int
        let threshold: Threshold
        /// The evaluator whose outputs are hashed with the values; nil if values are hashed alone.
        let evaluator: EvaluatorKey?

        func evaluated(_ output: EvaluatedOutput?) -> EvaluatedLabel? {
            guard let evaluator, let output else { return nil }
            return EvaluatedLabel(evaluator: evaluator, output: output)
        }
    }

    /// The number of wanted answers, which sets how many devices are asked. Unit: devices.
    private static let wantedAnswers = 3.0
    private static let mostRequests = 16

    init(
        plans: [Plan], vocabulary: RevealedVocabulary, keys: KeyRing, store: LabelStore, telemetry: Telemetry,
        logger: Logger
    ) {
        (self.vocabulary, self.keys, self.store, self.telemetry) = (vocabulary, keys, store, telemetry)
        self.logger = logger
        var dimensions: [AppName: [Revealed]] = [:]
        var proving: [AppName: Set<PurposeName>] = [:]
        for plan in plans {
            proving[plan.app.name] = Set(plan.purposes.filter(\.needsProof).map(\.name))
            dimensions[plan.app.name] = plan.dimensions.compactMap { dimension in
                guard case .revealed(let most) = dimension.rule else { return nil }
                return Revealed(
                    name: dimension.name, most: most, threshold: plan.revealThreshold(of: dimension.name),
                    evaluator: plan.app.evaluator?.key)
            }
        }
        self.dimensions = dimensions.filter { !$0.value.isEmpty }
        self.proving = proving
    }

    var isNeeded: Bool { !dimensions.isEmpty }

    // MARK: Asking

    /// Notes the hashes of a batch that was counted; returns those whose values its device may be asked for.
    ///
    /// A device that lifts no floor is none of the devices that a value needs. Such are devices without a proved
    /// identifier if the purpose asks for proof, and devices of a network of which enough count.
    ///
    /// - Parameters:
    ///   - key: the window's key.
    ///   - liftsFloors: true if the sender may lift floors by its network.
    func note(
        _ hashes: [RevealCandidate], of batch: CountedBatch, key: WindowKey, liftsFloors: Bool
    ) -> [RevealRequest]? {
        guard !hashes.isEmpty, let known = dimensions[batch.window.app] else { return nil }
        let needsProof = proving[batch.window.app]?.contains(batch.window.purpose) == true
        let counts = liftsFloors && (batch.isProved || !needsProof)
        let refused = Set(batch.answer.refused.map(\.index))
        var requests: [RevealRequest] = []
        var seen: Set<RevealedHash> = []
        for candidate in hashes where !refused.contains(candidate.event) && seen.insert(candidate.hash).inserted {
            guard let dimension = known.first(where: { $0.name == candidate.dimension }) else { continue }
            guard canLearn(of: dimension, app: batch.window.app) else { continue }
            let hash = key.keyed(candidate.hash)
            let outcome = candidates.withLock {
                $0.note(
                    hash, by: batch.identifier, of: dimension.name, in: batch.window, threshold: dimension.threshold,
                    counts: counts)
            }
            switch outcome {
            case .few: break
            case .full: telemetry.hashWasDropped()
            case .enough:
                guard requests.count < Self.mostRequests else { break }
                requests.append(
                    RevealRequest(
                        dimension: dimension.name, hash: candidate.hash,
                        probability: min(1, Self.wantedAnswers / Double(dimension.threshold.devices))))
            }
        }
        return requests.isEmpty ? nil : requests
    }

    /// Returns true if there is a slot without a label, or a label whose evaluator output is not known.
    private func canLearn(of dimension: Revealed, app: AppName) -> Bool {
        let labels = vocabulary.labels(of: dimension.name, app: app).count
        if labels < dimension.most { return true }
        return dimension.evaluator != nil && vocabulary.outputs(of: dimension.name, app: app).count < labels
    }

    /// Forgets the hashes of an identifier that is removed from a window; it sends nothing more there.
    func forget(_ identifier: KeyedIdentifier, in window: WindowID) {
        candidates.withLock { $0.forget(identifier, in: window) }
    }

    func forgetWindows(overBy now: UnixSeconds) {
        vocabulary.forgetWindows(overBy: now)
        candidates.withLock { $0.forgetWindows(overBy: now) }
    }

    // MARK: Learning

    /// Takes a client's answer.
    ///
    /// With an evaluator the answer names the evaluator's output for the value, which this daemon can't check. But only
    /// a client that has asked the evaluator can name an output that fits the hashes of others. If devices have sent
    /// another output for a label, the last one with enough devices behind it counts: an invented one fits the hashes
    /// of nobody else.
    ///
    /// - Throws: ``UnfitValue``.
    func learn(_ reveal: IncomingReveal) async throws -> RevealOutcome {
        let label = try BucketLabel(revealing: reveal.value)
        let window = reveal.window
        guard let dimension = dimensions[window.app]?.first(where: { $0.name == reveal.dimension }) else {
            return .notAsked
        }
        let labels = vocabulary.labels(of: dimension.name, app: window.app)
        if labels[label] != nil, vocabulary.outputs(of: dimension.name, app: window.app)[label] == reveal.output {
            return .learned
        }
        guard hasEnough(label, reveal.output, of: dimension, in: window) else { return .notAsked }
        guard labels[label] != nil || labels.count < dimension.most else { return .full }
        do {
            // A database that was restored may have lost labels by which this daemon counts: they come first.
            try await refresh()
            let slot = try await store.learn(
                label, of: dimension.name, app: window.app, most: dimension.most,
                evaluated: dimension.evaluated(reveal.output))
            guard let slot, slot < dimension.most else { return .full }
            try await refresh()
            return .learned
        } catch let error as PostgresError {
            logger.notice("a label could not be learned now", metadata: ["error": "\(error)"])
            return .unavailable
        }
    }

    private func hasEnough(
        _ label: BucketLabel, _ output: EvaluatedOutput?, of dimension: Revealed, in window: WindowID
    ) -> Bool {
        // A window in which nobody sent anything has no key, and must not get one here.
        guard keys.windows.contains(window) else { return false }
        do {
            let known = RevealedKey(of: dimension.name, in: window, evaluator: dimension.evaluator)
            guard let sent = known.hash(label, output: output) else { return false }
            let hash = try keys.key(of: window).keyed(sent)
            return candidates.withLock {
                $0.hasEnough(hash, of: dimension.name, in: window, threshold: dimension.threshold)
            }
        } catch {
            // The window is over.
            return false
        }
    }

    // MARK: PostgreSQL's labels

    /// Brings the labels up to date with PostgreSQL's, to which other daemons add, too.
    func refresh() async throws {
        for (app, dimensions) in dimensions {
            try await store.read(app: app) { stored, restore in
                for dimension in dimensions {
                    let known = stored.filter { $0.dimension == dimension.name }
                    try self.take(known, of: dimension, app: app, restore: restore)
                }
            }
        }
    }

    /// Brings the labels up to date, unless PostgreSQL is not there: then they are left for later.
    func refreshIfPossible() async { await telemetry.rounds.make(.labels) { try await refresh() } }

    /// Takes PostgreSQL's labels of a dimension.
    ///
    /// A label that is known here and no longer there was lost with a database that had to be restored. It is put back,
    /// because counters of its slot mean it. If its slot has another label by now, it is given up.
    private func take(
        _ stored: [LearnedLabel], of dimension: Revealed, app: AppName, restore: (LearnedLabel) throws -> Bool
    ) throws {
        var labels: [BucketLabel: Int] = [:]
        var outputs: [BucketLabel: EvaluatedOutput] = [:]
        for label in stored where !label.isRetired {
            labels[label.label] = label.slot
            // No hash with another evaluator's key comes any more.
            if let evaluated = label.evaluated, evaluated.evaluator == dimension.evaluator {
                outputs[label.label] = evaluated.output
            }
        }
        let there = Set(stored.map(\.label))
        let known = vocabulary.outputs(of: dimension.name, app: app)
        for (label, slot) in vocabulary.labels(of: dimension.name, app: app) where !there.contains(label) {
            let lost = LearnedLabel(
                dimension: dimension.name, slot: slot, label: label, isRetired: false,
                evaluated: dimension.evaluated(known[label]))
            if try restore(lost) {
                labels[label] = slot
                outputs[label] = known[label]
            } else {
                logger.error("a label was lost with an older database, and its place is taken")
            }
        }
        vocabulary.set(labels, outputs: outputs, of: dimension.name, app: app)
        telemetry.labelsAreKnown(labels.count, of: dimension.name, app: app)
    }

    func close() { store.close() }

    func close(within length: Duration) { store.close(within: length) }
}
