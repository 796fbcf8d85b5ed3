package import ThrongIngest
package import ThrongPlan

/// The reason why the store failed although PostgreSQL answered; trying again does not help.
package enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    case fenced(daemon: DaemonID)
    case attachmentLost(daemon: DaemonID)
    case retired(daemon: DaemonID)
    case notAttached
    case watermarkMoved(expected: JournalPosition, found: JournalPosition)
    case layoutUnknown(LayoutID)
    case layoutAltered(LayoutID)
    case releaseMismatched(metric: MetricName)
    case busy(questions: Int)

    package var description: String {
        switch self {
        case .fenced(let daemon):
            "another process has attached as daemon \(daemon) since; stop one of the two: "
                + "a data directory belongs to one process"
        case .attachmentLost(let daemon):
            "PostgreSQL does not know that this process attached as daemon \(daemon): it was restored from an older "
                + "copy, or a standby took over that did not have everything. Nothing was counted"
        case .retired(let daemon):
            "daemon \(daemon) was retired: others count in its place, and nothing of its data directory is counted any "
                + "more. Start throng with a new, empty data directory, and let it join"
        case .notAttached: "a flush came before the daemon attached; attach first"
        case .watermarkMoved(let expected, let found):
            """
            the watermark is at \(found.value) where this daemon says \(expected.value), and what lies between is not \
            among the flushes that it keeps. The database or the data directory was restored from an older copy. \
            Nothing was counted and nothing is lost that is still here: restore a newer copy, or start throng again, \
            which looks for it in the journal
            """
        case .layoutUnknown(let id): "layout \(id) was never registered; register layouts before they are used"
        case .layoutAltered(let id):
            "layout \(id) no longer matches its identity; restore throng.metric_layout from a backup"
        case .releaseMismatched(let metric):
            "a release of \(metric) was made for another layout or period than the one that was closed; "
                + "nothing was released"
        case .busy(let questions):
            "\(questions) questions are under way, as many as are taken at once; ask again in a few seconds"
        }
    }
}
