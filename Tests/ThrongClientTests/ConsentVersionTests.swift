import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("Who agreed to a purpose is asked again where it gets another version")
struct ConsentVersionTests {
    private static func cook(_ version: Int) throws -> CookPlan {
        try CookPlan(
            CookPlan.yaml.replacing("consent: required", with: "consent: required\n    consent_version: \(version)"))
    }

    /// A device with a plan of its own, and a daemon with another.
    private static func start(
        _ cook: CookPlan, daemon: Daemon, storage: MemoryStorage, clock: TestClock
    ) async throws -> Throng {
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.sendsByItself = false
        options.gap = 0
        return try await Throng(
            plan: try #require(CookPlan.url), storage: storage, transport: Line(daemon, clock: clock), clock: clock,
            random: .seeded(5), options: options)
    }

    @Test("a plan that never raises it is followed as ever: no batch says a version")
    func first() async throws {
        let world = try await World(Self.cook(1))
        world.throng.record("recipe_opened", ["category": "cake"])
        #expect(await world.throng.flush().counted == 1)
        #expect(await world.throng.purposes.map(\.consentVersion) == [1, 1])
        #expect(!world.daemon.bodies.joined().contains("consent_version"))
    }

    @Test("with a newer version consent is not determined, what waits goes, nothing is counted until somebody agrees")
    func raised() async throws {
        let storage = MemoryStorage()
        let clock = TestClock(CookPlan.monday + 12 * 3600)
        let first = try Daemon(Self.cook(1))
        let second = try Daemon(Self.cook(2))
        var throng = try await Self.start(Self.cook(1), daemon: first, storage: storage, clock: clock)
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "cake"])
        #expect(await throng.flush().counted == 1)
        throng.record("recipe_opened", ["category": "roast"])
        await throng.save()
        await throng.close()
        // The app of the next version comes with the next plan.
        throng = try await Self.start(Self.cook(2), daemon: second, storage: storage, clock: clock)
        #expect(await throng.consent(for: "product") == .notDetermined)
        #expect(await throng.purposes[0].consent == .notDetermined)
        #expect(await throng.purposes.map(\.consentVersion) == [2, 1])
        #expect(await throng.purposes.map(\.isAllowed) == [false, true])
        throng.record("recipe_opened", ["category": "cake"])
        throng.record("arrival", ["campaign": "spring"])
        #expect(await throng.flush().counted == 1)
        #expect(second.batches.map(\.purpose) == ["adverts"])
        #expect(await throng.status.dropped == [.notAllowed: 1, .withdrawn: 1])
        #expect(first.withdrawals.isEmpty && second.withdrawals.isEmpty, "what was agreed to is not taken back")
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "cake"])
        #expect(await throng.flush().counted == 1)
        #expect(second.batches.map(\.consentVersion) == [nil, 2])
        await throng.close()
        throng = try await Self.start(Self.cook(2), daemon: second, storage: storage, clock: clock)
        #expect(await throng.consent(for: "product") == .authorized, "it is kept")
        throng.record("recipe_opened", ["category": "cake"])
        #expect(await throng.flush().counted == 1)
    }

    @Test("a refusal of an earlier version is one: nobody is asked twice because of it")
    func refusal() async throws {
        let storage = MemoryStorage()
        let clock = TestClock(CookPlan.monday + 12 * 3600)
        var throng = try await Self.start(Self.cook(1), daemon: Daemon(Self.cook(1)), storage: storage, clock: clock)
        try await throng.setConsent(.denied, for: "product")
        await throng.close()
        throng = try await Self.start(Self.cook(2), daemon: Daemon(Self.cook(2)), storage: storage, clock: clock)
        #expect(await throng.consent(for: "product") == .denied)
    }

    @Test("a device that learns of it from a refusal asks for the plan at once, and counts nothing more")
    func staleDevice() async throws {
        let daemon = try Daemon(Self.cook(2))
        let clock = TestClock(CookPlan.monday + 12 * 3600)
        let throng = try await Self.start(Self.cook(1), daemon: daemon, storage: MemoryStorage(), clock: clock)
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "cake"])
        let result = await throng.flush()
        #expect(result.counted == 0 && result.refused == 1)
        #expect(daemon.refusals == ["consent_outdated": 1] && daemon.cells.isEmpty)
        #expect(await throng.consent(for: "product") == .notDetermined)
        #expect(await throng.purposes[0].consentVersion == 2)
        throng.record("recipe_opened", ["category": "cake"])
        #expect(await throng.flush() == FlushResult())
        try await throng.setConsent(.authorized, for: "product")
        throng.record("recipe_opened", ["category": "cake"])
        #expect(await throng.flush().counted == 1)
        #expect(daemon.firsts.values.allSatisfy { $0 == 1 } && !daemon.firsts.isEmpty)
    }

    @Test("consent holds for the version that was shown, whatever the plan has by now, or where there is none")
    func shown() async throws {
        let daemon = try Daemon(Self.cook(3))
        let clock = TestClock(CookPlan.monday + 12 * 3600)
        var throng = try await Self.start(Self.cook(3), daemon: daemon, storage: MemoryStorage(), clock: clock)
        for version in [1, 2] {
            try await throng.setConsent(.authorized, for: "product", version: version)
            #expect(await throng.consent(for: "product") == .notDetermined)
        }
        for version in [3, 4] {
            try await throng.setConsent(.authorized, for: "product", version: version)
            throng.record("recipe_opened", ["category": "cake"])
            #expect(await throng.flush().counted == 1)
        }
        #expect(daemon.batches.map(\.consentVersion) == [3, 4])
        await throng.close()
        var options = ThrongOptions(context: ["os": "ios"])
        options.sendsByItself = false
        throng = try await Throng(
            plan: try #require(CookPlan.url), storage: MemoryStorage(), transport: Line(daemon, clock: clock),
            clock: clock, random: .seeded(6), options: options)
        try await throng.setConsent(.authorized, for: "product")
        try await throng.loadPlan()
        #expect(await throng.consent(for: "product") == .notDetermined, "nobody knows what was shown")
    }

    @Test("a document of consents with versions that was changed counts as refused")
    func document() async throws {
        let storage = MemoryStorage()
        let world = try await World(Self.cook(2), storage: storage)
        await world.throng.close()
        let document = String(decoding: try #require(storage.read("cook-consent.json")), as: UTF8.self)
        #expect(document.contains(#""versions":{"product":2}"#))
        storage.replace("cook-consent.json", with: Data(document.replacing(":2}", with: ":9}").utf8))
        let throng = try await world.restarted()
        #expect(await throng.purposes.map(\.consent) == [.denied, .denied])
    }
}
