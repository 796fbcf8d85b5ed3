internal import ThrongIngest
internal import ThrongPlan

extension Query {
    static func enrollMember(daemon: DaemonID, address: String?, takesBatches: Bool) -> RowQuery<Int16?> {
        RowQuery("member.enroll", PackageResources.member_enroll_sql, daemon, address, takesBatches ? 1 : 0)
    }

    static func selectMembers() -> RowQuery<EnrolledMember> {
        RowQuery("member.select", PackageResources.member_select_sql) {
            (daemon, shard, address, heard, retiredAt, lostSince, silence: Int64?, hasLeft, owesFrom) in
            EnrolledMember(
                daemon: daemon, shard: shard, address: address, heard: heard, retiredAt: retiredAt,
                lostSince: lostSince, silence: silence.map { max($0, 0) }, hasLeft: hasLeft, owesFrom: owesFrom)
        }
    }

    static func selectLosses(period: Period) -> RowQuery<MemberLoss> {
        RowQuery("member.losses", PackageResources.member_losses_sql, period.start, period.end, row: MemberLoss.init)
    }

    static func oweUntil(daemon: DaemonID, until: UnixSeconds?) -> Statement {
        Statement("member.owe", PackageResources.member_owe_sql, daemon, until)
    }

    static func selectMemberSecret() -> RowQuery<[UInt8]> {
        RowQuery("member.secret", PackageResources.member_secret_sql)
    }

    /// The epochs, which assign identifiers to daemons; without those that were given up.
    static func selectEpochs() -> RowQuery<OwnershipEpoch> {
        RowQuery("epoch.select", PackageResources.epoch_select_sql)
    }

    /// The number of the last epoch, in any state.
    static func selectLastEpoch() -> RowQuery<Int64> {
        RowQuery("epoch.last", PackageResources.epoch_last_sql)
    }

    static func proposeEpoch(after: Int64, seconds: Int, owners: [Int16]) -> RowQuery<Int64?> {
        RowQuery("epoch.propose", PackageResources.epoch_propose_sql, after, seconds, owners)
    }

    static func hearEpoch(daemon: DaemonID, epoch: Int64) -> Statement {
        Statement("epoch.hear", PackageResources.epoch_hear_sql, daemon, epoch)
    }

    static func recallEpoch(
        number: Int64, begins: UnixSeconds?, owners: [DaemonID], lost: (daemon: DaemonID, isRetired: Bool)?
    ) -> RowQuery<Bool> {
        RowQuery(
            "epoch.recall", PackageResources.epoch_recall_sql,
            number, begins, "{\(owners.map(\.description).joined(separator: ","))}", lost?.daemon,
            lost?.isRetired == true ? 1 : 0)
    }

    /// Gives up proposals whose time has come.
    static func voidEpochs() -> Statement {
        Statement("epoch.void", PackageResources.epoch_void_sql)
    }

    static func selectAwaited(epoch: Int64) -> RowQuery<DaemonID> {
        RowQuery("epoch.awaited", PackageResources.epoch_awaited_sql, epoch)
    }

    static func selectEpochState(epoch: Int64) -> RowQuery<EpochState> {
        RowQuery("epoch.state", PackageResources.epoch_state_sql, epoch)
    }

    static func retireMember(daemon: DaemonID, after: Int64, owners: [Int16]) -> RowQuery<Int64?> {
        RowQuery("member.retire", PackageResources.member_retire_sql, daemon, after, owners)
    }

    static func takeLease(name: String, daemon: DaemonID, length: Int) -> RowQuery<String> {
        RowQuery("lease.take", PackageResources.lease_take_sql, name, daemon, length)
    }

    static func releaseLease(name: String, daemon: DaemonID) -> Statement {
        Statement("lease.release", PackageResources.lease_release_sql, name, daemon)
    }
}

extension EpochState: ColumnValue {}

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
