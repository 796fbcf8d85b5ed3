/// A user agent to its browser's family, its operating system's family or its device's class. A class, so that its tables
/// are not copied for a value.
package final class UserAgentBucketing: TabledBucketing {
    typealias Part = BucketingRule.UserAgentPart

    package let buckets: LabelTable
    private let part: Part
    private let rules: UserAgentRules
    private let grammar: UserAgentGrammar
    /// Bucket by the number of a family; for device classes by their place among all cases.
    private let bucketOfNumber: [Int?]

    /// - Parameter families: the families to tell apart; unused for device classes.
    init(_ part: Part, families: [String], rules: UserAgentRules) throws(BucketingProblem) {
        self.part = part
        self.rules = rules
        grammar = try rules.grammar()
        buckets = try Self.table(part, families)
        let numbers = part == .deviceClass ? [] : rules.numbers(of: buckets.labels.dropLast())
        var bucketOfNumber: [Int?] = Array(repeating: nil, count: (numbers.max().map(Int.init) ?? 0) + 1)
        for (bucket, number) in numbers.enumerated() { bucketOfNumber[Int(number)] = bucket }
        self.bucketOfNumber = bucketOfNumber
    }

    /// The labels of a part, which need no rules; the standard families where none are named.
    static func table(_ part: Part, _ families: [String]) throws(BucketingProblem) -> LabelTable {
        switch part {
        case .browser: try LabelTable(families.isEmpty ? BrowserFamily.standard : families)
        case .operatingSystem: try LabelTable(families.isEmpty ? OperatingSystemFamily.standard : families)
        case .deviceClass: try LabelTable(DeviceClass.allCases.filter { $0 != .other }.map(\.rawValue))
        }
    }

    package func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        return buckets[text.bytes] ?? bucket(rules.code(of: text.bytes, by: grammar))
    }

    /// Returns the families of a user agent that is no label, the same by all bucketings with these rules.
    ///
    /// - Returns: nil if that takes a long search, as on its first sight, and `atOnce` leaves no time for one.
    package func code(of text: UnsafeBufferPointer<UInt8>, atOnce: Bool) -> UserAgentCode? {
        atOnce ? rules.knownCode(of: text) : rules.code(of: text, by: grammar)
    }

    /// The bucket of a user agent's families.
    package func bucket(_ code: UserAgentCode) -> Int {
        switch part {
        case .browser: return bucket(code.browser, code.browserFamily)
        case .operatingSystem: return bucket(code.operatingSystem, code.operatingSystemFamily)
        case .deviceClass:
            switch code.deviceClass {
            case .phone: return 0
            case .tablet: return 1
            case .desktop: return 2
            case .bot: return 3
            case .other: return 4
            }
        }
    }

    /// uap-core's own name counts before the family that it is gathered into.
    private func bucket(_ own: UInt16, _ family: UInt16) -> Int {
        func found(_ number: UInt16) -> Int? { number < bucketOfNumber.count ? bucketOfNumber[Int(number)] : nil }
        return found(own) ?? found(family) ?? buckets.other
    }
}
