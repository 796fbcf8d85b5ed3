/// What is wrong with a plan, and where.
package struct PlanProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file, as it was named on the command line.
    package let file: String
    /// 1-based; nil where the problem has no one place.
    package let line: Int?
    /// 1-based, in characters.
    package let column: Int?
    /// What was found, what is allowed and what to do.
    package let message: String

    /// Puts a problem together.
    package init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// "shop.yaml:12:5: …", the shape that editors jump to.
    package var description: String {
        [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":") + ": " + message
    }
}

/// Everything that is wrong with a plan, in the order of its lines.
package struct PlanProblems: Error, Sendable, CustomStringConvertible {
    /// Never empty.
    package let all: [PlanProblem]
    /// Collects problems.
    package init(_ all: [PlanProblem]) { self.all = all }
    /// One problem a line.
    package var description: String { all.map(\.description).joined(separator: "\n") }
}

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

/// The kinds of things that a plan gives names to.
enum PlanPart: String, Sendable, Hashable, CaseIterable {
    case purpose, dimension, metric, insight, report, partner

    /// The key of the section that declares them.
    var section: String { rawValue + "s" }
}

/// The names that a plan declares, in its order.
struct PlanNames {
    private var names: [PlanPart: [String]] = [:]

    /// The names of one kind.
    subscript(part: PlanPart) -> [String] { names[part] ?? [] }

    /// Adds a name.
    mutating func insert(_ name: String, as part: PlanPart) { names[part, default: []].append(name) }
}
