/// The keys that one kind of mapping in a plan may have: an enumeration of `PlanKeys`, which the build makes from
/// `Schema/plan.schema.json`. The schema alone says which keys there are and which of them can't be left out.
protocol PlanKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable { static var required: Set<Self> { get } }

extension PlanKey { static var names: [String] { allCases.map(\.rawValue) } }

extension PlanKeys.Dimension {
    /// The keys that say how a dimension coarsens; it has exactly one of them.
    static let kinds: [Self] = allCases.filter { ![.title, .field, .partitions, .groups, .titles].contains($0) }
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

/// Checks of texts that are addresses, or should not be: where a path is meant, and in messages.
package enum AddressText {
    /// Returns the scheme of `s3://bucket/reports` and its like (RFC 3986, section 3.1); nil for a path.
    package static func scheme(of text: some StringProtocol) -> String? {
        let scheme = /([A-Za-z][A-Za-z0-9+.\-]*):\/\//.matchingSemantics(.unicodeScalar)
        return String(text).prefixMatch(of: scheme).map { String($0.1) }
    }

    /// Returns the reason why a text can't be a path on this machine; nil if it can.
    package static func problem(ofPath text: some StringProtocol) -> String? {
        scheme(of: text).map {
            "found an address, \($0)://…; a path on this machine is allowed. Write there, and have a program of yours "
                + "take the files on"
        }
    }

    /// Returns an address without a user, a password (anything up to the last `@`), and what follows `?`.
    package static func shown(_ text: String) -> String {
        guard let scheme = scheme(of: text) else { return text }
        var rest = text.dropFirst(scheme.count + 3)
        var shown = scheme + "://"
        if let sign = rest.lastIndex(of: "@") {
            shown += "…@"
            rest = rest[rest.index(after: sign)...]
        }
        guard let query = rest.firstIndex(of: "?") else { return shown + rest }
        return shown + rest[..<query] + "?…"
    }
}

enum PlanNumber {
    /// Returns a number without a trailing ".0": 10, 0.5.
    static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns a whole number with a comma between thousands: 20,000.
    static func text(_ number: Int) -> String {
        var digits = Array(String(number.magnitude))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return (number < 0 ? "-" : "") + String(digits)
    }
}

extension Duration {
    private static let units: [(name: String, seconds: Int64)] = [
        ("week", 604_800), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]

    /// Reads "15 minutes" or "400 days", in seconds to weeks; nil for any other shape, and for over 100 years.
    package init?(planText text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...10).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (48...57).contains($0) }), let count = Int64(parts[0]),
            let unit = Self.units.first(where: { $0.name == parts[1] || $0.name + "s" == parts[1] })
        else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit.seconds)
        guard !overflow, seconds <= 36_525 * 86_400 else { return nil }
        self = .seconds(seconds)
    }

    /// The duration in the largest unit that leaves no rest, but days rather than weeks: "15 minutes", "400 days".
    package var planText: String {
        let seconds = components.seconds
        for unit in Self.units.dropFirst() where seconds % unit.seconds == 0 && seconds != 0 {
            let count = seconds / unit.seconds
            return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}

/// Finds what somebody may have meant.
package enum NearestName {
    /// Finds the nearest known name: one slip away, or at most a third of the letters, and never all of them.
    package static func nearest(to written: String, among known: some Sequence<String>) -> String? {
        let lowered = written.lowercased()
        let limit = Swift.max(1, lowered.unicodeScalars.count / 3)
        var best: (name: String, distance: Int)?
        let length = lowered.unicodeScalars.count
        for name in known where abs(name.unicodeScalars.count - length) <= limit {
            let distance = distance(lowered, name.lowercased())
            if distance <= limit, distance < lowered.unicodeScalars.count, distance < best?.distance ?? .max {
                best = (name, distance)
            }
        }
        return best?.name
    }

    /// Returns "; did you mean 'threshold'?", or a semicolon if nothing is near.
    static func question(_ name: String?) -> String { name.map { "; did you mean '\($0)'?" } ?? ";" }

    /// Returns the question, then what is allowed as far as it can be listed.
    static func advice(for written: String, among known: [String], noun: String) -> String {
        let meant = question(nearest(to: written, among: known))
        if known.isEmpty { return "\(meant) there are no \(noun)" }
        let rest = known.count > 24 ? " and \(known.count - 24) more" : ""
        return "\(meant) known: \(known.prefix(24).joined(separator: ", "))\(rest)"
    }

    /// Returns the optimal string alignment distance of two texts (Damerau 1964, Levenshtein 1966).
    static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left.unicodeScalars)
        let b = Array(right.unicodeScalars)
        if a.isEmpty || b.isEmpty { return Swift.max(a.count, b.count) }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1...b.count {
                row[j] = Swift.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = Swift.min(row[j], beforeLast[j - 2] + 1)
                }
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
