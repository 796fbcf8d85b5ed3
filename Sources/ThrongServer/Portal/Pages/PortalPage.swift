internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The pages' templates and style, compiled into the program, and the languages in which they can be.
struct PortalPages: Sendable {
    private let library: PageLibrary
    private let css: String
    private let policy: String
    let plans: [Plan]
    /// The languages in which all public texts of all plans are.
    private let languages: [LanguageTag]

    init(plans: [Plan]) throws(ReportError) {
        self.plans = plans
        languages = (plans.first?.labelLanguages ?? []).filter { tag in
            plans.dropFirst().allSatisfy { $0.labelLanguages.contains(tag) }
        }
        library = try PageLibrary(PackageResources.all + Charts.templates)
        css = PageStyle.base + PageStyle.controls + String(decoding: PackageResources.portal_css, as: UTF8.self)
        policy = PagePolicy.text(style: css)
    }

    /// Returns the language that a browser asks for, of those in which all texts of the page are: no page mixes two.
    ///
    /// - Parameter isDoor: whether nobody has signed in. That page has no text of plans but titles, so that it can be in the
    ///   languages of their reports, too.
    func language(for request: Request, isDoor: Bool = false) -> Language {
        let reports = isDoor ? plans.flatMap { plan in plan.reports.map { plan.language(of: $0) } } : []
        let known = languages + reports.filter { !languages.contains($0) }
        let tag = LanguageTag.best(of: known, for: Plan.wanted(request) + [Language.english.tag])
        return (tag ?? known.first).flatMap { Language($0) } ?? .english
    }

    /// Returns the language of a visitor's pages. A partner's is that of its reports, which it reads beside them, whatever the
    /// browser asks for; of several the one that it asks for.
    func language(of role: AccessRole, for request: Request) -> Language {
        guard case .partner(let name, of: let app) = role, let plan = plans.first(where: { $0.app.name == app }) else {
            return language(for: request)
        }
        let own = plan.reports.filter { $0.partner == name }.map { plan.language(of: $0) }
        let tag = LanguageTag.best(of: own, for: Plan.wanted(request)) ?? own.first
        return tag.flatMap { Language($0) } ?? language(for: request)
    }

    func frame(_ title: String, in language: Language, visitor: String? = nil) -> PageFrame {
        let apps = plans.map { $0.translated(into: language.tag).app.title }
        return PageFrame(
            pageTitle: title, css: css, house: apps.joined(separator: language.say(.comma)), visitor: visitor,
            language: language)
    }

    /// The reasons why nobody is let in.
    enum Refusal: String { case foreign, unknown, spent, fast }

    /// - Parameters:
    ///   - wait: the time until another token is looked at. Unit: seconds.
    ///   - link: signs in instead of a token.
    func signIn(
        for request: Request, status: HTTPResponse.Status = .ok, refusal: Refusal? = nil, wait: Int = 0,
        link: String? = nil
    ) throws -> Response {
        let language = language(for: request, isDoor: true)
        let time = language.duration(seconds: Int64(wait))
        let problem = refusal.map { language.say(.signInFailed, ["reason": $0.rawValue, "time": time]) }
        let view: TemplateView = [
            "frame": frame(language.say(.signIn), in: language), "problems": [problem].compactMap(\.self),
            "links": [link].compactMap(\.self), "lede": language.say(.signInWhy, ["hasLink": link != nil]),
        ]
        return try response(view, by: "signin", status: status)
    }

    /// The reasons why there is no page.
    enum Notice: String { case missing, same, closed, gone, away, refused }

    func notice(
        _ notice: Notice, in language: Language, visitor: String? = nil, status: HTTPResponse.Status
    ) throws -> Response {
        let heading = language.say(.notice, ["notice": notice.rawValue])
        let view: TemplateView = [
            "frame": frame(heading, in: language, visitor: visitor), "heading": heading,
            "text": language.say(.noticeWhy, ["notice": notice.rawValue]),
        ]
        return try response(view, by: "notice", status: status)
    }

    /// The view of a list to choose from.
    static func options(_ options: [(value: String, text: String)], chosen: String) -> [TemplateView] {
        options.map { ["optionValue": $0.value, "optionText": $0.text, "isChosen": $0.value == chosen] }
    }

    /// A feed of Atom (RFC 4287) as an answer that no cache keeps.
    func feed(_ view: TemplateView) throws -> Response {
        var response = try response(view, by: "feed")
        response.headers[.contentType] = "application/atom+xml; charset=utf-8"
        return response
    }

    /// A page's text. The view has a frame, and all messages without arguments as `say`.
    func html(of view: Any, by template: String) throws(ReportError) -> String {
        guard var words = view as? TemplateView, let frame = words["frame"] as? PageFrame else {
            return try library.rendered(view, by: template)
        }
        words["say"] = frame.say
        return try library.rendered(words, by: template)
    }

    /// A page for everybody, which shows drawings from here and may be kept for some minutes.
    func open(_ view: TemplateView, seconds: Int) throws -> ServedText {
        var view = view
        view["css"] = css
        return ServedText(
            try library.rendered(view, by: "public"), type: "text/html; charset=utf-8", cachedFor: seconds,
            headers: [.contentSecurityPolicy: policy + "; img-src 'self'", .referrerPolicy: "no-referrer"],
            isTranslated: true)
    }

    /// A page as an answer that no cache keeps; it runs no script but one from here, if it has one.
    func response(_ view: Any, by template: String, status: HTTPResponse.Status = .ok, hasScript: Bool = false) throws
        -> Response
    {
        let html = try html(of: view, by: template)
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(html.utf8.count),
            .contentSecurityPolicy: policy + (hasScript ? "; script-src 'self'" : ""), .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff", .referrerPolicy: "same-origin",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}

/// The frame around a page's own part: its title, its style, its language, who looks.
struct PageFrame {
    let pageTitle: String
    let css: String
    let house: String
    /// One, or none where nobody has signed in.
    let visitors: [String]
    let language: Language
    let pageLanguage: String
    /// The messages without arguments, by name.
    let say: [String: String]

    init(pageTitle: String = "", css: String = "", house: String = "", visitor: String? = nil, language: Language) {
        (self.pageTitle, self.css, self.house, self.language) = (pageTitle, css, house, language)
        visitors = [visitor].compactMap(\.self)
        (pageLanguage, say) = (language.tag.attributes, language.words)
    }
}

extension Request {
    /// The pages' own address, as the visitor's browser has it: without TLS on the machine itself alone.
    var place: String {
        let authority = head.authority ?? "localhost"
        let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
        return "\(isLocal ? "http" : "https")://\(authority)"
    }

    /// The part of a list that the address asks for, which may not be there.
    var listPart: Int { uri.queryParameters["part"].flatMap { Int($0) } ?? 1 }
}

/// Answers with a page where PostgreSQL gave no answer: somebody may look just because of that.
struct DatabaseFaults: RouterMiddleware {
    let pages: PortalPages

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        do { return try await next(request, context) } catch let error as PostgresError {
            context.logger.error("a page could not be answered", metadata: ["error": "\(error)"])
            var response = try pages.notice(
                error.isRetryable ? .away : .refused, in: pages.language(for: request, isDoor: true),
                status: .serviceUnavailable)
            response.headers[.retryAfter] = "60"
            return response
        }
    }
}

/// One part of a list of reports, each with its periods, the latest first: a partner's, or everybody's.
struct ReportList {
    /// The most periods of each report on one part; the latest are on the first.
    static let mostPeriods = 60

    /// The plan, in the language of the list.
    let plan: Plan
    /// The address of the list; each report's files are below it.
    let root: String
    let part: Int
    let language: Language
    let calendar: PeriodCalendar
    let reports: [ReportName: [Dated]]
    private let showsDrawings: Bool

    /// The files of a period, and the time at which the last of them was made.
    typealias Dated = (period: Period, made: UnixSeconds, files: [KeptReportFile])

    /// - Parameters:
    ///   - part: from 1; beyond the last one is the last one.
    ///   - showsDrawings: whether drawings are shown themselves, and so are not among the files.
    init(
        _ files: [KeptReportFile], of plan: Plan, at root: String, part: Int, in language: Language,
        showsDrawings: Bool = false
    ) {
        (self.plan, self.root, self.language, self.showsDrawings) = (plan, root, language, showsDrawings)
        calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        reports = Dictionary(grouping: files, by: \.report).mapValues { files in
            Dictionary(grouping: files, by: \.period).map { period, files in
                (period, files.map(\.madeAt).max() ?? period.end, files)
            }.sorted { $0.period > $1.period }
        }
        let most = reports.values.map(\.count).max() ?? 0
        self.part = max(min(part, (most + Self.mostPeriods - 1) / Self.mostPeriods), 1)
    }

    /// Returns the periods of a report that are on this part.
    func periods(of name: ReportName) -> ArraySlice<Dated> {
        (reports[name] ?? []).dropFirst((part - 1) * Self.mostPeriods).prefix(Self.mostPeriods)
    }

    /// Returns the view of a list of those reports: where its other parts are, and whether something is signed.
    func view(of views: [TemplateView]) -> TemplateView {
        let hasOlder = reports.values.contains { $0.count > part * Self.mostPeriods }
        return [
            "reports": views, "newerHrefs": part > 1 ? ["\(root)?part=\(part - 1)"] : [],
            "olderHrefs": hasOlder ? ["\(root)?part=\(part + 1)"] : [],
            "isSigned": reports.values.joined().contains { $0.files.contains { Self.isSigning($0.name) } },
        ]
    }

    func view(of name: ReportName) -> TemplateView {
        let (report, periods, all) = (plan.report(name), periods(of: name), reports[name]?.count ?? 0)
        let title = report?.title ?? name.text
        let latest = part == 1 ? periods.first.map { shown($0.files) } ?? [] : []
        let pages = pages(of: latest)
        let newest = periods.first.map { calendar.title(of: $0.period, in: language) } ?? ""
        let first = (part - 1) * Self.mostPeriods + 1
        let span: KeyValuePairs<String, any MessageArgument> = [
            "isAll": periods.count == all, "first": language.text(first),
            "last": language.text(first + periods.count - 1), "all": language.text(all),
        ]
        return [
            "reportAnchor": name.text, "reportTitle": title, "explanations": [report?.explanation].compactMap(\.self),
            "tableName": language.say(.tableNamed, ["title": title]),
            "reading": language.say(.readPeriod, ["period": newest]), "latestHrefs": Array(pages.prefix(1)),
            // A report without pages has its latest files there.
            "latestFiles": pages.isEmpty ? latest.filter { !Self.isSigning($0.name) }.map { view(of: $0, newest) } : [],
            "caption": language.say(.reportPeriods, span), "hasPeriods": !periods.isEmpty,
            "periods": periods.map { period, made, files -> TemplateView in
                let title = calendar.title(of: period, in: language)
                return [
                    "periodTitle": title, "made": language.date("yMMMd", calendar.date(at: made)),
                    "pages": self.pages(of: files), "files": shown(files).map { view(of: $0, title) },
                ]
            },
        ]
    }

    private func shown(_ files: [KeptReportFile]) -> [KeptReportFile] {
        showsDrawings ? files.filter { insight(in: $0) == nil } : files
    }

    /// The addresses of pages to read.
    func pages(of files: [KeptReportFile]) -> [String] {
        files.filter { $0.name.hasSuffix(".html") }.map { "\(root)/\($0.report)/\($0.name)" }
    }

    /// Returns the insight of which a file is a drawing; nil for other files.
    func insight(in file: KeptReportFile) -> InsightName? {
        let stem = ReportFile.stem(report: file.report.text, period: calendar.label(of: file.period))
        return ReportFile.insight(in: file.name, behind: stem)
    }

    func view(of file: KeptReportFile, _ period: String) -> TemplateView {
        let ending = file.name.split(separator: ".").last.map { $0.uppercased() } ?? file.name
        let kind = Self.isSigning(file.name) ? language.say(.fileKind, ["isManifest": ending == "JSON"]) : ending
        let drawn = insight(in: file).map { language.say(.quoted, ["text": plan.insight($0)?.title ?? $0.text]) }
        let named = [kind, drawn].compactMap(\.self).joined(separator: " ")
        return [
            "fileName": file.name, "fileHref": "\(root)/\(file.report)/\(file.name)", "fileKind": kind,
            "fileSize": Wording(language).size(file.bytes),
            "downloading": language.say(.download, ["file": named, "hasPeriod": true, "period": period]),
        ]
    }

    /// True for files that say something about others.
    static func isSigning(_ name: String) -> Bool {
        name.hasSuffix(ReportFile.manifestEnding) || name.hasSuffix(ReportFile.signatureEnding)
    }
}
