internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `/explore`: what is released, for analysts, as the database's role `throng_analyst` sees it.
struct AnalystRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let store: AnalystStore
    let plans: [Plan]

    func add(to router: Router<BasicRequestContext>) {
        router.get("/explore") { request, _ in
            try await with(request) { query, language in
                let titles = ExplorerTitles(plans: plans.map { $0.translated(into: language.tag) }, language: language)
                let metrics = try await store.metrics()
                guard !query.names.isEmpty else {
                    let trends = try await trends(of: metrics, titles)
                    let frame = frame(language.say(.explore), in: language)
                    return try pages.response(
                        CatalogueView.of(metrics, trends: trends, titles: titles, frame: frame), by: "catalogue")
                }
                let answer = try await answer(query, metrics, titles)
                let frame = frame(titles.metric(answer.choice.metric), in: language)
                let view = ExplorerView.of(answer, metrics: metrics, frame: frame)
                return try pages.response(view, by: "explorer", hasScript: true)
            }
        }
        router.get("/copy.js") { _, _ in Self.file(PackageResources.copy_js, as: "text/javascript; charset=utf-8") }
        addNumbers(to: router)
    }

    /// The answer to an address, with the rows that its own are compared with: for pages and programs alike.
    func answer(_ query: AddressQuery, _ metrics: [AnalystMetric], _ titles: ExplorerTitles) async throws
        -> ExplorerAnswer
    {
        let (metric, kind) = try ExplorerChoice.metric(in: query, of: metrics)
        let choice = try ExplorerChoice(query, metric, kind, try await shape(of: metric, kind))
        let rows = try await store.rows(of: choice.question)
        let isLast = rows.count < AnalystQuestion.mostRows && (choice.part == 1 || !rows.isEmpty)
        let total = isLast ? choice.question.offset + rows.count : try await store.count(of: choice.question)
        guard choice.part == 1 || !rows.isEmpty else {
            let parts = AnalystQuestion.parts(ofRows: total)
            throw ExplorerProblem.unknown("part", allowed: (1...parts).map { String($0) })
        }
        var neighbours = ExplorerNeighbours()
        if let question = choice.whole { neighbours.wholes = try await store.rows(of: question) }
        if let question = choice.before(rows, isWhole: total == rows.count) {
            neighbours.before = try await store.allRows(of: question)
        }
        neighbours.over = try await other(of: choice, rows, metrics, titles)
        for question in choice.edges { neighbours.edges.append((question, try await store.rows(of: question))) }
        return ExplorerAnswer(choice, rows: rows, total: total, beside: neighbours, titles: titles)
    }

    /// The questions that a metric can answer for one kind of period: its releases, or sums of those of days.
    private func shape(of metric: AnalystMetric, _ kind: PeriodKind) async throws -> AnalystShape {
        let isReleased = metric.spans.contains { $0.kind == kind }
        let shape = try await store.shape(of: metric, kind: isReleased ? kind : .day)
        return isReleased ? shape : shape.summed(by: kind, PeriodCalendar(timeZone: metric.timeZone) ?? .utc)
    }

    /// The rows of the metric that an address divides by; nil where it names none.
    private func other(
        of choice: ExplorerChoice, _ rows: [AnalystRow], _ metrics: [AnalystMetric], _ titles: ExplorerTitles
    ) async throws -> ExplorerNeighbours.Over? {
        guard let name = choice.over else { return nil }
        let possible = choice.partners(among: metrics)
        guard let metric = possible.first(where: { $0.metric == name }) else {
            throw ExplorerProblem.unknown("over", allowed: possible.map(\.metric.text))
        }
        let question = try choice.question(over: metric, try await shape(of: metric, choice.kind), of: rows)
        return .init(
            metric: name, title: titles.metric(metric), columns: question.columns.map(\.name),
            rows: try await store.allRows(of: question))
    }

    /// The totals of each metric's last periods, of its shortest kind of period: one answer a metric that has them.
    private func trends(of metrics: [AnalystMetric], _ titles: ExplorerTitles) async throws -> [AnalystMetric:
        ExplorerAnswer]
    {
        var found: [AnalystMetric: ExplorerAnswer] = [:]
        for metric in metrics where metric.isCurrent {
            let query = try AddressQuery(
                AddressQuery.text([
                    ("app", metric.app.text), ("metric", metric.metric.text), ("grouping", "(total)"),
                    ("last", "\(CatalogueView.mostPeriods)"),
                ]))
            do {
                let answer = try await answer(query, metrics, titles)
                found[metric] = answer
            } catch is ExplorerProblem {
                // A metric without a total has no trend here; its page has its numbers.
                continue
            }
        }
        return found
    }

    /// Answers an analyst, also where there is no answer; sends anybody else away.
    private func with(_ request: Request, _ answer: (AddressQuery, Language) async throws -> Response) async throws
        -> Response
    {
        guard let visitor = try await door.visitor(of: request) else {
            return try pages.signIn(for: request, status: .unauthorized)
        }
        let language = pages.language(of: visitor.role, for: request)
        guard visitor.role == .analysis else {
            let role = language.say(.role, ["role": visitor.role.word])
            return try pages.notice(.closed, in: language, visitor: role, status: .forbidden)
        }
        switch try await ExplorerProblem.or({ try await answer(try AddressQuery(request.uri.query), language) }) {
        case .success(let response): return response
        case .failure(let problem): return try response(problem, in: language)
        }
    }

    private func response(_ problem: ExplorerProblem, in language: Language) throws -> Response {
        let heading = problem.heading(in: language)
        let view: TemplateView = [
            "frame": frame(heading, in: language), "heading": heading, "text": problem.text(in: language),
            "allowed": problem.allowed(in: language),
        ]
        var response = try pages.response(view, by: "problem", status: problem.status)
        if problem.status == .serviceUnavailable { response.headers[.retryAfter] = "\(AnalystStore.seconds)" }
        return response
    }

    private func frame(_ title: String, in language: Language) -> PageFrame {
        pages.frame(title, in: language, visitor: language.say(.role, ["role": AccessRole.analysis.word]))
    }

    static func file(_ bytes: [UInt8], as type: String, name: String? = nil) -> Response {
        var headers: HTTPFields = [
            .contentType: type, .contentLength: String(bytes.count), .cacheControl: "private, no-store",
            .xContentTypeOptions: "nosniff", .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        if let name { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// The reason why an address shows no numbers, for whoever looks. It says what is allowed, never what was found.
struct ExplorerProblem: Error {
    /// Each is a choice of the messages `problem` and `problemWhy`.
    enum Reason: String {
        case long, twice, meaning, bucket, unknown, order, last, metric, empty, split, sampling, slow, busy, role, away
    }

    private let reason: Reason
    /// The name in the address that has another value.
    private let name: String
    private let allowed: [String]

    private static let most = 60

    init(_ reason: Reason, named name: String = "", allowed: [String] = []) {
        (self.reason, self.name, self.allowed) = (reason, name, allowed)
    }

    var status: HTTPResponse.Status {
        switch reason {
        case .metric, .empty: .notFound
        case .slow, .busy, .role, .away: .serviceUnavailable
        case .long, .twice, .meaning, .bucket, .unknown, .order, .last, .split, .sampling: .badRequest
        }
    }

    func heading(in language: Language) -> String { language.say(.problem, ["reason": reason.rawValue]) }

    func text(in language: Language) -> String {
        let bound = reason == .slow ? AnalystStore.seconds : AddressQuery.longest
        return language.say(.problemWhy, ["reason": reason.rawValue, "title": name, "number": language.text(bound)])
    }

    func allowed(in language: Language) -> [String] {
        let more = allowed.count - Self.most
        return allowed.prefix(Self.most) + (more > 0 ? [language.say(.labelMore, ["count": more])] : [])
    }

    /// Something that the address names is not there.
    static func unknown(_ parameter: String, allowed: [String]) -> ExplorerProblem {
        ExplorerProblem(.unknown, named: parameter, allowed: allowed)
    }

    /// Returns an answer, or what stands in its way; throws what nobody who asks can do something about.
    static func or<Answer>(_ answer: () async throws -> Answer) async throws -> Result<Answer, ExplorerProblem> {
        do { return .success(try await answer()) } catch let problem as ExplorerProblem {
            return .failure(problem)
        } catch StoreError.busy {
            // As many are under way as are answered at once, and as may wait.
            return .failure(Self(.busy))
        } catch let error as PostgresError {
            guard let problem = ExplorerProblem(error) else { throw error }
            return .failure(problem)
        }
    }

    /// Tells why PostgreSQL gave no rows; nil where neither whoever asked nor the operator can do something about it.
    init?(_ error: PostgresError) {
        switch error {
        case .statementFailed(_, SQLState("57014"), _), .timedOut: self.init(.slow)
        case .statementFailed(_, SQLState("42501"), _): self.init(.role)
        case .unreachable, .connectionLost: self.init(.away)
        default: return nil
        }
    }
}

/// The view of all metrics of which something is released, by app, each with its last number and how that came to be.
enum CatalogueView {
    /// The most periods of a trend.
    static let mostPeriods = 30

    /// - Parameter trends: the totals of a metric's last periods.
    static func of(
        _ metrics: [AnalystMetric], trends: [AnalystMetric: ExplorerAnswer], titles: ExplorerTitles, frame: PageFrame
    ) -> TemplateView {
        let apps = Set(metrics.map(\.app)).sorted { $0.text < $1.text }.map { app -> TemplateView in
            // One entry a metric: the current layout, else the latest one; its page leads to the others.
            var seen: Set<MetricName> = []
            let own = metrics.filter { $0.app == app && seen.insert($0.metric).inserted }.sorted {
                titles.metric($0) < titles.metric($1)
            }
            return [
                "appAnchor": "app-\(app)", "appTitle": titles.app(app),
                "askHref": "/ask?" + AddressQuery.text([("app", app.text)]),
                "entries": own.map { entry($0, trends[$0], titles) },
            ]
        }
        return ["frame": frame, "apps": apps, "nothing": titles.language.say(.nothingHereWhy, ["kind": "metric"])]
    }

    private static func entry(_ metric: AnalystMetric, _ trend: ExplorerAnswer?, _ titles: ExplorerTitles)
        -> TemplateView
    {
        let language = titles.language
        let calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        let released = metric.spans.map { span in
            let last = calendar.title(of: calendar.period(span.kind, containing: span.end - 1), in: language)
            let periods = Wording(language).periods(Int(span.periods), span.kind)
            return language.say(.exploreUntil, ["periods": periods, "date": last])
        }
        let dimensions = metric.dimensions.map { titles.dimension($0, of: metric) }
        let splits = dimensions.joined(separator: language.say(.comma))
        return [
            "entryHref": "/explore?" + AddressQuery.text([("app", metric.app.text), ("metric", metric.metric.text)]),
            "entryTitle": titles.metric(metric), "questions": [titles.question(metric)].compactMap(\.self),
            "latest": trend.map { [latest($0)] } ?? [], "sparks": trend?.sparks ?? [],
            "released": released.joined(separator: "; "),
            "splits": dimensions.isEmpty ? [] : [language.say(.labelFact, ["topic": "splitBy", "text": splits])],
        ]
    }

    /// "Saturday, 21 November 2026: about 9,341 events; +2.1% since 20 Nov".
    private static func latest(_ trend: ExplorerAnswer) -> String {
        guard let row = trend.rows.last else { return "" }
        let (calendar, language) = (trend.choice.calendar, trend.titles.language)
        let change = trend.figures.first { $0.kind == .change }.map { trend.mark($0, trend.rows.count - 1) }
        let changed: String? = if case .number(_, let text, _)? = change { text } else { nil }
        let earlier = trend.rows.dropLast().last.map { trend.short($0) }
        let said = language.say(
            .exploreLatest,
            [
                "period": calendar.title(of: calendar.period(trend.choice.kind, containing: row.start), in: language),
                "number": trend.mark(row).words(in: language), "hasChange": changed != nil && earlier != nil,
                "amount": changed ?? "", "date": earlier ?? "",
            ])
        return ([said] + trend.partNotes(trend.choice.releases.suffix(1))).joined(separator: "; ")
    }
}

extension ExplorerAnswer {
    /// A small drawing of the rows of a total; none of one number alone.
    fileprivate var sparks: [Any] {
        guard let periods, periods.count > 1 else { return [] }
        let known = Dictionary(rows.map { ($0.start, mark($0)) }) { first, _ in first }
        return [Charts.spark(periods.map { known[$0.start] ?? missing })]
    }
}

/// The query of an address, behind its question mark: each name once.
struct AddressQuery {
    private var values: [String: String]

    /// Unit: bytes; entries.
    static let (longest, most) = (8192, 64)

    /// Reads it as browsers write forms.
    ///
    /// Source: WHATWG URL Standard, application/x-www-form-urlencoded; what can't be decoded is refused.
    init(_ text: String?) throws(ExplorerProblem) {
        let text = text ?? ""
        let pairs = text.split(separator: "&")
        guard text.utf8.count <= Self.longest, pairs.count <= Self.most else { throw ExplorerProblem(.long) }
        var values: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : ""),
                values.updateValue(value, forKey: name) == nil
            else { throw ExplorerProblem(.twice) }
        }
        self.values = values
    }

    var names: [String] { values.keys.sorted() }

    /// The value of a name; nil for a missing name and for one without a value.
    subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The same with one more name, which the path has in the query's place.
    func naming(_ name: String, _ value: String) -> AddressQuery {
        var query = self
        query.values[name] = value
        return query
    }

    /// Names and values behind a question mark; those without a value are left out.
    static func text(_ pairs: [(String, String?)]) -> String {
        pairs.compactMap { name, value in
            guard let name = encoded(name), let value = value.flatMap(encoded) else { return nil }
            return "\(name)=\(value)"
        }.joined(separator: "&")
    }

    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    private static func encoded(_ text: String) -> String? { text.addingPercentEncoding(withAllowedCharacters: plain) }

    private static func decoded(_ text: Substring) -> String? {
        let text = text.replacing("+", with: " ").removingPercentEncoding
        return text.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
