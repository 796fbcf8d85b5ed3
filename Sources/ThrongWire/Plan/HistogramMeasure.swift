/// A distribution of a field over declared bands.
public struct HistogramMeasure: Sendable, Hashable, Codable {
    /// Name of the dimension that it adds to the cube.
    public let name: DimensionName
    /// What people read above its column; nil is the name.
    public let title: String?
    /// The field whose values are spread.
    public let field: FieldName
    /// Ascending band edges. Unit: the field's.
    public let edges: [Double]
    /// What people read beside the axis, such as EUR.
    public let unit: String

    /// Puts a histogram together.
    public init(name: DimensionName, title: String? = nil, field: FieldName, edges: [Double], unit: String) {
        self.name = name
        self.title = title
        self.field = field
        self.edges = edges
        self.unit = unit
    }
}
