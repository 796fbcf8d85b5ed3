import ThrongClient
import ThrongPlan
import ThrongWire

/// A crowd that cooks for thirty days and is unreliable about it: people reinstall, withdraw, go offline, leave for good;
/// the network loses requests and answers and delivers some twice.
///
/// What the daemon should know at the end is worked out beside it, from what people did and which flush got through,
/// without looking at a client's memory.
package final class Simulation: Sendable {
    /// Something that must not be, and that the comparison with the truth has to find.
    package enum Flaw: CaseIterable, Sendable {
        /// Each start of the app finds the memory that a backup of its first day holds: firsts are marked again.
        case restoredBackup
        /// The memory outlives the app, so that a new installation takes itself for the old one.
        case survivingReinstall
        /// What arrives twice arrives under two names.
        case renamedRepeat
        /// Periods are released as soon as they are over, before offline days have arrived.
        case hastyRelease
    }

    /// What the daemon should have counted, and what it has.
    package struct Outcome: Sendable {
        package var truth = Truth()
        package var devices = 0
        package var installations = 0
        package var withdrawals = 0
        /// Recipes and answers that the daemon had counted before their device withdrew.
        package var takenBack = 0
        /// Those that never came back after some day.
        package var leavers = 0
        /// Weeks with recipes of leavers and lost installations, about which nobody says how many there were.
        package var unanswered = 0
        package var flushes = 0
        package var failedFlushes = 0
    }

    /// Numbers by what they mean.
    package struct Truth: Sendable, Equatable {
        /// Distinct installations.
        package var reach: [Daemon.First: Int64] = [:]
        /// Events.
        package var cells: [Daemon.Cell: Int64] = [:]
    }

    package let daemon: Daemon
    private let cook: CookPlan
    private let days: Int
    private let flaw: Flaw?

    package init(days: Int = 30, flaw: Flaw? = nil) throws {
        let yaml = CookPlan.asking
        cook = try CookPlan(
            flaw == .hastyRelease ? yaml.replacing("grace: 48 hours", with: "grace: 0 hours") : yaml)
        daemon = try Daemon(cook, keepsBodies: false)
        self.days = days
        self.flaw = flaw
    }

    /// Runs so many devices, each through all of its days.
    package func run(devices: Int, seed: UInt64 = 1, at once: Int = 2) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for lane in 0..<once {
                group.addTask {
                    var outcome = Outcome()
                    for device in stride(from: lane, to: devices, by: once) {
                        try await self.live(seed: seed &* 1_000_003 &+ UInt64(device), in: &outcome)
                    }
                    return outcome
                }
            }
            var whole = Outcome()
            for try await part in group {
                whole.truth.add(part.truth)
                whole.devices += part.devices
                whole.installations += part.installations
                whole.withdrawals += part.withdrawals
                whole.takenBack += part.takenBack
                whole.leavers += part.leavers
                whole.unanswered += part.unanswered
                whole.flushes += part.flushes
                whole.failedFlushes += part.failedFlushes
            }
            return whole
        }
    }

    private func live(seed: UInt64, in outcome: inout Outcome) async throws {
        var random = RandomSource.seeded(seed)
        let clock = TestClock(CookPlan.monday)
        let line = Line(daemon, clock: clock)
        let os = ["ios", "android", "linux"].randomElement(using: &random) ?? "ios"
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
        var consents = chance(0.9)
        var installation = try await install(
            MemoryStorage(), clock: clock, line: line, os: os, seed: seed, consents: consents)
        outcome.devices += 1
        outcome.installations += 1
        // Whoever has not left is back once, on the Tuesday after all weeks are over.
        let closing = ((days + 6) / 7) * 7 + 1
        let last = chance(0.25) ? Int.random(in: 0..<days, using: &random) : closing
        if last < closing { outcome.leavers += 1 }
        for day in Array(0..<days) + [closing] where day <= last {
            let isClosing = day == closing
            guard isClosing || chance(0.7) else { continue }
            // The daemon's windows are UTC days; local days begin an hour earlier.
            let midnight = CookPlan.monday + Int64(day) * CookPlan.day
            clock.set(midnight + Int64.random(in: 7200..<30_000, using: &random))
            if !isClosing, chance(0.02) {
                outcome.unanswered += installation.unanswered
                installation = try await install(
                    flaw == .survivingReinstall ? installation.storage : MemoryStorage(), clock: clock, line: line,
                    os: os, seed: seed &+ UInt64(day) << 40, consents: consents)
                outcome.installations += 1
            } else if chance(0.2) {
                // The app was ended and is started again.
                await installation.throng.close()
                if flaw == .restoredBackup, let backup = installation.backup {
                    installation.storage.replace("cook-memory.json", with: backup)
                }
                installation.throng = try await start(
                    installation.storage, clock: clock, line: line, os: os, seed: seed &+ UInt64(day) << 20)
            }
            await installation.throng.save()
            installation.answer(day: day)
            let isOffline = !isClosing && chance(0.15)
            for _ in 0..<(isClosing ? 1 : Int.random(in: 1...2, using: &random)) {
                for _ in 0..<Int.random(in: 0...3, using: &random) where !isClosing {
                    clock.advance(Int64.random(in: 1..<4000, using: &random))
                    let raw = ["cake", "ice", "roast", "sushi"].randomElement(using: &random) ?? "cake"
                    installation.throng.record("recipe_opened", ["category": raw])
                    let label = ["cake": "dessert", "ice": "dessert", "roast": "main"][raw] ?? "other"
                    if consents { installation.cook(label, day: day) }
                }
                clock.advance(Int64.random(in: 1..<4000, using: &random))
                if isOffline {
                    line.set(.offline)
                } else if !isClosing, chance(0.3) {
                    line.set(chance(0.5) ? .requestLost : .answerLost)
                } else {
                    line.set(chance(0.2) ? flaw == .renamedRepeat ? .twiceRenamed : .twice : .fine)
                }
                outcome.flushes += 1
                if await installation.throng.flush().problem != nil { outcome.failedFlushes += 1 }
                // Nothing else comes between a lost request and its repetition, which the same window takes.
                if !isOffline {
                    line.set(.fine)
                    // One of the two flushes gets it through, before its batches.
                    outcome.takenBack += installation.takeBack(
                        at: UnixSeconds(clock.unixSeconds), grace: cook.plan.app.grace.components.seconds,
                        from: &outcome.truth)
                }
                if !isOffline, await installation.throng.flush().waiting == 0 {
                    installation.deliver(at: UnixSeconds(clock.unixSeconds), os: os, to: &outcome.truth)
                }
            }
            if !isClosing, chance(0.02) {
                consents.toggle()
                if !consents { outcome.withdrawals += 1 }
                try await installation.throng.setConsent(consents ? .authorized : .denied, for: "product")
                installation.withdraw()
            }
        }
        outcome.unanswered += installation.unanswered
        await installation.throng.close()
    }

    private func install(
        _ storage: MemoryStorage, clock: TestClock, line: Line, os: String, seed: UInt64, consents: Bool
    ) async throws -> Installation {
        line.set(.fine)
        let throng = try await start(storage, clock: clock, line: line, os: os, seed: seed)
        if consents { try await throng.setConsent(.authorized, for: "product") }
        return Installation(storage: storage, throng: throng)
    }

    private func start(
        _ storage: MemoryStorage, clock: TestClock, line: Line, os: String, seed: UInt64
    ) async throws -> Throng {
        guard let url = CookPlan.url else { throw ThrongError.planAddress }
        var options = ThrongOptions(context: ["os": os], bundledPlan: cook.document)
        options.sendsByItself = false
        options.gap = 0
        options.logLimit = 3
        return try await Throng(
            plan: url, storage: storage, transport: line, clock: clock, random: .seeded(seed), options: options)
    }
}

extension Simulation.Truth {
    fileprivate mutating func add(_ other: Self) {
        reach.merge(other.reach, uniquingKeysWith: +)
        cells.merge(other.cells, uniquingKeysWith: +)
    }
}
