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
        let isBehind = gauges.journalLag > 0 && !counts.isDatabaseUp
        let meanFlush = counts.flushes == 0 ? 0 : counts.flushSeconds / Double(counts.flushes) * 1000
        var health = DaemonHealth(
            panels: [
                .init(
                    title: "Intake",
                    facts: [
                        .init("Batches since the start", Wording.english.number(counts.batches.reduce(0, +))),
                        .init("Events counted", Wording.english.number(counts.acceptedEvents)),
                        Self.refused(counts),
                        .init(
                            "Turned away for now",
                            Wording.english.number(counts.batches[BatchKind.overloaded.rawValue]),
                            isAlarm: counts.batches[BatchKind.overloaded.rawValue] > 0),
                        .init("Opted out", Wording.english.number(counts.batches[BatchKind.optedOut.rawValue])),
                    ]),
                .init(
                    title: "Journal",
                    facts: [
                        .init("On disk", Wording.english.size(gauges.journalBytes)),
                        .init(
                            "Batches that PostgreSQL lacks", Wording.english.number(Int(clamping: gauges.journalLag)),
                            isAlarm: isBehind),
                        .init("Kept in case PostgreSQL loses it", Wording.english.size(counts.keptBytes)),
                        .init("May grow to", Wording.english.size(journalCap)),
                    ]),
                .init(
                    title: "PostgreSQL",
                    facts: [
                        .init("Answers", counts.isDatabaseUp ? "yes" : "no", isAlarm: !counts.isDatabaseUp),
                        .init("Flushes", Wording.english.number(counts.flushes)),
                        .init("A flush takes", "\(Wording.english.number(Int(meanFlush.rounded()))) ms"),
                        .init("Flushes that failed and were repeated", Wording.english.number(counts.flushFailures)),
                        .init(
                            "Times that it had lost flushes", Wording.english.number(counts.setBacks),
                            isAlarm: counts.setBacks > 0),
                    ]),
                .init(
                    title: "Memory",
                    facts: [
                        .init("Identifiers' cells in open windows", Wording.english.number(gauges.openPairs)),
                        .init("Counters to flush", Wording.english.number(gauges.pendingCells)),
                        .init(
                            "Counters at their bounds", Wording.english.number(gauges.saturations),
                            isAlarm: gauges.saturations > 0),
                        .init(
                            "Files that were damaged", Wording.english.number(counts.damagedFiles),
                            isAlarm: counts.damagedFiles > 0),
                        .init(
                            "The time of day is believed", schedule.isClockDoubted ? "no" : "yes",
                            isAlarm: schedule.isClockDoubted),
                        .init(
                            "Releases and reports that failed", Wording.english.number(schedule.failures),
                            isAlarm: schedule.failures > 0),
                    ]),
                .init(title: "Rounds", facts: Self.standing(rounds, now: now)),
                .init(title: "Age", facts: Self.age(schedule, now: now)),
                .init(title: "Backups", facts: backups.map { Self.standing($0, now: now) } ?? []),
            ].filter { !$0.facts.isEmpty },
            refusals: (counts.refusedEvents.map {
                ($0.key.rawValue, $0.value, counts.refusedHour.example(of: $0.key) ?? "")
            } + counts.refusedBatches.map { ("\($0.key) (whole batch)", $0.value, "") })
            .filter { $0.1 > 0 }.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 })
        health.waitsFor = schedule.waitsFor.map(\.daemon.description)
        health.isClockDoubted = schedule.isClockDoubted
        return health
    }

    private static func refused(_ counts: Counts) -> DaemonHealth.Fact {
        .init(
            "Events refused", Wording.english.number(counts.refusedEvents.values.reduce(0, +)),
            isAlarm: RefusedHour.areMany(counts.refusedEvents, beside: counts.acceptedEvents))
    }

    /// Returns the time by which the data of each app that expires next should be gone.
    private static func age(_ schedule: ScheduleHealth.Counts, now: UnixSeconds) -> [DaemonHealth.Fact] {
        let late = schedule.retentionOverdue.values.reduce(0, +)
        let apps = schedule.retentionDeadline.sorted { $0.key < $1.key }.map { app, deadline in
            DaemonHealth.Fact(
                "\(app): what goes next is gone by", deadline == .epoch ? "nothing left" : Instant.text(deadline),
                isAlarm: deadline != .epoch && deadline < now)
        }
        return apps + [.init("Steps that are overdue", Wording.english.number(late), isAlarm: late > 0)]
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
            guard let last = backups.last(deed) else { return .init(label, "never") }
            // An operator who once began has to go on; one who copies in another way never began.
            return .init(label, Age.text(now - last), isAlarm: now - last > BackupMarks.stale)
        }
    }
}

/// The health of a daemon as of now: never values.
struct DaemonHealth: Sendable {
    struct Panel: Sendable {
        let title: String
        let facts: [Fact]
    }

    /// Something that is so.
    struct Fact: Sendable {
        let label: String
        let value: String
        let isAlarm: Bool

        init(_ label: String, _ value: String, isAlarm: Bool = false) {
            self.label = label
            self.value = value
            self.isAlarm = isAlarm
        }
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
