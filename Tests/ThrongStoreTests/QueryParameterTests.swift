import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongRelease
@testable import ThrongStore

@Suite("A query's type hands over as many parameters as its file names")
struct QueryParameterTests {
    private static let day = Period.day(saturday)
    private static let run = ReportRunName(app: "shop", report: "weekly", period: day)
    private static let runClaim = ReportRunClaim(app: "shop", report: "weekly", period: day, attempt: 1)
    private static let claim = DeliveryClaim(
        run: run, target: "folder out", authorization: nil, idempotencyKey: [], attempt: 1)
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

    /// One of each type.
    private static let samples: [any TypedQuery] =
        [
            InsertDelivery(run: run, delivery: .folder("out"), idempotencyKey: [], now: .epoch),
            ClaimDelivery(app: "shop", run: nil, now: .epoch, lease: .zero, foldersOnly: true),
            ExtendDelivery(claim: claim, now: .epoch, lease: .zero),
            FinishDelivery(claim: claim, state: .sent, error: nil, retryAt: .epoch, now: .epoch),
            ReopenDeliveries(run: run, now: .epoch), SelectDeliveries(run: run),
            InsertDeliveredFile(claim: claim, place: 0, status: nil, now: .epoch), SelectDeliveredFiles(claim: claim),
            ClaimRun(
                app: "shop", report: "weekly", partner: "supplier", period: day, now: .epoch, lease: .zero, tries: 1),
            MakeRun(claim: runClaim, label: "1", detail: nil, until: .epoch),
            FinishRun(claim: runClaim, outcome: .failed, detail: nil, now: .epoch),
            SettleRun(run: run, now: .epoch), ReopenRun(run: run),
            SelectMadeStarts(app: "shop", report: "weekly", periodKind: .day, from: .epoch),
            SelectRuns(app: nil, report: nil), SelectLastRuns(most: 1),
            SelectUnsignedRuns(ending: ".sig", most: 1), InsertRunFile(run: run, file: file),
            SelectRunFiles(run: run), DeleteRunFiles(app: "shop", before: .epoch, now: .epoch, report: nil),
            SelectKeptApps(),
            UpsertCoverage(app: "shop", hour: .epoch, kind: "late", events: 1),
            SelectCoverage(app: "shop", period: day), SelectLosses(period: day),
            DeleteCoverage(app: "shop", before: .epoch), SelectClock(), RaiseClock(believed: believed),
            ConfirmClock(believed: believed), AskToSettle(), SelectAsked(),
            SettleWatermark(attachment: attachment, asking: .left), SelectUnsettled(asking: 1, now: .epoch),
            SelectUnattached(),
            RecallEpoch(
                number: 1, begins: nil, owners: Array(repeating: DaemonID(UUID()), count: 256),
                lost: (DaemonID(UUID()), isRetired: true)),
            InsertProvedFirsts(rows: []), CountProvedFirsts(metric: 1, period: day),
            DeleteProvedFirsts(metric: 1, period: day), ExpireProvedFirsts(before: .epoch),
            SelectLabels(app: "shop"), LearnLabel(app: "shop", dimension: "os", most: 1, label: "iOS"),
            RestoreLabel(app: "shop", lost: label), NotePublishedLabels(app: "shop", dimension: "os", slots: []),
            RetireLabels(app: "shop", dimension: "os", before: .epoch, now: .epoch),
            DeleteLabels(app: "shop", before: .epoch),
            SelectPeriods(metric: 1, from: .epoch), OpenByCalendar(metric: 1, periods: [day]),
            SelectFirstOpenEnds(app: "shop"), SelectReleasedStarts(app: "shop", periodKind: .day, from: .epoch),
            EnsurePartitions(kind: .day, starts: []), SelectPromises(app: nil), SelectOldest(app: "shop"), SelectTold(),
            SelectRecipients(app: "shop", metric: "views"), SelectDeletions(), SelectHeld(), SelectApps(),
            NoteDeletion(app: "*", kind: "backups", subject: "x", term: "y", rows: 1), SelectStanding(names: []),
            SelectAppDeliveries(app: "shop"), SelectSilences(), DeleteApp(app: "shop", copies: 0),
            SelectDue(metric: 1, dimension: nil, shorter: nil, began: nil),
            DropReleased(metric: 1, dimension: nil, shorter: nil, before: .epoch, began: nil, term: "x"),
            ExpireOpen(metric: 1, before: .epoch, began: nil),
            HoldPromise(metric: 1, since: .epoch, terms: Self.terms, isEverywhere: true),
            SelectAgedCopies(app: "shop", before: .epoch, now: .epoch, report: nil),
            RemoveDelivery(copy: copy, files: 1), SelectDueCopies(),
            DropPartitions(countersBefore: .epoch, distinctBefore: .epoch, abandonedBefore: .epoch),
            HoldCounters(), DistributeCounters(parts: 8), SelectCounterNodes(),
        ] + later + released

    private static let later: [any TypedQuery] = [
        InsertToken(token: token, hash: []), SelectTokens(id: nil), RevokeToken(id: "00000000", now: .epoch),
        SelectPartnerFiles(app: "shop", partner: "supplier"),
        SelectPartnerFile(app: "shop", partner: "supplier", report: "weekly", name: "a.csv"),
        SelectLastReleases(most: 1), LockMigrations(), FindMigrationTable(), SelectMigrations(),
        InsertMigration(migration: Migration.all[0]), SelectConfined(), SelectAnalystMetrics(),
        SelectAnalystColumns(view: "v"), SelectAnalystBuckets(view: "v"), SelectAnalystMargins(view: "v", kind: .day),
        SelectAnalystReleases(view: "v", kind: .day), SelectWatermark(daemon: daemon),
        AttachWatermark(daemon: daemon, shard: 0, fence: 1, found: 0, holder: nil, still: nil),
        ClaimWatermark(daemon: daemon, fence: 1, claim: 2, shard: 0), HearWatermark(attachment: attachment),
        ReleaseWatermark(attachment: attachment),
        AdvanceWatermark(attachment: attachment, after: JournalPosition(0), through: JournalPosition(1)),
        SelectImpossible(starts: []), LockMetricsShared(metrics: [1]),
        SelectRecentlyClosed(metrics: [1], since: .epoch), SelectClosed(periods: [period]),
        SelectClosedFrom(metric: 1, from: .epoch), OpenPeriods(periods: [period], ends: [.epoch]),
        UpsertCounters(shard: 0),
        UpsertDistinct(shard: 0),
        PruneRemoved(shard: 0, periods: [period]),
        PruneCoverage(app: "shop"), EnrollMember(daemon: daemon, address: nil, takesBatches: true), SelectMembers(),
        SelectMemberSecret(), SelectEpochs(), SelectLastEpoch(), ProposeEpoch(after: 1, seconds: 5, owners: []),
        HearEpoch(daemon: daemon, epoch: 1), VoidEpochs(), SelectAwaited(epoch: 1), SelectEpochState(epoch: 1),
        RetireMember(daemon: daemon, after: 1, owners: []), OweUntil(daemon: daemon, until: nil),
        TakeLease(name: "a", daemon: daemon, length: 1),
        ReleaseLease(name: "a", daemon: daemon),
        RegisterLayout(layout: .sample(), makeCurrent: true),
        KeepTerms(metric: 1, threshold: .standard), FindLayout(layout: LayoutID([])),
        SelectTerms(layout: LayoutID([])), HoldTerms(metric: 1, since: nil, terms: terms, isEverywhere: false),
        AnnouncePlan(daemon: daemon, app: "shop", plan: PlanVersion(hex: "ab"), isApplied: false), SelectPlansInForce(),
        SelectMemberPlans(), StopPlans(daemon: daemon, kept: []), InsertSession(hash: [], token: "0", idle: 1),
        LookAtSession(hash: [], idle: 1, longest: 2), DeleteSession(hash: []), EndSessions(token: "0", left: 1),
        ExpireSessions(), SelectSessions(token: "0"),
        EndOwnSessions(token: "0", session: PortalSession.ID(cookie: "0"), isForOthers: true),
        RetireTerms(kept: [1], ended: .epoch), SelectTermsVersions(app: "shop", from: .epoch, to: .epoch),
        SelectCounted(app: "shop", metric: "views"),
    ]

    private static let released: [any TypedQuery] = [
        SelectOpenPeriods(app: "shop"), DeleteOpenPeriod(metric: 1, period: day), LockMetric(metric: 1),
        ClosePeriod(metric: 1, period: day), CloseUncounted(metric: 1, periods: [day]),
        CloseOpenRollup(metric: 1, period: day), InsertOpenRollup(metric: 1, period: day),
        DeleteOpenRollup(metric: 1, period: day), SelectOpenRollups(app: "shop"),
        FindOpenRollup(metric: 1, period: day), SelectCounters(metric: 1, period: day),
        SelectDistinct(metric: 1, period: day), DeleteDistinct(metric: 1, period: day),
        InsertRelease(metric: 1, header: header, digest: []), SelectReleaseNames(),
        SelectReleases(app: "shop", metric: "orders", kind: .day, from: .epoch, to: .epoch),
        SelectKnownReleases(app: "shop", metric: "orders", period: day, from: .epoch),
        SelectFirstRelease(app: "shop", metric: "orders", period: day), SelectReleasesWithin(metric: 1, period: day),
        SelectReleasedCells(release: 1),
        SelectReason(metric: 1, period: day, margin: .total, cell: CellIndex(0)),
        FindReasons(metric: 1, period: day),
        InsertWindowClosing(daemon: daemon, through: JournalPosition(1), ended: .epoch, shard: 0),
        SelectWindowClosing(daemon: daemon, after: JournalPosition(0), shard: 0),
    ]

    private static func evaluate() throws -> EvaluateLabel {
        let output = try #require(EvaluatedOutput(bytes: Array(repeating: 1, count: 32)))
        let evaluated = EvaluatedLabel(evaluator: EvaluatorKey(point: Array(repeating: 2, count: 33)), output: output)
        return EvaluateLabel(app: "shop", dimension: "os", label: "iOS", evaluated: evaluated)
    }

    /// One of every type that there is.
    static func all() throws -> [any TypedQuery] { try samples + [evaluate()] }

    @Test("as many parameters as the file has placeholders, of every type that there is")
    func parameters() throws {
        let files = Dictionary(uniqueKeysWithValues: try QueryFile.all().map { ($0.name, $0) })
        var seen: Set<String> = []
        for sample in try Self.all() {
            let name = type(of: sample).text.name
            #expect(sample.parameters.count == files[name]?.parameters, "\(name)")
            #expect(type(of: sample).text.sql == files[name]?.body, "the header of \(name) is not sent")
            #expect(seen.insert(name).inserted, "\(name) has two types")
        }
        #expect(seen == (try QueryFile.typed()), "a type has no sample above")
    }
}
