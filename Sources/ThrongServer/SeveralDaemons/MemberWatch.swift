internal import Logging
internal import ServiceLifecycle
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

/// Learns from PostgreSQL which daemons count with this one, and agrees to proposals.
///
/// While PostgreSQL is away, the last known membership holds: no other comes into force without this daemon.
struct MemberWatch: Service {
    let neighbours: Neighbours
    let store: MemberStore
    let daemon: DaemonID
    let isAttached: @Sendable () -> Bool
    /// Windows that clients have sent to.
    let windows: @Sendable () -> [WindowID]
    let clock: UnixClock
    let health: RoundHealth
    let logger: Logger

    private static let interval = Duration.seconds(1)
    /// The shortest notice of a proposal that is agreed to: with less, late events would not be known. Unit: seconds.
    private static let shortestNotice: Int64 = 2

    func run() async throws {
        try await PeriodicTask(.members, every: Self.interval, on: health) { try await look() }.run()
    }

    /// Looks before anything is counted: another daemon may have taken the place of this one meanwhile.
    ///
    /// - Parameter patience: the time for which PostgreSQL may fail to answer. After that it counts as away: the last
    ///   known membership holds, and the rounds ask again.
    func lookFirst(patience: Duration = .seconds(10)) async throws {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try await look()
            } catch let error as PostgresError where error.isRetryable {
                guard ContinuousClock.now < deadline else {
                    return logger.warning(
                        "PostgreSQL did not say in time who counts; going by what was known last",
                        metadata: ["error": "\(error)"])
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    func look() async throws {
        // A release would leave out a daemon that counted before PostgreSQL knew of it.
        guard neighbours.membership != nil || isAttached() else { return }
        let heard = neighbours.membership?.heard ?? 0
        guard var found = try await store.membership(of: daemon, heard: heard) else { return }
        if let known = neighbours.lastKnown, try await recall(of: known, missingIn: found) {
            guard let renewed = try await store.membership(of: daemon, heard: found.heard) else { return }
            found = renewed
        }
        try await learn(found)
        guard let agreed = agreeable(found) else { return }
        // This daemon first stops counting what the proposal gives to another; only then PostgreSQL learns of its
        // agreement.
        try await learn(agreed)
        if let proposal = agreed.epochs.last, let begins = proposal.begins,
            windows().contains(where: { begins <= $0.opens })
        {
            logger.warning(
                "a change of who counts is not agreed to: windows that it is about are counted here already",
                metadata: ["epoch": "\(proposal.number)"])
            return try await learn(found)
        }
        try await store.hear(agreed.heard, as: daemon)
        if let decided = try await store.membership(of: daemon, heard: agreed.heard) { try await learn(decided) }
    }

    /// Tells a PostgreSQL that was set back to an earlier time the epochs that it has forgotten. Otherwise windows
    /// under way would have another owner, which would count the same devices anew. False if there is none.
    private func recall(of known: Membership, missingIn found: Membership) async throws -> Bool {
        let forgotten = known.forgotten(by: found)
        guard let first = forgotten.first else { return false }
        let facts: Logger.Metadata = ["from": "epoch \(first.number)"]
        if try await store.recall(forgotten, of: known) {
            logger.error("PostgreSQL is older than it was, and was told again who counts", metadata: facts)
        } else {
            logger.error(
                "PostgreSQL is older than it was, and who counts was changed since: what is counted twice by it can't be told",
                metadata: facts)
        }
        return true
    }

    private func learn(_ membership: Membership) async throws {
        let before = neighbours.membership
        guard try await onOwnThread({ [neighbours] in try neighbours.learn(membership) }) else { return }
        guard before?.last != membership.last || before?.own != membership.own else { return }
        let slots = membership.last?.owners.count { $0 == membership.own } ?? 0
        let facts: Logger.Metadata = [
            "epoch": "\(membership.last?.number ?? 0)", "slots": "\(slots) of \(Slot.count)",
            "begins": "\(membership.last?.begins.map { "\($0)" } ?? "always")",
        ]
        if slots == 0 {
            logger.warning(
                """
                this daemon counts nothing that begins from then on: it hands on what comes. `throng daemon join` makes it count, \
                `throng daemon list` says who does
                """,
                metadata: facts)
        } else if before != nil || !membership.isAlone {
            logger.notice("who counts is known", metadata: facts)
        }
    }

    /// Returns the membership with this daemon's agreement to a proposal; nil if it is not asked.
    private func agreeable(_ membership: Membership) -> Membership? {
        guard let proposal = membership.epochs.last, !proposal.isInForce, proposal.number > membership.heard,
            proposal.owners.contains(membership.own) || membership.last?.owners.contains(membership.own) == true,
            let begins = proposal.begins, clock.now + Self.shortestNotice < begins
        else { return nil }
        var agreed = membership
        agreed.heard = proposal.number
        return agreed
    }
}
