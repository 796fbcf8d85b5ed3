internal import Logging
internal import Synchronization
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem

/// The daemon's figures about itself: health, never values. Labels come from closed lists.
final class Telemetry: Sendable {
    /// The kinds of outcomes of batches; a closed list.
    enum BatchKind: Int, CaseIterable {
        case accepted, duplicate, refused, optedOut, consentOutdated, test, overloaded

        var label: String {
            switch self {
            case .optedOut: "opted_out"
            case .consentOutdated: "consent_outdated"
            case .accepted, .duplicate, .refused, .test, .overloaded: "\(self)"
            }
        }
    }

    struct Counts {
        /// The batches by kind of outcome, in the order of its cases.
        var batches = Array(repeating: 0, count: BatchKind.allCases.count)
        var acceptedEvents = 0
        var refusedEvents: [RefusalReason: Int] = [:]
        var refusedHour = RefusedHour()
        var refusedBatches: [String: Int] = [:]
        var unreadableClients = 0
        var flushes = 0
        var flushFailures = 0
        var flushSeconds = 0.0
        var flushedCells = 0
        var redirected = 0
        var isDatabaseUp = false
        var setBacks = 0
        var damagedFiles = 0
        var keptBytes = 0
        var reveals: [RevealOutcome: Int] = [:]
        var droppedHashes = 0
        /// The requests for credentials by ``CredentialRefusal/code``, or `given`.
        var credentials: [String: Int] = [:]
        /// The number of known labels by the labels of the metric, which are names from plans.
        var knownLabels: [String: Int] = [:]
    }

    /// The figures that other parts know at the moment of asking.
    struct Gauges {
        var journalBytes = 0
        var journalLag: UInt64 = 0
        var pendingCells = 0
        var openPairs = 0
        var saturations = 0
        var bodyBytes = 0
        var windowBytes = 0
        var refusalBytes = 0
    }

    let rounds: RoundHealth
    /// The figures of the schedule and of the deliveries, each in its own place.
    let schedule: ScheduleHealth
    let deliveries = DeliveryHealth()
    let plans = PlanStandings()
    /// The queue of spans; nil if there are none.
    let spans: SpanQueue?
    private let counts = Mutex(Counts())

    init(spans: SpanQueue? = nil, rounds: RoundHealth = RoundHealth()) {
        (self.spans, self.rounds) = (spans, rounds)
        schedule = ScheduleHealth(rounds: rounds)
    }

    var snapshot: Counts { counts.withLock { $0 } }

    func answered(_ outcome: BatchKind, _ answer: BatchAnswer? = nil) {
        counts.withLock { counts in
            counts.batches[outcome.rawValue] += 1
            // A duplicate's events were counted when it came first.
            guard outcome != .duplicate, let answer else { return }
            counts.acceptedEvents += answer.accepted
            for refusal in answer.refused { counts.refusedEvents[refusal.reason, default: 0] += 1 }
            counts.refusedHour.add(answer)
        }
    }

    /// Logs, once an hour is over in which many events were refused, why most were.
    func tellRefusals(_ logger: Logger, at now: ContinuousClock.Instant = .now) {
        guard let facts = counts.withLock({ $0.refusedHour.end(at: now) }) else { return }
        logger.warning(
            "of the last hour's events more than one in twenty changed no counter: clients and the plan differ",
            metadata: facts)
    }

    func refused(_ error: IntakeError) {
        counts.withLock { counts in
            counts.batches[BatchKind.refused.rawValue] += 1
            counts.refusedBatches[error.code, default: 0] += 1
        }
    }

    func clientWasUnreadable() { counts.withLock { $0.unreadableClients += 1 } }

    func flushed(seconds: Double, cells: Int, redirected: Int) {
        counts.withLock { counts in
            counts.flushes += 1
            counts.flushSeconds += seconds
            counts.flushedCells += cells
            counts.redirected += redirected
            counts.isDatabaseUp = true
        }
    }

    func flushFailed() {
        counts.withLock { counts in
            counts.flushFailures += 1
            counts.isDatabaseUp = false
        }
    }

    func revealed(_ outcome: RevealOutcome) { counts.withLock { $0.reveals[outcome, default: 0] += 1 } }
    func credentialWasGiven() { counts.withLock { $0.credentials["given", default: 0] += 1 } }
    func credentialWasRefused(_ refusal: CredentialRefusal) {
        counts.withLock { $0.credentials[refusal.code, default: 0] += 1 }
    }
    func hashWasDropped() { counts.withLock { $0.droppedHashes += 1 } }
    func labelsAreKnown(_ count: Int, of dimension: DimensionName, app: AppName) {
        counts.withLock { $0.knownLabels["app=\"\(app)\",dimension=\"\(dimension)\""] = count }
    }

    func fileIsDamaged() { counts.withLock { $0.damagedFiles += 1 } }
    func databaseWasSetBack() { counts.withLock { $0.setBacks += 1 } }
    func kept(bytes: Int) { counts.withLock { $0.keptBytes = bytes } }
    func databaseIsAway() { counts.withLock { $0.isDatabaseUp = false } }
    func databaseIsUp() { counts.withLock { $0.isDatabaseUp = true } }
}

/// The outcome of a client's answer to a request for a value. The list is closed: labels of a metric are made of it.
enum RevealOutcome: String, CaseIterable {
    /// The label is known now, or was known before.
    case learned
    /// The dimension has a label in every slot; the value goes on counting as `other`.
    case full
    /// The value was not asked for: too few devices, or none, have sent its hash in the window.
    case notAsked = "not_asked"
    case unfit
    case optedOut = "opted_out"
    case unavailable
}

/// The standings of this daemon's plans against those in force, as PostgreSQL said last.
///
/// If another plan is in force, this daemon goes on counting by its own, which is what it tells people. It leaves
/// releases, reports and retention to the daemons that have the plan in force.
final class PlanStandings: Sendable {
    private struct State {
        var known: [AppName: PlanStanding] = [:]
        /// The plans that have come into force since the log said so last, and what it said of each app.
        var arrivals: [PlanStanding] = []
        var told: [AppName: PlanStanding] = [:]
    }

    private let state = Mutex(State())

    func note(_ standings: [PlanStanding]) {
        state.withLock { state in
            state.known = Dictionary(uniqueKeysWithValues: standings.map { ($0.app, $0) })
            state.arrivals += standings.filter(\.hasArrived)
        }
    }

    /// The standings, sorted by app; none before PostgreSQL was asked.
    var all: [PlanStanding] { state.withLock { $0.known.values.sorted { $0.app < $1.app } } }

    var behind: [PlanStanding] { all.filter { !$0.isInForce } }

    /// Returns true if the plans in force of all these apps are known to be this daemon's.
    func areInForce(_ apps: [AppName]) -> Bool {
        state.withLock { state in apps.allSatisfy { state.known[$0]?.isInForce ?? false } }
    }

    /// Logs what has changed since the last time.
    func tell(_ logger: Logger) {
        let (arrivals, changes) = state.withLock { state in
            defer { (state.arrivals, state.told) = ([], state.known) }
            let changes = state.known.values.sorted { $0.app < $1.app }.map { ($0, before: state.told[$0.app]) }
            return (state.arrivals, changes)
        }
        for one in arrivals { logger.notice("the plan is in force for all daemons", metadata: one.facts) }
        for (one, before) in changes {
            let wasBehind = before.map { !$0.isInForce } ?? false
            if !one.isInForce, before?.inForce != one.inForce || !wasBehind {
                logger.error(
                    """
                    this daemon counts by another plan than the one in force: it releases, reports and deletes nothing. Give it \
                    the plan in force and send SIGHUP, or bring its own into force by `throng plan apply`; `throng daemon list` \
                    says who has which
                    """, metadata: one.facts)
            } else if one.isInForce, wasBehind {
                logger.notice("this daemon's plan is the one in force again", metadata: one.facts)
            }
        }
    }
}

extension PlanStanding {
    /// The text for an operator about a plan that is not the one in force, with the remedy.
    var advice: String {
        """
        this daemon counts for \(app) by plan \(own.short), and plan \(inForce.short) is in force, which daemon \(daemon) \
        brought; it releases, reports and deletes nothing. Give it the plan in force and send SIGHUP, or bring its own into \
        force by `throng plan apply`
        """
    }

    fileprivate var facts: Logger.Metadata {
        [
            "app": "\(app)", "plan": "\(own.short)", "in_force": "\(inForce.short)", "since": "\(since)",
            "brought_by": "\(daemon)", "why": "\(arrival.rawValue)",
        ]
    }
}
