package import ThrongPlan
package import ThrongStore

/// The barrier before a release: all events that daemons acknowledged up to now have to be in PostgreSQL.
///
/// Events that come in later are late. Distinct counts of a released period can't be corrected by them.
package struct Settlement: Sendable {
    /// The longest time that a silent daemon holds up releases: nobody sends older events. Unit: seconds.
    package static let longestSilence: Int64 = 48 * 3600
    /// The time for which a question stands: a PostgreSQL that was set back has forgotten it. Unit: seconds.
    package static let longestAsking: Int64 = 600

    private static let step = Duration.milliseconds(100)

    private let store: any Settling
    private let patience: Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// Patience is the longest wait, besides the time that PostgreSQL takes to answer.
    package init(
        _ store: any Settling, patience: Duration = .seconds(15),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        (self.store, self.patience, self.pause) = (store, patience, pause)
    }

    /// A question to all daemons, and its time by the clock that says what is due.
    package struct Asked: Sendable {
        let number: Int64
        let now: UnixSeconds

        /// Returns true if the question's answers are still worth waiting for; if not, ask anew.
        func stands(at instant: UnixSeconds) -> Bool { (now...now + longestAsking).contains(instant) }
    }

    /// Asks all daemons; the time is that of the clock that says what is due.
    package func ask(at now: UnixSeconds) async throws -> Asked {
        Asked(number: try await store.askToSettle(), now: now)
    }

    /// Waits for all daemons but some; returns those that have not answered. `waiting` is called once after a second.
    package func silent(
        _ asked: Asked, without: Set<DaemonID> = [], waiting: ([UnsettledDaemon]) -> Void = { _ in }
    ) async throws -> [UnsettledDaemon] {
        var waited = Duration.zero
        var wasTold = false
        while true {
            let silent = try await store.unsettled(asked.number, at: asked.now).filter { !without.contains($0.daemon) }
            if silent.isEmpty || waited >= patience { return silent }
            if !wasTold, waited >= .seconds(1) {
                waiting(silent)
                wasTold = true
            }
            try await pause(Self.step)
            waited += Self.step
        }
    }
}

/// Asks daemons whether PostgreSQL has the events that they acknowledged; `SettlementStore` is the real one.
package protocol Settling: Sendable {
    func askToSettle() async throws -> Int64
    func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon]
}

extension SettlementStore: Settling {}
