package import ThrongPlan

/// The standing of a daemon's plan of an app against the one in force, which all daemons of a database share.
package struct PlanStanding: Sendable, Hashable {
    /// The reason why a plan came into force.
    package enum Arrival: String, Sendable, Hashable {
        case first
        /// It replaced the plan in force in the file of a daemon that counted by that one.
        case edited
        case applied
        /// No other daemon had the plan that was in force, or was there to count by it.
        case inherited
    }

    package let app: AppName
    package let own: PlanVersion
    package let inForce: PlanVersion
    package let since: UnixSeconds
    package let daemon: DaemonID
    package let arrival: Arrival
    /// True if it came into force just now, by this daemon.
    package internal(set) var hasArrived: Bool
    /// True if all daemons that count do so by the plan in force: then the terms and promises of others have ended.
    package let isEverywhere: Bool

    package var isInForce: Bool { own == inForce }
}

extension PlanVersion {
    /// Its first digits, by which people tell plans apart.
    package var short: String { String(hex.prefix(16)) }
}
