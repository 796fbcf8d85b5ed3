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

extension Query {
    static func selectWatermark(daemon: DaemonID) -> RowQuery<Watermark> {
        RowQuery("watermark.select", PackageResources.watermark_select_sql, .text(daemon.description)) { columns in
            Watermark(
                position: JournalPosition(UInt64(try columns.integer())), fence: try columns.integer(),
                holder: try columns.optionalText(), claim: try columns.optionalInteger(),
                shard: Int16(clamping: try columns.integer()))
        }
    }

    static func attachWatermark(
        daemon: DaemonID, shard: Int16, fence: Int64, found: Int64, holder: String?, still: JournalPosition?
    ) -> RowQuery<JournalPosition> {
        RowQuery(
            "watermark.attach", PackageResources.watermark_attach_sql,
            .text(daemon.description), fence.parameter, found.parameter, .text(orNull: holder),
            .integer(Int64(shard)),
            .integer(orNull: still.map { Int64(clamping: $0.value) })
        ) { columns in
            JournalPosition(UInt64(try columns.integer()))
        }
    }

    static func claimWatermark(daemon: DaemonID, fence: Int64, claim: Int64, shard: Int16) -> Statement {
        Statement(
            "watermark.claim", PackageResources.watermark_claim_sql,
            .text(daemon.description), fence.parameter, claim.parameter, .integer(Int64(shard)))
    }

    static func hearWatermark(attachment: CounterStore.Attachment) -> Statement {
        Statement("watermark.hear", PackageResources.watermark_hear_sql, all: attachment.key)
    }

    static func releaseWatermark(attachment: CounterStore.Attachment) -> Statement {
        Statement("watermark.release", PackageResources.watermark_release_sql, all: attachment.key)
    }

    static func advanceWatermark(attachment: CounterStore.Attachment, after: JournalPosition, through: JournalPosition)
        -> Statement
    {
        Statement(
            "watermark.advance", PackageResources.watermark_advance_sql,
            .text(attachment.daemon.description), .integer(Int64(clamping: after.value)),
            .integer(Int64(clamping: through.value)), attachment.fence.parameter,
            .integer(Int64(attachment.shard)))
    }

    static func insertWindowClosing(daemon: DaemonID, through: JournalPosition, ended: UnixSeconds, shard: Int16)
        -> Statement
    {
        Statement(
            "window_closing.insert", PackageResources.window_closing_insert_sql,
            .text(daemon.description), .integer(Int64(clamping: through.value)), ended.parameter,
            .integer(Int64(shard)))
    }

    static func selectWindowClosing(daemon: DaemonID, after: JournalPosition, shard: Int16) -> RowQuery<UnixSeconds?> {
        RowQuery(
            "window_closing.select", PackageResources.window_closing_select_sql,
            .text(daemon.description), .integer(Int64(clamping: after.value)), .integer(Int64(shard))
        ) { try $0.optionalTime() }
    }

    static func selectAsked() -> RowQuery<Asking> {
        RowQuery("settlement.asked", PackageResources.settlement_asked_sql) { columns in
            Asking(number: try columns.integer(), read: try columns.time())
        }
    }

    static func settleWatermark(attachment: CounterStore.Attachment, asking: Asking) -> Statement {
        Statement(
            "watermark.settle", PackageResources.watermark_settle_sql,
            all: attachment.key + [asking.number.parameter, asking.read.parameter])
    }
}

extension CounterStore.Attachment {
    /// The daemon, its fence and its shard as parameters.
    fileprivate var key: [Parameter] { [.text(daemon.description), fence.parameter, .integer(Int64(shard))] }
}
