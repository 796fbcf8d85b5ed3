package import ThrongPlan
package import ThrongPostgres

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
                try session.one(RestoreLabel(app: app, lost: lost))
            }
        }
    }

    /// Learns a label; returns its slot, nil where every slot has one already.
    ///
    /// - Parameter most: how many slots the dimension has.
    /// - Throws: ``PostgresError``.
    package func learn(
        _ label: BucketLabel, of dimension: DimensionName, app: AppName, most: Int
    ) async throws -> Int? {
        let learn = LearnLabel(app: app, dimension: dimension, most: most, label: label)
        return try await connection.run { try $0.one(learn) }
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

    /// Puts a label together.
    package init(dimension: DimensionName, slot: Int, label: BucketLabel, isRetired: Bool) {
        self.dimension = dimension
        self.slot = slot
        self.label = label
        self.isRetired = isRetired
    }
}
