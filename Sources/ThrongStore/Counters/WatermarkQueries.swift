internal import ThrongCounting
internal import ThrongPostgres

/// What is known of a daemon.
struct SelectWatermark: RowQuery {
    static let text = Query("watermark.select", PackageResources.watermark_select_sql)

    let daemon: DaemonID

    var parameters: [Parameter] { [.text(daemon.description)] }

    func row(_ columns: inout RowReader) throws -> Watermark {
        Watermark(
            position: JournalPosition(UInt64(try columns.integer())), fence: try columns.integer(),
            holder: try columns.optionalText(), claim: try columns.optionalInteger())
    }
}

/// Moves a daemon's fence to a higher one; says how far its journal is in the counters.
struct AttachWatermark: RowQuery {
    static let text = Query("watermark.attach", PackageResources.watermark_attach_sql)

    let daemon: DaemonID
    let fence: Int64
    /// The fence that was found; 0 for none.
    let found: Int64
    let holder: String?

    var parameters: [Parameter] {
        [.text(daemon.description), fence.parameter, found.parameter, .text(orNull: holder)]
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

    var parameters: [Parameter] { [.text(daemon.description), fence.parameter, claim.parameter] }
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
        ]
    }
}

/// The number of the last asking.
struct SelectAsked: RowQuery {
    static let text = Query("settlement.asked", PackageResources.settlement_asked_sql)

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// Notes that PostgreSQL has what a daemon acknowledged.
struct SettleWatermark: Command {
    static let text = Query("watermark.settle", PackageResources.watermark_settle_sql)

    let attachment: CounterStore.Attachment
    let asking: Int64

    var parameters: [Parameter] {
        [.text(attachment.daemon.description), attachment.fence.parameter, asking.parameter]
    }
}

extension CounterStore.Attachment {
    /// The daemon and its fence as parameters.
    fileprivate var key: [Parameter] { [.text(daemon.description), fence.parameter] }
}
