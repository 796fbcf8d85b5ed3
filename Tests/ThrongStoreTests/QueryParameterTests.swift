import Foundation
import Testing
import ThrongCounting
import ThrongPlan
import ThrongRelease

@testable import ThrongPostgres
@testable import ThrongStore

@Suite("A query's type hands over as many parameters as its file names")
struct QueryParameterTests {
    private static let day = Period.day(saturday)
    private static let run = ReportRunName(app: "shop", report: "weekly", period: day)
    private static let runClaim = ReportRunClaim(app: "shop", report: "weekly", period: day, attempt: 1)
    private static let claim = DeliveryClaim(
        run: run, target: "folder out", authorization: nil, idempotencyKey: [], attempt: 1)
    private static let file = StoredReportFile(place: 0, name: "a.csv", contents: [1])
    private static let daemon = DaemonID.new
    private static let attachment = CounterStore.Attachment(daemon: daemon, fence: 1)
    private static let believed = StoredClock.Believed(time: saturday, machine: "a", uptime: 1)
    private static let label = LearnedLabel(dimension: "os", slot: 0, label: "iOS", isRetired: false)
    private static let token = AccessToken(
        id: "00000000", role: .partner("supplier", of: "shop"), note: nil, createdAt: 0, expiresAt: 1)
    private static let period = PendingFlush.MetricPeriod(metric: 1, start: saturday)
    private static let terms = ReleaseTerms(
        threshold: Threshold(devices: 20))

    /// One of each type.
    private static let samples: [any TypedQuery] =
        [
            InsertDelivery(run: run, delivery: .folder("out"), idempotencyKey: [], now: 0),
            ClaimDelivery(app: "shop", run: nil, now: 0, lease: .zero, foldersOnly: true),
            ExtendDelivery(claim: claim, now: 0, lease: .zero),
            FinishDelivery(claim: claim, state: .sent, error: nil, retryAt: 0, now: 0),
            ReopenDeliveries(run: run, now: 0), SelectDeliveries(run: run),
            InsertDeliveredFile(claim: claim, place: 0, status: nil, now: 0), SelectDeliveredFiles(claim: claim),
            ClaimRun(
                app: "shop", report: "weekly", partner: "supplier", period: day, now: 0, lease: .zero, tries: 1),
            MakeRun(claim: runClaim, label: "1", detail: nil, until: 0),
            FinishRun(claim: runClaim, outcome: .failed, detail: nil, now: 0),
            SettleRun(run: run, now: 0), ReopenRun(run: run),
            SelectMadeStarts(app: "shop", report: "weekly", periodKind: .day, from: 0),
            SelectRuns(app: nil, report: nil), SelectLastRuns(most: 1), InsertRunFile(run: run, file: file),
            SelectRunFiles(run: run), DeleteRunFiles(app: "shop", before: 0, now: 0, report: nil), SelectKeptApps(),
            UpsertCoverage(app: "shop", hour: 0, kind: "late", events: 1), SelectCoverage(app: "shop", period: day),
            DeleteCoverage(app: "shop", before: 0), SelectClock(), RaiseClock(believed: believed),
            ConfirmClock(believed: believed), AskToSettle(), SelectAsked(),
            SettleWatermark(attachment: attachment, asking: 1), SelectUnsettled(asking: 1),
            SelectLabels(app: "shop"), LearnLabel(app: "shop", dimension: "os", most: 1, label: "iOS"),
            RestoreLabel(app: "shop", lost: label), NotePublishedLabels(app: "shop", dimension: "os", slots: []),
            RetireLabels(app: "shop", dimension: "os", before: 0, now: 0), DeleteLabels(app: "shop", before: 0),
            SelectPeriods(metric: 1, from: 0), OpenByCalendar(metric: 1, periods: [day]),
            SelectFirstOpenEnd(app: "shop"), SelectReleasedStarts(app: "shop", periodKind: .day, from: 0),
            EnsurePartitions(kind: .day, starts: []), SelectKeptLayouts(),
            DropReleased(metric: 1, dimension: nil, before: 0), ExpireOpen(metric: 1, before: 0),
            DropPartitions(countersBefore: 0, distinctBefore: 0, abandonedBefore: 0), DeleteAbandonedTop(),
        ] + later

    private static let later: [any TypedQuery] = [
        InsertToken(token: token, hash: []), SelectTokens(id: nil), RevokeToken(id: "00000000", now: 0),
        SelectPartnerFiles(app: "shop", partner: "supplier"),
        SelectPartnerFile(app: "shop", partner: "supplier", report: "weekly", name: "a.csv"),
        SelectLastReleases(most: 1), LockMigrations(), FindMigrationTable(), SelectMigrations(),
        InsertMigration(migration: Migration.all[0]), SelectConfined(), SelectAnalystMetrics(),
        SelectAnalystColumns(view: "v"), SelectAnalystBuckets(view: "v"), SelectAnalystMargins(view: "v", kind: .day),
        SelectAnalystReleases(view: "v", kind: .day), SelectWatermark(daemon: daemon),
        AttachWatermark(daemon: daemon, fence: 1, found: 0, holder: nil),
        ClaimWatermark(daemon: daemon, fence: 1, claim: 2), HearWatermark(attachment: attachment),
        ReleaseWatermark(attachment: attachment),
        AdvanceWatermark(attachment: attachment, after: JournalPosition(0), through: JournalPosition(1)),
        SelectImpossible(starts: []), SelectDisplaced(periods: [period]), LockMetricsShared(metrics: [1]),
        SelectRecentlyClosed(metrics: [1], since: 0), SelectClosed(periods: [period]),
        SelectClosedFrom(metric: 1, from: 0), OpenPeriods(periods: [period], ends: [0]), UpsertCounters(),
        UpsertDistinct(), UpsertTop(daemon: daemon), RegisterLayout(layout: .sample(), makeCurrent: true),
        KeepTerms(metric: 1, terms: terms),
    ]

    @Test("as many parameters as the file has placeholders, of every type that there is")
    func parameters() throws {
        let files = Dictionary(uniqueKeysWithValues: try QueryFile.all().map { ($0.name, $0) })
        var seen: Set<String> = []
        for sample in Self.samples {
            let name = type(of: sample).text.name
            #expect(sample.parameters.count == files[name]?.parameters, "\(name)")
            #expect(type(of: sample).text.sql == files[name]?.body, "the header of \(name) is not sent")
            #expect(seen.insert(name).inserted, "\(name) has two types")
        }
        #expect(seen == (try QueryFile.typed()), "a type has no sample above")
    }
}
