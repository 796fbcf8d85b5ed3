internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of a partner's reports: each with its periods, the latest first.
enum ReportsView {
    /// The most periods of each report on one part of the list; the latest are on the first part.
    static let mostPeriods = 60

    /// - Parameter part: from 1; beyond the last one is the last one.
    static func of(_ files: [KeptReportFile], plan: Plan, partner: String, part: Int = 1, frame: PageFrame)
        -> TemplateView
    {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        // Reports are in the plan's order; one that the plan has no more comes last.
        let order = plan.reports.map(\.name)
        let names = Set(files.map(\.report)).sorted { first, second in
            let places = [first, second].map { order.firstIndex(of: $0) ?? order.count }
            return places[0] == places[1] ? first.text < second.text : places[0] < places[1]
        }
        let periods = names.map { name in
            Dictionary(grouping: files.filter { $0.report == name }, by: \.period).sorted { $0.key > $1.key }
        }
        let parts = ((periods.map(\.count).max() ?? 0) + mostPeriods - 1) / mostPeriods
        let part = min(max(part, 1), max(parts, 1))
        let reports = zip(names, periods).compactMap { name, periods -> TemplateView? in
            let shown = Array(periods.dropFirst((part - 1) * mostPeriods).prefix(mostPeriods))
            return shown.isEmpty
                ? nil : report(name, shown, of: periods.count, part: part, plan, calendar, frame.language)
        }
        let language = frame.language
        return [
            "frame": frame, "heading": language.say(.reportsFor, ["partner": partner]),
            "lede": language.say(.reportsLede, ["app": plan.app.title]), "reports": reports,
            "nothing": language.say(.nothingHereWhy, ["kind": "report"]),
            "newerHrefs": part > 1 ? ["/reports?part=\(part - 1)"] : [],
            "olderHrefs": part < parts ? ["/reports?part=\(part + 1)"] : [],
            "isSigned": files.contains { $0.name.hasSuffix(".manifest.json") },
        ]
    }

    private static func report(
        _ name: ReportName, _ periods: [(key: Period, value: [KeptReportFile])], of count: Int, part: Int, _ plan: Plan,
        _ calendar: PeriodCalendar, _ language: Language
    ) -> TemplateView {
        let report = plan.report(name)
        let title = report?.title ?? name.text
        let latest = periods.first?.value ?? []
        let pages = pages(of: latest)
        let newest = periods.first.map { calendar.title(of: $0.key, in: language) } ?? ""
        let first = (part - 1) * mostPeriods + 1
        let span: KeyValuePairs<String, any MessageArgument> = [
            "isAll": periods.count == count, "first": language.text(first),
            "last": language.text(first + periods.count - 1), "all": language.text(count),
        ]
        return [
            "reportAnchor": name.text, "reportTitle": title, "explanations": [report?.explanation].compactMap(\.self),
            "tableName": language.say(.tableNamed, ["title": title]),
            "reading": language.say(.readPeriod, ["period": newest]),
            "latestHrefs": part == 1 ? Array(pages.prefix(1)) : [],
            // A report without pages has its latest files there.
            "latestFiles": part == 1 && pages.isEmpty
                ? latest.filter { !isSigning($0.name) }.map { view(of: $0, newest, language) } : [],
            "caption": language.say(.reportPeriods, span),
            "periods": periods.map { period, files -> TemplateView in
                let made = files.map(\.madeAt).max() ?? period.end
                let title = calendar.title(of: period, in: language)
                return [
                    "periodTitle": title, "made": language.date("yMMMd", calendar.date(at: made)),
                    "pages": Self.pages(of: files), "files": files.map { view(of: $0, title, language) },
                ]
            }, "comparisons": comparisons(of: name, periods, calendar, language),
        ]
    }

    /// The form that compares two periods, where there are two to choose.
    private static func comparisons(
        of name: ReportName, _ periods: [(key: Period, value: [KeptReportFile])], _ calendar: PeriodCalendar,
        _ language: Language
    ) -> [TemplateView] {
        let readable = periods.filter { period, files in
            let stem = ReportFile.stem(report: name.text, period: calendar.label(of: period))
            return files.contains { $0.name == stem + ".json" }
        }
        guard readable.count > 1 else { return [] }
        func choices(_ chosen: Int) -> [TemplateView] {
            readable.map(\.key).enumerated().map { place, period in
                [
                    "value": calendar.label(of: period), "text": calendar.title(of: period, in: language),
                    "isChosen": place == chosen,
                ]
            }
        }
        return [["compareAction": "/reports/\(name)/compare", "earlier": choices(1), "later": choices(0)]]
    }

    /// The addresses of pages to read.
    private static func pages(of files: [KeptReportFile]) -> [String] {
        files.filter { $0.name.hasSuffix(".html") }.map { "/reports/\($0.report)/\($0.name)" }
    }

    private static func view(of file: KeptReportFile, _ period: String, _ language: Language) -> TemplateView {
        let ending = file.name.split(separator: ".").last.map { $0.uppercased() } ?? file.name
        let kind = isSigning(file.name) ? language.say(.fileKind, ["isManifest": ending == "JSON"]) : ending
        return [
            "fileName": file.name, "fileHref": "/reports/\(file.report)/\(file.name)", "fileKind": kind,
            "fileSize": Wording(language).size(file.bytes),
            "downloading": language.say(.download, ["file": kind, "hasPeriod": true, "period": period]),
        ]
    }

    /// True for files that say something about others.
    private static func isSigning(_ name: String) -> Bool { name.hasSuffix(".manifest.json") || name.hasSuffix(".sig") }
}

/// The view of a partner's feed: which reports are there, and nothing of what they say.
enum FeedView {
    /// The most entries, the latest first.
    static let most = 50

    /// - Parameter place: the pages' address, without a path.
    static func of(_ files: [KeptReportFile], plan: Plan, partner: Partner, at place: String, in language: Language)
        -> TemplateView
    {
        struct Run: Hashable {
            let report: ReportName
            let period: Period
        }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let runs = Dictionary(grouping: files) { Run(report: $0.report, period: $0.period) }.map { run, files in
            (
                run: run, made: files.map(\.madeAt).max() ?? run.period.end,
                page: files.first { $0.name.hasSuffix(".html") }
            )
        }.sorted { ($1.made, $1.run.period, $0.run.report) < ($0.made, $0.run.period, $1.run.report) }
        let entries = runs.prefix(most).map { one -> TemplateView in
            let title = plan.report(one.run.report)?.title ?? one.run.report.text
            return [
                "entryTitle": "\(title): \(calendar.title(of: one.run.period, in: language))",
                "entryMade": Instant.text(one.made),
                "entryHref": place + (one.page.map { "/reports/\($0.report)/\($0.name)" } ?? "/reports"),
                "entryID": "\(place)/reports/\(one.run.report)#\(calendar.label(of: one.run.period))",
            ]
        }
        return [
            "feedTitle": "\(plan.app.title): \(language.say(.reportsFor, ["partner": partner.title]))",
            "feedHref": place + "/reports", "entries": entries, "feedMade": Instant.text(runs.first?.made ?? .epoch),
            "feedID": "\(place)/reports#\(partner.name)",
        ]
    }
}
