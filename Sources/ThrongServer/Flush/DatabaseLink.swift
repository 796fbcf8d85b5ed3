internal import Synchronization
internal import ThrongCounting
internal import ThrongPlan
internal import ThrongStore

/// The daemon's place in PostgreSQL: schema checked, layouts registered, watermark attached. PostgreSQL may come later
/// than the daemon.
final class DatabaseLink: Sendable {
    let counters: CounterStore
    private let settings: ConnectionSettings
    private let layouts: [MetricLayout]
    private let daemon: DaemonID
    private let isAttached = Mutex(false)

    /// - Parameter layouts: the layouts of the plans in force.
    init(settings: ConnectionSettings, layouts: [MetricLayout], daemon: DaemonID) {
        self.settings = settings
        self.layouts = layouts
        self.daemon = daemon
        counters = CounterStore(settings)
    }

    /// Asks PostgreSQL for a sign of life.
    func check() async throws { _ = try await counters.watermark() }

    /// Attaches where that has not happened yet.
    ///
    /// - Returns: the watermark, if it was attached by this call.
    /// - Throws: ``StoreError``; ``SchemaError`` where the schema is not this version's and can't be made so.
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
        try await counters.registerLayouts(layouts)
        let watermark = try await counters.attach(daemon: daemon)
        isAttached.withLock { $0 = true }
        return watermark
    }
}
