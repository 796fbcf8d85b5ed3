import ThrongIngest
import ThrongPlan

extension BucketedBatch {
    /// What counting relies on.
    func check(in space: CellSpace) throws(FuzzFinding) {
        try FuzzFinding.check(
            repeats.count == contributions.count, .mismatch(what: "contributions and their repeats"))
        for event in events {
            for places in [event.contributions, event.own] {
                try FuzzFinding.check(
                    places.lowerBound >= 0 && Int(places.upperBound) <= contributions.count
                        && (event.refusal == nil || places.isEmpty),
                    .mismatch(what: "an event and its contributions"))
            }
        }
        for contribution in contributions {
            let layout = space.layouts[Int(contribution.metric)]
            try FuzzFinding.check(
                contribution.cell.value < layout.size(of: layout.leaf), .mismatch(what: "a cell and its layout"))
            try FuzzFinding.check(
                Int(contribution.firstAmount) + layout.sums.count <= amounts.count,
                .mismatch(what: "a contribution and its amounts"))
        }
        for mark in marks {
            let layout = space.layouts[Int(mark.metric)]
            try FuzzFinding.check(
                mark.cell.value < layout.size(of: layout.leaf) && mark.event >= 0
                    && Int(mark.event) < events.count,
                .mismatch(what: "a mark and its layout"))
        }
    }
}
