import Crypto
import ThrongWire

extension BucketingRule {
    /// The version of the bucketings. It rises when a kind of bucketing puts a value elsewhere for a reason that its
    /// rule doesn't show.
    static let version = 2

    /// Returns a text that tells rules with the same labels apart, such as "bands 2 5f6e0a2c9d1b3e47".
    ///
    /// It holds the kind, the version of the bucketings, and the start of a SHA-256 over the rule, the tables that it
    /// uses and, for user agents, ``UserAgentRules/version``. It is stable between runs and machines. It leaves out the
    /// time zone database, which changes for a few zones a year and then changes what a day is anyway.
    package func fingerprint(rules: UserAgentRules) -> String {
        var digest = Digest()
        let kind: String
        switch self {
        case .list(let groups):
            kind = "list"
            digest.add(groups)
        case .bands(let edges):
            kind = "bands"
            digest.add(edges)
        case .significantFigures(let digits, let lowest, let highest):
            kind = "significant_figures"
            digest.add([digits])
            digest.add([lowest, highest])
        case .powers(let base, let lowestExponent, let highestExponent):
            kind = "powers"
            digest.add([base, lowestExponent, highestExponent])
        case .version(let level, let known):
            kind = "version"
            digest.add([level.rawValue])
            digest.add(known)
        case .screen(let mediumFrom, let largeFrom):
            kind = "screen"
            digest.add([mediumFrom, largeFrom])
        case .browser(let families):
            kind = "browser"
            digest.add(families.isEmpty ? BrowserFamily.standard : families)
            digest.add(BrowserFamily.table)
            digest.add([rules.version])
        case .operatingSystem(let families):
            kind = "operating_system"
            digest.add(families.isEmpty ? OperatingSystemFamily.standard : families)
            digest.add(OperatingSystemFamily.table)
            digest.add([rules.version])
        case .deviceClass:
            kind = "device_class"
            digest.add(OperatingSystemFamily.table)
            digest.add([rules.version])
        case .language(let known):
            kind = "language"
            digest.add(known)
        case .utcOffset(let bandHours):
            kind = "utc_offset"
            digest.add([bandHours])
        case .region(let groups):
            kind = "region"
            digest.add(groups)
        case .time(let part, let timeZone):
            kind = "time"
            digest.add([part.rawValue, timeZone])
        case .host(let known):
            kind = "host"
            digest.add(known)
        case .route(let templates):
            kind = "route"
            digest.add(templates)
        case .fileType:
            kind = "file_type"
            digest.add(FileTypeBucketing.types)
        case .revealed(let most):
            kind = MetricLayout.DimensionLayout.revealedKind
            digest.add([most])
        }
        return "\(kind) \(Self.version) \(digest.hex)"
    }

    /// A SHA-256 over lists, each with its length and each text with its own, so that no two rules give the same bytes.
    private struct Digest {
        private var hash = SHA256()

        mutating func add(_ numbers: [Int]) {
            add(count: numbers.count)
            for number in numbers { add(UInt64(bitPattern: Int64(number))) }
        }

        mutating func add(_ numbers: [Double]) {
            add(count: numbers.count)
            for number in numbers { add((number == 0 ? 0 : number).bitPattern) }
        }

        mutating func add(_ texts: [String]) {
            add(count: texts.count)
            for text in texts {
                add(count: text.utf8.count)
                hash.update(data: Array(text.utf8))
            }
        }

        mutating func add(_ groups: [BucketGroup]) {
            add(count: groups.count)
            for group in groups { add([group.label.text] + group.values) }
        }

        mutating func add(_ table: [String: String]) {
            add(table.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap { [$0.key, $0.value] })
        }

        var hex: String {
            hash.finalize().prefix(8).lowerHex
        }

        private mutating func add(count: Int) { add(UInt64(count)) }

        private mutating func add(_ word: UInt64) {
            withUnsafeBytes(of: word.littleEndian) { hash.update(bufferPointer: $0) }
        }
    }
}
