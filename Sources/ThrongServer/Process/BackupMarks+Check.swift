internal import ThrongJournal
internal import ThrongPlan
internal import ThrongReport

extension BackupMarks {
    /// The age from which a backup needs a look. Unit: seconds.
    static let stale: Int64 = 7 * 86_400

    /// Checks that backups go on once they have begun. An operator who copies in another way never begins.
    func check(at now: UnixSeconds) throws(BackupFault) {
        let made = last(.made)
        if let failed = last(.failed), failed > made ?? .epoch { throw .failed }
        if let made, now - made > Self.stale { throw .stale(made: made) }
    }
}

/// The reason why backups need a look.
enum BackupFault: Error, Hashable, CustomStringConvertible {
    case failed
    case stale(made: UnixSeconds)

    var description: String {
        switch self {
        case .failed: "the last `throng backup` made none: what it printed says why; make one"
        case .stale(let made): "the last backup is of \(Instant.text(made)), more than a week ago: does its timer run?"
        }
    }
}
