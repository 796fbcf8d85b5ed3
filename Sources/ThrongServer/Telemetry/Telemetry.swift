internal import Logging
internal import Synchronization
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongReport
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

    /// Returns the daemon's health for its operator's page; without times of backups these are not shown.
    func health(_ gauges: Gauges, journalCap: Int, backups: BackupMarks? = nil, now: UnixSeconds) -> DaemonHealth {
        let counts = snapshot
        let schedule = schedule.snapshot
        let meanFlush = counts.flushes == 0 ? 0 : counts.flushSeconds / Double(counts.flushes) * 1000
        let turnedAway = counts.batches[BatchKind.overloaded.rawValue]
        var health = DaemonHealth(
            panels: [
                .init(
                    "Intake",
                    [
                        .init("Batches since the start", counts.batches.reduce(0, +)),
                        .init("Events counted", counts.acceptedEvents),
                        .init(
                            "Events refused", counts.refusedEvents.values.reduce(0, +),
                            isAlarm: RefusedHour.areMany(counts.refusedEvents, beside: counts.acceptedEvents)),
                        .fault("Turned away for now", turnedAway),
                        .init("Opted out", counts.batches[BatchKind.optedOut.rawValue]),
                    ]),
                .init(
                    "Journal",
                    [
                        .init("On disk", Wording.english.size(gauges.journalBytes)),
                        .init(
                            "Batches that PostgreSQL lacks", Int(clamping: gauges.journalLag),
                            isAlarm: gauges.journalLag > 0 && !counts.isDatabaseUp),
                        .init("Kept in case PostgreSQL loses it", Wording.english.size(counts.keptBytes)),
                        .init("May grow to", Wording.english.size(journalCap)),
                    ]),
                .init(
                    "PostgreSQL",
                    [
                        .init("Answers", counts.isDatabaseUp ? "yes" : "no", isAlarm: !counts.isDatabaseUp),
                        .init("Flushes", counts.flushes),
                        .init("A flush takes", "\(Wording.english.number(Int(meanFlush.rounded()))) ms"),
                        .init("Flushes that failed and were repeated", counts.flushFailures),
                        .fault("Times that it had lost flushes", counts.setBacks),
                    ]),
                .init(
                    "Memory",
                    [
                        .init("Identifiers' cells in open windows", gauges.openPairs),
                        .init("Counters to flush", gauges.pendingCells),
                        .fault("Counters at their bounds", gauges.saturations),
                        .fault("Files that were damaged", counts.damagedFiles),
                        .init(
                            "The time of day is believed", schedule.isClockDoubted ? "no" : "yes",
                            isAlarm: schedule.isClockDoubted),
                        .fault("Releases and reports that failed", schedule.failures),
                    ]), .init("Rounds", Self.standing(rounds, now: now)), .init("Age", Self.age(schedule, now: now)),
                .init("Backups", backups.map { Self.standing($0, now: now) } ?? []),
            ].filter { !$0.facts.isEmpty },
            refusals: (counts.refusedEvents.map {
                ($0.key.rawValue, $0.value, counts.refusedHour.example(of: $0.key) ?? "")
            } + counts.refusedBatches.map { ("\($0.key) (whole batch)", $0.value, "") })
            .filter { $0.1 > 0 }.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 })
        health.waitsFor = schedule.waitsFor.map(\.daemon.description)
        health.isClockDoubted = schedule.isClockDoubted
        return health
    }

    /// Returns the time by which the data of each app that expires next should be gone.
    private static func age(_ schedule: ScheduleHealth.Counts, now: UnixSeconds) -> [DaemonHealth.Fact] {
        let late = schedule.retentionOverdue.values.reduce(0, +)
        let apps = schedule.retentionDeadline.sorted { $0.key < $1.key }.map { app, deadline in
            DaemonHealth.Fact(
                "\(app): what goes next is gone by", deadline == .epoch ? "nothing left" : Instant.text(deadline),
                isAlarm: deadline != .epoch && deadline < now)
        }
        return apps + [.fault("Steps that are overdue", late)]
    }

    private static func standing(_ rounds: RoundHealth, now: UnixSeconds) -> [DaemonHealth.Fact] {
        rounds.snapshot.sorted { $0.key.words < $1.key.words }.map { round, standing in
            let isLate = RoundHealth.isOverdue(round, standing, at: now)
            let last = "came to its end \(Age.text(now - standing.last))"
            return .init(
                round.words, standing.isFailing ? "failed; \(last)" : isLate ? "late; \(last)" : last,
                isAlarm: standing.isFailing || isLate)
        }
    }

    private static func standing(_ backups: BackupMarks, now: UnixSeconds) -> [DaemonHealth.Fact] {
        [("Last made", BackupMarks.Deed.made), ("Keys last exported", .exported)].map { label, deed in
            do {
                guard let last = try backups.last(deed) else { return .init(label, "never") }
                // An operator who once began has to go on; one who copies in another way never began.
                return .init(label, Age.text(now - last), isAlarm: abs(now - last) > BackupMarks.stale)
            } catch { return .init(label, "unknown, as its mark is damaged", isAlarm: true) }
        }
    }
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
        "this daemon counts for \(app) by plan \(own.short), and plan \(inForce.short) is in force, which daemon "
            + "\(daemon) brought; it releases, reports and deletes nothing. Give it the plan in force and send SIGHUP, "
            + "or bring its own into force by `throng plan apply`"
    }

    fileprivate var facts: Logger.Metadata {
        [
            "app": "\(app)", "plan": "\(own.short)", "in_force": "\(inForce.short)", "since": "\(since)",
            "brought_by": "\(daemon)", "why": "\(arrival.rawValue)",
        ]
    }
}

/// The health of a daemon as of now: never values.
struct DaemonHealth: Sendable {
    struct Panel: Sendable {
        let title: String
        let facts: [Fact]

        init(_ title: String, _ facts: [Fact]) { (self.title, self.facts) = (title, facts) }
    }

    struct Fact: Sendable {
        let label: String
        let value: String
        let isAlarm: Bool

        init(_ label: String, _ value: String, isAlarm: Bool = false) {
            (self.label, self.value, self.isAlarm) = (label, value, isAlarm)
        }

        init(_ label: String, _ number: Int, isAlarm: Bool = false) {
            self.init(label, Wording.english.number(number), isAlarm: isAlarm)
        }

        /// The number of faults: an alarm unless it is 0.
        static func fault(_ label: String, _ number: Int) -> Fact { Fact(label, number, isAlarm: number > 0) }
    }

    let panels: [Panel]
    /// The reasons why events were refused, with their counts since the start and a late example, names of the plan and
    /// shapes; the most frequent first.
    let refusals: [(reason: String, count: Int, example: String)]
    /// This daemon's name in PostgreSQL; nil where nobody says.
    var daemon: String?
    var waitsFor: [String] = []
    /// The consequence and the remedy, for each app of which another plan is in force.
    var plansBehind: [String] = []
    var isClockDoubted = false
    /// The versions or digests of what runs here: the program, its formats, its plans.
    var versions: [(name: String, version: String)] = []
}

/// The time that has passed since something, as people say it.
enum Age {
    /// "3 seconds ago", "2 days ago".
    static func text(_ seconds: Int64) -> String {
        let (count, noun) =
            switch seconds {
            case ..<120: (max(0, seconds), "second")
            case ..<7200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return Wording.english.count(count, noun) + " ago"
    }
}
