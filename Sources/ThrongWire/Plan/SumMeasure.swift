/// A sum of a field whose values are clipped to declared bounds and kept as whole units.
public struct SumMeasure: Sendable, Hashable, Codable {
    /// Column name in the analyst's view.
    public let name: String
    /// The field that is summed.
    public let field: FieldName
    /// Values are clipped to this range before they are added. Unit: the field's.
    public let lowest: Double
    /// The upper end of the range. See ``lowest``.
    public let highest: Double
    /// Decimal places kept: a sum counts units of 10^-decimals. 0 to 6.
    public let decimals: Int
    /// The unit that people read beside the number, such as EUR.
    public let unit: String

    /// Creates a sum with its name, field, bounds, decimals and unit.
    public init(name: String, field: FieldName, lowest: Double, highest: Double, decimals: Int, unit: String) {
        (self.name, self.field, self.lowest, self.highest) = (name, field, lowest, highest)
        (self.decimals, self.unit) = (decimals, unit)
    }

    /// A value as the whole number of 10^-decimals units that is added: clipped, then rounded half to even.
    public func quantum(of value: Double) -> Int64 {
        let clipped = Swift.min(Swift.max(value, lowest), highest)
        return Int64((clipped * scale).rounded(.toNearestOrEven))
    }

    /// 10^decimals.
    public var scale: Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return scale
    }
}

/// A distribution of a field over declared bands.
public struct HistogramMeasure: Sendable, Hashable, Codable {
    /// Name of the dimension that it adds to the cube.
    public let name: DimensionName
    /// The title that people read above its column; nil stands for the name.
    public let title: String?
    /// The field whose values are spread.
    public let field: FieldName
    /// Ascending band edges. Unit: the field's.
    public let edges: [Double]
    /// The unit that people read beside the axis, such as EUR.
    public let unit: String

    /// Creates a histogram with its name, title, field, edges and unit.
    public init(name: DimensionName, title: String? = nil, field: FieldName, edges: [Double], unit: String) {
        (self.name, self.title, self.field, self.edges, self.unit) = (name, title, field, edges, unit)
    }
}
