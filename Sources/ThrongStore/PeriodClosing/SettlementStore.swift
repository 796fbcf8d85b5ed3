package import ThrongPlan

/// The askings whether PostgreSQL has what daemons acknowledged, and who has not answered, as `throng_reporter`.
package final class SettlementStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// Asks all daemons to confirm when PostgreSQL has what they acknowledged up to now; returns the asking's number.
    package func askToSettle() async throws -> Int64 { try await connection.one(Query.askToSettle()) }

    /// Returns the daemons that have not answered an asking, in the order of their names. A daemon that has stopped and
    /// left nothing behind has answered all of them, until the end of windows that were open then.
    package func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon] {
        try await connection.run { session in
            // A daemon that a PostgreSQL which was set back knows only from others has no watermark.
            let unattached = try session.run(Query.selectUnattached())
            let unsettled = try session.run(Query.selectUnsettled(asking: asking, now: now))
            return (unattached + unsettled).sorted { $0.daemon.description < $1.daemon.description }
        }
    }

    package func close() { connection.close() }
}

/// A daemon that has not confirmed that PostgreSQL has all that it acknowledged.
package struct UnsettledDaemon: Sendable, Hashable {
    package let daemon: DaemonID
    /// The time since it was last heard of, or since the end of its last window if that is later. Unit: seconds.
    package let silence: Int64
    /// The time since it was last heard of. Unit: seconds.
    package let unheard: Int64
}

extension Query {
    static func askToSettle() -> RowQuery<Int64> { RowQuery(settlement_ask_sql) }

    /// The daemons that have not answered an asking, in the order of their names.
    static func selectUnsettled(asking: Int64, now: UnixSeconds) -> RowQuery<UnsettledDaemon> {
        RowQuery(watermark_unsettled_sql, asking, now, row: UnsettledDaemon.init)
    }

    /// Daemons that count and have never attached to the database as it is.
    static func selectUnattached() -> RowQuery<UnsettledDaemon> {
        RowQuery(member_unattached_sql) { daemon, unheard in
            UnsettledDaemon(daemon: daemon, silence: unheard, unheard: unheard)
        }
    }
}
