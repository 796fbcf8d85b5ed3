import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import Testing
import ThrongPlan
import ThrongReport
import ThrongSchedule

@testable import ThrongServer
@testable import ThrongStore

@Suite("Everybody reads what the plan calls public, and nothing else", .serialized)
struct PublicRoutesTests {
    private static let yaml = """
        app: {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 10000, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          country: {title: Country, field: country, list: [AT, DE], partitions: devices}
        metrics:
          views:
            {title: Views, events: [view], dimensions: [country], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: day}
        insights:
          by_country: {title: Views by country, metric: views, kind: count, by: [country]}
        partners:
          press: {title: Press, contact: p@example.com}
        reports:
          daily: {title: Daily, public: PUBLIC, insights: [by_country], period: day, formats: [html, json, svg],
            schedule: 0 6 * * *}
          own: {title: Own, partner: press, insights: [by_country], period: day, schedule: 0 6 * * *,
            deliver: [{folder: out}]}
        """
    private static let robots = HTTPField.Name("X-Robots-Tag")

    /// A shop of which two days were reported, and a client of the addresses that need no token.
    private static func house(_ publicity: String) async throws -> (shop: CountedShop, client: RouterClient) {
        let plan = try CountedShop.plan(yaml.replacing("PUBLIC", with: publicity))
        let shop = try await CountedShop(plan)
        try await shop.start(plan, at: CountedShop.start(-3))
        for day in [0, 1] {
            let counted = CountedShop.Counted(events: 1500, devices: 1500)
            try await shop.count("views", day: day, ["AT": counted, "DE": counted])
        }
        let now = CountedShop.start(2) + 6 * 3600
        _ = try await shop.releases.releaseDue(of: plan, now: now)
        let folder = FileManager.default.temporaryDirectory.path + "/throng-public-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try ReportKeyFolder(dataPath: folder).rotate(now: now)
        let reports = ReportScheduler(store: shop.store, rules: .system, folder: folder)
        let made = try await reports.deliverDue(of: plan, now: now) { Issue.record("\($0.name): \($1)") }
        #expect(made == 4)
        #expect(try await RunStore(shop.store.connection).runs(app: "shop").allSatisfy { $0.outcome == .delivered })
        let router = Router(context: BasicRequestContext.self)
        let shelf = PublicShelf(access: AccessStore(shop.settings))
        PublicRoutes(pages: try PortalPages(plans: []), plans: [plan], shelf: shelf).add(to: router)
        return (shop, RouterClient(router))
    }

    @Test("a report has one address, for its latest period and for each, with its drawings; no other report has one")
    func files() async throws {
        let (_, client) = try await Self.house("unlisted")
        let latest = try await client.send(.get, "/public/shop/daily/latest.json")
        #expect(latest.body.contains("\"label\": \"2026-11-17\"") && latest.body.contains("\"title\": \"Everybody\""))
        let names = ["latest.html", "latest-by_country.svg", "latest.manifest.json", "daily-2026-11-16.json"]
        for name in names {
            let file = try await client.send(.get, "/public/shop/daily/" + name)
            #expect(file.status == .ok && !file.body.isEmpty, "\(name)")
            #expect(file.headers[.setCookie] == nil && file.headers[.cacheControl] == "public, max-age=300")
            let robots = file.headers[try #require(Self.robots)]
            #expect(robots == "noindex")
            #expect(file.headers[.accessControlAllowOrigin] == "*")
            #expect(file.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
            let known: HTTPFields = [.ifNoneMatch: try #require(file.headers[.eTag])]
            let again = try await client.send(.get, "/public/shop/daily/" + name, headers: known)
            #expect(again.status == .notModified && again.body.isEmpty)
        }
        let others = [
            "daily/daily-2026-11-18.html", "daily/latest.pdf", "daily/late", "own/own-2026-11-17.html",
            "own/latest.html", "daily/own-2026-11-17.html", "x/latest.html",
        ]
        for name in others {
            let missing = try await client.send(.get, "/public/shop/" + name)
            #expect(missing.status == .notFound && missing.body.contains("There is no such report"), "\(name)")
        }
        let other = try await client.send(.get, "/public/other", headers: [.acceptLanguage: "de"])
        #expect(other.status == .notFound && other.headers[.contentType]?.hasPrefix("text/html") == true)
    }

    @Test("the page leads to drawings, periods and files, and search engines may list it where the plan says so")
    func page() async throws {
        for (publicity, isHidden) in [("unlisted", true), ("true", false)] {
            let (_, client) = try await Self.house(publicity)
            let page = try await client.send(.get, "/public/shop")
            #expect(page.status == .ok && page.body.contains("Public numbers of Shop"))
            #expect(page.body.contains("noindex") == isHidden)
            #expect(page.body.contains("src=\"/public/shop/daily/latest-by_country.svg\" alt=\"Views by country\""))
            let code = "&lt;img src=&quot;http://localhost/public/shop/daily/latest-by_country.svg&quot;"
            #expect(page.body.contains(code))
            #expect(!page.body.contains("own-2026") && page.headers[.setCookie] == nil)
            let elsewhere = try await client.send(.get, "/public/shop?part=9", headers: [.acceptLanguage: "de"])
            #expect(elsewhere.body == page.body)
            let links = page.body.matches(of: /href="(\/public\/[^"]+)"/).map { String($0.1) }
            // The latest page, its drawing, each period's page and four files.
            #expect(links.count == 12 && page.body.contains("href=\"/verify\""))
            #expect(page.body.contains(">Signature</a> <span class=\"size\">64 B</span>"))
            for link in links {
                let file = try await client.send(.get, link)
                let robots = file.headers[try #require(Self.robots)]
                #expect(file.status == .ok && robots == (isHidden ? "noindex" : nil))
            }
        }
    }

    // MARK: Without a database

    /// The view of a part of the page, of a report of as many days.
    private static func view(
        _ days: Int, _ endings: [String], part: Int = 1, title: String = "Daily", in language: Language = .english
    ) throws -> TemplateView {
        let plan = try CountedShop.plan(
            yaml.replacing("PUBLIC", with: "true").replacing("Views by country", with: title))
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let files = (0..<days).flatMap { day -> [KeptReportFile] in
            let period = calendar.period(.day, containing: CountedShop.start(day))
            let stem = ReportFile.stem(report: "daily", period: calendar.label(of: period))
            return endings.map {
                KeptReportFile(report: "daily", period: period, name: stem + $0, bytes: 20_000, madeAt: period.end)
            }
        }
        let list = ReportList(
            files, of: plan, at: "/public/shop", part: part, in: language, showsDrawings: true)
        return PublicRoutes.view(of: list, at: "https://count.example")
    }

    @Test("sixty periods are on one part of the page, and what is there in the reader's language")
    func parts() throws {
        let endings = [".html", ".csv", "-by_country.svg", ".manifest.json", ".manifest.sig"]
        let first = try Self.view(130, endings, in: .german)
        let report = try #require(first.views("reports").first)
        #expect(report.views("periods").count == 60 && report.views("drawings").count == 1)
        #expect(report["latestHref"] as? String == "/public/shop/daily/latest.html")
        #expect(first.texts("olderHrefs") == ["/public/shop?part=2"] && first.texts("newerHrefs").isEmpty)
        let files = try #require(report.views("periods").first).views("files")
        #expect(files.map { $0["fileKind"] as? String } == ["HTML", "CSV", "Manifest", "Signatur"])
        #expect(files.allSatisfy { $0["fileSize"] as? String == "20 kB" })
        #expect(first["isSigned"] as? Bool == true)
        let last = try Self.view(130, endings, part: .max)
        #expect(last.views("reports").map { $0.views("periods").count } == [10])
        #expect(last.views("reports").allSatisfy { $0.views("drawings").isEmpty && $0.texts("latestHrefs").isEmpty })
        #expect(last.texts("newerHrefs") == ["/public/shop?part=2"] && last.texts("olderHrefs").isEmpty)
        let bare = try Self.view(1, [".csv"])
        #expect(bare["isSigned"] as? Bool == false)
        #expect(bare.views("reports").map { $0.views("latestFiles").count } == [1])
        let nothing = try Self.view(0, [])
        #expect(nothing.views("reports").map { $0["hasPeriods"] as? Bool } == [false])
    }

    @Test(
        "a picture is shown where there is no drawing, and is taken along from beside one; no list of files has either")
    func pictures() throws {
        for (endings, shown, others) in [
            (["-by_country.svg", "-by_country.png"], "svg", ["PNG"]), (["-by_country.png"], "png", []),
        ] {
            let report = try #require(try Self.view(1, [".html"] + endings).views("reports").first)
            let drawing = try #require(report.views("drawings").first)
            #expect(report.views("drawings").count == 1)
            #expect(drawing["drawingHref"] as? String == "/public/shop/daily/latest-by_country.\(shown)")
            #expect((drawing["drawingCode"] as? String)?.contains("latest-by_country.\(shown)") == true)
            let files = drawing.views("drawingFiles")
            #expect(files.compactMap { $0["fileKind"] as? String } == others)
            #expect(files.allSatisfy { ($0["fileHref"] as? String)?.hasSuffix("-by_country.png") == true })
            let listed = try #require(report.views("periods").first).views("files")
            #expect(listed.map { $0["fileKind"] as? String } == ["HTML"])
        }
    }

    @Test("the line that shows a drawing elsewhere stays one element, whatever its title has in it")
    func code() throws {
        let view = try Self.view(1, ["-by_country.svg"], title: "'A\"\u{301} onload=x <b> & c'")
        let drawing = try #require(view.views("reports").first?.views("drawings").first)
        let code = try #require(drawing["drawingCode"] as? String)
        #expect(code.utf8.filter { $0 == UInt8(ascii: "\"") }.count == 4)
        #expect(code.utf8.filter { $0 == UInt8(ascii: "<") }.count == 1)
        #expect(code.hasPrefix("<img src=\"https://count.example/public/shop/daily/latest-by_country.svg\" alt=\"A"))
        #expect(code.contains(" onload=x &lt;b&gt; &amp; c\" />"))
    }

    @Test("a text is made once a minute for each address, and those that are over make room for others")
    func shelf() async throws {
        let access = AccessStore(ConnectionSettings(connectionString: "host=/nowhere"))
        defer { access.close(within: .zero) }
        let time = Mutex(ContinuousClock.now)
        let shelf = PublicShelf(access: access, most: 50_000, now: { time.withLock { $0 } })
        let bytes = (0..<60_000).map { _ in UInt8.random(in: 0...255) }
        var made = 0
        func ask(_ name: String, _ count: Int = 3000) async throws {
            let text = try await shelf.text(at: .file(app: "shop", report: "daily", name: name)) {
                made += 1
                return ServedText(Array(bytes.prefix(count)), type: "text/plain", cachedFor: 1)
            }
            #expect(text != nil)
        }
        for _ in 0..<3 { try await ask("a") }
        let one = shelf.size
        #expect(made == 1 && (3000...12_000).contains(one))
        time.withLock { $0 = $0 + .seconds(59) }
        try await ask("a")
        #expect(made == 1)
        time.withLock { $0 = $0 + .seconds(1) }
        try await ask("b")
        #expect(made == 2 && shelf.size == one, "the text whose minute was over is gone")
        try await ask("a")
        #expect(made == 3)
        for place in 0..<100 {
            for _ in 0..<2 { try await ask("\(place)") }
            #expect(shelf.size <= 50_000)
        }
        #expect(made == 103)
        let before = shelf.size
        for _ in 0..<2 { try await ask("large", 60_000) }
        #expect(made == 105 && shelf.size == before, "a text that takes all the room is not kept")
        let none = try await shelf.text(at: .page(app: "shop", language: nil, part: 1, place: "")) { nil }
        #expect(none == nil && shelf.size == before)
    }
}
