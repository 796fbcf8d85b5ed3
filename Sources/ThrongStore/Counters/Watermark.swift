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
    package let shard: Int16

    /// The fence of the process that waits, heard of or not; 0 where none does.
    package var claimed: Int64 { claim.map { abs($0) } ?? 0 }

    /// True if others count in its place: no process has this fence.
    package var isRetired: Bool { fence == .max }

    package init(
        position: JournalPosition, fence: Int64, holder: String? = nil, claim: Int64? = nil, shard: Int16 = 0
    ) {
        (self.position, self.fence, self.holder, self.claim, self.shard) = (position, fence, holder, claim, shard)
    }
}

extension Query {
    static func selectWatermark(daemon: DaemonID) -> RowQuery<Watermark> {
        RowQuery(watermark_select_sql, daemon, row: Watermark.init)
    }

    static func attachWatermark(
        daemon: DaemonID, shard: Int16, fence: Int64, found: Int64, holder: String?, still: JournalPosition?
    ) -> RowQuery<JournalPosition> {
        RowQuery(watermark_attach_sql, daemon, fence, found, holder, shard, still)
    }

    static func claimWatermark(daemon: DaemonID, fence: Int64, claim: Int64, shard: Int16) -> Statement {
        Statement(watermark_claim_sql, daemon, fence, claim, shard)
    }

    static func hearWatermark(attachment: CounterStore.Attachment) -> Statement {
        Statement(watermark_hear_sql, attachment)
    }

    static func releaseWatermark(attachment: CounterStore.Attachment) -> Statement {
        Statement(watermark_release_sql, attachment)
    }

    static func advanceWatermark(
        attachment: CounterStore.Attachment, after: JournalPosition, through: JournalPosition
    ) -> Statement {
        Statement(watermark_advance_sql, attachment.daemon, after, through, attachment.fence, attachment.shard)
    }

    static func insertWindowClosing(
        daemon: DaemonID, through: JournalPosition, ended: UnixSeconds, shard: Int16
    ) -> Statement {
        Statement(window_closing_insert_sql, daemon, through, ended.value, shard)
    }

    static func selectWindowClosing(daemon: DaemonID, after: JournalPosition, shard: Int16) -> RowQuery<UnixSeconds?> {
        RowQuery(window_closing_select_sql, daemon, after, shard)
    }

    static func selectAsked() -> RowQuery<Asking> { RowQuery(settlement_asked_sql, row: Asking.init) }

    static func settleWatermark(attachment: CounterStore.Attachment, asking: Asking) -> Statement {
        Statement(watermark_settle_sql, attachment, asking.number, asking.read)
    }
}

extension CounterStore.Attachment: ParameterValue {
    var parameters: [Parameter] { daemon.parameters + fence.parameters + shard.parameters }
}
