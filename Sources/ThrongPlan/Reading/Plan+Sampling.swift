extension Plan {
    /// Metrics that count one event at several sampling rates.
    ///
    /// A device sends an event once for all metrics of a purpose, at the lowest of their rates; the others would be
    /// scaled by a rate at which nobody sent.
    func samplingProblems() -> [PlanProblem] {
        metrics.compactMap { metric in
            for event in metric.events {
                let lower = metrics.first {
                    $0.purpose == metric.purpose && $0.events.contains(event) && $0.sampling < metric.sampling
                }
                guard let lower else { continue }
                return places.advice(
                    on: .metric, named: metric.name.text,
                    """
                    metric '\(metric.name)': its sampling is \(PlanNumber.text(metric.sampling)), but devices send '\(event)' \
                    at the \(PlanNumber.text(lower.sampling)) of metric '\(lower.name)'; give both the same rate
                    """
                )
            }
            return nil
        }
    }
}
