package import ThrongPlan

/// The askings whether PostgreSQL has what daemons acknowledged, and the daemons that have not answered.
///
/// Works as `throng_reporter`.
package final class SettlementStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// Works over a connection of its own.
    package convenience init(_ settings: ConnectionSettings) { self.init(.reporting(settings)) }

    /// Asks all daemons to confirm when PostgreSQL has what they acknowledged up to now; returns the asking's number.
    package func askToSettle() async throws -> Int64 {
        try await connection.run { try $0.one(AskToSettle()) }
    }

    /// Returns the daemons that have not answered an asking, in the order of their names. A daemon that has stopped and
    /// left nothing behind has answered all of them, until the end of windows that were open then.
    ///
    /// - Parameter now: the time by the clock that decides what is due.
    package func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon] {
        try await connection.run { session in
            // A daemon that a PostgreSQL which was set back knows only from others has no watermark.
            let unattached = try session.run(SelectUnattached())
            let unsettled = try session.run(SelectUnsettled(asking: asking, now: now))
            return (unattached + unsettled).sorted { $0.daemon.description < $1.daemon.description }
        }
    }

    /// Closes the connection.
    package func close() { connection.close() }
}

/// A daemon that has not confirmed that PostgreSQL has all that it acknowledged.
package struct UnsettledDaemon: Sendable, Hashable {
    /// Its name in the database.
    package let daemon: DaemonID
    /// The time since it was last heard of, or since the end of its last window if that is later. Unit: seconds.
    package let silence: Int64
    /// The time since it was last heard of. Unit: seconds.
    package let unheard: Int64

    package init(daemon: DaemonID, silence: Int64, unheard: Int64) {
        self.daemon = daemon
        self.silence = silence
        self.unheard = unheard
    }
}

/// Asks all daemons whether PostgreSQL has what they acknowledged; returns the asking's number.
struct AskToSettle: RowQuery {
    static let text = Query("settlement.ask", PackageResources.settlement_ask_sql)

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// The daemons that have not answered an asking, in the order of their names.
struct SelectUnsettled: RowQuery {
    static let text = Query("watermark.unsettled", PackageResources.watermark_unsettled_sql)

    let asking: Int64
    let now: UnixSeconds

    var parameters: [Parameter] { [.integer(asking), now.parameter] }

    func row(_ columns: inout RowReader) throws -> UnsettledDaemon {
        UnsettledDaemon(
            daemon: try columns.value { DaemonID($0) }, silence: try columns.integer(), unheard: try columns.integer())
    }
}

/// Daemons that count and have never attached to the database as it is.
struct SelectUnattached: RowQuery {
    static let text = Query("member.unattached", PackageResources.member_unattached_sql)

    func row(_ columns: inout RowReader) throws -> UnsettledDaemon {
        let (daemon, unheard) = (try columns.value { DaemonID($0) }, try columns.integer())
        return UnsettledDaemon(daemon: daemon, silence: unheard, unheard: unheard)
    }
}
