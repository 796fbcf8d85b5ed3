internal import ThrongIngest
internal import ThrongPlan

/// Enrolls a daemon and returns its shard; nil for one that was retired.
struct EnrollMember: RowQuery {
    static let text = Query("member.enroll", PackageResources.member_enroll_sql)

    let daemon: DaemonID
    /// The URL at which others reach it; nil where they can't.
    let address: String?
    /// True if clients send to it.
    let takesBatches: Bool

    var parameters: [Parameter] {
        [.text(daemon.description), .text(orNull: address), .integer(takesBatches ? 1 : 0)]
    }

    func row(_ columns: inout RowReader) throws -> Int16? { try columns.optionalInteger().map { Int16(clamping: $0) } }
}

/// Every daemon that ever attached.
struct SelectMembers: RowQuery {
    static let text = Query("member.select", PackageResources.member_select_sql)

    func row(_ columns: inout RowReader) throws -> EnrolledMember {
        EnrolledMember(
            daemon: try columns.value { DaemonID($0) }, shard: Int16(clamping: try columns.integer()),
            address: try columns.optionalText(), heard: try columns.integer(), retiredAt: try columns.optionalTime(),
            lostSince: try columns.optionalTime(), silence: try columns.optionalInteger().map { max($0, 0) },
            hasLeft: try columns.flag(), owesFrom: try columns.optionalTime())
    }
}

/// The possible losses with daemons that are lost.
struct SelectLosses: RowQuery {
    static let text = Query("member.losses", PackageResources.member_losses_sql)

    let period: Period

    var parameters: [Parameter] { [period.start.parameter, period.end.parameter] }

    func row(_ columns: inout RowReader) throws -> MemberLoss {
        MemberLoss(from: try columns.time(), until: try columns.time(), slots: Int(clamping: try columns.integer()))
    }
}

/// Notes the time until which a daemon owes something that only the end of its windows brings.
struct OweUntil: Command {
    static let text = Query("member.owe", PackageResources.member_owe_sql)

    let daemon: DaemonID
    /// The end of the last of them; nil for none.
    let until: UnixSeconds?

    var parameters: [Parameter] { [.text(daemon.description), .integer(orNull: until?.value)] }
}

/// The secret by which daemons know one another.
struct SelectMemberSecret: RowQuery {
    static let text = Query("member.secret", PackageResources.member_secret_sql)

    func row(_ columns: inout RowReader) throws -> [UInt8] { try columns.bytes() }
}

/// The epochs, which assign identifiers to daemons; without those that were given up.
struct SelectEpochs: RowQuery {
    static let text = Query("epoch.select", PackageResources.epoch_select_sql)

    func row(_ columns: inout RowReader) throws -> OwnershipEpoch {
        let epoch = OwnershipEpoch(
            number: try columns.integer(), begins: try columns.optionalTime(),
            owners: try columns.integers().map { Int16(clamping: $0) },
            retires: try columns.optionalInteger().map { Int16(clamping: $0) }, isInForce: try columns.flag())
        guard let epoch else { throw Self.unexpected }
        return epoch
    }
}

/// The number of the last epoch, in any state.
struct SelectLastEpoch: RowQuery {
    static let text = Query("epoch.last", PackageResources.epoch_last_sql)

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// Proposes an epoch; nil where another one is open, or was faster.
struct ProposeEpoch: RowQuery {
    static let text = Query("epoch.propose", PackageResources.epoch_propose_sql)

    let after: Int64
    /// The time from now until it begins. Unit: seconds.
    let seconds: Int
    let owners: [Int16]

    var parameters: [Parameter] {
        [.integer(after), .integer(Int64(seconds)), .integers(owners.map { Int64($0) })]
    }

    func row(_ columns: inout RowReader) throws -> Int64? { try columns.optionalInteger() }
}

/// Notes that a daemon agrees to a proposal.
struct HearEpoch: Command {
    static let text = Query("epoch.hear", PackageResources.epoch_hear_sql)

    let daemon: DaemonID
    let epoch: Int64

    var parameters: [Parameter] { [.text(daemon.description), .integer(epoch)] }
}

/// Restores an epoch that was in force in a PostgreSQL that was set back to an earlier time; false where another one
/// has taken its place.
struct RecallEpoch: RowQuery {
    static let text = Query("epoch.recall", PackageResources.epoch_recall_sql)

    let number: Int64
    /// The time it begins; nil for the first, which has always been.
    let begins: UnixSeconds?
    /// The owners, one a slot.
    let owners: [DaemonID]
    /// The daemon that it retires, and whether that one never attaches again.
    let lost: (daemon: DaemonID, isRetired: Bool)?

    var parameters: [Parameter] {
        [
            number.parameter, .integer(orNull: begins?.value),
            .text("{\(owners.map(\.description).joined(separator: ","))}"),
            .text(orNull: lost?.daemon.description), .integer(lost?.isRetired == true ? 1 : 0),
        ]
    }

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}

/// Gives up proposals whose time has come.
struct VoidEpochs: Command {
    static let text = Query("epoch.void", PackageResources.epoch_void_sql)
}

/// The daemons that have not agreed to a proposal yet.
struct SelectAwaited: RowQuery {
    static let text = Query("epoch.awaited", PackageResources.epoch_awaited_sql)

    let epoch: Int64

    var parameters: [Parameter] { [.integer(epoch)] }

    func row(_ columns: inout RowReader) throws -> DaemonID { try columns.value { DaemonID($0) } }
}

/// The state of a proposal.
struct SelectEpochState: RowQuery {
    static let text = Query("epoch.state", PackageResources.epoch_state_sql)

    let epoch: Int64

    var parameters: [Parameter] { [.integer(epoch)] }

    func row(_ columns: inout RowReader) throws -> EpochState { try columns.value { EpochState(rawValue: $0) } }
}

/// Retires a daemon that is lost, so that others count for it; nil where another was faster, or it is retired already.
struct RetireMember: RowQuery {
    static let text = Query("member.retire", PackageResources.member_retire_sql)

    let daemon: DaemonID
    let after: Int64
    let owners: [Int16]

    var parameters: [Parameter] {
        [.text(daemon.description), .integer(after), .integers(owners.map { Int64($0) })]
    }

    func row(_ columns: inout RowReader) throws -> Int64? { try columns.optionalInteger() }
}

/// Takes a lease or keeps it; a row where it is the daemon's.
struct TakeLease: RowQuery {
    static let text = Query("lease.take", PackageResources.lease_take_sql)

    let name: String
    let daemon: DaemonID
    /// The length of the lease. Unit: seconds.
    let length: Int

    var parameters: [Parameter] { [.text(name), .text(daemon.description), .integer(Int64(length))] }

    func row(_ columns: inout RowReader) throws -> Bool {
        _ = try columns.text()
        return true
    }
}

/// Gives a lease back.
struct ReleaseLease: Command {
    static let text = Query("lease.release", PackageResources.lease_release_sql)

    let name: String
    let daemon: DaemonID

    var parameters: [Parameter] { [.text(name), .text(daemon.description)] }
}
