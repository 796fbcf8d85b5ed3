/// A problem in a plan, and its place.
package struct PlanProblem: Error, Sendable, Hashable, Encodable, CustomStringConvertible {
    /// The file, as it was named on the command line.
    package let file: String
    /// The line, 1-based; nil if the problem has no one place.
    package let line: Int?
    /// The column, 1-based, in characters; nil if the problem has no one place.
    package let column: Int?
    package let message: String

    package init(file: String, line: Int?, column: Int?, message: String) {
        (self.file, self.line, self.column, self.message) = (file, line, column, message)
    }

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

    /// Returns a message about one of the plan's texts, by its place in ``PlanTranslations``, where its part is.
    func message(onText text: String, _ message: String) -> PlanProblem {
        let place = places[text.split(separator: ".").prefix(2).joined(separator: ".")]
        return PlanProblem(file: file, line: place?.first, column: place?.last, message: message)
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

/// Makes a list of what its lines say, one after the other: values, lists of them, and what is nil where there is none.
@resultBuilder
enum ListBuilder<Element> {
    static func buildExpression(_ one: Element) -> [Element] { [one] }
    static func buildExpression(_ one: Element?) -> [Element] { one.map { [$0] } ?? [] }
    static func buildExpression(_ several: [Element]) -> [Element] { several }
    static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap(\.self) }
    static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    static func buildEither(first part: [Element]) -> [Element] { part }
    static func buildEither(second part: [Element]) -> [Element] { part }
    static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap(\.self) }
}

/// Returns sentences as one text, those that are said of a plan.
func sentences(@ListBuilder<String> _ said: () -> [String]) -> String { said().joined(separator: " ") }

extension Sequence<String> {
    /// The texts in one sentence: "a, b, c".
    var listed: String { joined(separator: ", ") }
}
