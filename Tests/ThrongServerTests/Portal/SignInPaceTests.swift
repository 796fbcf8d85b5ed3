import HTTPTypes
import Hummingbird
import Synchronization
import Testing
import ThrongPlan
import ThrongSchedule
import ThrongStore

@testable import ThrongServer

@Suite("The door asks the throttle before it looks at a token")
struct SignInPaceTests {
    @Test("of forty wrong tokens ten are looked at, and the others are told when to come again")
    func paced() async throws {
        // No token here is one, so PostgreSQL is never asked.
        let access = AccessStore(ConnectionSettings(connectionString: "host=/nowhere"))
        defer { access.close(within: .zero) }
        let refusals = Refusals()
        let door = Doorkeeper(access: access, now: { UnixSeconds(1_795_219_200) }, onRefusal: refusals.note)
        let router = Router(context: BasicRequestContext.self)
        SignInRoutes(door: door, pages: try PortalPages(plans: [])).add(to: router)
        let client = RouterClient(router)
        let began = ContinuousClock.now
        var (looked, paced) = (0, 0)
        for number in 0..<40 {
            let answer = try await client.send(.post, "/sign-in", body: "token=wrong\(number)")
            if answer.status == .forbidden {
                looked += 1
                continue
            }
            #expect(answer.status == .tooManyRequests)
            let seconds = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect(
                (1...6).contains(seconds) && answer.body.contains(Language.english.duration(seconds: Int64(seconds))))
            paced += 1
        }
        // One more is looked at in six seconds, should this machine take as long.
        let most = 10 + Int((ContinuousClock.now - began) / .seconds(6)) + 1
        #expect((10...most).contains(looked), "\(looked) are looked at")
        let noted = refusals.all.withLock { $0 }
        #expect(noted.count { $0 == .signIn } == looked && noted.count { $0 == .signInPace } == paced)
    }

    @Test("while PostgreSQL is away each page says so, and when to come again")
    func away() async throws {
        let portal = Portal(
            ConnectionSettings(connectionString: "host=/nowhere"), plans: [],
            signing: ReportKeyFolder(dataPath: "/nowhere"), now: { .epoch },
            health: { DaemonHealth(panels: [], refusals: []) })
        defer { portal.close(within: .zero) }
        let router = Router(context: BasicRequestContext.self)
        try portal.add(to: router)
        let client = RouterClient(router)
        let cookie = "__Host-throng=" + String(repeating: "0", count: 64)
        for path in ["/", "/operator", "/reports", "/explore"] {
            let answer = try await client.send(.get, path, headers: [.cookie: cookie])
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "60", "\(path)")
            #expect(answer.body.contains("The database is away"), "\(path)")
        }
    }

    private final class Refusals: Sendable {
        let all = Mutex<[SecurityLog.Refusal]>([])
        func note(_ refusal: SecurityLog.Refusal) { all.withLock { $0.append(refusal) } }
    }
}
