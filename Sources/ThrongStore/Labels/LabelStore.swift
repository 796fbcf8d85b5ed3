internal import ThrongPlan
package import ThrongPostgres
package import ThrongWire

/// The daemon's way to the labels of revealed dimensions: PostgreSQL decides which bucket a label has, for all daemons.
///
/// Works as `throng_ingest`, over a connection of its own, so that a long flush keeps nobody waiting.
package final class LabelStore: Sendable {
    private let connection: Connection

    /// Prepares to work; the role of the settings is replaced by `throng_ingest`.
    package init(_ settings: ConnectionSettings) {
        connection = Connection(settings.acting(as: .ingest).brisk(seconds: Self.seconds))
    }

    /// How long a question may take: clients wait for the answers of some. Unit: seconds.
    private static let seconds = 5

    /// Reads all labels of an app and hands them on, in the order in which they were read.
    ///
    /// - Parameter merge: gets the labels, and a way to put one back that the database has lost, which says false where
    ///   its slot has another by now; runs on the connection's thread.
    /// - Throws: ``PostgresError``, and what `merge` throws.
    package func read(
        app: AppName,
        _ merge: @escaping @Sendable ([LearnedLabel], _ restore: (LearnedLabel) throws -> Bool) throws -> Void
    ) async throws {
        try await connection.run { session in
            try merge(try session.run(SelectLabels(app: app))) { lost in
                guard try session.one(RestoreLabel(app: app, lost: lost)) else { return false }
                if let evaluated = lost.evaluated {
                    try session.run(
                        EvaluateLabel(app: app, dimension: lost.dimension, label: lost.label, evaluated: evaluated))
                }
                return true
            }
        }
    }

    /// Learns a label; returns its slot, nil where every slot has one already.
    ///
    /// - Parameters:
    ///   - most: how many slots the dimension has.
    ///   - evaluated: what the app's evaluator makes of it, instead of what was known; nil where it has none.
    /// - Throws: ``PostgresError``.
    package func learn(
        _ label: BucketLabel, of dimension: DimensionName, app: AppName, most: Int, evaluated: EvaluatedLabel? = nil
    ) async throws -> Int? {
        let learn = LearnLabel(app: app, dimension: dimension, most: most, label: label)
        return try await connection.run { session in
            let slot = try session.one(learn)
            // A label without it, after a crash in between, is asked for again.
            if slot != nil, let evaluated {
                try session.run(EvaluateLabel(app: app, dimension: dimension, label: label, evaluated: evaluated))
            }
            return slot
        }
    }

    /// Closes the connection.
    package func close() { connection.close() }

    /// Closes the connection after so long, whatever is under way.
    package func close(within length: Duration) { connection.close(within: length) }
}

/// A label of a revealed dimension and the bucket that it has.
package struct LearnedLabel: Sendable, Hashable {
    /// The dimension.
    package let dimension: DimensionName
    /// Its place among the dimension's buckets.
    package let slot: Int
    /// The value.
    package let label: BucketLabel
    /// Whether nothing is counted under it any more; it still names what was.
    package let isRetired: Bool
    /// What an evaluator makes of it; nil where it was learned from hashes of values alone.
    package let evaluated: EvaluatedLabel?

    /// Puts a label together.
    package init(
        dimension: DimensionName, slot: Int, label: BucketLabel, isRetired: Bool, evaluated: EvaluatedLabel? = nil
    ) {
        self.dimension = dimension
        self.slot = slot
        self.label = label
        self.isRetired = isRetired
        self.evaluated = evaluated
    }
}

/// What an evaluator makes of a label, and by which key.
package struct EvaluatedLabel: Sendable, Hashable {
    /// The key.
    package let evaluator: EvaluatorKey
    /// The output.
    package let output: EvaluatedOutput

    /// Puts both together.
    package init(evaluator: EvaluatorKey, output: EvaluatedOutput) {
        self.evaluator = evaluator
        self.output = output
    }
}
