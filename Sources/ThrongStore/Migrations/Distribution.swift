/// Several PostgreSQL servers that hold the counters together, through the extension Citus; everything else stays on
/// its coordinator.
///
/// Works as the user that owns the schema, which has to be a superuser.
package struct Distribution: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the number of nodes that the counters are on; 0 where this PostgreSQL has them itself.
    package func nodes() async throws -> Int64 { try await connection.one(Query.selectCounterNodes()) }

    /// Moves the counters to the nodes, in parts by daemon and with their content, in one transaction.
    package func distribute(parts: Int) async throws {
        let obstacle = try await connection.transaction { session in
            try session.one(Query.distributeCounters(parts: parts))
        }
        if let obstacle { throw obstacle }
    }
}

/// The reason why counters can't be moved to the nodes of a cluster.
package enum DistributionError: String, Error, Sendable, Hashable, CustomStringConvertible {
    case extensionMissing = "no extension"
    case distributed
    case nodesMissing = "no nodes"

    package var description: String {
        switch self {
        case .extensionMissing:
            """
            database: the extension citus is not in this database; install it on the coordinator and on every node, name it in \
            shared_preload_libraries, and run "create extension citus" in the database of this name on each
            """
        case .distributed: "database: the counters are on the nodes already; nothing was changed"
        case .nodesMissing:
            """
            database: the cluster has no node that takes counters; on the coordinator, run \
            select citus_set_coordinator_host('…'), then select citus_add_node('…', 5432) for each node
            """
        }
    }
}

extension Query {
    static func selectCounterNodes() -> RowQuery<Int64> { RowQuery(counter_nodes_sql) }

    /// Moves the counters to the nodes; returns the obstacle.
    static func distributeCounters(parts: Int) -> RowQuery<DistributionError?> {
        RowQuery(counter_distribute_sql, parts)
    }
}

extension DistributionError: ColumnValue {}
