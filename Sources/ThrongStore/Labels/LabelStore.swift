package import ThrongPlan

/// The daemon's access to the labels of revealed dimensions: PostgreSQL decides the bucket of a label, for all daemons.
///
/// Works as `throng_ingest`, over a connection of its own, so that a long flush keeps nobody waiting.
package final class LabelStore: Sendable {
    private let connection: Connection

    package init(_ settings: ConnectionSettings) {
        connection = Connection(settings.acting(as: .ingest).brisk(seconds: Self.seconds))
    }

    /// The time limit of a question: clients wait for the answers of some. Unit: seconds.
    private static let seconds = 5

    /// Reads all labels of an app and hands them on, in the order in which they were read.
    ///
    /// - Parameter merge: gets the labels, and a function that restores one that the database has lost, which returns
    ///   false if its slot has another by now; runs on the connection's thread.
    package func read(
        app: AppName,
        _ merge: @escaping @Sendable ([LearnedLabel], _ restore: (LearnedLabel) throws -> Bool) throws -> Void
    ) async throws {
        try await connection.run { session in
            try merge(try session.run(Query.selectLabels(app: app))) { lost in
                guard try session.one(Query.restoreLabel(app: app, lost: lost)) else { return false }
                if let evaluated = lost.evaluated {
                    try session.run(
                        Query.evaluateLabel(
                            app: app, dimension: lost.dimension, label: lost.label, evaluated: evaluated))
                }
                return true
            }
        }
    }

    /// Learns a label of a dimension that has `most` slots; returns its slot, nil where every one is taken.
    package func learn(
        _ label: BucketLabel, of dimension: DimensionName, app: AppName, most: Int, evaluated: EvaluatedLabel? = nil
    ) async throws -> Int? {
        let learn = Query.learnLabel(app: app, dimension: dimension, most: most, label: label)
        return try await connection.run { session in
            let slot = try session.one(learn)
            // A label without the output, after a crash in between, is asked for again.
            if slot != nil, let evaluated {
                try session.run(Query.evaluateLabel(app: app, dimension: dimension, label: label, evaluated: evaluated))
            }
            return slot
        }
    }

    package func close(within length: Duration? = nil) { connection.close(within: length) }
}

/// A label of a revealed dimension and its bucket.
package struct LearnedLabel: Sendable, Hashable {
    package let dimension: DimensionName
    /// Its place among the dimension's buckets.
    package let slot: Int
    package let label: BucketLabel
    /// True if nothing is counted under it any more; it still names what was.
    package let isRetired: Bool
    /// The output of an evaluator; nil where the label was learned from hashes of values alone.
    package let evaluated: EvaluatedLabel?

    package init(
        dimension: DimensionName, slot: Int, label: BucketLabel, isRetired: Bool, evaluated: EvaluatedLabel? = nil
    ) {
        (self.dimension, self.slot, self.label) = (dimension, slot, label)
        (self.isRetired, self.evaluated) = (isRetired, evaluated)
    }
}

/// The output of an evaluator for a label, and the evaluator's key.
package struct EvaluatedLabel: Sendable, Hashable {
    package let evaluator: EvaluatorKey
    package let output: EvaluatedOutput

    package init(evaluator: EvaluatorKey, output: EvaluatedOutput) {
        (self.evaluator, self.output) = (evaluator, output)
    }
}

extension Query {
    static func selectLabels(app: AppName) -> RowQuery<LearnedLabel> {
        RowQuery(revealed_label_select_sql, app) { (dimension, slot, label, isRetired, key: String?, output: String?) in
            var evaluated: EvaluatedLabel?
            if let key = key.flatMap({ EvaluatorKey(text: $0.utf8) }),
                let output = output.flatMap({ EvaluatedOutput(text: $0.utf8) })
            {
                evaluated = EvaluatedLabel(evaluator: key, output: output)
            }
            return LearnedLabel(
                dimension: dimension, slot: slot, label: label, isRetired: isRetired, evaluated: evaluated)
        }
    }

    static func evaluateLabel(
        app: AppName, dimension: DimensionName, label: BucketLabel, evaluated: EvaluatedLabel
    ) -> Statement {
        Statement(
            revealed_label_evaluate_sql,
            app, dimension, label, evaluated.evaluator.description, evaluated.output.description)
    }

    static func learnLabel(app: AppName, dimension: DimensionName, most: Int, label: BucketLabel) -> RowQuery<Int?> {
        RowQuery(revealed_label_learn_sql, app, dimension, most, label)
    }

    static func restoreLabel(app: AppName, lost: LearnedLabel) -> RowQuery<Bool> {
        RowQuery(revealed_label_restore_sql, app, lost.dimension, lost.slot, lost.label)
    }

    static func notePublishedLabels(app: AppName, dimension: DimensionName, slots: [Int]) -> Statement {
        Statement(revealed_label_publish_sql, app, dimension, slots)
    }

    static func retireLabels(
        app: AppName, dimension: DimensionName, before: UnixSeconds, now: UnixSeconds
    ) -> Statement { Statement(revealed_label_retire_sql, app, dimension, before, now) }

    /// Deletes labels that were retired so long ago that their slots can be given to others.
    static func deleteLabels(app: AppName, before: UnixSeconds) -> Statement {
        Statement(revealed_label_delete_sql, app, before)
    }
}
