internal import ThrongJournal
internal import ThrongPlan
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore

extension Telemetry {
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
