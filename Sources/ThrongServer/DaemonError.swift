internal import ThrongCounting

/// Why a daemon does not start.
public enum DaemonError: Error, Sendable, Hashable, CustomStringConvertible {
    /// PostgreSQL's watermark lies before everything that the journal still holds.
    case watermarkTooOld(database: UInt64, journal: UInt64)
    /// The journal failed while the daemon ran.
    case journalFailed

    /// What was found and what to do.
    public var description: String {
        switch self {
        case .watermarkTooOld(let database, let journal):
            """
            PostgreSQL has everything up to batch \(database), and the journal begins after batch \(journal): what lies \
            between them is in neither. The database was probably restored from an older copy. Restore a newer one; if \
            there is none, move `journal` and `daemon.id` out of the data directory to start anew and accept the loss.
            """
        case .journalFailed:
            """
            the journal could not be written. Nothing that was acknowledged is lost: see to the disk, then start again.
            """
        }
    }
}
