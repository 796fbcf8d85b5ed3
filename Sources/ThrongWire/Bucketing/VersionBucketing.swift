/// A version cut to its major number ("17.4.1" to "17") or its minor one ("17.4"); versions not listed go to `other`.
///
/// Only the leading digits count, so "v17" is no version and "17-beta" is 17. A bare "17" is "17.0" at the minor
/// level, and "17_4" and "17,4" are "17.4".
struct VersionBucketing: TabledBucketing {
    let buckets: LabelTable
    private let level: BucketingRule.VersionLevel

    init(level: BucketingRule.VersionLevel, known: [String]) throws(BucketingProblem) {
        for version in known {
            let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == (level == .major ? 1 : 2),
                parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) })
            else { throw .malformedVersion(version, level: level) }
        }
        buckets = try LabelTable(known)
        self.level = level
    }

    func bucket(_ value: FieldValue) -> Int {
        if case .number(let number) = value { return bucket(number: number) }
        // Not `withText(bucket(text:))`: a method taken as a value is allocated.
        return value.withText { bucket(text: $0) } ?? buckets.other
    }

    private func bucket(text: UnsafeBufferPointer<UInt8>) -> Int {
        if let bucket = buckets[text] { return bucket }
        let all = Slice(base: text, bounds: text.indices)
        let major = all.prefix(while: \.isDigit)
        guard !major.isEmpty else { return buckets.other }
        if level == .major { return buckets[major] ?? buckets.other }
        let rest = all[major.endIndex...]
        let isParted = rest.first.map { "._,".utf8.contains($0) } == true
        let minor = isParted ? rest.dropFirst().prefix(while: \.isDigit) : rest.prefix(0)
        if !minor.isEmpty, rest.first == UInt8(ascii: ".") { return buckets[all[..<minor.endIndex]] ?? buckets.other }
        // Without a minor number it is "17.0".
        let length = major.count + 1 + max(minor.count, 1)
        guard length <= 41 else { return buckets.other }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { spelled in
            for (place, byte) in major.enumerated() { spelled[place] = byte }
            spelled[major.count] = UInt8(ascii: ".")
            spelled[length - 1] = UInt8(ascii: "0")
            for (place, byte) in minor.enumerated() { spelled[major.count + 1 + place] = byte }
            return buckets[UnsafeBufferPointer(spelled)] ?? buckets.other
        }
    }

    /// A JSON number such as 17.4 has lost its trailing zeros: its major number is known, its minor one is not.
    private func bucket(number: Double) -> Int {
        guard level == .major, number >= 0, number < 1e15 else { return buckets.other }
        return FieldValue.integer(Int64(number)).withText { buckets[$0] ?? buckets.other } ?? buckets.other
    }
}
