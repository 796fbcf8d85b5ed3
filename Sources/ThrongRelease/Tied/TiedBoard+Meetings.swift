internal import ThrongPlan
internal import ThrongSuppression

extension TiedBoard {
    /// Adds what two metrics tell together of one field that they split differently: AT+DE+LI less AT+DE is LI.
    ///
    /// Of two buckets that meet neither of which holds the other, what they have in common can be computed wherever it is
    /// all that lies between sums of the one metric's buckets and sums of the other's. It is an unknown of its own, and what
    /// was counted says how large it is.
    mutating func meet(_ share: TiedShare, rests: Rests, periods: [Period]) {
        guard share.members.count == 2, share.identity.rest != .unknown, !share.countsIdentifiers,
            let whole = share.isWhole.firstIndex(of: true), let part = share.isWhole.firstIndex(of: false)
        else { return }
        for place in share.dimensions.indices {
            guard var meeting = TiedMeeting(share, along: place, whole: whole, part: part) else { continue }
            meeting.lay(on: &self)
            for cell in meeting.cells(runs: share.runs(of: periods), rests: rests) {
                var open: [[UInt32]] = []
                for piece in cell.pieces
                where isOpen(piece.leaves, identifiers: piece.identifiers, bound: share.bound) {
                    difference(of: piece.leaves, identifiers: piece.identifiers, bound: share.bound)
                    open.append(piece.leaves)
                }
                // What is left of a bucket once all larger pieces are taken away.
                let left = Array(Set(open.joined()))
                if open.count > 1, isOpen(left, identifiers: cell.windows, bound: share.bound) {
                    difference(of: left, identifiers: cell.windows, bound: share.bound)
                }
            }
        }
    }
}
