/// The keys that one kind of mapping in a plan may have: an enumeration of `PlanKeys`, which the build makes from
/// `Schema/plan.schema.json`. The schema alone says which keys there are and which of them can't be left out.
protocol PlanKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable { static var required: Set<Self> { get } }

extension PlanKey { static var names: [String] { allCases.map(\.rawValue) } }

extension PlanKeys.Dimension {
    /// The keys that say how a dimension coarsens; it has exactly one of them.
    static let kinds: [Self] = allCases.filter { ![.title, .field, .partitions, .groups].contains($0) }
}

/// A value or a mapping of a plan, which problems are noted of.
protocol PlanSubject {
    /// The name in messages: "metric 'purchases'".
    var subject: String { get }
    var place: YAMLNode.Place { get }
}

/// A value in a plan, with its name in messages: "metric 'purchases': 'threshold'". Elements of a list have the list's.
struct PlanValue: PlanSubject {
    let node: YAMLNode
    let subject: String

    var place: YAMLNode.Place { node.place }

    /// The text that is written, in quotes or not; nil for nothing, a list or a mapping.
    var scalar: String? { if case .scalar(let text, _) = node.content, !node.isEmpty { text } else { nil } }

    /// The text outside of quotes and blocks, which may be a number or a flag; nil for anything else.
    var plain: String? { if case .scalar(let text, plain: true) = node.content { text } else { nil } }

    /// The elements of a list; nil for anything else.
    var elements: [PlanValue]? {
        guard case .sequence(let nodes) = node.content else { return nil }
        return nodes.map { PlanValue(node: $0, subject: subject) }
    }

    /// The entries of a mapping; nil for anything else.
    var entries: [YAMLNode.Entry]? { if case .mapping(let entries) = node.content { entries } else { nil } }
}

/// One mapping of a plan whose keys are all known and occur once.
struct PlanBody<Key: PlanKey>: PlanSubject {
    let subject: String
    let place: YAMLNode.Place
    /// The value of each key that has one.
    let values: [Key: YAMLNode]
    let keyPlaces: [Key: YAMLNode.Place]

    subscript(key: Key) -> PlanValue? { values[key].map { PlanValue(node: $0, subject: subject(key)) } }

    /// Returns the name of a key's value in messages: "metric 'purchases': 'threshold'".
    func subject(_ key: Key) -> String { "\(subject): '\(key.rawValue)'" }
}

struct ProblemList {
    let file: String
    private(set) var all: [PlanProblem] = []

    mutating func add(_ place: YAMLNode.Place?, _ message: String) {
        add(PlanProblem(file: file, line: place?.line, column: place?.column, message: message))
    }

    /// Notes what is wrong with something, if it is there: "metric 'a': 'by': this grouping is listed twice".
    mutating func add(_ spot: (some PlanSubject)?, _ message: String) {
        if let spot { add(spot.place, "\(spot.subject): \(message)") }
    }

    /// Notes what is wrong with something, if it is there, in a sentence about it: "metric 'a': 'by' names 3 dimensions".
    mutating func add(_ spot: (some PlanSubject)?, it sentence: String) {
        if let spot { add(spot.place, "\(spot.subject) \(sentence)") }
    }

    mutating func refuse<Value>(_ place: YAMLNode.Place?, _ message: String) -> Value? {
        add(place, message)
        return nil
    }

    /// Notes what is wrong with something, in place of what it stands for.
    mutating func refuse<Value>(_ spot: (some PlanSubject)?, _ message: String) -> Value? {
        add(spot, message)
        return nil
    }

    /// Notes what is wrong with something in a sentence about it, in place of what it stands for.
    mutating func refuse<Value>(_ spot: (some PlanSubject)?, it sentence: String) -> Value? {
        add(spot, it: sentence)
        return nil
    }

    /// Notes that what stands there is not what is allowed.
    mutating func refuse<Value>(_ value: PlanValue, allowed: String) -> Value? {
        refuse(value, "found \(value.node.found); \(allowed)")
    }

    /// Notes a problem, once.
    mutating func add(_ problem: PlanProblem) { if !all.contains(problem) { all.append(problem) } }

    /// The problems in the order of the lines; those without a place come last.
    var sorted: [PlanProblem] {
        func key(_ problem: PlanProblem, _ place: Int) -> (Int, Int, Int) {
            (problem.line ?? .max, problem.column ?? .max, place)
        }
        return all.enumerated().sorted { key($0.element, $0.offset) < key($1.element, $1.offset) }.map(\.element)
    }
}
