internal import Synchronization
package import ThrongPlan

/// The labels of revealed dimensions, and their hashes in each open window.
package final class RevealedVocabulary: Sendable {
    /// The labels with their slots, by app and dimension.
    private struct State {
        var labels: [AppName: [DimensionName: [BucketLabel: Int]]] = [:]
        /// The evaluator's known outputs for labels. A label without its output has no hash in an app with an evaluator.
        var outputs: [AppName: [DimensionName: [BucketLabel: EvaluatedOutput]]] = [:]
        /// The hashes by window, made when its first batch comes, and anew whenever a label comes or goes.
        var windows: [WindowID: WindowVocabulary] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Replaces the labels of a dimension. Batches that are being read finish with the labels they began with.
    ///
    /// - Parameter outputs: the known outputs of the app's evaluator for the labels; none if it has no evaluator.
    package func set(
        _ labels: [BucketLabel: Int], outputs: [BucketLabel: EvaluatedOutput] = [:], of dimension: DimensionName,
        app: AppName
    ) {
        state.withLock { state in
            guard state.labels[app]?[dimension] ?? [:] != labels || state.outputs[app]?[dimension] ?? [:] != outputs
            else { return }
            state.labels[app, default: [:]][dimension] = labels
            state.outputs[app, default: [:]][dimension] = outputs
            state.windows = state.windows.filter { $0.key.app != app }
        }
    }

    /// Returns the labels of a dimension with their slots.
    package func labels(of dimension: DimensionName, app: AppName) -> [BucketLabel: Int] {
        state.withLock { $0.labels[app]?[dimension] ?? [:] }
    }

    /// Returns the known outputs of the app's evaluator for the labels of a dimension.
    package func outputs(of dimension: DimensionName, app: AppName) -> [BucketLabel: EvaluatedOutput] {
        state.withLock { $0.outputs[app]?[dimension] ?? [:] }
    }

    /// Returns the current name of a bucket.
    package func name(of bucket: Int, in dimension: MetricLayout.DimensionLayout, app: AppName) -> BucketLabel {
        guard dimension.isVacant(bucket) else { return dimension.labels[bucket] }
        return labels(of: dimension.name, app: app).first { $0.value == bucket }?.key ?? dimension.labels[bucket]
    }

    /// Returns the hashes of labels in a window.
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

    package func forgetWindows(overBy now: UnixSeconds) {
        state.withLock { state in state.windows = state.windows.filter { $0.key.over > now } }
    }
}

/// The slots of hashes in one window: one table a revealed dimension of the purpose, in the order of its tables.
struct WindowVocabulary: Sendable { let slots: [[RevealedHash: Int]] }

struct RevealedDimension: Sendable {
    let name: DimensionName
    /// The number of slots; the bucket behind them is `other`.
    let most: Int
    /// The number of its field within the purpose.
    let field: Int
    /// The key of the evaluator whose outputs its values are hashed with; nil if they are hashed alone.
    let evaluator: EvaluatorKey?
}

/// An unknown hash of a batch: it was counted as `other`.
package struct RevealCandidate: Sendable {
    /// The event's place in the batch.
    package let event: Int
    package let dimension: DimensionName
    /// The hash as the client sent it. Not stored.
    package let hash: RevealedHash
}
