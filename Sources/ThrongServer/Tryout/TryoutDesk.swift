internal import Synchronization
package import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
internal import ThrongSchedule
package import ThrongStore
internal import ThrongSystem
internal import ThrongWire

/// Hands requests on to the daemon of a trial, and notes for the page what became of each batch.
///
/// The daemon knows nothing of it: it answers a client as it always does. What the page shows is what the client sent, the
/// daemon's answer, and the daemon's own preview of it.
package final class TryoutDesk: Sendable {
    let feed: TryoutFeed
    private let connection: HTTPConnection
    private let daemon: String
    private let store: ReleaseStore
    private let releases: ReleaseScheduler
    private let reports: ReportScheduler
    private let state: Mutex<State>
    private let clock: UnixClock

    private struct State {
        var plan: Plan
        var lookedAt = ContinuousClock.now
    }

    /// The time for which a daemon that starts anew is waited for.
    private static let patience = Duration.seconds(20)
    /// The time after a batch in which PostgreSQL may still get it.
    private static let flush = (first: Duration.milliseconds(1200), last: Duration.seconds(6))
    /// The largest body that is handed on, and the largest answer. Unit: bytes.
    private static let largest = 8 << 20

    /// - Parameters:
    ///   - daemon: the address of its clients' port.
    ///   - authorities: certificates that vouch for it; nil for the system's.
    package init(
        _ feed: TryoutFeed, plan: Plan, daemon: String, authorities: String?, settings: ConnectionSettings,
        folder: String, clock: UnixClock = .system
    ) {
        self.feed = feed
        self.daemon = daemon
        self.clock = clock
        var rules = ConnectionRules()
        rules.authorities = authorities
        connection = HTTPConnection(rules)
        store = ReleaseStore(settings)
        releases = ReleaseScheduler(store: store, rules: .system)
        reports = ReportScheduler(store: store, rules: .system, folder: folder)
        state = Mutex(State(plan: plan))
    }

    /// Closes its connection to PostgreSQL.
    package func close() { store.close(within: .seconds(2)) }

    /// Goes on by another plan.
    package func set(_ plan: Plan) {
        state.withLock { $0.plan = plan }
    }

    // MARK: Requests

    /// A request as it is handed on.
    struct Handed: Sendable {
        var method: OutgoingRequest.Method
        var path: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]

        var isBatch: Bool { method == .post && path.prefix { $0 != "?" } == "/v1/batches" }
        var isGzip: Bool {
            headers.contains { $0.name == "content-encoding" && $0.value.lowercased().contains("gzip") }
        }
    }

    /// Returns the daemon's answer. Whatever is a batch gets an entry on the page.
    func handOn(_ request: Handed) async throws -> ReceivedAnswer {
        guard request.isBatch else { return try await answer(to: request) }
        var trial = request
        trial.path = "/v1/preview"
        let preview = try await answer(to: trial)
        let answer = try await answer(to: request)
        let reading = TryoutReading(plan: state.withLock { $0.plan }, now: clock.now)
        let entry = reading.entry(
            feed.nextNumber(), body: request.body, isGzip: request.isGzip, status: answer.status, answer: answer.body,
            preview: preview.status == 200 ? preview.body : nil, hasCome: feed.hasCome)
        feed.put(entry, isNew: true)
        return answer
    }

    private func answer(to request: Handed) async throws -> ReceivedAnswer {
        let outgoing = OutgoingRequest(
            request.method, daemon + request.path, headers: request.headers, body: request.body)
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                let answer = try await connection.answer(to: outgoing, within: .seconds(30), bodyLimit: Self.largest)
                guard answer.status == 503, ContinuousClock.now < deadline else { return answer }
            } catch {
                // While it starts by another plan it listens nowhere.
                guard ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: Numbers

    /// Looks up which numbers the newest batches went into, once PostgreSQL has them.
    package func look() async {
        let (entries, age) = feed.newest(20)
        let waiting = entries.contains { entry in entry.events.contains { $0.counted.contains { $0.numbers == nil } } }
        let since = ContinuousClock.now - state.withLock { $0.lookedAt }
        guard age > Self.flush.first, since > .seconds(1), waiting || age < Self.flush.last else { return }
        // PostgreSQL is away while the daemon starts anew; the next look finds it.
        guard let found = try? await numbers() else { return }
        for var entry in entries {
            for event in entry.events.indices {
                for place in entry.events[event].counted.indices {
                    entry.events[event].counted[place].numbers = found.numbers(
                        of: entry.events[event].counted[place].said)
                }
            }
            if entry.events.contains(where: { !$0.counted.isEmpty }) { feed.put(entry, isNew: false) }
        }
    }

    private func numbers() async throws -> TryoutNumbers {
        let plan = state.withLock { $0.plan }
        let found = try await TryoutNumbers(of: plan, at: clock.now, releases, store)
        state.withLock { $0.lookedAt = .now }
        return found
    }

    /// Returns the page of a report as it would be if its period were over now; nil if the plan has no such report, or
    /// its period is made of others.
    func page(of name: String) async throws -> String? {
        let plan = state.withLock { $0.plan }
        guard let report = plan.report(ReportName(name)) else { return nil }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let period = calendar.period(report.period, containing: clock.now)
        let decided = try await numbers().releases
        guard decided.contains(where: { $0.header.period == period }) else { return nil }
        return try await reports.trial(of: report, plan: plan, period: period, by: decided).html()
    }
}
