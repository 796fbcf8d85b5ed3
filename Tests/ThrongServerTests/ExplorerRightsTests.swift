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

    /// Every analysts' route: the list, a metric, one that is not there, an address that can't be read, and their CSV.
    private static let paths = ["/explore", "/explore.csv"].flatMap { path in
        ["", "?app=shop&metric=secretmetric", "?app=shop&metric=none", "?app=%zz"].map { path + $0 }
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
            portal = Portal(shop.settings, plans: [shop.plan], now: { clock.value }) {
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
        _ client: RouterClient, _ cookie: String?
    ) async throws -> [String: (status: Int, tells: Bool)] {
        var found: [String: (status: Int, tells: Bool)] = [:]
        for path in paths {
            var headers = HTTPFields()
            if let cookie { headers[.cookie] = cookie }
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
                    "/explore?app=shop&metric=none": 404, "/explore?app=%zz": 400,
                    // A file is always of a metric.
                    "/explore.csv": 404, "/explore.csv?app=shop&metric=secretmetric": 200,
                    "/explore.csv?app=shop&metric=none": 404, "/explore.csv?app=%zz": 400,
                ])
            #expect(found["/explore?app=shop&metric=secretmetric"]?.tells == true)
            #expect(found["/explore.csv?app=shop&metric=secretmetric"]?.tells == true)
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
}
