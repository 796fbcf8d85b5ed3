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

    /// `os × channel`, or `total`.
    func name(of margin: Margin) -> String {
        let names = dimensions.indices.filter(margin.keeps).map { dimensions[$0].name.text }
        return names.isEmpty ? "total" : names.joined(separator: " \u{00d7} ")
    }
}
