extension PlanReader {
    /// Reads a metric's `margin`, and notes what cannot stand beside it.
    mutating func margin(in metric: PlanBody<PlanKeys.Metric>) -> MetricMargin? {
        guard metric.keyPlaces[.margin] != nil else { return nil }
        for key in [PlanKeys.Metric.protection, .sensitive] {
            guard let place = metric.keyPlaces[key] else { continue }
            problems.add(
                place,
                """
                \(metric.subject(key)) has no effect beside 'margin', with which no number is withheld to protect another \
                one; leave it out
                """)
        }
        return choice(.margin, in: metric)
    }
}
