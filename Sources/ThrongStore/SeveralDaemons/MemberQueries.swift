internal import ThrongIngest
internal import ThrongPlan

extension Query {
    static func enrollMember(daemon: DaemonID, address: String?, takesBatches: Bool) -> RowQuery<Int16?> {
        RowQuery(
            "member.enroll", PackageResources.member_enroll_sql,
            .text(daemon.description), .text(orNull: address), .integer(takesBatches ? 1 : 0)
        ) { columns in
            try columns.optionalInteger().map { Int16(clamping: $0) }
        }
    }

    static func selectMembers() -> RowQuery<EnrolledMember> {
        RowQuery("member.select", PackageResources.member_select_sql) { columns in
            EnrolledMember(
                daemon: try columns.value { DaemonID($0) }, shard: Int16(clamping: try columns.integer()),
                address: try columns.optionalText(), heard: try columns.integer(),
                retiredAt: try columns.optionalTime(),
                lostSince: try columns.optionalTime(), silence: try columns.optionalInteger().map { max($0, 0) },
                hasLeft: try columns.flag(), owesFrom: try columns.optionalTime())
        }
    }

    static func selectLosses(period: Period) -> RowQuery<MemberLoss> {
        RowQuery("member.losses", PackageResources.member_losses_sql, period.start.parameter, period.end.parameter) {
            columns in
            MemberLoss(from: try columns.time(), until: try columns.time(), slots: Int(clamping: try columns.integer()))
        }
    }

    static func oweUntil(daemon: DaemonID, until: UnixSeconds?) -> Statement {
        Statement(
            "member.owe", PackageResources.member_owe_sql, .text(daemon.description), .integer(orNull: until?.value))
    }

    static func selectMemberSecret() -> RowQuery<[UInt8]> {
        RowQuery("member.secret", PackageResources.member_secret_sql) { try $0.bytes() }
    }

    /// The epochs, which assign identifiers to daemons; without those that were given up.
    static func selectEpochs() -> RowQuery<OwnershipEpoch> {
        RowQuery("epoch.select", PackageResources.epoch_select_sql) { columns in
            let epoch = OwnershipEpoch(
                number: try columns.integer(), begins: try columns.optionalTime(),
                owners: try columns.integers().map { Int16(clamping: $0) },
                retires: try columns.optionalInteger().map { Int16(clamping: $0) }, isInForce: try columns.flag())
            guard let epoch else { throw columns.unexpected }
            return epoch
        }
    }

    /// The number of the last epoch, in any state.
    static func selectLastEpoch() -> RowQuery<Int64> {
        RowQuery("epoch.last", PackageResources.epoch_last_sql) { try $0.integer() }
    }

    static func proposeEpoch(after: Int64, seconds: Int, owners: [Int16]) -> RowQuery<Int64?> {
        RowQuery(
            "epoch.propose", PackageResources.epoch_propose_sql,
            .integer(after), .integer(Int64(seconds)), .integers(owners.map { Int64($0) })
        ) { try $0.optionalInteger() }
    }

    static func hearEpoch(daemon: DaemonID, epoch: Int64) -> Statement {
        Statement("epoch.hear", PackageResources.epoch_hear_sql, .text(daemon.description), .integer(epoch))
    }

    static func recallEpoch(
        number: Int64, begins: UnixSeconds?, owners: [DaemonID], lost: (daemon: DaemonID, isRetired: Bool)?
    ) -> RowQuery<Bool> {
        RowQuery(
            "epoch.recall", PackageResources.epoch_recall_sql,
            number.parameter, .integer(orNull: begins?.value),
            .text("{\(owners.map(\.description).joined(separator: ","))}"),
            .text(orNull: lost?.daemon.description), .integer(lost?.isRetired == true ? 1 : 0)
        ) { try $0.flag() }
    }

    /// Gives up proposals whose time has come.
    static func voidEpochs() -> Statement {
        Statement("epoch.void", PackageResources.epoch_void_sql)
    }

    static func selectAwaited(epoch: Int64) -> RowQuery<DaemonID> {
        RowQuery("epoch.awaited", PackageResources.epoch_awaited_sql, .integer(epoch)) { columns in
            try columns.value { DaemonID($0) }
        }
    }

    static func selectEpochState(epoch: Int64) -> RowQuery<EpochState> {
        RowQuery("epoch.state", PackageResources.epoch_state_sql, .integer(epoch)) { columns in
            try columns.value { EpochState(rawValue: $0) }
        }
    }

    static func retireMember(daemon: DaemonID, after: Int64, owners: [Int16]) -> RowQuery<Int64?> {
        RowQuery(
            "member.retire", PackageResources.member_retire_sql,
            .text(daemon.description), .integer(after), .integers(owners.map { Int64($0) })
        ) { try $0.optionalInteger() }
    }

    static func takeLease(name: String, daemon: DaemonID, length: Int) -> RowQuery<Bool> {
        RowQuery(
            "lease.take", PackageResources.lease_take_sql,
            .text(name), .text(daemon.description), .integer(Int64(length))
        ) { columns in
            _ = try columns.text()
            return true
        }
    }

    static func releaseLease(name: String, daemon: DaemonID) -> Statement {
        Statement("lease.release", PackageResources.lease_release_sql, .text(name), .text(daemon.description))
    }
}
