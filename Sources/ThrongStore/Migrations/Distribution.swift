/// Several PostgreSQL servers that hold the counters together, through the extension Citus; everything else stays on
/// its coordinator.
///
/// Works as the user that owns the schema, which has to be a superuser.
package struct Distribution: Sendable {
    private let connection: Connection

    /// Prepares to work over a connection without a role.
    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the number of nodes that the counters are on; 0 where this PostgreSQL has them itself.
    package func nodes() async throws -> Int64 {
        try await connection.run { try $0.one(SelectCounterNodes()) }
    }

    /// Moves the counters to the nodes, with their content, in one transaction.
    ///
    /// - Parameter parts: the number of parts that they are hashed into by daemon.
    ///
    /// - Throws: ``DistributionError``, then nothing was changed; ``PostgresError``.
    package func distribute(parts: Int) async throws {
        let obstacle = try await connection.run { session in
            try session.transaction { try session.one(DistributeCounters(parts: parts)) }
        }
        if let obstacle { throw obstacle }
    }
}

/// The reason why counters can't be moved to the nodes of a cluster.
package enum DistributionError: String, Error, Sendable, Hashable, CustomStringConvertible {
    /// The extension is not in this database.
    case extensionMissing = "no extension"
    /// The counters are on the nodes already.
    case distributed
    /// No node could take them.
    case nodesMissing = "no nodes"

    /// The problem and the remedy.
    package var description: String {
        switch self {
        case .extensionMissing:
            """
            database: the extension citus is not in this database; install it on the coordinator and on every node, name it in \
            shared_preload_libraries, and run "create extension citus" in the database of this name on each
            """
        case .distributed:
            "database: the counters are on the nodes already; nothing was changed"
        case .nodesMissing:
            """
            database: the cluster has no node that takes counters; on the coordinator, run \
            select citus_set_coordinator_host('…'), then select citus_add_node('…', 5432) for each node
            """
        }
    }
}

/// The number of nodes that the counters are on.
struct SelectCounterNodes: RowQuery {
    static let text = Query("counter.nodes", PackageResources.counter_nodes_sql)

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// Moves the counters to the nodes; returns the obstacle.
struct DistributeCounters: RowQuery {
    static let text = Query("counter.distribute", PackageResources.counter_distribute_sql)

    let parts: Int

    var parameters: [Parameter] { [.integer(Int64(parts))] }

    func row(_ columns: inout RowReader) throws -> DistributionError? {
        guard let obstacle = try columns.optionalText() else { return nil }
        guard let known = DistributionError(rawValue: obstacle) else { throw Self.unexpected }
        return known
    }
}
