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
            try merge(try ReleaseStore.labels(app: app, session)) { lost in
                try session.query(
                    Query.restoreLabel([
                        .text(app.text), .text(lost.dimension.text), .integer(Int64(lost.slot)),
                        .text(lost.label.text),
                    ])
                ).flag(0, 0)
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
        try await connection.run { session in
            let rows = try session.query(
                Query.learnLabel([.text(app.text), .text(dimension.text), .integer(Int64(most)), .text(label.text)]))
            return rows.isNull(0, 0) ? nil : Int(try rows.integer(0, 0))
        }
    }

    /// Closes the connection.
    package func close() { connection.close() }

    /// Closes the connection after so long, whatever is under way.
    package func close(within length: Duration) { connection.close(within: length) }
}
