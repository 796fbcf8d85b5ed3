package import ThrongCounting
internal import ThrongPlan
internal import ThrongPostgres

/// What PostgreSQL says of a daemon.
package struct Watermark: Sendable, Hashable {
    /// Everything that the daemon journalled up to here is in the counters.
    package let position: JournalPosition
    /// Grows with every attachment; only the process of the last one may flush.
    package let fence: Int64
    /// The lock of the process that attached last; nil where it has given its place back.
    package let holder: String?
    /// The fence of who waits to take the place, negative once the holder has heard of it; nil where nobody waits.
    package let claim: Int64?
    /// The daemon's own in the counters.
    package let shard: Int16

    /// The fence of who waits, heard of or not; 0 where nobody does.
    package var claimed: Int64 { claim.map { abs($0) } ?? 0 }

    /// Whether others count in its place: no process has this fence.
    package var isRetired: Bool { fence == .max }

    /// Puts a watermark together.
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

/// What is known of a daemon.
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

/// Moves a daemon's fence to a higher one; says how far its journal is in the counters.
struct AttachWatermark: RowQuery {
    static let text = Query("watermark.attach", PackageResources.watermark_attach_sql)

    let daemon: DaemonID
    let shard: Int16
    let fence: Int64
    /// The fence that was found; 0 for none.
    let found: Int64
    let holder: String?
    /// How far the journal was when whoever has the place was heard of last; nil where nobody has it.
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

/// Announces who will take the place, to whoever holds it.
struct ClaimWatermark: Command {
    static let text = Query("watermark.claim", PackageResources.watermark_claim_sql)

    let daemon: DaemonID
    /// Under which it is held.
    let fence: Int64
    /// Under which it will be taken.
    let claim: Int64
    let shard: Int16

    var parameters: [Parameter] {
        [.text(daemon.description), fence.parameter, claim.parameter, .integer(Int64(shard))]
    }
}

/// Lets who waits know that it was heard.
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

/// Notes until when windows were closed with a flush.
struct InsertWindowClosing: Command {
    static let text = Query("window_closing.insert", PackageResources.window_closing_insert_sql)

    let daemon: DaemonID
    let through: JournalPosition
    /// When the latest of the windows was over.
    let ended: UnixSeconds
    let shard: Int16

    var parameters: [Parameter] {
        [
            .text(daemon.description), .integer(Int64(clamping: through.value)), ended.parameter,
            .integer(Int64(shard)),
        ]
    }
}

/// Until when a daemon's windows were closed behind a place in its journal.
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

/// The last asking, and when it is read.
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
