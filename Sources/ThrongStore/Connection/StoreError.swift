public import ThrongCounting
public import ThrongPlan

/// Why PostgreSQL did not do what it was asked.
///
/// No case holds a parameter's value or a password.
public enum StoreError: Error, Sendable, Hashable {
    /// The connection string can't be read.
    case connectionStringInvalid
    /// No connection came about; the reason is libpq's, without the password.
    case unreachable(reason: String)
    /// The connection broke; whether the statement took effect is unknown.
    case connectionLost(query: String)
    /// No answer within the time allowed; the connection was dropped. Unit: seconds.
    case timedOut(query: String, seconds: Int)
    /// The connection was closed by its owner.
    case closed
    /// PostgreSQL refused a statement.
    case statementFailed(query: String, state: SQLState, message: String)
    /// PostgreSQL answered in a shape that the query's text does not allow.
    case unexpectedAnswer(query: String)
    /// Another process has attached with the same daemon id since.
    case fenced(daemon: DaemonID)
    /// The database is older than this process's attachment to it: a copy was restored, or a standby took over.
    case attachmentLost(daemon: DaemonID)
    /// A flush came before ``CounterStore/attach(daemon:)``.
    case notAttached
    /// The watermark is elsewhere than the flush says.
    case watermarkMoved(expected: JournalPosition, found: JournalPosition)
    /// A layout that was never registered.
    case layoutUnknown(LayoutID)
    /// A stored layout no longer has the identity that it was registered with.
    case layoutAltered(LayoutID)
    /// A release was made for another metric or period than the one that was closed.
    case releaseMismatched(metric: MetricName)
    /// As many questions of analysts as are answered at once, and as many as may wait, are under way.
    case busy(questions: Int)
}

extension StoreError {
    /// PostgreSQL's code, where it sent one.
    public var sqlState: SQLState? {
        if case .statementFailed(_, let state, _) = self { state } else { nil }
    }

    /// Whether the same call may succeed when it is made again.
    public var isRetryable: Bool {
        switch self {
        case .unreachable, .connectionLost, .timedOut: true
        case .statementFailed(_, let state, _): state.isRetryable
        default: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// What was found and what to do next.
    public var description: String {
        switch self {
        case .connectionStringInvalid:
            """
            the database's connection string can't be read; write postgresql://user@host:5432/database or \
            "host=… dbname=… user=…", percent-encode special characters, and keep the password in a password file
            """
        case .unreachable(let reason):
            "PostgreSQL can't be reached (\(reason)); check that it runs and that the connection string names it"
        case .connectionLost(let query):
            """
            the connection to PostgreSQL broke during \(query); try again, the effect of a lost answer is checked first
            """
        case .timedOut(let query, let seconds):
            """
            PostgreSQL did not answer \(query) within \(seconds) seconds and the connection was dropped; look for \
            locks in pg_stat_activity, then try again
            """
        case .closed:
            "the connection was closed; make a new one"
        case .statementFailed(let query, let state, let message):
            "PostgreSQL refused \(query) with SQLSTATE \(state): \(message)"
        case .unexpectedAnswer(let query):
            "PostgreSQL's answer to \(query) has another shape than this version expects; run throng database status"
        case .fenced(let daemon):
            """
            another process has attached as daemon \(daemon) since; stop one of the two: a data directory belongs to \
            one process
            """
        case .attachmentLost(let daemon):
            """
            PostgreSQL does not know that this process attached as daemon \(daemon): it was restored from an older copy, \
            or a standby took over that did not have everything. Nothing was counted
            """
        case .notAttached:
            "a flush came before the daemon attached; attach first"
        case .watermarkMoved(let expected, let found):
            """
            the watermark is at \(found.value) where this daemon says \(expected.value), and what lies between is not \
            among the flushes that it keeps. The database or the data directory was restored from an older copy. \
            Nothing was counted and nothing is lost that is still here: restore a newer copy, or start throng again, \
            which looks for it in the journal
            """
        case .layoutUnknown(let id):
            "layout \(id) was never registered; register layouts before they are used"
        case .layoutAltered(let id):
            "layout \(id) no longer matches its identity; restore throng.metric_layout from a backup"
        case .releaseMismatched(let metric):
            """
            a release of \(metric) was made for another layout or period than the one that was closed; nothing was released
            """
        case .busy(let questions):
            "\(questions) questions are under way, as many as are taken at once; ask again in a few seconds"
        }
    }
}
