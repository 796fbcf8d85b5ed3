import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import Testing
import ThrongPlan
import ThrongSchedule
import ThrongStore

@testable import ThrongServer

@Suite("Analysts' pages open to analysts whose token is good, and to nobody else", .serialized)
struct ExplorerRightsTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
          secretmetric:
            {title: Secretmetric, events: [view], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: day}
        partners:
          bank: {title: Bank, contact: b@example.com}
        """

    /// Every analysts' route: lists, a metric, one that is not there, an address that can't be read.
    private static let paths =
        ["", "?app=shop&metric=secretmetric", "?app=shop&metric=none", "?app=%zz"].map { "/explore" + $0 }
        + ["", "/secretmetric", "/secretmetric?format=csv", "/secretmetric?format=xlsx", "/none", "?app=%zz"].map {
            "/v1/numbers" + $0
        }

    private static let start = CountedShop.start(2)

    /// Pages over a released day, on a clock of their own.
    private final class Pages: Sendable {
        let access: AccessStore
        let portal: Portal
        let client: RouterClient
        let clock: Clock

        final class Clock: Sendable {
            private let now = Mutex(ExplorerRightsTests.start)
            var value: UnixSeconds { now.withLock { $0 } }
            func move(to time: UnixSeconds) { now.withLock { $0 = time } }
        }

        init(_ shop: CountedShop) throws {
            let clock = Clock()
            self.clock = clock
            access = AccessStore(shop.settings)
            portal = Portal(
                shop.settings, plans: [shop.plan], signing: ReportKeyFolder(dataPath: "/nowhere"),
                now: { clock.value }
            ) {
                DaemonHealth(panels: [], refusals: [])
            }
            let router = Router(context: BasicRequestContext.self)
            try portal.add(to: router)
            client = RouterClient(router)
        }

        func close() {
            portal.close()
            access.close()
        }

        /// A token that is good for a day.
        func token(_ role: AccessRole) async throws -> AccessSecret {
            let secret = AccessSecret()
            let token = AccessToken(
                id: secret.id, role: role, note: nil, createdAt: clock.value, expiresAt: clock.value + 86_400)
            try await access.add(token, secret)
            return secret
        }
    }

    /// What a token's owner gets for signing in; nil where that is refused.
    private static func cookie(_ client: RouterClient, _ secret: AccessSecret) async throws -> String? {
        let answer = try await client.send(.post, "/sign-in", body: "token=\(secret.text)")
        return answer.status == .seeOther
            ? answer.headers[.setCookie]?.split(separator: ";").first.map { String($0) } : nil
    }

    /// Each path's answer: its status, and whether it says something of a metric.
    private static func look(
        _ client: RouterClient, _ cookie: String?, token: String? = nil
    ) async throws -> [String: (status: Int, tells: Bool)] {
        var found: [String: (status: Int, tells: Bool)] = [:]
        for path in paths {
            var headers = HTTPFields()
            if let cookie { headers[.cookie] = cookie }
            if let token { headers[.authorization] = "Bearer \(token)" }
            let answer = try await client.send(.get, path, headers: headers)
            let text = answer.body.lowercased()
            #expect(answer.headers[.cacheControl]?.contains("no-store") == true, "\(path)")
            found[path] = (answer.status.code, text.contains("secretmetric") || text.contains("android"))
        }
        return found
    }

    private static func withPages(
        _ work: (Pages, RouterClient) async throws -> Void
    ) async throws {
        let shop = try await CountedShop(yaml)
        try await shop.count(
            "secretmetric", day: 0,
            ["ios": .init(events: 90, devices: 60), "android": .init(events: 80, devices: 50)])
        _ = try await shop.releases.releaseDue(of: shop.plan, now: start)
        let pages = try Pages(shop)
        defer { pages.close() }
        try await work(pages, pages.client)
    }

    @Test("without a token, and with a cookie that nobody gave out, every route asks to sign in and names no metric")
    func nobody() async throws {
        try await Self.withPages { _, client in
            for cookie in [nil, "__Host-throng=", "__Host-throng=a.b.c", "__Host-throng=00000000.1.2.3"] {
                for (path, answer) in try await Self.look(client, cookie) {
                    #expect(answer.status == 401 && !answer.tells, "\(path): \(answer)")
                }
            }
        }
    }

    @Test("partners and operators are turned away at every route, and learn of no metric")
    func others() async throws {
        try await Self.withPages { pages, client in
            for role in [AccessRole.partner("bank", of: "shop"), .operations] {
                let cookie = try #require(try await Self.cookie(client, try await pages.token(role)))
                for (path, answer) in try await Self.look(client, cookie) {
                    #expect(answer.status == 403 && !answer.tells, "\(role.word) at \(path): \(answer)")
                }
            }
        }
    }

    @Test("an analyst sees the numbers; what is not there and what can't be read says so")
    func analysts() async throws {
        try await Self.withPages { pages, client in
            let cookie = try #require(try await Self.cookie(client, try await pages.token(.analysis)))
            let found = try await Self.look(client, cookie)
            #expect(
                found.mapValues(\.status) == [
                    "/explore": 200, "/explore?app=shop&metric=secretmetric": 200,
                    "/explore?app=shop&metric=none": 404, "/explore?app=%zz": 400, "/v1/numbers": 200,
                    "/v1/numbers/secretmetric": 200, "/v1/numbers/secretmetric?format=csv": 200,
                    "/v1/numbers/secretmetric?format=xlsx": 200, "/v1/numbers/none": 404, "/v1/numbers?app=%zz": 400,
                ])
            for path in ["/explore?app=shop&metric=secretmetric", "/v1/numbers", "/v1/numbers/secretmetric"] {
                #expect(found[path]?.tells == true, "\(path)")
            }
            // Another scheme is for a proxy before the pages, which hands it on.
            let behind = try await client.send(
                .get, "/v1/numbers", headers: [.cookie: cookie, .authorization: "Basic YTpi"])
            #expect(behind.status == .ok)
            // A program shows its token with each request, and needs no cookie.
            let secret = try await pages.token(.analysis)
            let shown = try await Self.look(client, nil, token: secret.text)
            #expect(
                shown.filter { $0.key.hasPrefix("/v1") }.mapValues(\.status)
                    == found.filter { $0.key.hasPrefix("/v1") }.mapValues(\.status))
            #expect(shown["/explore"]?.status == 401)
            for (role, status) in [(AccessRole.operations, 403), (.partner("bank", of: "shop"), 403)] {
                let other = try await Self.look(client, nil, token: try await pages.token(role).text)
                #expect(other["/v1/numbers"]?.status == status && other["/v1/numbers"]?.tells == false)
            }
            for wrong in ["", "x", AccessSecret().text] {
                let answer = try await client.send(.get, "/v1/numbers", headers: [.authorization: "Bearer \(wrong)"])
                #expect(answer.status == .unauthorized && !answer.body.contains("secretmetric"))
            }
        }
    }

    @Test("an analyst whose token has expired, or was taken back, is out at the next look and can't sign in again")
    func expired() async throws {
        try await Self.withPages { pages, client in
            let secret = try await pages.token(.analysis)
            let other = try await pages.token(.analysis)
            pages.clock.move(to: Self.start + 86_400 - 60)
            let cookies = [
                try #require(try await Self.cookie(client, secret)), try #require(try await Self.cookie(client, other)),
            ]
            #expect(try await Self.look(client, cookies[0])["/explore"]?.status == 200)
            #expect(try await pages.access.revoke(other.id, now: pages.clock.value))
            for (path, answer) in try await Self.look(client, cookies[1]) {
                #expect(answer.status == 401 && !answer.tells, "taken back, \(path): \(answer)")
            }
            // The session itself would go on for an hour.
            pages.clock.move(to: Self.start + 86_400)
            for (path, answer) in try await Self.look(client, cookies[0]) {
                #expect(answer.status == 401 && !answer.tells, "expired, \(path): \(answer)")
            }
            #expect(try await Self.cookie(client, secret) == nil)
            #expect(try await Self.cookie(client, other) == nil)
        }
    }

    @Test("the script that copies is the same for everybody, and has nothing in it")
    func script() async throws {
        try await Self.withPages { _, client in
            let answer = try await client.send(.get, "/copy.js")
            #expect(answer.status == .ok && !answer.body.contains("secretmetric"))
        }
    }

    @Test("an answer comes as Accept or the address says; each error is a problem with what to do")
    func forms() async throws {
        try await Self.withPages { pages, client in
            let token = "Bearer \(try await pages.token(.analysis).text)"
            func ask(_ path: String, _ accept: String? = nil) async throws -> RouterClient.Answer {
                var headers: HTTPFields = [.authorization: token]
                headers[.accept] = accept
                return try await client.send(.get, "/v1/numbers" + path, headers: headers)
            }
            let json = try await ask("/secretmetric")
            #expect(json.headers[.contentType] == "application/json" && json.body.contains(#""events_margin":"#))
            let csv = try await ask("/secretmetric", "text/csv, */*;q=0.1")
            #expect(
                csv.headers[.contentType]?.hasPrefix("text/csv") == true && csv.body.hasPrefix("period,local_date,"))
            #expect(try await ask("/secretmetric?format=csv").body == csv.body)
            #expect(try await ask("/secretmetric?format=xlsx").body.hasPrefix("PK"))
            let list = try await ask("")
            #expect(list.body.contains(#""groupings": ["(total)", "os"]"#) && list.body.contains("Secretmetric"))
            let wrong = [
                ("/secretmetric?grouping=room", 400, "bad_address", "os"),
                ("/none", 404, "no_such_numbers", "secretmetric"),
                ("/secretmetric?over=none", 400, "bad_address", "over"),
                ("/secretmetric?format=pdf", 400, "bad_address", "xlsx"),
                ("?x=1", 400, "bad_address", "METRIC"),
            ]
            for (path, status, code, allowed) in wrong {
                let answer = try await ask(path)
                #expect(
                    answer.status.code == status && answer.headers[.contentType] == "application/problem+json",
                    "\(path)")
                #expect(answer.body.contains("\"error\": \"\(code)\"") && answer.body.contains(allowed), "\(path)")
            }
            let nobody = try await client.send(.get, "/v1/numbers")
            #expect(nobody.status == .unauthorized && nobody.headers[.wwwAuthenticate] == "Bearer")
            let document = try await client.send(.get, "/v1/openapi.json")
            let all = try JSONSerialization.jsonObject(with: Data(document.body.utf8))
            let paths = try #require((all as? [String: Any])?["paths"] as? [String: Any])
            let routes = client.operations.filter { $0.hasPrefix("GET /v1/") }
            #expect(document.status == .ok && Set(paths.keys.map { "GET \($0)" }) == Set(routes))
        }
    }
    @Test("while the database is away a program hears when to ask again, whatever token it shows")
    func away() async throws {
        let portal = Portal(
            ConnectionSettings(connectionString: "host=/nowhere"), plans: [try PortalPlan.read()],
            signing: ReportKeyFolder(dataPath: "/nowhere"), now: { Self.start },
            health: { DaemonHealth(panels: [], refusals: []) })
        defer { portal.close() }
        let router = Router(context: BasicRequestContext.self)
        try portal.add(to: router)
        let answer = try await RouterClient(router).send(
            .get, "/v1/numbers", headers: [.authorization: "Bearer \(AccessSecret().text)"])
        #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil)
        #expect(answer.body.contains("\"error\": \"unavailable\""))
    }
}
