import ThrongPlan

extension Plan {
    /// Purposes of which a metric counts what identifiers did within their window: known when that is over.
    var purposesWithin: [Purpose] {
        let names = Set(metrics.filter { $0.within != nil }.map(\.purpose))
        return purposes.filter { names.contains($0.name) }
    }

    /// Purposes of which every metric counts events as they come.
    var purposesAtOnce: [Purpose] {
        let later = Set(purposesWithin.map(\.name))
        return purposes.filter { !later.contains($0.name) }
    }
}
