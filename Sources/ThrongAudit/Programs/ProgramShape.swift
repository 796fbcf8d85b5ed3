/// A component as CLP and CBC take it: columns are unknowns, in compressed column order.
struct ProgramShape {
    private(set) var starts: [Int32]
    private(set) var rows: [Int32]
    private(set) var coefficients: [Double]
    let columnLower: [Double]
    let columnUpper: [Double]
    let rowLower: [Double]
    let rowUpper: [Double]

    /// - Complexity: O(terms).
    init(_ component: Component) {
        let uses = UnknownUses(unknowns: component.unknowns.count, rows: component.rows.map(\.terms))
        starts = [0]
        rows = []
        coefficients = []
        for unknown in component.unknowns.indices {
            for use in uses[Int32(unknown)] {
                rows.append(Int32(use.row))
                coefficients.append(Double(use.coefficient))
            }
            starts.append(Int32(rows.count))
        }
        columnLower = component.signed.map { $0 ? -Double.greatestFiniteMagnitude : 0 }
        columnUpper = component.signed.map { _ in Double.greatestFiniteMagnitude }
        rowLower = component.rows.map { $0.lower.map(Double.init) ?? -Double.greatestFiniteMagnitude }
        rowUpper = component.rows.map { $0.upper.map(Double.init) ?? Double.greatestFiniteMagnitude }
    }
}
