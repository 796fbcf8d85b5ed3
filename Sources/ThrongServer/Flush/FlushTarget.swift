internal import ThrongCounting
internal import ThrongPlan
internal import ThrongStore

/// What flushing needs of PostgreSQL; ``CounterStore`` is the real one, whose functions these are.
protocol FlushTarget: Sendable {
    func registerLayouts(_ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms]) async throws
    func forgetSchema()
    func watermark(of daemon: DaemonID) async throws -> Watermark?
    func attach(
        daemon: DaemonID, replacing known: Watermark?, fence: Int64, holder: String?
    ) async throws -> JournalPosition
    func claim(daemon: DaemonID, from known: Watermark, fence: Int64) async throws -> Bool
    func isClaimed() async throws -> Bool
    func hearClaim() async throws -> Bool
    func release() async throws
    func lastAsking() async throws -> Int64
    func settle(_ asking: Int64) async throws
    func watermark() async throws -> JournalPosition
    func flush(_ flush: Flush, now: Int64) async throws -> FlushOutcome
    func close()
    func close(within length: Duration)
}

extension CounterStore: FlushTarget {}
