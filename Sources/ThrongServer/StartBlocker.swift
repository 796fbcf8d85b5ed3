internal import ThrongJournal

/// What keeps a daemon from starting and passes by itself, or with an operator's help, while the process waits.
enum StartBlocker {
    /// The data directory's disk is full.
    case fullDisk
    /// The journal has lost records, and PostgreSQL, which is away, has to say where it goes on.
    case unknownWatermark
    /// Another process may still hold this one's place in PostgreSQL.
    case predecessor

    /// Nil where waiting would not help.
    init?(_ error: any Error, dataPath: String) {
        switch error {
        case DaemonError.watermarkNeeded: self = .unknownWatermark
        case DaemonError.succeeding: self = .predecessor
        case let error as JournalError where error.isWantOfSpace: self = .fullDisk
        case is DaemonError, JournalError.inUse: return nil
        // Foundation and the programs of PostgreSQL don't say why in a way that could be told apart.
        default:
            guard !DataDirectory.hasSpace(at: dataPath) else { return nil }
            self = .fullDisk
        }
    }
}
