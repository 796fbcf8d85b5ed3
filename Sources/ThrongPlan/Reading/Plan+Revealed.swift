extension Plan {
    /// Returns the k of a learned value: the highest threshold of the metrics that use the dimension.
    package func revealThreshold(of dimension: DimensionName) -> Threshold {
        metrics.filter { $0.dimensions.contains(dimension) }.map(\.threshold).max() ?? app.threshold
    }

    @ListBuilder<String> func revealedProblems(_ dimension: Dimension) -> [String] {
        let others = dimensions.filter { $0.field == dimension.field && $0.name != dimension.name }.map(\.name.text)
        let measures = metrics.flatMap { metric -> [String] in
            let sums = metric.sums.filter { $0.field == dimension.field }.map(\.name)
            guard let histogram = metric.histogram, histogram.field == dimension.field else { return sums }
            return sums + [histogram.name.text]
        }
        if dimension.isRevealed, let other = (others + measures).first {
            "devices send hashes in its field '\(dimension.field)', of which '\(other)' could make nothing; give one "
                + "of them a field of its own"
        }
        let first = metrics.first { ($0.countsFirsts || $0.provesFirsts) && $0.dimensions.contains(dimension.name) }
        if dimension.isRevealed, let first {
            """
            metric '\(first.name)' has 'reach: \(first.countsFirsts ? "client" : "attested")', but a device can't know in which \
            bucket a value is counted, and so not what is its first; leave the dimension out or write 'reach: true'
            """
        }
    }

    /// Returns advice on dimensions whose windows are so short that few values will ever be learned.
    func revealedAdvice() -> [PlanProblem] {
        dimensions.filter(\.isRevealed).compactMap { dimension in
            let users = Set(metrics.filter { $0.dimensions.contains(dimension.name) }.map(\.purpose))
            guard let purpose = purposes.first(where: { users.contains($0.name) && $0.rotation < .longest }) else {
                return nil
            }
            return places.advice(
                on: .dimension, dimension.name,
                """
                learns a value once \(revealThreshold(of: dimension.name).devices) \
                devices have sent it within one window; purpose '\(purpose.name)' has windows of \
                \(Duration.seconds(purpose.rotation.seconds).planText), with about \
                \(PlanNumber.text(devices(in: purpose.rotation))) devices each: rarer values will stay 'other'
                """)
        }
    }
}
