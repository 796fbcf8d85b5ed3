/// The names of spans: a closed list. A span that is called otherwise is never exported.
package enum SpanName: String, Sendable, CaseIterable {
    /// A client's request, from its head to its answer.
    case request
    /// A commit of what waited for the disk, written and synced.
    case journalCommit = "journal commit"
    /// A flush of what was counted, into PostgreSQL.
    case flush
    /// The numbers of one metric and period, decided and published.
    case release
    /// A report, made.
    case report
    /// A try to bring a report to where it goes.
    case delivery

    /// True if there are so many of them that only some are followed.
    package var isSampled: Bool { self == .request || self == .journalCommit }

    /// The kind, as OTLP numbers it: of a server, of a client, or internal.
    var kind: Int { self == .request ? 2 : self == .delivery ? 3 : 1 }
}
