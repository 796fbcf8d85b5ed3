internal import Crypto
internal import Foundation
internal import ThrongWire

/// The values of open vocabularies that a device knows: in memory only, as long as they wait to be sent and until the
/// window is over in which their hashes were.
///
/// A token stands on disk in a value's place, its code under a key of this process: whoever finds it learns nothing,
/// and to the next process it means nothing either. Values that waited then count as `other`.
struct RevealedValues: Sendable {
    private let key = SymmetricKey(size: .bits256)
    /// The evaluator's key as the app has it; nil if it leaves that to the plan.
    private let evaluator: String?
    private var waiting: [RevealedHash: BucketLabel] = [:]
    /// The values that were sent in windows that are not over.
    private var sent: [Sent: Value] = [:]
    /// The outputs of the plan's evaluator for values.
    private var outputs: [EvaluatedValue: EvaluatedOutput] = [:]
    /// Hashes about which the coin was tossed already.
    private var tossed: Set<Sent> = []
    /// Answers on their way.
    var pending: [Reveal] = []

    /// - Parameter evaluator: as ``ThrongOptions/evaluatorKey``.
    init(evaluator: String?) { self.evaluator = evaluator }

    /// A hash as it left the device.
    private struct Sent: Hashable {
        let purpose: PurposeName
        let window: Int64
        let dimension: DimensionName
        let hash: RevealedHash
    }

    private struct Value {
        let label: BucketLabel
        let output: EvaluatedOutput?
    }

    /// A value as it is evaluated: the same in all windows, and of one evaluator.
    struct EvaluatedValue: Hashable {
        let evaluator: EvaluatorKey
        let dimension: DimensionName
        let label: BucketLabel

        /// Returns the input that is blinded.
        func input(app: AppName) -> [UInt8] { EvaluatedOutput.input(of: label, dimension: dimension, app: app) }
    }

    // MARK: Recording

    /// Returns the token that stands for a value; nil for one that never leaves the device.
    private func token(for value: EventValue) -> (token: RevealedHash, value: BucketLabel)? {
        guard case .text(let text) = value, text.utf8.count <= EventValue.longestText else { return nil }
        let trimmed = text.drop { $0 == " " }
        guard let end = trimmed.lastIndex(where: { $0 != " " }) else { return nil }
        do throws(UnfitValue) {
            let label = try BucketLabel(revealing: String(trimmed[...end]))
            return (RevealedHash(authenticationCode: code(of: label, key: key)), label)
        } catch {
            // It looks personal, or can't name a bucket: nobody learns more than that there was another value.
            return nil
        }
    }

    /// Returns fields with tokens in the place of values that nobody lists.
    func hidden(_ fields: [String: EventValue], in plan: DevicePlan) -> [String: EventValue] {
        var fields = fields
        for name in plan.revealedFields {
            guard let value = fields[name] else { continue }
            // An empty text is no hash: it counts as other.
            fields[name] = .text(token(for: value)?.token.description ?? "")
        }
        return fields
    }

    /// Keeps the values that tokens stand for.
    mutating func remember(_ fields: [String: EventValue], in plan: DevicePlan) {
        for name in plan.revealedFields {
            guard let value = fields[name], let (token, label) = token(for: value) else { continue }
            waiting[token] = label
        }
    }

    /// Forgets what no event waits for any more, and what was sent in windows that are over.
    mutating func forget(but queues: some Sequence<QueuedEvent>, in plan: DevicePlan, now: UnixSeconds) {
        let tokens = queues.flatMap { event in plan.revealedFields.compactMap { event.fields[$0]?.revealedHash } }
        let awaited = Set(tokens)
        waiting = waiting.filter { awaited.contains($0.key) }
        func isOpen(_ window: Int64, of purpose: PurposeName) -> Bool {
            plan.purpose(purpose.text).map { window + 2 > $0.rotation.window(at: now).value } ?? false
        }
        sent = sent.filter { isOpen($0.key.window, of: $0.key.purpose) }
        tossed = tossed.filter { isOpen($0.window, of: $0.purpose) }
        pending = pending.filter { isOpen($0.window, of: $0.purpose) }
        let known = Set(waiting.values).union(sent.values.map(\.label))
        outputs = outputs.filter { $0.key.evaluator == plan.evaluator?.key && known.contains($0.key.label) }
    }

    // MARK: Evaluating

    /// Says whether the plan's evaluator may be used: the app's own, if it names one; another could guess.
    private func isBelieved(_ plan: DevicePlan) -> Bool {
        evaluator.map { $0 == plan.evaluator?.key.description } ?? true
    }

    /// Values that wait to be sent and that the plan's evaluator was not asked for; none if the plan has no evaluator.
    func unevaluated(_ queue: [QueuedEvent], of purpose: DevicePlan.Purpose, in plan: DevicePlan) -> [EvaluatedValue] {
        guard let key = plan.evaluator?.key, isBelieved(plan) else { return [] }
        var found: [EvaluatedValue] = []
        var seen: Set<EvaluatedValue> = []
        for event in queue {
            for dimension in purpose.events[event.event]?.metrics.flatMap(\.dimensions) ?? [] where dimension.isRevealed
            {
                guard let token = event.fields[dimension.field]?.revealedHash, let label = waiting[token] else {
                    continue
                }
                let value = EvaluatedValue(evaluator: key, dimension: DimensionName(dimension.name), label: label)
                if outputs[value] == nil, seen.insert(value).inserted { found.append(value) }
            }
        }
        return found
    }

    /// Keeps what the evaluator makes of values.
    mutating func keep(_ outputs: [EvaluatedOutput], of values: [EvaluatedValue]) {
        for (value, output) in zip(values, outputs) { self.outputs[value] = output }
    }

    // MARK: Sending

    /// Returns the fields of an event as they go over the wire: hashes of the window in the place of tokens. A value is
    /// left out if its token is of an earlier process, or if the plan's evaluator was not asked for it. With an
    /// evaluator, no hash leaves without its output.
    mutating func hashed(
        _ fields: [String: Batch.Scalar], of event: DevicePlan.Event, purpose: String, window: Int64,
        in plan: DevicePlan
    ) -> [String: Batch.Scalar] {
        var fields = fields
        var seen: Set<String> = []
        for dimension in event.metrics.flatMap(\.dimensions)
        where dimension.isRevealed && seen.insert(dimension.field).inserted {
            guard let token = fields.removeValue(forKey: dimension.field)?.revealedHash, let label = waiting[token],
                isBelieved(plan)
            else { continue }
            let name = DimensionName(dimension.name)
            let text = RevealedHash.keyText(
                app: plan.published.app, purpose: PurposeName(purpose), dimension: name, window: WindowNumber(window),
                evaluator: plan.evaluator?.key)
            let key = SymmetricKey(data: SHA256.hash(data: text))
            var output: EvaluatedOutput?
            if let evaluator = plan.evaluator?.key {
                output = outputs[EvaluatedValue(evaluator: evaluator, dimension: name, label: label)]
                guard output != nil else { continue }
            }
            let hash = RevealedHash(
                authenticationCode: code(of: label, after: output, key: key), isEvaluated: output != nil)
            sent[Sent(purpose: PurposeName(purpose), window: window, dimension: name, hash: hash)] = Value(
                label: label, output: output)
            fields[dimension.field] = .text(hash.description)
        }
        return fields
    }

    /// Takes the daemon's requests for values of a batch: answers each with the probability that it names, once a hash.
    mutating func answer(
        _ requests: [RevealRequest], purpose: String, window: Int64, in plan: DevicePlan, random: inout RandomSource
    ) {
        for request in requests {
            let asked = Sent(
                purpose: PurposeName(purpose), window: window, dimension: request.dimension, hash: request.hash)
            guard let value = sent[asked], tossed.insert(asked).inserted else { continue }
            guard Double.random(in: 0..<1, using: &random) < request.probability else { continue }
            pending.append(
                Reveal(
                    app: plan.published.app, purpose: asked.purpose, window: window, dimension: request.dimension,
                    value: value.label.text, output: value.output))
        }
    }

    private func code(
        of label: BucketLabel, after output: EvaluatedOutput? = nil, key: SymmetricKey
    ) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: (output?.bytes ?? []) + Array(label.text.utf8), using: key)
    }
}

extension DevicePlan.Metric.Dimension {
    /// True if the dimension's buckets are learned while counting goes on.
    var isRevealed: Bool { if case .revealed = rule { true } else { false } }
}

extension Batch.Scalar {
    /// The hash or token that it is, if it is one.
    fileprivate var revealedHash: RevealedHash? {
        if case .text(let text) = self { RevealedHash(wire: Array(text.utf8)) } else { nil }
    }
}
