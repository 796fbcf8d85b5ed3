package import ThrongPlan

/// The standing of a daemon's plan of an app against the one in force, which all daemons of a database share.
package struct PlanStanding: Sendable, Hashable {
    /// The reason why a plan came into force.
    package enum Arrival: String, Sendable, Hashable {
        /// There was no plan before.
        case first
        /// It replaced the plan in force in the file of a daemon that counted by that one.
        case edited
        /// An operator ordered it.
        case applied
        /// No other daemon had the plan that was in force, or was there to count by it.
        case inherited
    }

    package let app: AppName
    /// The plan that the daemon counts by.
    package let own: PlanVersion
    package let inForce: PlanVersion
    /// The time it came into force.
    package let since: UnixSeconds
    /// The daemon that brought it.
    package let daemon: DaemonID
    /// The reason why it came into force.
    package let arrival: Arrival
    /// True if it came into force just now, by this daemon.
    package let hasArrived: Bool
    /// True if all daemons that count do so by the plan in force: then the terms and promises of others have ended.
    package let isEverywhere: Bool

    package init(
        app: AppName, own: PlanVersion, inForce: PlanVersion, since: UnixSeconds, daemon: DaemonID, arrival: Arrival,
        hasArrived: Bool = false, isEverywhere: Bool
    ) {
        (self.app, self.own, self.inForce, self.since) = (app, own, inForce, since)
        (self.daemon, self.arrival) = (daemon, arrival)
        (self.hasArrived, self.isEverywhere) = (hasArrived, isEverywhere)
    }

    /// True if the daemon counts by the plan in force.
    package var isInForce: Bool { own == inForce }
}

extension PlanVersion {
    /// Its first digits, by which people tell plans apart.
    package var short: String { String(hex.prefix(16)) }
}
