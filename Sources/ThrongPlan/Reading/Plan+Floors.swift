extension Plan {
    /// Metrics that count some of the same events, of which one counts proved devices and another all.
    ///
    /// A forger knows which events are proved where they are counted apart, and what is decided about the one can't be reckoned
    /// with for the other.
    func floorProblems() -> [PlanProblem] {
        metrics.compactMap { metric in
            guard purpose(metric.purpose)?.needsProof == true else { return nil }
            let other = metrics(tiedTo: metric).first { purpose($0.purpose)?.needsProof != true }
            guard let other else { return nil }
            return places.advice(
                on: .metric, named: metric.name.text,
                """
                metric '\(metric.name)': its purpose '\(metric.purpose)' has 'floor: attested', and metric '\(other.name)' of \
                purpose '\(other.purpose)' counts some of the same events with 'floor: any'; give both purposes the same floor, \
                or count other events
                """)
        }
    }
}
