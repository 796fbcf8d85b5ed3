internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `/reports`: what one partner was given. To anybody else's report the answer is the same as to one that does not exist.
struct PartnerRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let access: AccessStore

    /// A partner that has signed in.
    private struct Guest {
        let token: AccessToken
        let partner: Partner
        /// The plan, in the language of the guest's pages.
        let plan: Plan
        let language: Language
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/reports") { request, _ in
            try await with(request) { guest in
                let files = try await access.files(of: guest.partner.name, app: guest.plan.app.name)
                var view = ReportsView.of(
                    files, plan: guest.plan, partner: guest.partner.title, part: request.listPart,
                    frame: pages.frame(guest.language.say(.reports), in: guest.language, visitor: guest.partner.title))
                view["feeds"] = [try await access.feedKey(of: guest.token.id)].compactMap { key in
                    key.map { "\(request.place)/reports/feed?key=\($0)" }
                }
                return try pages.response(view, by: "reports")
            }
        }
        router.get("/reports/feed") { request, _ in
            guard let key = request.uri.queryParameters["key"],
                let guest = guest(try await access.token(ofFeed: key), request)
            else { return Response(status: .forbidden) }
            let files = try await access.files(of: guest.partner.name, app: guest.plan.app.name)
            return try pages.feed(
                FeedView.of(files, plan: guest.plan, partner: guest.partner, at: request.place, in: guest.language))
        }
        router.get("/reports/:report/compare") { request, context in
            try await with(request) { guest in
                guard let report = context.parameters.get("report"), let from = request.uri.queryParameters["from"],
                    let to = request.uri.queryParameters["to"]
                else { return try missing(guest) }
                return try await comparison(ReportName(report), from: String(from), to: String(to), guest)
            }
        }
        router.get("/reports/:report/:file") { request, context in
            try await with(request) { guest in
                guard let report = context.parameters.get("report"), let name = context.parameters.get("file"),
                    let bytes = try await access.contents(
                        of: name, report: ReportName(report), partner: guest.partner.name, app: guest.plan.app.name)
                else { return try missing(guest) }
                try await access.noteReading(of: ReportName(report), by: guest.token.id, now: door.now())
                return file(name, bytes)
            }
        }
    }

    private func with(_ request: Request, _ answer: (Guest) async throws -> Response) async throws -> Response {
        guard let guest = guest(try await door.visitor(of: request), request) else {
            return try pages.signIn(for: request, status: .unauthorized)
        }
        return try await answer(guest)
    }

    /// The partner of a token; nil where it is none's, or opens nothing.
    private func guest(_ token: AccessToken?, _ request: Request) -> Guest? {
        guard let token, token.isGood(at: door.now()), case .partner(let name, let app) = token.role,
            let plan = pages.plans.first(where: { $0.app.name == app }),
            // The label names who receives numbers: a partner that the plan has no more is shown none.
            let partner = plan.partners.first(where: { $0.name == name })
        else { return nil }
        let language = pages.language(of: token.role, for: request)
        return Guest(token: token, partner: partner, plan: plan.translated(into: language.tag), language: language)
    }

    private func missing(_ guest: Guest) throws -> Response {
        try pages.notice(.missing, in: guest.language, visitor: guest.partner.title, status: .notFound)
    }

    private func comparison(_ report: ReportName, from: String, to: String, _ guest: Guest) async throws -> Response {
        var documents: [ReportReading] = []
        for period in [from, to] {
            guard
                let bytes = try await access.contents(
                    of: ReportFile.stem(report: report.text, period: period) + ".json", report: report,
                    partner: guest.partner.name, app: guest.plan.app.name)
            else { return try missing(guest) }
            documents.append(try ReportReading(json: bytes))
        }
        guard documents[0].period.label != documents[1].period.label else {
            return try pages.notice(.same, in: guest.language, visitor: guest.partner.title, status: .badRequest)
        }
        // Titles are in the language of the files.
        let language = documents[1].language ?? guest.language
        let plan = guest.plan.translated(into: language.tag)
        let view = ComparisonView(
            documents[0], documents[1], learned: Set(plan.dimensions.filter(\.isRevealed).map(\.name.text)),
            plan: plan, frame: pages.frame(documents[1].title, in: language, visitor: guest.partner.title))
        return try pages.response(view, by: "comparison")
    }

    private func file(_ name: String, _ bytes: [UInt8]) -> Response {
        var headers: HTTPFields = [
            .contentLength: String(bytes.count), .cacheControl: "private, no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: PagePolicy.report,
        ]
        headers[.contentType] = ReportFile(name: name, bytes: bytes).mediaType
        if !name.hasSuffix(".html") { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// The view of a partner's reports: each with its periods, the latest first.
enum ReportsView {
    /// - Parameter part: from 1; beyond the last one is the last one.
    static func of(_ files: [KeptReportFile], plan: Plan, partner: String, part: Int = 1, frame: PageFrame)
        -> TemplateView
    {
        let language = frame.language
        let list = ReportList(files, of: plan, at: "/reports", part: part, in: language)
        // Reports are in the plan's order; one that the plan has no more comes last.
        let order = plan.reports.map(\.name)
        let names = list.reports.keys.filter { !list.periods(of: $0).isEmpty }.sorted { first, second in
            let places = [first, second].map { order.firstIndex(of: $0) ?? order.count }
            return places[0] == places[1] ? first.text < second.text : places[0] < places[1]
        }
        var view = list.view(
            of: names.map { name in
                var view = list.view(of: name)
                view["comparisons"] = comparisons(of: name, in: list)
                return view
            })
        view["frame"] = frame
        view["heading"] = language.say(.reportsFor, ["partner": partner])
        view["lede"] = language.say(.reportsLede, ["app": plan.app.title])
        view["nothing"] = language.say(.nothingHereWhy, ["kind": "report"])
        return view
    }

    /// The form that compares two periods, where there are two to choose.
    private static func comparisons(of name: ReportName, in list: ReportList) -> [TemplateView] {
        let readable = list.periods(of: name).filter { dated in
            dated.files.contains { $0.name.hasSuffix(".json") && !ReportList.isSigning($0.name) }
        }
        guard readable.count > 1 else { return [] }
        let all = readable.map(\.period).map {
            (value: list.calendar.label(of: $0), text: list.calendar.title(of: $0, in: list.language))
        }
        func choices(_ chosen: Int) -> [TemplateView] { PortalPages.options(all, chosen: all[chosen].value) }
        return [["compareAction": "/reports/\(name)/compare", "earlier": choices(1), "later": choices(0)]]
    }
}

/// The view of a partner's feed: which reports are there, and nothing of what they say.
enum FeedView {
    /// The most entries, the latest first.
    static let most = 50

    /// - Parameter place: the pages' address, without a path.
    static func of(_ files: [KeptReportFile], plan: Plan, partner: Partner, at place: String, in language: Language)
        -> TemplateView
    {
        let list = ReportList(files, of: plan, at: place + "/reports", part: 1, in: language)
        let runs = list.reports.flatMap { report, periods in
            periods.map { (report: report, period: $0.period, made: $0.made, page: list.pages(of: $0.files).first) }
        }.sorted { ($1.made, $1.period, $0.report) < ($0.made, $0.period, $1.report) }
        let entries = runs.prefix(most).map { run -> TemplateView in
            let title = plan.report(run.report)?.title ?? run.report.text
            return [
                "entryTitle": "\(title): \(list.calendar.title(of: run.period, in: language))",
                "entryMade": Instant.text(run.made), "entryHref": run.page ?? list.root,
                "entryID": "\(list.root)/\(run.report)#\(list.calendar.label(of: run.period))",
            ]
        }
        return [
            "feedTitle": "\(plan.app.title): \(language.say(.reportsFor, ["partner": partner.title]))",
            "feedHref": list.root, "entries": entries, "feedMade": Instant.text(runs.first?.made ?? .epoch),
            "feedID": "\(list.root)#\(partner.name)",
        ]
    }
}

/// A report as its JSON file says it: released numbers only.
struct ReportReading: Decodable {
    struct Covered: Decodable {
        /// hour, day, week or month.
        let kind: String
        let label: String
        let title: String
        /// Its first second, as RFC 3339 writes it in UTC: texts are in the order of time.
        let start: String
        /// The second after its last.
        let end: String
    }

    struct Period: Decodable { let label: String }

    /// A metric of which it has a part of the period, and the ends of that.
    struct Partial: Decodable { let metric: String, from: String?, until: String? }

    struct Axis: Decodable {
        let name: String
        let title: String
        let buckets: [String]
    }

    /// One bucket of a dimension, to which numbers are confined.
    struct Bucket: Decodable, Equatable {
        let dimension: String
        let bucket: String
    }

    struct Basis: Decodable {
        let counts: Counted
        /// The evidence that numbers are numbers of devices; nil where they are not.
        let devices: NumberBasis.Devices?
        /// Unit: devices, or events where there are no identifiers.
        let k: Int64
        /// The devices that count for k; nil where there are no identifiers.
        let floor: FloorKind?
        /// Share of events that clients send.
        let sampling: Decimals
        /// The time for which an identifier lasts; nil where there is none. Unit: seconds.
        let windowSeconds: Int64?
        let margin: Margin
    }

    /// The margin of numbers, which are noisy on purpose.
    struct Margin: Decodable, Equatable {
        /// 19 of 20 numbers lie within it. Unit: the numbers'.
        let within: Int64
    }

    struct View: Decodable { let `as`: String }

    struct Insight: Decodable {
        let name: String
        let title: String
        let metric: String
        let kind: String
        let view: View
        let unit: String
        let filters: [Bucket]
        /// The bucket whose share it is; nil where the insight is no share of one.
        let part: Bucket?
        /// answered, or a ``NumberStatus``.
        let status: String
        let basis: Basis?
        let dimensions: [Axis]
        /// The part of the whole that the published rows leave out, as a fraction of 1; nil where that is unknown.
        let withheldShare: Decimals?
        let whole: Figure?
        let rows: [Row]
        /// The periods of a trend, the report's own last.
        let points: [Point]?
    }

    struct Point: Decodable {
        let period: Period
        let rows: [Row]
    }

    /// A number, or why there is none.
    struct Figure: Decodable {
        let status: NumberStatus
        /// Nil also where a quantile's band is open.
        let value: Decimals?
        /// The lower end of a number's interval, or of a quantile's band; nil also if open, or the margin says all.
        let low: Decimals?
        /// The upper end of the same.
        let high: Decimals?
    }

    struct Row: Decodable {
        let buckets: [String]
        let figure: Figure

        private enum Key: String, CodingKey { case buckets }

        init(from decoder: any Decoder) throws {
            buckets = try decoder.container(keyedBy: Key.self).decode([String].self, forKey: .buckets)
            figure = try Figure(from: decoder)
        }
    }

    let title: String
    private let locale: String
    let period: Covered
    private let partial: [Partial]?
    let insights: [Insight]

    /// The language that it is written in; nil where nobody knows it.
    var language: Language? { LanguageTag(locale).flatMap { Language($0) } }

    /// The period's title where that is in a language, or else its label.
    func periodTitle(in page: Language) -> String {
        language?.tag.language == page.tag.language ? period.title : period.label
    }

    init(json: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Self.self, from: Data(json))
    }

    /// Returns the reason why none of two reports' numbers can be compared; nil where some may be.
    func difference(from earlier: ReportReading, in language: Language) -> String? {
        period.kind == earlier.period.kind ? nil : language.say(.incomparable, ["what": "period"])
    }

    /// True if its numbers of a metric are known to be of a part of the period.
    func isPart(of metric: String) -> Bool {
        partial?.contains { $0.metric == metric && ($0.from ?? $0.until) != nil } ?? false
    }
}

extension ReportReading.Insight {
    /// Returns the reason why its numbers can't be compared with those that an earlier report has under the same name,
    /// in the report's own words where it has some. Nil where, as far as files tell, both are the same.
    ///
    /// It agrees with what a report compares with earlier releases. What files do not say, such as a bound on what one
    /// device adds, is not compared.
    ///
    /// - Parameter learned: the dimensions that get buckets while counting goes on; more are no difference.
    func difference(from earlier: Self, learned: Set<String>, in language: Language) -> String? {
        let otherInsight = language.say(.incomparable, ["what": "insight"])
        func changed(_ what: Absence.Difference) -> String { Absence.changed(what).sentence(in: language) }
        if metric != earlier.metric || kind != earlier.kind || filters != earlier.filters || part != earlier.part {
            return otherInsight
        }
        // There are no numbers without an answer.
        guard let basis, let before = earlier.basis else { return nil }
        if basis.sampling != before.sampling { return changed(.sampling) }
        if basis.windowSeconds != before.windowSeconds { return changed(.identifiers) }
        if basis.counts != before.counts || basis.devices != before.devices { return changed(.devices) }
        if basis.counts != .events, basis.floor ?? .any != before.floor ?? .any { return changed(.devices) }
        if unit != earlier.unit || dimensions.map(\.name) != earlier.dimensions.map(\.name) { return otherInsight }
        let isSplitAlike = zip(splitting, earlier.splitting).allSatisfy { axis, before in
            learned.contains(axis.name) || axis.buckets == before.buckets
        }
        return isSplitAlike ? nil : changed(.buckets)
    }

    /// The dimensions that split what is counted: the last one of quantiles only says which of them are asked for.
    private var splitting: [ReportReading.Axis] { kind == "quantiles" ? dimensions.dropLast() : dimensions }
}

/// A decimal is read exactly as it is written.
extension Decimals: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let decimals = Decimals("\(try container.decode(Decimal.self))") else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number of too many digits")
        }
        self = decimals
    }
}
