/// One number that a release could show: a sum of leaves with coefficients 0 or 1.
package struct CandidateCell: Sendable, Hashable {
    /// The proved lower bound on devices. Given, because floors are maxima over windows and do not add. Unit: devices.
    package let floor: Int64
    /// What hiding it costs: more useful cells are published first. At least 1.
    package let cost: Int64
    /// Under k, failing the dominance rule, or marked: never to be published nor derived.
    package let isSensitive: Bool
    /// In the ledger already: the attacker has it whatever is decided now.
    package let isForced: Bool
    /// Somebody asked for it. A cell that nobody asked for belongs to the universe all the same: it may be sensitive and
    /// must then be protected, and relations may name it, but it is never published and hiding it costs nothing. What is
    /// forced is published whether offered or not.
    package let isOffered: Bool

    /// Puts a candidate together.
    package init(floor: Int64, cost: Int64, isSensitive: Bool, isForced: Bool = false, isOffered: Bool = true) {
        self.floor = floor
        self.cost = cost
        self.isSensitive = isSensitive
        self.isForced = isForced
        self.isOffered = isOffered
    }
}
