internal import Foundation
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of a partner's reports.
struct ReportsView {
    /// A report with its periods, the latest first.
    struct Kept {
        let reportAnchor: String
        let reportTitle: String
        let explanations: [String]
        let latestTitle: String
        /// The page of the latest period; none where the report has no pages, or where older ones are shown.
        let latestHrefs: [String]
        /// The latest period's files for a report without pages.
        let latestFiles: [File]
        /// The words for which periods these are.
        let caption: String
        let periods: [Line]
        /// One, where there are two periods to compare.
        let comparisons: [Comparison]
    }

    /// A period's files.
    struct Line {
        let periodTitle: String
        let made: String
        /// The page to read; none where there is none.
        let pages: [String]
        let files: [File]
    }

    struct File {
        let fileName: String
        let fileHref: String
        let fileKind: String
        let fileSize: String
    }

    /// Two periods to choose.
    struct Comparison {
        let compareAction: String
        let earlier: [Choice]
        let later: [Choice]
    }

    struct Choice {
        let value: String
        let text: String
        let isChosen: Bool
    }

    let frame: PageFrame
    let partnerTitle: String
    let lede: String
    let reports: [Kept]
    /// True if there is a manifest to check.
    let isSigned: Bool
    /// The address of later periods; none on the first part.
    let newerHrefs: [String]
    /// The address of earlier periods; none on the last part.
    let olderHrefs: [String]

    /// The most periods of each report on one part of the list; the latest are on the first part.
    static let mostPeriods = 60

    /// - Parameter part: from 1; beyond the last one is the last one.
    init(_ files: [KeptReportFile], plan: Plan, partner: String, part: Int = 1, frame: PageFrame) {
        self.frame = frame
        partnerTitle = partner
        isSigned = files.contains { $0.name.hasSuffix(".manifest.json") }
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
        let parts = ((periods.map(\.count).max() ?? 0) + Self.mostPeriods - 1) / Self.mostPeriods
        let part = min(max(part, 1), max(parts, 1))
        reports = zip(names, periods).compactMap { name, periods in
            let shown = Array(periods.dropFirst((part - 1) * Self.mostPeriods).prefix(Self.mostPeriods))
            return shown.isEmpty
                ? nil : Self.kept(name, shown, of: periods.count, part: part, plan: plan, calendar: calendar)
        }
        newerHrefs = part > 1 ? ["/reports?part=\(part - 1)"] : []
        olderHrefs = part < parts ? ["/reports?part=\(part + 1)"] : []
        let count = periods.map(\.count).reduce(0, +)
        lede =
            reports.isEmpty
            ? "What \(plan.app.title) tells you about its users, as groups of people, never as people."
            : "What \(plan.app.title) tells you about its users, as groups of people, never as people. "
                + "\(Wording.english.count(count, "period")) \(count == 1 ? "is" : "are") here."
    }

    private static func kept(
        _ name: ReportName, _ periods: [(key: Period, value: [KeptReportFile])], of count: Int, part: Int, plan: Plan,
        calendar: PeriodCalendar
    ) -> Kept {
        let known = plan.reports.first { $0.name == name }
        let report = known.flatMap { plan.translated(into: plan.language(of: $0)).report(name) }
        let lines = periods.map { period, files in
            Line(
                periodTitle: calendar.title(of: period),
                made: calendar.label(of: calendar.period(.day, containing: files.map(\.madeAt).max() ?? period.end)),
                pages: files.filter { $0.name.hasSuffix(".html") }.map { "/reports/\(name)/\($0.name)" },
                files: files.map { file in
                    File(
                        fileName: file.name, fileHref: "/reports/\(name)/\(file.name)", fileKind: kind(of: file.name),
                        fileSize: Wording.english.size(file.bytes))
                })
        }
        let readable = periods.filter {
            $0.value.contains {
                $0.name == ReportFile.stem(report: name.text, period: calendar.label(of: $0.period)) + ".json"
            }
        }
        let choices = readable.map { (calendar.label(of: $0.key), calendar.title(of: $0.key)) }
        func chosen(_ place: Int) -> [Choice] {
            choices.enumerated().map { Choice(value: $1.0, text: $1.1, isChosen: $0 == place) }
        }
        let first = (part - 1) * mostPeriods + 1
        return Kept(
            reportAnchor: name.text, reportTitle: report?.title ?? name.text,
            explanations: report?.explanation.map { [$0] } ?? [], latestTitle: lines.first?.periodTitle ?? "",
            latestHrefs: part == 1 ? lines.first.map { Array($0.pages.prefix(1)) } ?? [] : [],
            latestFiles: part == 1 && lines.first?.pages.isEmpty ?? false
                ? lines.first?.files.filter { !signing.contains($0.fileKind) } ?? [] : [],
            caption: periods.count == count
                ? "All periods"
                : "Periods \(first) to \(first + periods.count - 1) of \(count), the latest first",
            periods: lines,
            comparisons: choices.count < 2
                ? []
                : [Comparison(compareAction: "/reports/\(name)/compare", earlier: chosen(1), later: chosen(0))])
    }

    /// The kinds of files that say something about others.
    private static let signing = ["Manifest", "Signature"]

    private static func kind(of name: String) -> String {
        if name.hasSuffix(".manifest.json") { return signing[0] }
        if name.hasSuffix(".sig") { return signing[1] }
        return name.split(separator: ".").last.map { $0.uppercased() } ?? name
    }
}
