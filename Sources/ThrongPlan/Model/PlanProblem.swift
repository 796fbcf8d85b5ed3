/// A problem in a plan, and its place.
package struct PlanProblem: Error, Sendable, Hashable, Encodable, CustomStringConvertible {
    /// The file, as it was named on the command line.
    package let file: String
    /// The line, 1-based; nil if the problem has no one place.
    package let line: Int?
    /// The column, 1-based, in characters; nil if the problem has no one place.
    package let column: Int?
    package let message: String

    /// The problem with its place, such as "shop.yaml:12:5: …", the shape that editors jump to.
    package var description: String {
        [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":") + ": " + message
    }
}

/// All problems in a plan, in the order of its lines.
package struct PlanProblems: Error, Sendable, CustomStringConvertible {
    /// The problems; never empty.
    package let all: [PlanProblem]
    package init(_ all: [PlanProblem]) { self.all = all }
    package var description: String { all.map(\.description).joined(separator: "\n") }
}

/// The places at which a plan's parts are written, so that advice about a plan can point at its lines.
package struct PlanPlaces: Sendable, Hashable {
    package let file: String
    private var places: [String: [Int]] = [:]

    /// Creates the places of a plan without any known ones.
    package init(file: String) { self.file = file }

    mutating func set(line: Int, column: Int, of part: PlanPart, named name: String) {
        places["\(part.section).\(name)"] = [line, column]
    }

    /// Returns a sentence that begins with the part, for what a plan is well without.
    func advice<Part>(on part: PlanPart, _ name: Name<Part>, _ message: String) -> PlanProblem {
        self.message(on: part, named: name.text, "\(part.rawValue) '\(name)' \(message)")
    }

    /// Returns what is wrong with the part.
    func problem<Part>(on part: PlanPart, _ name: Name<Part>, _ message: String) -> PlanProblem {
        self.message(on: part, named: name.text, "\(part.rawValue) '\(name)': \(message)")
    }

    func message(on part: PlanPart, named name: String, _ message: String) -> PlanProblem {
        let place = places["\(part.section).\(name)"]
        return PlanProblem(file: file, line: place?.first, column: place?.last, message: message)
    }
}

/// The kinds of things that a plan gives names to.
enum PlanPart: String, Sendable, Hashable, CaseIterable {
    case purpose, dimension, metric, insight, report, partner, annotation

    /// The key of the section that declares them.
    var section: String { rawValue + "s" }
}
