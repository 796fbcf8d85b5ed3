/// Gathers what is wrong with one file.
struct ProblemList {
    /// The file, as messages name it.
    let file: String
    /// In the order of their discovery.
    private(set) var all: [PlanProblem] = []

    init(file: String) { self.file = file }

    /// Notes a problem, once.
    mutating func add(_ place: YAMLNode.Place?, _ message: String) {
        add(PlanProblem(file: file, line: place?.line, column: place?.column, message: message))
    }

    /// Notes a problem, once.
    mutating func add(_ problem: PlanProblem) {
        if !all.contains(problem) { all.append(problem) }
    }

    /// In the order of the lines; problems without a place come last.
    var sorted: [PlanProblem] {
        func key(_ problem: PlanProblem, _ place: Int) -> (Int, Int, Int) {
            (problem.line ?? .max, problem.column ?? .max, place)
        }
        return all.enumerated()
            .sorted { key($0.element, $0.offset) < key($1.element, $1.offset) }
            .map(\.element)
    }
}
