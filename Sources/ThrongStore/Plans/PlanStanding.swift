package import ThrongPlan

/// How a daemon's plan of an app stands to the one in force, of which there is one for all daemons of a database.
package struct PlanStanding: Sendable, Hashable {
    /// Why a plan came into force.
    package enum Arrival: String, Sendable, Hashable {
        /// There was none.
        case first
        /// It took the place of the one in force in the file of a daemon that counted by that one.
        case edited
        /// An operator said so.
        case applied
        /// Nobody else had the one that was in force, or was there to count by it.
        case inherited
    }

    /// Of which app.
    package let app: AppName
    /// By which plan the daemon counts.
    package let own: PlanVersion
    /// Which plan is in force.
    package let inForce: PlanVersion
    /// Since when.
    package let since: UnixSeconds
    /// The daemon that brought it.
    package let daemon: DaemonID
    /// Why it came.
    package let arrival: Arrival
    /// Whether it came just now, by this daemon.
    package let hasArrived: Bool
    /// Whether all daemons that count do so by the one in force: then what others asked and promised is over.
    package let isEverywhere: Bool

    /// Puts a standing together.
    package init(
        app: AppName, own: PlanVersion, inForce: PlanVersion, since: UnixSeconds, daemon: DaemonID, arrival: Arrival,
        hasArrived: Bool = false, isEverywhere: Bool
    ) {
        (self.app, self.own, self.inForce, self.since) = (app, own, inForce, since)
        (self.daemon, self.arrival) = (daemon, arrival)
        (self.hasArrived, self.isEverywhere) = (hasArrived, isEverywhere)
    }

    /// Whether the daemon counts by the plan in force.
    package var isInForce: Bool { own == inForce }
}

extension PlanVersion {
    /// Its first digits, by which people tell plans apart.
    package var short: String { String(hex.prefix(16)) }
}
