package import ThrongIngest
internal import ThrongPlan

/// PostgreSQL's record of a daemon.
package struct Watermark: Sendable, Hashable {
    /// The position up to which the daemon's journal is in the counters.
    package let position: JournalPosition
    /// The fence, which grows with every attachment; only the process of the last one may flush.
    package let fence: Int64
    /// The lock of the process that attached last; nil if it has given its place back.
    package let holder: String?
    /// The fence of the process that waits to take the place, negative once the holder has heard of it; nil where none
    /// waits.
    package let claim: Int64?
    /// The daemon's own shard in the counters.
    package let shard: Int16

    /// The fence of the process that waits, heard of or not; 0 where none does.
    package var claimed: Int64 { claim.map { abs($0) } ?? 0 }

    /// True if others count in its place: no process has this fence.
    package var isRetired: Bool { fence == .max }

    package init(
        position: JournalPosition, fence: Int64, holder: String? = nil, claim: Int64? = nil, shard: Int16 = 0
    ) {
        self.position = position
        self.fence = fence
        self.holder = holder
        self.claim = claim
        self.shard = shard
    }
}

/// The record of a daemon.
struct SelectWatermark: RowQuery {
    static let text = Query("watermark.select", PackageResources.watermark_select_sql)

    let daemon: DaemonID

    var parameters: [Parameter] { [.text(daemon.description)] }

    func row(_ columns: inout RowReader) throws -> Watermark {
        Watermark(
            position: JournalPosition(UInt64(try columns.integer())), fence: try columns.integer(),
            holder: try columns.optionalText(), claim: try columns.optionalInteger(),
            shard: Int16(clamping: try columns.integer()))
    }
}

/// Moves a daemon's fence to a higher one; returns the position up to which its journal is in the counters.
struct AttachWatermark: RowQuery {
    static let text = Query("watermark.attach", PackageResources.watermark_attach_sql)

    let daemon: DaemonID
    let shard: Int16
    let fence: Int64
    /// The fence that was found; 0 for none.
    let found: Int64
    let holder: String?
    /// The journal's position when the holder of the place was heard of last; nil where nobody has it.
    let still: JournalPosition?

    var parameters: [Parameter] {
        [
            .text(daemon.description), fence.parameter, found.parameter, .text(orNull: holder), .integer(Int64(shard)),
            .integer(orNull: still.map { Int64(clamping: $0.value) }),
        ]
    }

    func row(_ columns: inout RowReader) throws -> JournalPosition {
        JournalPosition(UInt64(try columns.integer()))
    }
}

/// Announces a process that will take the place to the one that holds it.
struct ClaimWatermark: Command {
    static let text = Query("watermark.claim", PackageResources.watermark_claim_sql)

    let daemon: DaemonID
    /// The fence under which it is held.
    let fence: Int64
    /// The fence under which it will be taken.
    let claim: Int64
    let shard: Int16

    var parameters: [Parameter] {
        [.text(daemon.description), fence.parameter, claim.parameter, .integer(Int64(shard))]
    }
}

/// Tells the process that waits that it was heard.
struct HearWatermark: Command {
    static let text = Query("watermark.hear", PackageResources.watermark_hear_sql)

    let attachment: CounterStore.Attachment

    var parameters: [Parameter] { attachment.key }
}

/// Gives the place back.
struct ReleaseWatermark: Command {
    static let text = Query("watermark.release", PackageResources.watermark_release_sql)

    let attachment: CounterStore.Attachment

    var parameters: [Parameter] { attachment.key }
}

/// Moves the watermark of a flush; must touch one row.
struct AdvanceWatermark: Command {
    static let text = Query("watermark.advance", PackageResources.watermark_advance_sql)

    let attachment: CounterStore.Attachment
    let after: JournalPosition
    let through: JournalPosition

    var parameters: [Parameter] {
        [
            .text(attachment.daemon.description), .integer(Int64(clamping: after.value)),
            .integer(Int64(clamping: through.value)), attachment.fence.parameter,
            .integer(Int64(attachment.shard)),
        ]
    }
}

/// Notes the latest end of the windows that were closed with a flush.
struct InsertWindowClosing: Command {
    static let text = Query("window_closing.insert", PackageResources.window_closing_insert_sql)

    let daemon: DaemonID
    let through: JournalPosition
    /// The end of the latest of the windows.
    let ended: UnixSeconds
    let shard: Int16

    var parameters: [Parameter] {
        [
            .text(daemon.description), .integer(Int64(clamping: through.value)), ended.parameter,
            .integer(Int64(shard)),
        ]
    }
}

/// The latest end of a daemon's windows that were closed after a place in its journal.
struct SelectWindowClosing: RowQuery {
    static let text = Query("window_closing.select", PackageResources.window_closing_select_sql)

    let daemon: DaemonID
    let after: JournalPosition
    let shard: Int16

    var parameters: [Parameter] {
        [.text(daemon.description), .integer(Int64(clamping: after.value)), .integer(Int64(shard))]
    }

    func row(_ columns: inout RowReader) throws -> UnixSeconds? { try columns.optionalTime() }
}

/// The last asking, and the time it is read.
struct SelectAsked: RowQuery {
    static let text = Query("settlement.asked", PackageResources.settlement_asked_sql)

    func row(_ columns: inout RowReader) throws -> Asking {
        Asking(number: try columns.integer(), read: try columns.time())
    }
}

/// Notes that PostgreSQL has what a daemon acknowledged.
struct SettleWatermark: Command {
    static let text = Query("watermark.settle", PackageResources.watermark_settle_sql)

    let attachment: CounterStore.Attachment
    let asking: Asking

    var parameters: [Parameter] { attachment.key + [asking.number.parameter, asking.read.parameter] }
}

extension CounterStore.Attachment {
    /// The daemon, its fence and its shard as parameters.
    fileprivate var key: [Parameter] { [.text(daemon.description), fence.parameter, .integer(Int64(shard))] }
}
