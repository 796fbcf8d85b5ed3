/// Where a plan's parts are written, so that advice about a plan can point at its lines.
package struct PlanPlaces: Sendable, Hashable {
    /// The file, as it was named on the command line.
    package let file: String
    private var lines: [String: [Int]] = [:]

    /// A plan without known places.
    package init(file: String) { self.file = file }

    mutating func set(line: Int, column: Int, of part: PlanPart, named name: String) {
        lines["\(part.section).\(name)"] = [line, column]
    }

    /// A piece of advice about a part.
    func advice(on part: PlanPart, named name: String, _ message: String) -> PlanProblem {
        let place = lines["\(part.section).\(name)"]
        return PlanProblem(file: file, line: place?.first, column: place?.last, message: message)
    }
}
