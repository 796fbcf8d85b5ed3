internal import CLinux
internal import Foundation
internal import Synchronization
package import ThrongStore
package import ThrongWire

/// The clocks of this machine, and whether the time of day is believed: one for all who act by it.
package final class MachineClock: Sendable {
    private let clock: UnixClock
    private let machine: String
    private let uptime: @Sendable () -> Int64
    private let state = Mutex(ClockTrust())

    /// `machine` is the name of this machine's current start; `uptime` is since then, by a clock that nobody sets, in
    /// seconds.
    package init(
        _ clock: UnixClock = .system, machine: String = MachineClock.bootID,
        uptime: @escaping @Sendable () -> Int64 = MachineClock.secondsSinceBoot
    ) {
        (self.clock, self.machine, self.uptime) = (clock, machine, uptime)
    }

    /// The reason why the time is not believed, as far as can be told without PostgreSQL; nil if it is believed.
    package var doubt: ClockDoubt? {
        let reading = reading()
        return state.withLock { $0.doubt ?? $0.judge(reading) }
    }

    /// True if PostgreSQL's clock or the time in the database has confirmed the time since the start, and nothing has
    /// contradicted it since.
    package var isConfirmed: Bool { state.withLock { $0.believed != nil } && doubt == nil }

    /// Looks at all clocks, and stores the time if it is believed. Returns the doubt if it is not, and nil if it is.
    package func look(_ store: any ClockStore) async throws -> ClockDoubt? {
        if case .failure(let doubt) = try await believed(store) { doubt } else { nil }
    }

    /// Looks at all clocks, and stores the time if it is believed.
    ///
    /// - Returns: the time that was looked at. Acts that can't be undone go by this one, because the clock
    ///   may be set at any moment afterwards.
    package func believed(_ store: any ClockStore) async throws -> Result<UnixSeconds, ClockDoubt> {
        let stored = try await store.clock()
        var reading = reading()
        reading.database = stored.database
        let (doubt, believed) = state.withLock { trust in
            let doubt = trust.look(reading, stored: stored.believed)
            return (doubt, trust.believed)
        }
        if let doubt { return .failure(doubt) }
        if let believed { try await store.believe(believed) }
        return .success(reading.time)
    }

    /// Takes an operator's word that the clock here is right; an error if PostgreSQL's clock says otherwise.
    package func confirm(_ store: any ClockStore) async throws {
        var reading = reading()
        reading.database = try await store.clock().database
        if let doubt = ClockTrust().judge(reading) { throw doubt }
        try await store.confirm(
            StoredClock.Believed(time: reading.time, machine: machine, uptime: reading.uptime, confirmations: 0))
    }

    private func reading() -> ClockReading { ClockReading(time: clock.now, machine: machine, uptime: uptime()) }

    /// The kernel's name for this start of the machine; empty if it has none.
    package static let bootID: String = {
        let bytes = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }()

    /// Returns the time for which the machine has run, asleep or not. Unit: seconds.
    @Sendable package static func secondsSinceBoot() -> Int64 { throng_uptime() }
}

/// A store that knows PostgreSQL's time and keeps the time that was believed last; `DatabaseClock` is the real one.
package protocol ClockStore: Sendable {
    func clock() async throws -> StoredClock
    func believe(_ time: StoredClock.Believed) async throws
    func confirm(_ time: StoredClock.Believed) async throws
}

extension DatabaseClock: ClockStore {}
