internal import Foundation
internal import Synchronization
internal import ThrongCounting
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongStore

/// The daemon's place in PostgreSQL: schema checked, layouts registered, watermark attached. PostgreSQL may come later
/// than the daemon.
final class DatabaseLink: Sendable {
    let counters: CounterStore
    private let settings: ConnectionSettings
    private let layouts: [MetricLayout]
    private let terms: [MetricLayout: ReleaseTerms]
    private let data: DataDirectory
    private let isAttached = Mutex(false)

    /// - Parameters:
    ///   - layouts: the layouts of the plans in force.
    ///   - terms: what the plans ask of their releases.
    ///   - data: the folder of the journal, which remembers how it attached last.
    init(
        settings: ConnectionSettings, layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms], data: DataDirectory
    ) {
        self.settings = settings
        self.layouts = layouts
        self.terms = terms
        self.data = data
        counters = CounterStore(settings)
    }

    /// Attaches anew before the next flush: the database is not the one that it was.
    func detach() { isAttached.withLock { $0 = false } }

    /// Attaches where that has not happened yet.
    ///
    /// - Returns: the watermark, if it was attached by this call.
    /// - Throws: ``StoreError``; ``SchemaError`` where the schema is not this version's and can't be made so;
    ///   ``DaemonError/superseded(daemon:)`` where a copy of the data directory has attached since.
    func attachedNow() async throws -> JournalPosition? {
        if isAttached.withLock({ $0 }) { return nil }
        let owner = Connection(settings)
        defer { owner.close() }
        let migrator = Migrator(owner)
        do {
            try await migrator.verify()
        } catch SchemaError.outdated {
            try await migrator.migrate()
        }
        counters.forgetSchema()
        try await counters.registerLayouts(layouts, terms: terms)
        let daemon = DaemonID(data.daemon)
        let known = try await counters.watermark(of: daemon)
        let last = try data.attachment()
        if let last, let known, known.fence > last { throw DaemonError.superseded(daemon: data.daemon) }
        let fence = max(Int64(Date().timeIntervalSince1970 * 1e6), (known?.fence ?? 0) + 1, (last ?? 0) + 1)
        try data.note(attachment: fence)
        let watermark = try await counters.attach(daemon: daemon, replacing: known, fence: fence)
        isAttached.withLock { $0 = true }
        return watermark
    }
}
