internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of a partner's reports: each with its periods, the latest first.
enum ReportsView {
    /// The most periods of each report on one part of the list; the latest are on the first part.
    static let mostPeriods = 60

    /// - Parameter part: from 1; beyond the last one is the last one.
    static func of(
        _ files: [KeptReportFile], plan: Plan, partner: String, part: Int = 1, frame: PageFrame
    ) -> TemplateView {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        // Reports are in the plan's order; one that the plan has no more comes last.
        let order = plan.reports.map(\.name)
        let names = Set(files.map(\.report)).sorted { first, second in
            let places = [first, second].map { order.firstIndex(of: $0) ?? order.count }
            return places[0] == places[1] ? first.text < second.text : places[0] < places[1]
        }
        let periods = names.map { name in
            Dictionary(grouping: files.filter { $0.report == name }, by: \.period)
                .sorted { $0.key > $1.key }
        }
        let parts = ((periods.map(\.count).max() ?? 0) + mostPeriods - 1) / mostPeriods
        let part = min(max(part, 1), max(parts, 1))
        let reports = zip(names, periods).compactMap { name, periods -> TemplateView? in
            let shown = Array(periods.dropFirst((part - 1) * mostPeriods).prefix(mostPeriods))
            return shown.isEmpty ? nil : report(name, shown, of: periods.count, part: part, plan, calendar)
        }
        let count = periods.map(\.count).reduce(0, +)
        let number = " \(Wording.english.count(count, "period")) \(count == 1 ? "is" : "are") here."
        return [
            "frame": frame,
            "partnerTitle": partner,
            "lede": "What \(plan.app.title) tells you about its users, as groups of people, never as people."
                + (reports.isEmpty ? "" : number),
            "reports": reports,
            "newerHrefs": part > 1 ? ["/reports?part=\(part - 1)"] : [],
            "olderHrefs": part < parts ? ["/reports?part=\(part + 1)"] : [],
            "isSigned": files.contains { $0.name.hasSuffix(".manifest.json") },
        ]
    }

    private static func report(
        _ name: ReportName, _ periods: [(key: Period, value: [KeptReportFile])], of count: Int, part: Int, _ plan: Plan,
        _ calendar: PeriodCalendar
    ) -> TemplateView {
        let known = plan.reports.first { $0.name == name }
        let report = known.flatMap { plan.translated(into: plan.language(of: $0)).report(name) }
        let latest = periods.first?.value ?? []
        let pages = pages(of: latest)
        let first = (part - 1) * mostPeriods + 1
        return [
            "reportAnchor": name.text,
            "reportTitle": report?.title ?? name.text,
            "explanations": [report?.explanation].compactMap(\.self),
            "latestTitle": periods.first.map { calendar.title(of: $0.key) } ?? "",
            "latestHrefs": part == 1 ? Array(pages.prefix(1)) : [],
            // A report without pages has its latest files there.
            "latestFiles": part == 1 && pages.isEmpty
                ? latest.filter { !signing.contains(kind(of: $0.name)) }.map { view(of: $0) } : [],
            "caption": periods.count == count
                ? "All periods"
                : "Periods \(first) to \(first + periods.count - 1) of \(count), the latest first",
            "periods": periods.map { period, files -> TemplateView in
                let made = files.map(\.madeAt).max() ?? period.end
                return [
                    "periodTitle": calendar.title(of: period),
                    "made": calendar.label(of: calendar.period(.day, containing: made)),
                    "pages": Self.pages(of: files),
                    "files": files.map { view(of: $0) },
                ]
            },
            "comparisons": comparisons(of: name, periods, calendar),
        ]
    }

    /// The form that compares two periods, where there are two to choose.
    private static func comparisons(
        of name: ReportName, _ periods: [(key: Period, value: [KeptReportFile])], _ calendar: PeriodCalendar
    ) -> [TemplateView] {
        let readable = periods.filter { period, files in
            let stem = ReportFile.stem(report: name.text, period: calendar.label(of: period))
            return files.contains { $0.name == stem + ".json" }
        }
        guard readable.count > 1 else { return [] }
        func choices(_ chosen: Int) -> [TemplateView] {
            readable.map(\.key).enumerated().map { place, period in
                ["value": calendar.label(of: period), "text": calendar.title(of: period), "isChosen": place == chosen]
            }
        }
        return [["compareAction": "/reports/\(name)/compare", "earlier": choices(1), "later": choices(0)]]
    }

    /// The addresses of pages to read.
    private static func pages(of files: [KeptReportFile]) -> [String] {
        files.filter { $0.name.hasSuffix(".html") }.map { "/reports/\($0.report)/\($0.name)" }
    }

    private static func view(of file: KeptReportFile) -> TemplateView {
        [
            "fileName": file.name, "fileHref": "/reports/\(file.report)/\(file.name)", "fileKind": kind(of: file.name),
            "fileSize": Wording.english.size(file.bytes),
        ]
    }

    /// The kinds of files that say something about others.
    private static let signing = ["Manifest", "Signature"]

    private static func kind(of name: String) -> String {
        if name.hasSuffix(".manifest.json") { return signing[0] }
        if name.hasSuffix(".sig") { return signing[1] }
        return name.split(separator: ".").last.map { $0.uppercased() } ?? name
    }
}
