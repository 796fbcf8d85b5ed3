import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongRelease
@testable import ThrongStore

/// A query with parameters made up, whether it is read or not.
protocol SampleQuery: Sendable {
    var statement: Statement { get }
    /// Runs it, and reads each row that comes back.
    func read(_ session: Session) throws
}

extension Statement: SampleQuery {
    var statement: Statement { self }
    func read(_ session: Session) throws { try session.run(self) }
}

extension RowQuery: SampleQuery {
    func read(_ session: Session) throws { _ = try session.run(self) }
}

@Suite("A query's function hands over as many parameters as its file names")
struct QueryParameterTests {
    private static let day = Period.day(saturday)
    private static let run = ReportRunName(app: "shop", report: "weekly", period: day)
    private static let runClaim = ReportRunClaim(app: "shop", report: "weekly", period: day, attempt: 1)
    private static let claim = DeliveryClaim(
        run: run, target: "folder out", authorization: nil, idempotencyKey: [], attempt: 1, partner: "bank")
    private static let file = StoredReportFile(place: 0, name: "a.csv", contents: [1])
    private static let copy = AgedCopy(run: run, label: "2026-W47", target: "folder out")
    private static let daemon = DaemonID.new
    private static let attachment = CounterStore.Attachment(daemon: daemon, fence: 1, shard: 0)
    private static let believed = StoredClock.Believed(time: saturday, machine: "a", uptime: 1)
    private static let label = LearnedLabel(dimension: "os", slot: 0, label: "iOS", isRetired: false)
    private static let token = AccessToken(
        id: "00000000", role: .partner("supplier", of: "shop"), note: nil, createdAt: .epoch, expiresAt: UnixSeconds(1))
    private static let period = PendingFlush.MetricPeriod(metric: 1, start: saturday)
    private static let terms = ReleaseTerms(
        threshold: Threshold(devices: 20))

    private static let header = MetricLayout.sample().header(day, groupings: [.total])

    /// One of each function.
    private static let samples: [any SampleQuery] =
        [
            Query.insertDelivery(run: run, delivery: .folder("out"), idempotencyKey: [], now: .epoch),
            Query.claimDelivery(app: "shop", run: nil, now: .epoch, lease: .zero, foldersOnly: true),
            Query.extendDelivery(claim: claim, now: .epoch, lease: .zero),
            Query.finishDelivery(claim: claim, state: .sent, error: nil, retryAt: .epoch, now: .epoch),
            Query.reopenDeliveries(run: run, now: .epoch), Query.selectDeliveries(run: run),
            Query.insertDeliveredFile(claim: claim, place: 0, status: nil, now: .epoch),
            Query.selectDeliveredFiles(claim: claim),
            Query.claimRun(
                app: "shop", report: "weekly", partner: "supplier", period: day, now: .epoch, lease: .zero, tries: 1),
            Query.makeRun(claim: runClaim, label: "1", detail: nil, until: .epoch),
            Query.finishRun(claim: runClaim, outcome: .failed, detail: nil, now: .epoch),
            Query.settleRun(run: run, now: .epoch), Query.reopenRun(run: run),
            Query.selectMadeStarts(app: "shop", report: "weekly", periodKind: .day, from: .epoch),
            Query.selectRuns(app: nil, report: nil), Query.selectLastRuns(most: 1),
            Query.selectUnsignedRuns(ending: ".sig", most: 1), Query.insertRunFile(run: run, file: file),
            Query.selectRunFiles(run: run), Query.deleteRunFiles(app: "shop", before: .epoch, now: .epoch, report: nil),
            Query.selectKeptApps(), Query.insertAsked(token: "00000000", app: "shop", question: "", answered: nil),
            Query.declineAsked(""), Query.selectAsked(token: nil), Query.expireAsked(),
            Query.upsertCoverage(app: "shop", hour: .epoch, kind: "late", events: 1),
            Query.selectCoverage(app: "shop", period: day), Query.selectLosses(period: day),
            Query.deleteCoverage(app: "shop", before: .epoch), Query.selectClock(),
            Query.raiseClock(believed: believed),
            Query.confirmClock(believed: believed), Query.askToSettle(), Query.selectAsked(),
            Query.settleWatermark(attachment: attachment, asking: .left), Query.selectUnsettled(asking: 1, now: .epoch),
            Query.selectUnattached(),
            Query.recallEpoch(
                number: 1, begins: nil, owners: Array(repeating: DaemonID(UUID()), count: 256),
                lost: (DaemonID(UUID()), isRetired: true)),
            Query.insertProvedFirsts(rows: []), Query.countProvedFirsts(metric: 1, period: day),
            Query.deleteProvedFirsts(metric: 1, period: day), Query.expireProvedFirsts(before: .epoch),
            Query.selectLabels(app: "shop"), Query.learnLabel(app: "shop", dimension: "os", most: 1, label: "iOS"),
            Query.restoreLabel(app: "shop", lost: label),
            Query.notePublishedLabels(app: "shop", dimension: "os", slots: []),
            Query.retireLabels(app: "shop", dimension: "os", before: .epoch, now: .epoch),
            Query.deleteLabels(app: "shop", before: .epoch),
            Query.selectPeriods(metric: 1, from: .epoch), Query.openByCalendar(metric: 1, periods: [day]),
            Query.selectFirstOpenEnds(app: "shop"),
            Query.selectReleasedStarts(app: "shop", periodKind: .day, from: .epoch),
            Query.ensurePartitions(kind: .day, starts: []), Query.selectPromises(app: nil),
            Query.selectOldest(app: "shop"), Query.selectTold(),
            Query.selectRecipients(app: "shop", metric: "views"), Query.selectDeletions(), Query.selectHeld(),
            Query.selectApps(),
            Query.noteDeletion(app: "*", kind: "backups", subject: "x", term: "y", rows: 1),
            Query.selectStanding(names: []),
            Query.selectAppDeliveries(app: "shop"), Query.selectSilences(), Query.deleteApp(app: "shop", copies: 0),
            Query.selectDue(metric: 1, dimension: nil, shorter: nil, began: nil),
            Query.dropReleased(metric: 1, dimension: nil, shorter: nil, before: .epoch, began: nil, term: "x"),
            Query.expireOpen(metric: 1, before: .epoch, began: nil),
            Query.holdPromise(metric: 1, since: .epoch, terms: Self.terms, isEverywhere: true),
            Query.selectAgedCopies(app: "shop", before: .epoch, now: .epoch, report: nil),
            Query.removeDelivery(copy: copy, files: 1), Query.selectDueCopies(),
            Query.dropPartitions(countersBefore: .epoch, distinctBefore: .epoch, abandonedBefore: .epoch),
            Query.selectAgedPages(), Query.selectColumns(table: "counter"), Query.countGoing(),
            Query.insertBackupStep(metric: 1, bit: nil, shorter: nil, after: .zero, began: nil),
            Query.decayRestored(metric: 1, dimension: nil, after: .zero, shorter: nil, began: nil, app: "shop"),
            Query.holdCounters(), Query.distributeCounters(parts: 8), Query.selectCounterNodes(),
        ] + later + released

    private static let later: [any SampleQuery] = [
        Query.insertToken(token: token, hash: [], link: SignInLink()), Query.selectTokens(id: nil),
        Query.openLink(hash: [], now: .epoch), Query.noteReading(token: "0", report: "weekly", now: .epoch),
        Query.selectReadings(), Query.expireReadings(),
        Query.revokeToken(id: "00000000", now: .epoch),
        Query.selectPartnerFiles(app: "shop", partner: "supplier"),
        Query.selectPartnerFile(app: "shop", partner: "supplier", report: "weekly", name: "a.csv"),
        Query.selectLastReleases(most: 1), Query.lockMigrations(), Query.findMigrationTable(), Query.selectMigrations(),
        Query.insertMigration(migration: Migration.all[0]), Query.selectConfined(), Query.selectAnalystMetrics(),
        Query.selectAnalystColumns(view: "v"), Query.selectAnalystBuckets(view: "v"),
        Query.selectAnalystMargins(view: "v", kind: .day),
        Query.selectAnalystReleases(view: "v", kind: .day), Query.selectWatermark(daemon: daemon),
        Query.attachWatermark(daemon: daemon, shard: 0, fence: 1, found: 0, holder: nil, still: nil),
        Query.claimWatermark(daemon: daemon, fence: 1, claim: 2, shard: 0), Query.hearWatermark(attachment: attachment),
        Query.releaseWatermark(attachment: attachment),
        Query.advanceWatermark(attachment: attachment, after: JournalPosition(0), through: JournalPosition(1)),
        Query.selectImpossible(starts: []), Query.lockMetricsShared(metrics: [1]),
        Query.selectRecentlyClosed(metrics: [1], since: .epoch), Query.selectClosed(periods: [period]),
        Query.selectClosedFrom(metric: 1, from: .epoch), Query.openPeriods(periods: [period], ends: [.epoch]),
        Query.upsertCounters(shard: 0),
        Query.upsertDistinct(shard: 0),
        Query.pruneRemoved(shard: 0, periods: [period]),
        Query.pruneCoverage(app: "shop"), Query.enrollMember(daemon: daemon, address: nil, takesBatches: true),
        Query.selectMembers(),
        Query.selectMemberSecret(), Query.selectEpochs(), Query.selectLastEpoch(),
        Query.proposeEpoch(after: 1, seconds: 5, owners: []),
        Query.hearEpoch(daemon: daemon, epoch: 1), Query.voidEpochs(), Query.selectAwaited(epoch: 1),
        Query.selectEpochState(epoch: 1),
        Query.retireMember(daemon: daemon, after: 1, owners: []), Query.oweUntil(daemon: daemon, until: nil),
        Query.takeLease(name: "a", daemon: daemon, length: 1),
        Query.releaseLease(name: "a", daemon: daemon),
        Query.registerLayout(layout: .sample(), makeCurrent: true),
        Query.keepTerms(metric: 1, threshold: .standard), Query.findLayout(layout: LayoutID([])),
        Query.selectTerms(layout: LayoutID([])),
        Query.holdTerms(metric: 1, since: nil, terms: terms, isEverywhere: false),
        Query.announcePlan(daemon: daemon, app: "shop", plan: PlanVersion(hex: "ab"), isApplied: false),
        Query.selectPlansInForce(),
        Query.selectMemberPlans(), Query.stopPlans(daemon: daemon, kept: []),
        Query.insertSession(hash: [], token: "0", idle: 1, partners: 2),
        Query.lookAtSession(hash: [], idle: 1, longest: 2), Query.deleteSession(hash: []),
        Query.endSessions(token: "0", left: 1),
        Query.expireSessions(), Query.forgetNotes(), Query.selectSessions(token: "0"),
        Query.endOwnSessions(token: "0", session: PortalSession.ID(cookie: "0"), isForOthers: true),
        Query.retireTerms(kept: [1], ended: .epoch), Query.selectTermsVersions(app: "shop", from: .epoch, to: .epoch),
        Query.selectCounted(app: "shop", metric: "views"),
    ]

    private static let released: [any SampleQuery] = [
        Query.selectOpenPeriods(app: "shop"), Query.deleteOpenPeriod(metric: 1, period: day),
        Query.lockMetric(metric: 1),
        Query.closePeriod(metric: 1, period: day), Query.closeUncounted(metric: 1, periods: [day]),
        Query.closeOpenRollup(metric: 1, period: day), Query.insertOpenRollup(metric: 1, period: day),
        Query.deleteOpenRollup(metric: 1, period: day), Query.selectOpenRollups(app: "shop"),
        Query.findOpenRollup(metric: 1, period: day), Query.selectCounters(metric: 1, period: day),
        Query.selectDistinct(metric: 1, period: day), Query.deleteDistinct(metric: 1, period: day),
        Query.insertRelease(metric: 1, header: header, digest: []), Query.selectReleaseNames(),
        Query.selectReleases(app: "shop", metric: "orders", kind: .day, from: .epoch, to: .epoch),
        Query.selectKnownReleases(app: "shop", metric: "orders", period: day, from: .epoch),
        Query.selectFirstRelease(app: "shop", metric: "orders", period: day),
        Query.selectReleasesWithin(metric: 1, period: day),
        Query.selectReleasedCells(release: 1),
        Query.selectReason(metric: 1, period: day, margin: .total, cell: CellIndex(0)),
        Query.findReasons(metric: 1, period: day),
        Query.insertWindowClosing(daemon: daemon, through: JournalPosition(1), ended: .epoch, shard: 0),
        Query.selectWindowClosing(daemon: daemon, after: JournalPosition(0), shard: 0),
    ]

    private static func evaluate() throws -> Statement {
        let output = try #require(EvaluatedOutput(bytes: Array(repeating: 1, count: 32)))
        let evaluated = EvaluatedLabel(evaluator: EvaluatorKey(point: Array(repeating: 2, count: 33)), output: output)
        return Query.evaluateLabel(app: "shop", dimension: "os", label: "iOS", evaluated: evaluated)
    }

    /// One of every function that there is.
    static func all() throws -> [any SampleQuery] { try samples + [evaluate()] }

    @Test("as many parameters as the file has placeholders, of every query that there is")
    func parameters() throws {
        let files = Dictionary(uniqueKeysWithValues: try QueryFile.all().map { ($0.name, $0) })
        var seen: Set<String> = []
        for sample in try Self.all() {
            let (statement, name) = (sample.statement, sample.statement.name)
            #expect(statement.parameters.count == files[name]?.parameters, "\(name)")
            #expect(statement.sql == files[name]?.body, "the header of \(name) is not sent")
            #expect(seen.insert(name).inserted, "\(name) has two functions")
        }
        #expect(seen == (try QueryFile.asked()), "a function has no sample above")
    }
}
