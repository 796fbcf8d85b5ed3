package import ThrongSuppression

extension SuppressionProblem {
    /// The same cells over every place of the grid that may hold somebody, empty ones as leaves of nothing: what a reader
    /// who can't tell which are empty has to solve. Relations are left out. Nil where there is no grid.
    ///
    /// - Complexity: O(places · groupings); for small grids.
    package func withEmptyPlaces() throws -> SuppressionProblem? {
        guard let grid else { return nil }
        var places: [LeafGrid.Place] = [LeafGrid.Place(repeating: 0)]
        for (axis, size) in grid.sizes.enumerated() {
            places = places.flatMap { place in
                (0..<size).map { bucket in
                    var other = place
                    other[axis] = Int32(bucket)
                    return other
                }
            }
        }
        places = places.filter { grid.leaf(at: $0) != nil || grid.isPossible($0) }
        var lists: [[UInt32]] = Array(repeating: [], count: cells.count)
        for (number, place) in places.enumerated() {
            for grouping in grid.groupings {
                if let column = grouping.column(at: place) { lists[Int(column)].append(UInt32(number)) }
            }
        }
        return try SuppressionProblem(
            measures: measures.map { measure in
                AdditiveMeasure(
                    values: places.map { place in grid.leaf(at: place).map { measure.values[Int($0)] } ?? 0 },
                    protection: measure.protection)
            },
            columns: IndexLists(lists), cells: cells, relations: [], threshold: threshold)
    }
}
