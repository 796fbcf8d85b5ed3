internal import HTTPTypes
internal import Hummingbird
internal import Synchronization
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The files of public reports, kept in memory for a minute: however many read them, PostgreSQL is seldom asked.
final class PublicShelf: Sendable {
    /// The time for which a cache may keep what is served. Unit: seconds.
    static let seconds = 300
    private static let kept = Duration.seconds(60)
    /// The most files in memory; beyond that all are forgotten.
    private static let most = 64

    private typealias Kept<Value> = (until: ContinuousClock.Instant, value: Value)
    private struct Address: Hashable {
        let app: AppName
        let report: ReportName
        let name: String
    }

    private let access: AccessStore
    private let lists = Mutex<[AppName: Kept<[KeptReportFile]>]>([:])
    private let texts = Mutex<[Address: Kept<ServedText>]>([:])

    init(access: AccessStore) { self.access = access }

    /// The files of an app that everybody may read, by report, the latest period first: those of reports that are public
    /// now, and were made for everybody.
    func files(of plan: Plan) async throws -> [KeptReportFile] {
        let now = ContinuousClock.now
        let known = lists.withLock { $0[plan.app.name] }
        if let known, known.until > now { return known.value }
        let shown = Set(plan.reports.filter { $0.publicity != nil }.map(\.name))
        let files = try await access.files(of: Partner.everybody, app: plan.app.name).filter {
            shown.contains($0.report)
        }
        lists.withLock { $0[plan.app.name] = (now + Self.kept, files) }
        return files
    }

    /// A file as it is served; nil where it went meanwhile.
    func text(of file: KeptReportFile, in report: Report, app: AppName) async throws -> ServedText? {
        let now = ContinuousClock.now
        let address = Address(app: app, report: file.report, name: file.name)
        let known = texts.withLock { $0[address] }
        if let known, known.until > now { return known.value }
        guard
            let bytes = try await access.contents(
                of: file.name, report: file.report, partner: Partner.everybody, app: app)
        else { return nil }
        let text = ServedText(
            bytes, type: ReportFile(name: file.name, bytes: []).mediaType, cachedFor: Self.seconds,
            headers: Self.headers(of: report))
        texts.withLock { texts in
            if texts.count >= Self.most { texts = [:] }
            texts[address] = (now + Self.kept, text)
        }
        return text
    }

    /// Any page may show and read it; search engines may list it where the plan says so.
    private static func headers(of report: Report) -> HTTPFields {
        var headers: HTTPFields = [
            .contentSecurityPolicy: PartnerRoutes.policy, .referrerPolicy: "no-referrer",
            .crossOriginResourcePolicy: "cross-origin", .accessControlAllowOrigin: "*",
        ]
        if report.publicity != .listed, let robots = HTTPField.Name("X-Robots-Tag") { headers[robots] = "noindex" }
        return headers
    }
}
