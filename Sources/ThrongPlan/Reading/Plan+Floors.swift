extension Plan {
    /// Finds metrics that count proved devices while another metric counts some of the same events for all devices.
    ///
    /// Both metrics ask one question, whose noise is the same, so that their difference would tell of the few devices
    /// without proof.
    func floorProblems() -> [PlanProblem] {
        metrics.compactMap { metric in
            guard purpose(metric.purpose)?.needsProof == true else { return nil }
            let counted = counted(by: metric)
            let other = metrics.first {
                purpose($0.purpose)?.needsProof != true && self.counted(by: $0).overlaps(counted)
            }
            guard let other else { return nil }
            return places.problem(
                on: .metric, metric.name,
                """
                its purpose '\(metric.purpose)' has 'floor: attested', and metric '\(other.name)' of \
                purpose '\(other.purpose)' counts some of the same events with 'floor: any'; give both purposes the same floor, \
                or count other events
                """)
        }
    }
}
