import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem

@testable import throng

@Suite("A trial has its folder for itself")
struct TrialHouseTests {
    private static func inFolder(_ work: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trials-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let result: Result<Void, any Error>
        do { result = .success(try await work(folder)) } catch { result = .failure(error) }
        try FileManager.default.removeItem(atPath: folder)
        try result.get()
    }

    @Test("trials that start at once have a folder each")
    func atOnce() async throws {
        try await Self.inFolder { folder in
            let houses = try await withThrowingTaskGroup { group in
                for _ in 0..<9 { group.addTask { try await TrialHouse(nil, else: folder + "/try") } }
                return try await group.reduce(into: [TrialHouse]()) { $0.append($1) }
            }
            defer { for house in houses { house.leave() } }
            let paths = houses.map(\.path).sorted()
            #expect(paths == ["\(folder)/try"] + (2...9).map { "\(folder)/try-\($0)" })
            await #expect(throws: CommandFailure.self) { try await TrialHouse(nil, else: folder + "/try") }
        }
    }

    @Test("a trial's folder is emptied by nobody while it runs, and by the next one afterwards")
    func emptied() async throws {
        try await Self.inFolder { folder in
            let first = try await TrialHouse(folder + "/try")
            try first.write(Array("app:".utf8))
            await #expect(throws: CommandFailure.self) { try await TrialHouse(folder + "/try") }
            #expect(FileManager.default.fileExists(atPath: first.plan))
            first.leave()
            let next = try await TrialHouse(folder + "/try")
            defer { next.leave() }
            let names = try FileManager.default.contentsOfDirectory(atPath: next.path)
            #expect(names == [MadeUpMark.name])
        }
    }

    @Test("keys of apps are made in the folder of a trial that runs, as beside a daemon")
    func keys() async throws {
        try await Self.inFolder { folder in
            let house = try await TrialHouse(folder + "/try")
            defer { house.leave() }
            let file = AppKeyFile(dataPath: house.path)
            let secret = try file.change(within: .zero) { $0.addSecret(of: "shop", name: "orders", now: .epoch) }
            #expect(secret != nil)
            #expect(try file.read().entries.map(\.name) == ["orders"])
            await #expect(throws: CommandFailure.self) { try await TrialHouse(folder + "/try") }
        }
    }

    @Test(
        "a trial posts with a secret that its daemon knows where the plan does not count everybody, and only there",
        arguments: [("", "anybody", false), ("", "backends", true), (", keys: required", "anybody", true)])
    func secret(rule: String, senders: String, isNeeded: Bool) async throws {
        let plan = try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100\(rule)}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days,
                    senders: \(senders)}
                metrics:
                  views: {title: Views, events: [view], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, period: day}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let now = UnixSeconds(1_795_176_000)
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        try await Self.inFolder { folder in
            let house = try await TrialHouse(folder + "/try")
            defer { house.leave() }
            let headers = try house.headers(for: plan)
            let keys = try AppKeyFile(dataPath: house.path).read()
            #expect(headers.map(\.name) == (isNeeded ? ["authorization"] : []) && keys.entries.count == headers.count)
            let intake = try Intake(
                plans: [plan], space: CellSpace(layouts: layouts), rules: .system, keys: AppKeyRing(keys))
            func isCounted(_ bearer: String?) throws -> Bool {
                var body = """
                    {"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product",
                    "window":\(now.value / 900),"id":"a","events":[{"event":"view","at":"2026-11-20T11:59:00Z"}]}
                    """
                do {
                    let outcome = try body.withUTF8 { try intake.read($0, signals: [], bearer: bearer, now: now) }
                    if case .batch = outcome { return true }
                } catch is IntakeError {
                    // Refused as a whole.
                }
                return false
            }
            let secret = headers.first.map { String($0.value.dropFirst("Bearer ".count)) }
            #expect(try isCounted(secret))
            #expect(try isCounted(nil) != isNeeded)
        }
    }

    @Test("a folder that holds anything else is left as it is")
    func others() async throws {
        try await Self.inFolder { folder in
            #expect(FileManager.default.createFile(atPath: folder + "/letters", contents: nil))
            await #expect(throws: CommandFailure.self) { try await TrialHouse(folder) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names == ["letters"])
        }
    }
}
