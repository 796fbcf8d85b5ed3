/// A problem that keeps a bucketing rule from being compiled. Holds only what the plan's author wrote, never a client's value.
public enum BucketingProblem: Error, Sendable, Hashable {
    case noBuckets
    /// The rule has more buckets than a dimension may have.
    case tooManyBuckets(found: Int, limit: Int)
    /// A label that would be odd in a table, a CSV file or SQL.
    case malformedLabel(String)
    case repeatedLabel(String)
    /// A value that two buckets claim.
    case repeatedValue(String, first: BucketLabel, second: BucketLabel)
    /// Edges must be finite and ascend.
    case unorderedEdges(Double, Double)
    /// Significant figures outside 1 to 3.
    case malformedDigits(Int)
    /// A range of significant figures must lie within 10^-9 to 10^15 and ascend.
    case malformedRange(lowest: Double, highest: Double)
    /// Powers need a base from 2 to 1000, ascending exponents, and powers that a number can hold.
    case malformedPowers(base: Int, lowestExponent: Int, highestExponent: Int)
    /// A known version that the rule could never produce.
    case malformedVersion(String, level: BucketingRule.VersionLevel)
    /// The two bounds of screen sizes must be positive and ascend.
    case malformedScreen(mediumFrom: Int, largeFrom: Int)
    /// A language is two or three lower-case letters.
    case malformedLanguage(String)
    /// A country is two upper-case letters.
    case malformedCountry(String)
    /// A band of UTC offsets is 1 to 24 hours wide.
    case malformedBandHours(Int)
    /// This machine's time zone database has no such name.
    case unknownTimeZone(String)
    /// A host is lower-case letters, digits, dots and hyphens.
    case malformedHost(String)
    /// Two hosts or two routes that differ only in their spelling, or in the names of segments.
    case repeatedAddress(String, first: String)
    /// A route template starts with a slash, and a `*` is its last segment.
    case malformedRoute(String)
    /// The user agent rules are not where they were looked for.
    case missingUserAgentRules(path: String)
    /// The user agent rules are there and are not uap-core's.
    case malformedUserAgentRules(path: String, reason: String)
}

extension BucketingProblem: CustomStringConvertible {
    /// A message: what was found, what is allowed and what to do.
    public var description: String {
        switch self {
        case .noBuckets: "the bucketing names no bucket; list at least one"
        case .tooManyBuckets(let found, let limit):
            "the bucketing has \(found) buckets, a dimension may have \(limit); coarsen it"
        case .malformedLabel(let label):
            """
            the label \(label.debugDescription) can't be printed safely; use 1 to 64 bytes without quotes, commas, \
            semicolons, backslashes, bars and control characters, starting with none of = + - @ and no space
            """
        case .repeatedLabel(let label): "the label \(label.debugDescription) stands for two buckets; rename one"
        case .repeatedValue(let value, let first, let second):
            "the value \(value.debugDescription) is in the buckets \(first) and \(second); keep it in one"
        case .unorderedEdges(let first, let second):
            "the edge \(second) follows \(first); edges are finite numbers in ascending order"
        case .malformedDigits(let digits): "\(digits) significant figures; use 1, 2 or 3"
        case .malformedRange(let lowest, let highest):
            "the range \(lowest) to \(highest); use 10^-9 to 10^15, the lower bound first"
        case .malformedPowers(let base, let lowest, let highest):
            """
            powers of \(base) from exponent \(lowest) to \(highest); use a base from 2 to 1000, the lower exponent \
            first, and powers between 10^-9 and 10^15
            """
        case .malformedVersion(let version, let level):
            "the version \(version.debugDescription) is no \(level) version; write it like \(level.example)"
        case .malformedScreen(let medium, let large):
            "medium from \(medium) and large from \(large) CSS pixels; both are positive and large is the larger"
        case .malformedLanguage(let language):
            "the language \(language.debugDescription); use two or three lower-case letters, like de"
        case .malformedCountry(let country):
            "the country \(country.debugDescription); use an ISO 3166-1 alpha-2 code, like AT"
        case .malformedBandHours(let hours): "bands of \(hours) hours; use 1 to 24"
        case .unknownTimeZone(let name):
            "the time zone \(name.debugDescription) is unknown here; use an IANA name, like Europe/Vienna"
        case .malformedHost(let host):
            "the host \(host.debugDescription); write it in lower case without scheme, port or path, like www.example.org"
        case .repeatedAddress(let second, let first):
            "\(second.debugDescription) is \(first.debugDescription) in another spelling; keep one of the two"
        case .malformedRoute(let route): "the route \(route.debugDescription); \(Self.cure(ofRoute: route))"
        case .missingUserAgentRules(let path):
            "the user agent rules are not at \(path); install them (apt-get install uap-core) or name their file"
        case .malformedUserAgentRules(let path, let reason):
            "the user agent rules at \(path) can't be used: \(reason); reinstall the package uap-core"
        }
    }
}

extension BucketingProblem {
    /// Returns what to do about a route template that is none.
    private static func cure(ofRoute route: String) -> String {
        if route.contains(where: { "?#".contains($0) }) {
            return "leave out what follows ? or #: queries and fragments are not counted"
        }
        if !route.hasPrefix("/") { return "a route begins with /: write /\(route)" }
        if route.contains("*") { return "* stands at the end only, as the whole last segment" }
        return "write % and spaces as escapes of UTF-8 such as %20, a name behind each colon, and no two / in a row"
    }
}

extension BucketingRule.VersionLevel {
    fileprivate var example: String {
        switch self {
        case .major: "17"
        case .minor: "17.4"
        }
    }
}
