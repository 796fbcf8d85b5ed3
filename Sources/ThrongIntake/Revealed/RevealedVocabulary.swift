internal import Synchronization
internal import ThrongCounting
package import ThrongPlan
package import ThrongWire

/// The labels of revealed dimensions, and their hashes in each window of which batches come.
package final class RevealedVocabulary: Sendable {
    /// Labels with their slots, by app and dimension.
    private struct State {
        var labels: [AppName: [DimensionName: [BucketLabel: Int]]] = [:]
        /// What the app's evaluator makes of labels, as far as it is known: without it a label has no hash there.
        var outputs: [AppName: [DimensionName: [BucketLabel: EvaluatedOutput]]] = [:]
        /// Made when a window's first batch comes, and anew whenever a label comes or goes.
        var windows: [WindowID: WindowVocabulary] = [:]
    }

    private let state = Mutex(State())

    /// Starts with none.
    package init() {}

    /// Replaces the labels of a dimension. Batches that are being read finish with what they began with.
    ///
    /// - Parameter outputs: what the app's evaluator makes of them, where it has one and as far as it is known.
    package func set(
        _ labels: [BucketLabel: Int], outputs: [BucketLabel: EvaluatedOutput] = [:], of dimension: DimensionName,
        app: AppName
    ) {
        state.withLock { state in
            guard
                state.labels[app]?[dimension] ?? [:] != labels || state.outputs[app]?[dimension] ?? [:] != outputs
            else { return }
            state.labels[app, default: [:]][dimension] = labels
            state.outputs[app, default: [:]][dimension] = outputs
            state.windows = state.windows.filter { $0.key.app != app }
        }
    }

    /// The labels of a dimension with their slots.
    package func labels(of dimension: DimensionName, app: AppName) -> [BucketLabel: Int] {
        state.withLock { $0.labels[app]?[dimension] ?? [:] }
    }

    /// What the app's evaluator makes of the labels of a dimension, as far as it is known.
    package func outputs(of dimension: DimensionName, app: AppName) -> [BucketLabel: EvaluatedOutput] {
        state.withLock { $0.outputs[app]?[dimension] ?? [:] }
    }

    /// What a bucket is called now.
    package func name(of bucket: Int, in dimension: MetricLayout.DimensionLayout, app: AppName) -> BucketLabel {
        guard dimension.isVacant(bucket) else { return dimension.labels[bucket] }
        return labels(of: dimension.name, app: app).first { $0.value == bucket }?.key ?? dimension.labels[bucket]
    }

    /// The hashes that labels have in a window.
    ///
    /// - Complexity: O(1), and O(labels) hashes on a window's first batch and after a change.
    func hashes(of dimensions: [RevealedDimension], in window: WindowID) -> WindowVocabulary {
        state.withLock { state in
            if let known = state.windows[window] { return known }
            let made = WindowVocabulary(
                slots: dimensions.map { dimension in
                    let key = RevealedKey(of: dimension.name, in: window, evaluator: dimension.evaluator)
                    let labels = state.labels[window.app]?[dimension.name] ?? [:]
                    let outputs = state.outputs[window.app]?[dimension.name] ?? [:]
                    var slots: [RevealedHash: Int] = [:]
                    for (label, slot) in labels where slot < dimension.most {
                        if let hash = key.hash(label, output: outputs[label]) { slots[hash] = slot }
                    }
                    return slots
                })
            state.windows[window] = made
            return made
        }
    }

    /// Forgets windows that are over.
    package func forgetWindows(overBy now: UnixSeconds) {
        state.withLock { state in state.windows = state.windows.filter { $0.key.over > now } }
    }
}

/// What hashes mean in one window: one table a revealed dimension of the purpose, in the order of its tables.
struct WindowVocabulary: Sendable {
    let slots: [[RevealedHash: Int]]
}

/// A revealed dimension of a purpose.
struct RevealedDimension: Sendable {
    let name: DimensionName
    /// How many slots it has; the bucket behind them is `other`.
    let most: Int
    /// The number of its field within the purpose.
    let field: Int
    /// By whose outputs its values are hashed; nil where they are hashed alone.
    let evaluator: EvaluatorKey?
}

/// A hash of a batch that means nothing yet: it was counted as `other`.
package struct RevealCandidate: Sendable {
    /// The event's place in the batch.
    package let event: Int
    /// The dimension.
    package let dimension: DimensionName
    /// As the client sent it. Not stored.
    package let hash: RevealedHash
}
