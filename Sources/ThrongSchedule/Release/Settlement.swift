internal import ThrongDelivery
package import ThrongPlan
package import ThrongStore

/// The barrier before a release: what daemons acknowledged up to now has to be in PostgreSQL. Events that come in later are
/// late ones; distinct counts of a released period can't be made up for.
package struct Settlement: Sendable {
    /// For how long a daemon that says nothing holds up what the schedule releases: nobody sends events that are older.
    /// Unit: seconds.
    package static let longestSilence: Int64 = 48 * 3600
    /// For how long what was asked stands: a PostgreSQL that was set back has forgotten it. Unit: seconds.
    package static let longestAsking: Int64 = 600

    private static let step = Duration.milliseconds(100)

    private let store: any Settling
    private let patience: Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - patience: how long it waits, besides what PostgreSQL takes to answer.
    ///   - pause: how it waits between two looks.
    package init(
        _ store: any Settling, patience: Duration = .seconds(15),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.patience = patience
        self.pause = pause
    }

    /// What all daemons were asked, and when by the clock that says what is due.
    package struct Asked: Sendable {
        let number: Int64
        let now: UnixSeconds

        /// Whether to wait for its answers still, and not to ask anew.
        func stands(at instant: UnixSeconds) -> Bool { (now...now + longestAsking).contains(instant) }
    }

    /// Asks all daemons.
    ///
    /// - Parameter now: by the clock that says what is due.
    package func ask(at now: UnixSeconds) async throws -> Asked {
        Asked(number: try await store.askToSettle(), now: now)
    }

    /// Waits until all daemons have answered.
    ///
    /// - Parameters:
    ///   - without: daemons that are not waited for.
    ///   - waiting: told once, where it takes more than a moment.
    /// - Returns: who has not answered.
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

/// Asks daemons whether PostgreSQL has what they acknowledged; `SettlementStore` is the real one, whose functions these are.
package protocol Settling: Sendable {
    /// Asks all daemons; returns the asking's number.
    func askToSettle() async throws -> Int64
    /// The daemons that have not answered an asking, at an instant.
    func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon]
}

extension SettlementStore: Settling {}
