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
