internal import HTTPTypes
internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `/public/APP` and below: what the plan calls public, for everybody, without a sign-in and without a cookie.
///
/// - `/public/APP`: the public reports of an app, their drawings, and all their periods.
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
                plan.partners.contains(where: \.isEverybody)
            else { return Response(status: .notFound) }
            let view = try await view(of: plan, for: request)
            return try pages.open(view, seconds: PublicShelf.seconds).response(to: request)
        }
        router.get("/public/:app/:report/:file") { request, context in
            guard let plan = try plans.place(of: context).map({ plans[$0] }),
                let asked = context.parameters.get("file"),
                let report = plan.report(ReportName(try context.parameters.require("report"))),
                let file = try await file(asked, of: report, in: plan),
                let text = try await shelf.text(of: file, in: report, app: plan.app.name)
            else { return Response(status: .notFound) }
            return text.response(to: request)
        }
    }

    private func file(_ asked: String, of report: Report, in plan: Plan) async throws -> KeptReportFile? {
        let files = try await shelf.files(of: plan).filter { $0.report == report.name }
        if let file = files.first(where: { $0.name.utf8.elementsEqual(asked.utf8) }) { return file }
        guard let latest = files.first?.period, asked.hasPrefix(Self.latest) else { return nil }
        let name = Self.stem(of: report.name, latest, plan) + asked.dropFirst(Self.latest.count)
        return files.first { $0.name == name }
    }

    private static func stem(of report: ReportName, _ period: Period, _ plan: Plan) -> String {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        return ReportFile.stem(report: report.text, period: calendar.label(of: period))
    }

    // MARK: The page

    private func view(of plan: Plan, for request: Request) async throws -> TemplateView {
        let tag = plan.labelLanguage(for: request)
        let (plan, language) = (plan.translated(into: tag), Language(for: [tag].compactMap { $0 }))
        let files = try await shelf.files(of: plan)
        let shown = plan.reports.filter { $0.publicity != nil }
        let place = PartnerRoutes.place(of: request)
        let reports = shown.map { report in
            view(of: report, files.filter { $0.report == report.name }, plan, language, at: place)
        }
        return [
            "pageLanguage": language.tag.attributes,
            "say": language.words, "publicTitle": language.say(.publicTitle, ["app": plan.app.title]),
            "questions": language.say(.questions, ["contact": plan.app.contact]), "reports": reports,
            "isHidden": shown.contains { $0.publicity != .listed },
        ]
    }

    private func view(
        of report: Report, _ files: [KeptReportFile], _ plan: Plan, _ language: Language, at place: String
    ) -> TemplateView {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let root = "/public/\(plan.app.name)/\(report.name)/"
        let periods = Dictionary(grouping: files, by: \.period).sorted { $1.key < $0.key }
        func ending(_ file: KeptReportFile) -> String {
            String(file.name.dropFirst(Self.stem(of: report.name, file.period, plan).count))
        }
        let endings = periods.first?.value.map(ending) ?? []
        let drawings = endings.filter { $0.hasSuffix(".svg") }.map { ending -> TemplateView in
            let insight = plan.insight(InsightName(String(ending.dropFirst().dropLast(".svg".count))))
            let (href, title) = (root + Self.latest + ending, insight?.title ?? report.title)
            return [
                "drawingHref": href, "drawingTitle": title,
                "drawingCode": "<img src=\"\(place)\(href)\" alt=\"\(title.replacing("\"", with: "&quot;"))\" />",
            ]
        }
        let page = endings.contains(".html") ? ".html" : endings.first ?? ""
        let latest: [TemplateView] = periods.prefix(1).map { period, _ in
            [
                "latestHref": root + Self.latest + page, "latestTitle": calendar.title(of: period, in: language),
                "drawings": drawings,
                "periods": periods.map { period, files -> TemplateView in
                    [
                        "periodTitle": calendar.title(of: period, in: language),
                        "files": files.filter { !$0.name.hasSuffix(".svg") }.map {
                            ["fileHref": root + $0.name, "fileKind": String(ending($0).dropFirst())] as TemplateView
                        },
                    ]
                },
            ]
        }
        return [
            "reportAnchor": report.name.text, "reportTitle": report.title,
            "reportLanguage": plan.spoken("reports.\(report.name).title").attributes,
            "explanationLanguage": plan.spoken("reports.\(report.name).explanation").attributes,
            "explanations": [report.explanation].compactMap(\.self), "latest": latest,
        ]
    }
}
