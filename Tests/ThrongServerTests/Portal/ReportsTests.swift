import HTTPTypes
import Hummingbird
import Testing
import ThrongPlan
import ThrongReport

@testable import ThrongServer
@testable import ThrongStore

@Suite("The list of a partner's reports leads to what there is, and to nothing else")
struct ReportsTests {
    private static let frame = PageFrame(language: .english)
    private static let start = UnixSeconds(1_795_219_200)

    /// Files of as many periods, the first one named first.
    private static func files(_ count: Int, of report: ReportName = "pulse", _ endings: [String]) -> [KeptReportFile] {
        let calendar = PeriodCalendar.utc
        return (0..<count).flatMap { place -> [KeptReportFile] in
            let period = calendar.period(.hour, containing: start + Int64(place) * 3600)
            let stem = ReportFile.stem(report: report.text, period: calendar.label(of: period))
            return endings.map {
                KeptReportFile(report: report, period: period, name: stem + $0, bytes: 10, madeAt: period.end)
            }
        }
    }

    private static func view(_ files: [KeptReportFile], part: Int = 1) throws -> TemplateView {
        ReportsView.of(files, plan: try PortalPlan.read(), partner: "Bank", part: part, frame: frame)
    }

    @Test("two hours of a report can be chosen for a comparison, and each choice leads to the file that is kept")
    func hours() throws {
        let files = Self.files(2, [".json"])
        let choices = try #require(
            try Self.view(files).views("reports").first?.views("comparisons").first?.views("earlier")
        ).compactMap { $0["optionValue"] as? String }
        #expect(choices.count == 2 && choices.allSatisfy { $0.contains("T") })
        #expect(
            Set(choices.map { ReportFile.stem(report: "pulse", period: $0) + ".json" })
                == Set(files.map(\.name)))
    }

    @Test("a report without pages has its downloads where others have the page, and no button that leads nowhere")
    func withoutPages() throws {
        let report = try #require(
            try Self.view(Self.files(1, [".csv", ".manifest.sig", ".manifest.json"])).views("reports").first)
        #expect(report.texts("latestHrefs").isEmpty)
        #expect(report.views("latestFiles").map { $0["fileKind"] as? String } == ["CSV"])
        let page = try #require(try Self.view(Self.files(1, [".html", ".csv"])).views("reports").first)
        #expect(page.texts("latestHrefs").count == 1 && page.texts("latestHrefs")[0].hasSuffix(".html"))
        #expect(page.views("latestFiles").isEmpty)
    }

    @Test("each link to a file has a name of its own, which has its visible text in it and what a drawing shows")
    func names() throws {
        let files = Self.files(
            1, [".html", ".csv", "-orders.svg", "-orders.png", "-gone.svg", ".manifest.json", ".manifest.sig"])
        for files in [files, files.filter { !$0.name.hasSuffix(".html") }] {
            let report = try #require(try Self.view(files).views("reports").first)
            let links = try #require(report.views("periods").first).views("files")
            let names = links.compactMap { $0["downloading"] as? String }
            #expect(names.count == files.count && Set(names).count == files.count, "\(names)")
            #expect(names.contains { $0.hasPrefix("Download SVG “Orders” of ") })
            #expect(names.contains { $0.hasPrefix("Download PNG “Orders” of ") })
            #expect(names.contains { $0.hasPrefix("Download SVG “gone” of ") }, "an insight that the plan has no more")
            for link in links {
                let (kind, name) = (link["fileKind"] as? String ?? "-", link["downloading"] as? String ?? "")
                #expect(name.contains(kind), "\(kind) is not in \(name)")
            }
            for latest in report.views("latestFiles") {
                #expect(names.contains(latest["downloading"] as? String ?? ""))
            }
        }
    }

    @Test("sixty periods of a report are on one page, the latest first, and the others on further ones")
    func parts() throws {
        let files = Self.files(130, [".html"]) + Self.files(3, of: "other", [".html"])
        let first = try Self.view(files)
        #expect(first.views("reports").map { $0.views("periods").count }.sorted() == [3, 60])
        #expect(first.texts("newerHrefs").isEmpty && first.texts("olderHrefs") == ["/reports?part=2"])
        let last = try Self.view(files, part: 3)
        #expect(last.views("reports").map { $0.views("periods").count } == [10])
        let shown = try #require(last.views("reports").first)
        #expect(shown["caption"] as? String == "Periods 121 to 130 of 130, the latest first")
        #expect(last.texts("olderHrefs").isEmpty && last.texts("newerHrefs") == ["/reports?part=2"])
        #expect(shown.texts("latestHrefs").isEmpty, "an old period is not the latest one")
        let all = try (1...3).flatMap { try Self.view(files, part: $0).views("reports") }
            .filter { $0["reportAnchor"] as? String == "pulse" }
        #expect(Set(all.flatMap { $0.views("periods") }.flatMap { $0.texts("pages") }).count == 130)
        for part in [-1, 0, 99, .max] { #expect(try !Self.view(files, part: part).views("reports").isEmpty) }
    }

    @Test("a feed has each period once, the latest first, with its page's address, and no number")
    func feed() throws {
        let bank = Partner(name: "bank", title: "Bank <&>", contact: "")
        let files = Self.files(60, [".html", ".json"]) + Self.files(1, of: "other", [".csv"])
        let view = FeedView.of(
            files, plan: try PortalPlan.read(), partner: bank, at: "https://count.example", in: .english)
        let entries = view.views("entries")
        #expect(entries.count == FeedView.most)
        let hrefs = entries.compactMap { $0["entryHref"] as? String }
        #expect(hrefs.first == "https://count.example/reports/pulse/\(files[118].name)")
        let ids = entries.compactMap { $0["entryID"] as? String }
        #expect(Set(ids).count == FeedView.most && ids[0].hasPrefix("https://count.example/reports/pulse#2026-11-2"))
        _ = try PortalPages(plans: []).feed(view)
        let alone = FeedView.of(
            Self.files(1, of: "other", [".csv"]), plan: try PortalPlan.read(), partner: bank, at: "", in: .english)
        #expect(alone.views("entries").map { $0["entryHref"] as? String } == ["/reports"])
        let none = FeedView.of([], plan: try PortalPlan.read(), partner: bank, at: "", in: .german)
        #expect(none.views("entries").isEmpty && none["feedTitle"] as? String == "Shop: Berichte für Bank <&>")
    }
}
