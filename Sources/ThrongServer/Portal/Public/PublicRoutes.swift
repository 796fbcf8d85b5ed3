internal import HTTPTypes
internal import Hummingbird
internal import Synchronization
internal import ThrongPlan
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore

/// `/public/APP` and below: what the plan calls public, for everybody, without a sign-in and without a cookie.
///
/// - `/public/APP`: the public reports of an app, their drawings, and their periods, a part of them at a time.
/// - `/public/APP/REPORT/FILE`: a file as it was made and signed. `latest` stands for `REPORT-PERIOD` of the latest period:
///   `latest.html`, `latest-INSIGHT.svg`.
struct PublicRoutes: Sendable {
    let pages: PortalPages
    let plans: [Plan]
    let shelf: PublicShelf

    /// The name of the latest period's files, in place of their stem.
    private static let latest = "latest"

    func add(to router: Router<BasicRequestContext>) {
        router.get("/public/:app") { request, context in
            guard let plan = try plans.place(of: context).map({ plans[$0] }),
                plan.partners.contains(where: \.isEverybody), let page = try await page(of: plan, for: request)
            else { return try missing(for: request) }
            return page.response(to: request)
        }
        router.get("/public/:app/:report/:file") { request, context in
            guard let plan = try plans.place(of: context).map({ plans[$0] }),
                let asked = context.parameters.get("file"),
                let report = plan.report(ReportName(try context.parameters.require("report"))),
                let file = try await file(asked, of: report.name, in: plan),
                let text = try await shelf.text(of: file, in: report, app: plan.app.name)
            else { return try missing(for: request) }
            return text.response(to: request)
        }
    }

    private func missing(for request: Request) throws -> Response {
        try pages.notice(.missing, in: pages.language(for: request, isDoor: true), status: .notFound)
    }

    private func file(_ asked: String, of report: ReportName, in plan: Plan) async throws -> KeptReportFile? {
        let files = try await shelf.files(of: plan).filter { $0.report == report }
        if let file = files.first(where: { $0.name.utf8.elementsEqual(asked.utf8) }) { return file }
        guard let last = files.first?.period, asked.hasPrefix(Self.latest) else { return nil }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let stem = ReportFile.stem(report: report.text, period: calendar.label(of: last))
        return files.first { $0.name == stem + asked.dropFirst(Self.latest.count) }
    }

    // MARK: The page

    private func page(of plan: Plan, for request: Request) async throws -> ServedText? {
        let (app, tag, place) = (plan.app.name, plan.labelLanguage(for: request), request.place)
        let part = max(request.listPart, 1)
        return try await shelf.text(at: .page(app: app, language: tag, part: part, place: place)) {
            let list = ReportList(
                try await shelf.files(of: plan), of: plan.translated(into: tag), at: "/public/\(app)", part: part,
                in: Language(for: [tag].compactMap(\.self)), showsDrawings: true)
            return try pages.open(Self.view(of: list, at: place), seconds: PublicShelf.seconds)
        }
    }

    static func view(of list: ReportList, at place: String) -> TemplateView {
        let (plan, language) = (list.plan, list.language)
        let shown = plan.reports.filter { $0.publicity != nil }
        // A report of which nothing is there yet says so on the first part.
        let reports = shown.filter { list.part == 1 || !list.periods(of: $0.name).isEmpty }
        var view = list.view(of: reports.map { Self.view(of: $0, in: list, at: place) })
        view["pageLanguage"] = language.tag.attributes
        view["say"] = language.words
        view["publicTitle"] = language.say(.publicTitle, ["app": plan.app.title])
        view["questions"] = language.say(.questions, ["contact": plan.app.contact])
        view["isHidden"] = shown.contains { $0.publicity != .listed }
        return view
    }

    private static func view(of report: Report, in list: ReportList, at place: String) -> TemplateView {
        let (plan, root) = (list.plan, "\(list.root)/\(report.name)/\(latest)")
        let last = list.part == 1 ? list.periods(of: report.name).first : nil
        var view = list.view(of: report.name)
        view["reportLanguage"] = plan.spoken("reports.\(report.name).title").attributes
        view["explanationLanguage"] = plan.spoken("reports.\(report.name).explanation").attributes
        view["latestHref"] = root + ".html"
        let drawn = last?.files.compactMap { file in list.insight(in: file).map { (insight: $0, file: file) } } ?? []
        let vectors = drawn.filter { $0.file.name.hasSuffix(".svg") }
        // Pictures are to be taken along, where there is something better to look at.
        view["drawings"] = (vectors.isEmpty ? drawn : vectors).map { insight, file -> TemplateView in
            let href = "\(root)-\(insight)\(file.name.suffix(4))"
            let title = plan.insight(insight)?.title ?? report.title
            let (source, text) = (PageLibrary.escaped(place + href), PageLibrary.escaped(title))
            let others = drawn.filter { $0.insight == insight && $0.file != file }.map(\.file)
            return [
                "drawingHref": href, "drawingTitle": title,
                "drawingCode": "<img src=\"\(source)\" alt=\"\(text)\" />",
                "drawingFiles": others.map { list.view(of: $0, list.calendar.title(of: $0.period, in: list.language)) },
            ]
        }
        return view
    }
}

/// `GET /verify`, the page by which anybody checks a signed report, and `GET /keys.json`, the keys that sign: both without a
/// sign-in.
struct VerifyRoutes: Sendable {
    /// The page with a link to the keys, and without one.
    private let pages: [ServedText]
    private let signing: ReportKeyFolder

    /// - Throws: ``ReportError/template(name:reason:)`` where the built-in template does not parse.
    init(signing: ReportKeyFolder) throws(ReportError) {
        self.signing = signing
        pages = [try VerifyPage(), try VerifyPage(hasKeys: false)].map { page in
            ServedText(
                page.html, type: "text/html; charset=utf-8", cachedFor: 300,
                headers: [
                    .contentSecurityPolicy: PagePolicy.text(style: page.style, script: page.script),
                    .referrerPolicy: "no-referrer",
                ])
        }
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/verify") { request, _ in pages[signing.hasList ? 0 : 1].response(to: request) }
        router.get("/keys.json") { request, _ in
            let list = try signing.list()
            guard !list.keys.isEmpty else {
                return Response.problem(
                    Problem(.notFound, "not_found", "No key signs reports here yet; `throng key new` makes one."))
            }
            return ServedText(list.json, type: "application/json", cachedFor: 300).response(to: request)
        }
    }
}

/// The lists and texts that everybody reads, kept for a minute: however many read them, PostgreSQL is seldom asked.
final class PublicShelf: Sendable {
    /// The time for which a cache may keep what is served. Unit: seconds.
    static let seconds = 300
    private static let kept = Duration.seconds(60)

    private typealias Kept<Value> = (until: ContinuousClock.Instant, value: Value)
    enum Address: Hashable {
        case file(app: AppName, report: ReportName, name: String)
        /// A page; its text has the place in it that the visitor's browser names.
        case page(app: AppName, language: LanguageTag?, part: Int, place: String)
    }

    private let access: AccessStore
    private let most: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lists = Mutex<[AppName: Kept<[KeptReportFile]>]>([:])
    private let texts = Mutex<[Address: Kept<ServedText>]>([:])

    /// - Parameter most: the room for texts; where more is wanted, all are forgotten. Unit: bytes.
    init(
        access: AccessStore, most: Int = 16 << 20, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) { (self.access, self.most, self.now) = (access, most, now) }

    /// The room that all texts take. Unit: bytes.
    var size: Int { texts.withLock { $0.values.reduce(0) { $0 + $1.value.size } } }

    /// The files of an app that everybody may read, by report, the latest period first: those of reports that are public
    /// now, and were made for everybody.
    func files(of plan: Plan) async throws -> [KeptReportFile] {
        let now = now()
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
        try await text(at: .file(app: app, report: file.report, name: file.name)) {
            try await access.contents(of: file.name, report: file.report, partner: Partner.everybody, app: app).map {
                ServedText(
                    $0, type: ReportFile(name: file.name, bytes: []).mediaType, cachedFor: Self.seconds,
                    headers: Self.headers(of: report))
            }
        }
    }

    /// A text that is kept, or else made, and kept unless it takes all the room; nil where there is none.
    func text(at address: Address, make: () async throws -> ServedText?) async throws -> ServedText? {
        let now = now()
        let known = texts.withLock { $0[address] }
        if let known, known.until > now { return known.value }
        guard let text = try await make() else { return nil }
        guard text.size <= most else { return text }
        texts.withLock { texts in
            texts = texts.filter { $0.value.until > now }
            if texts.values.reduce(text.size, { $0 + $1.value.size }) > most { texts = [:] }
            texts[address] = (now + Self.kept, text)
        }
        return text
    }

    /// The headers by which other sites may show and read a file, and search engines list it where the plan says so.
    private static func headers(of report: Report) -> HTTPFields {
        var headers: HTTPFields = [
            .contentSecurityPolicy: PagePolicy.report, .referrerPolicy: "no-referrer",
            .crossOriginResourcePolicy: "cross-origin", .accessControlAllowOrigin: "*",
        ]
        if report.publicity != .listed, let robots = HTTPField.Name("X-Robots-Tag") { headers[robots] = "noindex" }
        return headers
    }
}
