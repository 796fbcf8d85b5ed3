internal import ThrongIngest
internal import ThrongWire

/// The outcome of a batch that was read and not refused.
enum BatchOutcome {
    /// It is counted; send the answer once the journal has reached the position.
    case counted(BatchAnswer, Telemetry.BatchKind, JournalPosition)
    /// Nothing of it is counted, as its sender or the plan wants.
    case unwanted(BatchAnswer)
    case elsewhere(Member)
    /// Nothing has happened yet: it has to wait for its turn here.
    case later(SlowBatches)
    case unavailable(Unavailable)
}
