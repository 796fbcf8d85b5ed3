internal import ThrongFaults
internal import ThrongPlan

/// Whoever sent a batch, and whether floors count them.
struct Sender: Sendable {
    /// Under the window's key.
    let identifier: KeyedIdentifier
    /// Whether the identifier is proved, by this batch or an earlier one of its window.
    let isProved: Bool
    /// Whether it counts for floors that ask for no proof.
    let liftsFloors: Bool

    /// Whether it counts for a metric's floors. One that does not adds to values alone: to counts and sums, and to nothing that
    /// says how many devices there are.
    func lifts(_ metric: MetricSpace) -> Bool {
        metric.needsProof ? isProved || Fault.liftUnproved.isOn : liftsFloors
    }
}

extension CountedBatch.Addition {
    /// Notes what the sender's proof makes of it: which firsts are its first ones, and whether it counts as proved.
    mutating func settle(_ sender: Sender, _ space: MetricSpace, in window: inout OpenWindow) {
        isProved = sender.isProved && space.firstProved != nil
        guard let known = space.firsts, !firsts.isEmpty else { return }
        firsts = sender.lifts(space) ? window.newFirsts(of: self, in: known, by: sender.identifier) : .none
    }
}
