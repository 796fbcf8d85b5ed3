import Foundation
import Probe
import ThrongClient
import ThrongWire

/// One device, its clock, its line and the daemon.
struct World {
    let cook: CookPlan
    let clock: TestClock
    let daemon: Daemon
    let line: Line
    let storage: any ClientStorage
    let throng: Throng

    /// Noon of the first Monday, with consent for everything unless said otherwise.
    init(
        _ cook: CookPlan? = nil, storage: any ClientStorage = MemoryStorage(), seed: UInt64 = 7,
        consents: Bool = true, clock: TestClock? = nil, daemon: Daemon? = nil,
        options change: (inout ThrongOptions) -> Void = { _ in }
    ) async throws {
        self.cook = try cook ?? CookPlan()
        self.clock = clock ?? TestClock(CookPlan.monday + 12 * 3600)
        self.daemon = try daemon ?? Daemon(self.cook)
        self.storage = storage
        line = Line(self.daemon, clock: self.clock)
        throng = try await Self.start(self.cook, storage, line, self.clock, seed, change)
        if consents {
            for purpose in await throng.purposes { try await throng.setConsent(.authorized, for: purpose.id) }
        }
    }

    /// The app is ended and started again.
    func restarted(seed: UInt64 = 8, options change: (inout ThrongOptions) -> Void = { _ in }) async throws -> Throng {
        await throng.close()
        return try await Self.start(cook, storage, line, clock, seed, change)
    }

    private static func start(
        _ cook: CookPlan, _ storage: any ClientStorage, _ line: Line, _ clock: TestClock, _ seed: UInt64,
        _ change: (inout ThrongOptions) -> Void
    ) async throws -> Throng {
        guard let url = CookPlan.url else { throw ThrongError.planAddress }
        var options = ThrongOptions(context: ["os": "ios"], bundledPlan: cook.document)
        options.sendsByItself = false
        options.gap = 0
        change(&options)
        return try await Throng(
            plan: url, storage: storage, transport: line, clock: clock, random: .seeded(seed), options: options)
    }
}
