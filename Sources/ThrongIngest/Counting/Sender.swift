internal import ThrongPlan
internal import ThrongSystem

/// The sender of a batch, with its standing for floors.
struct Sender: Sendable {
    /// The identifier under the window's key.
    let identifier: KeyedIdentifier
    /// True if the identifier is proved, by this batch or an earlier one of its window.
    let isProved: Bool
    /// True if it counts for floors that ask for no proof.
    let liftsFloors: Bool

    /// True if it counts for a metric's floors. Otherwise it adds to values alone: to counts and sums, and to nothing
    /// that says how many devices there are.
    func lifts(_ metric: MetricSpace) -> Bool {
        metric.needsProof ? isProved || Fault.liftUnproved.isOn : liftsFloors
    }
}

extension CountedBatch.Addition {
    /// Applies the sender's standing: keeps the firsts that are new, and marks the addition as proved.
    mutating func settle(_ sender: Sender, _ space: MetricSpace, in window: inout OpenWindow) {
        isProved = sender.isProved && space.provedCount != nil
        guard let known = space.firsts, !firsts.isEmpty else { return }
        firsts = sender.lifts(space) ? window.newFirsts(of: self, in: known, by: sender.identifier) : .none
    }
}
