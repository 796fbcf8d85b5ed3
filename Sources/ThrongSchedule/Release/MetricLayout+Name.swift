internal import ThrongPlan

extension MetricLayout {
    /// `os = iOS, channel = Email`, or `total`.
    func name(_ cell: CellIndex, in margin: Margin) -> String {
        let places = dimensions.indices.filter(margin.keeps)
        if places.isEmpty { return "total" }
        return zip(places, buckets(of: cell, in: margin)).map { place, bucket in
            "\(dimensions[place].name) = \(dimensions[place].labels[bucket])"
        }.joined(separator: ", ")
    }
}
