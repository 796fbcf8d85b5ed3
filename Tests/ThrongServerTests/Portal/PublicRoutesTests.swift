import Foundation
import HTTPTypes
import Hummingbird
import Testing
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore

@testable import ThrongServer

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
            #expect(try await client.send(.get, "/public/shop/" + name).status == .notFound, "\(name)")
        }
        #expect(try await client.send(.get, "/public/other").status == .notFound)
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
            let links = page.body.matches(of: /href="(\/public\/[^"]+)"/).map { String($0.1) }
            // The latest page, its drawing, and four files of each period.
            #expect(links.count == 10)
            for link in links {
                let file = try await client.send(.get, link)
                let robots = file.headers[try #require(Self.robots)]
                #expect(file.status == .ok && robots == (isHidden ? "noindex" : nil))
            }
        }
    }
}
