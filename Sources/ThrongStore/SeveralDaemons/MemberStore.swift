package import ThrongIngest
package import ThrongPlan

/// The daemons that count together, as a daemon learns them from PostgreSQL, as `throng_ingest`.
package final class MemberStore: Sendable {
    private let connection: Connection

    /// Prepares to work; the role of the settings is replaced by `throng_ingest`. PostgreSQL may take 5 seconds to
    /// answer.
    package init(_ settings: ConnectionSettings) {
        connection = Connection(settings.acting(as: .ingest).brisk(seconds: 5, connecting: 5))
    }

    /// Returns what is known of all daemons; nil while the daemon has not attached to this database.
    package func membership(of daemon: DaemonID, heard: Int64) async throws -> Membership? {
        try await connection.run { session in
            try session.run(Query.voidEpochs())
            let members = try session.run(Query.selectMembers())
            guard let own = members.first(where: { $0.daemon == daemon }) else { return nil }
            // A PostgreSQL that was set back to an earlier time gives out again numbers that were once agreed to.
            let isKnown = try session.one(Query.selectLastEpoch()) >= heard
            return Membership(
                own: own.shard, epochs: try session.run(Query.selectEpochs()), members: members.map(\.member),
                secret: try session.one(Query.selectMemberSecret()), heard: isKnown ? max(heard, own.heard) : own.heard)
        }
    }

    /// Restores epochs that were in force in a PostgreSQL that was set back to an earlier time.
    ///
    /// - Returns: false where others have taken the place of one; those after it are not restored then.
    package func recall(_ epochs: [OwnershipEpoch], of known: Membership) async throws -> Bool {
        try await connection.run { session in
            for epoch in epochs {
                let owners = epoch.owners.compactMap { known.member($0).flatMap { DaemonID($0.daemon) } }
                let lost = epoch.retires.flatMap { known.member($0) }
                guard owners.count == Slot.count else { return false }
                let recall = Query.recallEpoch(
                    number: epoch.number, begins: epoch.begins, owners: owners,
                    lost: lost.flatMap { one in DaemonID(one.daemon).map { ($0, one.isRetired) } })
                guard try session.one(recall) else { return false }
            }
            return true
        }
    }

    /// Notes that a daemon agrees to a proposal; changes nothing once the proposal's time has come.
    package func hear(_ epoch: Int64, as daemon: DaemonID) async throws {
        try await connection.run(Query.hearEpoch(daemon: daemon, epoch: epoch))
    }

    package func close(within length: Duration) { connection.close(within: length) }
}

/// Changes the daemons that count, for `throng daemon`, as the owner of the schema; who only looks may be a reporter.
package final class MemberAdmin: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns every daemon that ever attached, by shard.
    package func members() async throws -> [EnrolledMember] { try await connection.run(Query.selectMembers()) }

    /// Returns the epochs in force and, as the last one, a proposal.
    package func epochs() async throws -> [OwnershipEpoch] {
        try await connection.run { session in
            try session.run(Query.voidEpochs())
            return try session.run(Query.selectEpochs())
        }
    }

    /// Returns the number of the last epoch, in any state. Read it before ``members()`` and ``epochs()``: a decision
    /// made by them is void if another change is made meanwhile.
    package func lastNumber() async throws -> Int64 { try await connection.one(Query.selectLastEpoch()) }

    /// Proposes the owners of slots from an instant on.
    ///
    /// - Parameter seconds: the time from now until it begins; any daemon that has not agreed by then makes it void.
    /// - Returns: its number; nil where another proposal is open, or was faster.
    package func propose(_ owners: [Int16], in seconds: Int, after: Int64) async throws -> Int64? {
        try await connection.one(Query.proposeEpoch(after: after, seconds: seconds, owners: owners))
    }

    /// Returns the state of a proposal, and the daemons that have not agreed to it.
    package func standing(of epoch: Int64) async throws -> (state: EpochState, awaited: [DaemonID]) {
        try await connection.run { session in
            try session.run(Query.voidEpochs())
            return (
                try session.one(Query.selectEpochState(epoch: epoch)),
                try session.run(Query.selectAwaited(epoch: epoch))
            )
        }
    }

    /// Retires a daemon that is lost, so that others count for it at once, also in windows under way.
    ///
    /// - Returns: the number of the new epoch; nil where another one was faster, or it is retired already.
    package func retire(_ daemon: DaemonID, owners: [Int16], after: Int64) async throws -> Int64? {
        try await connection.one(Query.retireMember(daemon: daemon, after: after, owners: owners))
    }
}

/// A daemon that has attached to this database, now or once.
package struct EnrolledMember: Sendable, Hashable {
    package let daemon: DaemonID
    /// The daemon's own shard in all counters.
    package let shard: Int16
    /// The URL at which others reach it; nil where they can't.
    package var address: String?
    /// The last proposal that it has agreed to; 0 for none.
    package var heard: Int64 = 0
    /// The time it was retired as lost; nil for all others.
    package var retiredAt: UnixSeconds?
    /// The time from which on what it acknowledged may be lost with it; nil where nothing is, and for all others.
    package var lostSince: UnixSeconds?
    /// The time since it was last heard of; nil where it has not attached yet. Unit: seconds.
    package let silence: Int64?
    /// True if it has stopped and left nothing behind.
    package let hasLeft: Bool
    /// The end of the windows that a stopped daemon had open; releases wait for it from then on. Nil where it had none.
    package var owesFrom: UnixSeconds?

    var member: Member {
        Member(shard: shard, daemon: daemon.description, address: address, isRetired: retiredAt != nil)
    }
}

package enum EpochState: String, Sendable, ColumnValue {
    case proposed
    case inForce = "in force"
    case void
}

/// The leases: rights to do something that one daemon does for all; as `throng_reporter`.
package final class LeaseStore: Sendable {
    private let connection: Connection
    private let daemon: DaemonID

    package init(_ connection: Connection, of daemon: DaemonID) {
        (self.connection, self.daemon) = (connection, daemon)
    }

    /// Takes a lease for so many seconds, or keeps it; false where another daemon has it.
    package func take(_ name: String, for length: Int) async throws -> Bool {
        try await connection.first(Query.takeLease(name: name, daemon: daemon, length: length)) != nil
    }

    /// Gives a lease back, so that nobody waits for it.
    package func release(_ name: String) async throws {
        try await connection.run(Query.releaseLease(name: name, daemon: daemon))
    }
}

extension Query {
    static func enrollMember(daemon: DaemonID, address: String?, takesBatches: Bool) -> RowQuery<Int16?> {
        RowQuery(member_enroll_sql, daemon, address, takesBatches ? 1 : 0)
    }

    static func selectMembers() -> RowQuery<EnrolledMember> {
        RowQuery(member_select_sql) {
            (daemon, shard, address, heard, retiredAt, lostSince, silence: Int64?, hasLeft, owesFrom) in
            EnrolledMember(
                daemon: daemon, shard: shard, address: address, heard: heard, retiredAt: retiredAt,
                lostSince: lostSince, silence: silence.map { max($0, 0) }, hasLeft: hasLeft, owesFrom: owesFrom)
        }
    }

    static func selectLosses(period: Period) -> RowQuery<MemberLoss> {
        RowQuery(member_losses_sql, period.start, period.end, row: MemberLoss.init)
    }

    static func oweUntil(daemon: DaemonID, until: UnixSeconds?) -> Statement {
        Statement(member_owe_sql, daemon, until)
    }

    static func selectMemberSecret() -> RowQuery<[UInt8]> { RowQuery(member_secret_sql) }

    /// The epochs, which assign identifiers to daemons; without those that were given up.
    static func selectEpochs() -> RowQuery<OwnershipEpoch> { RowQuery(epoch_select_sql) }

    /// The number of the last epoch, in any state.
    static func selectLastEpoch() -> RowQuery<Int64> { RowQuery(epoch_last_sql) }

    static func proposeEpoch(after: Int64, seconds: Int, owners: [Int16]) -> RowQuery<Int64?> {
        RowQuery(epoch_propose_sql, after, seconds, owners)
    }

    static func hearEpoch(daemon: DaemonID, epoch: Int64) -> Statement { Statement(epoch_hear_sql, daemon, epoch) }

    static func recallEpoch(
        number: Int64, begins: UnixSeconds?, owners: [DaemonID], lost: (daemon: DaemonID, isRetired: Bool)?
    ) -> RowQuery<Bool> {
        RowQuery(
            epoch_recall_sql, number, begins, "{\(owners.map(\.description).joined(separator: ","))}", lost?.daemon,
            lost?.isRetired == true ? 1 : 0)
    }

    /// Gives up proposals whose time has come.
    static func voidEpochs() -> Statement { Statement(epoch_void_sql) }

    static func selectAwaited(epoch: Int64) -> RowQuery<DaemonID> { RowQuery(epoch_awaited_sql, epoch) }

    static func selectEpochState(epoch: Int64) -> RowQuery<EpochState> { RowQuery(epoch_state_sql, epoch) }

    static func retireMember(daemon: DaemonID, after: Int64, owners: [Int16]) -> RowQuery<Int64?> {
        RowQuery(member_retire_sql, daemon, after, owners)
    }

    static func takeLease(name: String, daemon: DaemonID, length: Int) -> RowQuery<String> {
        RowQuery(lease_take_sql, name, daemon, length)
    }

    static func releaseLease(name: String, daemon: DaemonID) -> Statement { Statement(lease_release_sql, name, daemon) }
}

extension OwnershipEpoch: ColumnValue {
    static var columns: Int { 5 }
    init(reading row: inout RowReader) throws {
        let epoch = OwnershipEpoch(
            number: try row.next(), begins: try row.next(),
            owners: try row.integers().map { Int16(clamping: $0) }, retires: try row.next(), isInForce: try row.next())
        guard let epoch else { throw row.unexpected }
        self = epoch
    }
}

/// The possible loss with a daemon's data directory: what the daemon acknowledged and PostgreSQL does not have.
package struct MemberLoss: Sendable, Hashable {
    /// The start: all that it acknowledged before is counted.
    package let from: UnixSeconds
    /// The end: from here on others counted in its place.
    package let until: UnixSeconds
    /// The number of the 256 slots of identifiers that it counted.
    package let slots: Int
}
