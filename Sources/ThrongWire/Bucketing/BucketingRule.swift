/// A bucketing as the plan declares it, before it is compiled to tables.
public enum BucketingRule: Sendable, Hashable, Codable {
    /// Named groups of values; a value that no group lists goes to `other`.
    case list([BucketGroup])
    /// Numeric bands between ascending edges: below the first, [e0, e1), …, from the last on.
    case bands(edges: [Double])
    /// Rounded to so many significant figures; outside the range goes to the range's ends.
    case significantFigures(digits: Int, lowest: Double, highest: Double)
    /// Powers of a base: [base^n, base^(n+1)) between the two exponents, with one bucket below and one above.
    case powers(base: Int, lowestExponent: Int, highestExponent: Int)
    /// A version cut to its major or minor number; versions that are not listed go to `other`.
    case version(level: VersionLevel, known: [String])
    /// "390x844" to small, medium or large by the short side in CSS pixels.
    case screen(mediumFrom: Int, largeFrom: Int)
    /// A user agent to its browser family.
    case browser(families: [String])
    /// A user agent to its operating system's family.
    case operatingSystem(families: [String])
    /// A user agent to phone, tablet, desktop, bot or other.
    case deviceClass
    /// A locale ("de-AT") to its language ("de").
    case language(known: [String])
    /// An IANA time zone or an offset in minutes to a band of UTC offsets, by the zone's standard time.
    case utcOffset(bandHours: Int)
    /// An ISO 3166-1 alpha-2 country to a region.
    case region([BucketGroup])
    /// The event's time to a part of it, in the app's time zone.
    case time(part: TimePart, timeZone: String)
    /// A URL to its host, if listed.
    case host(known: [String])
    /// A URL or a path to the first route template that matches: `/product/:id`.
    case route(templates: [String])
    /// A file name to the type of its content, by its extension.
    case fileType
    /// A value that nobody lists, sent as a ``RevealedHash``, to a bucket of its own once enough devices have sent it; at most so many.
    case revealed(most: Int)

    /// The part of a version number that is kept.
    public enum VersionLevel: String, Sendable, Hashable, Codable, CaseIterable { case major, minor }
    /// The part of a time that is kept.
    public enum TimePart: String, Sendable, Hashable, Codable, CaseIterable { case hour, day, weekday, week }

    private enum Key: String, CodingKey {
        case kind, groups, edges, digits, lowest, highest, base, lowestExponent, highestExponent, level, known
        case mediumFrom, largeFrom, families, bandHours, part, timeZone, templates, most
    }

    private enum Kind: String, Codable {
        case list, bands, powers, version, screen, browser, language, region, time, host, route, revealed
        case significantFigures = "significant_figures"
        case operatingSystem = "operating_system"
        case deviceClass = "device_class"
        case utcOffset = "utc_offset"
        case fileType = "file_type"
    }

    /// Reads what ``encode(to:)`` writes. Values that a rule of the kind may not hold are found when it is compiled.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func value<Value: Decodable>(_ key: Key) throws -> Value { try container.decode(Value.self, forKey: key) }
        switch try container.decode(Kind.self, forKey: .kind) {
        case .list: self = .list(try value(.groups))
        case .bands: self = .bands(edges: try value(.edges))
        case .significantFigures:
            self = .significantFigures(
                digits: try value(.digits), lowest: try value(.lowest), highest: try value(.highest))
        case .powers:
            self = .powers(
                base: try value(.base), lowestExponent: try value(.lowestExponent),
                highestExponent: try value(.highestExponent))
        case .version: self = .version(level: try value(.level), known: try value(.known))
        case .screen: self = .screen(mediumFrom: try value(.mediumFrom), largeFrom: try value(.largeFrom))
        case .browser: self = .browser(families: try value(.families))
        case .operatingSystem: self = .operatingSystem(families: try value(.families))
        case .deviceClass: self = .deviceClass
        case .language: self = .language(known: try value(.known))
        case .utcOffset: self = .utcOffset(bandHours: try value(.bandHours))
        case .region: self = .region(Self.withoutAliases(try value(.groups)))
        case .time: self = .time(part: try value(.part), timeZone: try value(.timeZone))
        case .host: self = .host(known: try value(.known))
        case .route: self = .route(templates: try value(.templates))
        case .fileType: self = .fileType
        case .revealed: self = .revealed(most: try value(.most))
        }
    }

    /// Writes one flat object, whose `kind` says which further members it has: `{"kind": "bands", "edges": [10, 20]}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        func put(_ kind: Kind, _ members: (key: Key, value: any Encodable)...) throws {
            try container.encode(kind, forKey: .kind)
            for member in members { try container.encode(member.value, forKey: member.key) }
        }
        switch self {
        case .list(let groups): try put(.list, (.groups, groups))
        case .bands(let edges): try put(.bands, (.edges, edges))
        case .significantFigures(let digits, let lowest, let highest):
            try put(.significantFigures, (.digits, digits), (.lowest, lowest), (.highest, highest))
        case .powers(let base, let lowest, let highest):
            // The edges are for clients that know bands only.
            let edges = try BandBucketing.edges(powersOf: base, from: lowest, to: highest)
            try put(.powers, (.base, base), (.lowestExponent, lowest), (.highestExponent, highest), (.edges, edges))
        case .version(let level, let known): try put(.version, (.level, level), (.known, known))
        case .screen(let medium, let large): try put(.screen, (.mediumFrom, medium), (.largeFrom, large))
        case .browser(let families): try put(.browser, (.families, families))
        case .operatingSystem(let families): try put(.operatingSystem, (.families, families))
        case .deviceClass: try put(.deviceClass)
        case .language(let known):
            // The groups are for clients without a table of codes.
            try put(.language, (.known, known), (.groups, LanguageBucketing.groups(known)))
        case .utcOffset(let bandHours): try put(.utcOffset, (.bandHours, bandHours))
        case .region(let groups):
            // The other codes of each country are for clients without a table of them.
            try put(.region, (.groups, Self.withAliases(groups)))
        case .time(let part, let timeZone): try put(.time, (.part, part), (.timeZone, timeZone))
        case .host(let known): try put(.host, (.known, known))
        case .route(let templates): try put(.route, (.templates, templates))
        case .fileType:
            // The groups are for clients without a table of their own: names as *.pdf.
            let groups = FileTypeBucketing.types.map { type in
                BucketGroup(label: type.label, values: type.values.map { "*.\($0)" })
            }
            try put(.fileType, (.groups, groups))
        case .revealed(let most): try put(.revealed, (.most, most))
        }
    }

    /// The bucketing that this rule declares, as tables.
    ///
    /// - Parameter readingUserAgents: makes the bucketing of the kinds that read user agents, from what they keep and
    ///   the families that the rule lists; who has no rules for user agents takes labels only.
    public func compiled(
        readingUserAgents: (UserAgentPart, [String]) throws(BucketingProblem) -> any Bucketing
    ) throws(BucketingProblem) -> any Bucketing {
        switch self {
        case .list(let groups): try ListBucketing(groups)
        case .bands(let edges): try BandBucketing(edges: edges)
        case .significantFigures(let digits, let lowest, let highest):
            try SignificantFiguresBucketing(digits: digits, lowest: lowest, highest: highest)
        case .powers(let base, let lowestExponent, let highestExponent):
            try BandBucketing(powersOf: base, from: lowestExponent, to: highestExponent)
        case .version(let level, let known): try VersionBucketing(level: level, known: known)
        case .screen(let mediumFrom, let largeFrom): try ScreenBucketing(mediumFrom: mediumFrom, largeFrom: largeFrom)
        case .browser(let families): try readingUserAgents(.browser, families)
        case .operatingSystem(let families): try readingUserAgents(.operatingSystem, families)
        case .deviceClass: try readingUserAgents(.deviceClass, [])
        case .language(let known): try LanguageBucketing(known: known)
        case .utcOffset(let bandHours): try UTCOffsetBucketing(bandHours: bandHours)
        case .region(let groups): try Self.regions(groups)
        case .time(let part, let timeZone): try TimePartBucketing(part: part, timeZone: timeZone)
        case .host(let known): try HostBucketing(known: known)
        case .route(let templates): try RouteBucketing(templates: templates)
        case .fileType: try FileTypeBucketing()
        case .revealed(let most): try RevealedBucketing(most: most)
        }
    }

    /// The part of a user agent that is kept.
    public enum UserAgentPart: Sendable {
        /// Its browser's family.
        case browser
        /// Its operating system's family.
        case operatingSystem
        /// phone, tablet, desktop, bot or other.
        case deviceClass
    }

    /// Makes a list of countries whose values are codes, in either case and in each code that a country has or had.
    private static func regions(_ groups: [BucketGroup]) throws(BucketingProblem) -> ListBucketing {
        for country in groups.flatMap(\.values) {
            guard country.utf8.count == 2, country.utf8.allSatisfy({ (0x41...0x5a).contains($0) }) else {
                throw .malformedCountry(country)
            }
        }
        return try ListBucketing(withAliases(groups), letters: .foldingASCII)
    }

    /// Returns the same regions with all codes of their countries.
    package static func withAliases(_ groups: [BucketGroup]) -> [BucketGroup] {
        groups.map { group in
            var codes: [String] = []
            for code in group.values.flatMap(CodeAliases.countries.spellings) where !codes.contains(code) {
                codes.append(code)
            }
            return BucketGroup(label: group.label, values: codes)
        }
    }

    /// Returns the same regions without a country's older codes where its present one is in the group.
    static func withoutAliases(_ groups: [BucketGroup]) -> [BucketGroup] {
        groups.map { group in
            BucketGroup(
                label: group.label,
                values: group.values.filter { code in
                    let today = CodeAliases.countries.spellings(of: code)[0]
                    return code == today || !group.values.contains(today)
                })
        }
    }

    /// A device's memory in bands. Unit: GB, as `navigator.deviceMemory` and its kin report it.
    public static let memoryBands: BucketingRule = .bands(edges: [4, 8, 16])

    /// A device's logical processors in bands.
    public static let coreBands: BucketingRule = .bands(edges: [4, 8, 16])

    /// The rule behind `screen: standard`: the short side in CSS pixels.
    package static let standardScreen = BucketingRule.screen(mediumFrom: 600, largeFrom: 1024)

    /// The five continental regions of the United Nations over all ISO 3166-1 alpha-2 codes.
    ///
    /// Source: UN M49, "Standard country or area codes for statistical use". Taiwan, which M49 does not list, is in
    /// Asia by its geography. What devices name apart (CLDR 49: XK is Kosovo, EA and IC are Spain's, AC and TA Saint
    /// Helena's, DG is of IO) is with its country or its neighbours. Antarctica is in no region and goes to `other`.
    public static let unRegions: [BucketGroup] = [
        region(
            "Africa",
            "DZ EG LY MA SD TN EH IO BI KM DJ ER ET TF KE MG MW MU YT MZ RE RW SC SO SS TZ UG ZM ZW AO CM CF TD CG CD "
                + "GQ GA ST BW SZ LS NA ZA BJ BF CV CI GM GH GN GW LR ML MR NE NG SH SN SL TG AC DG TA"),
        region(
            "Americas",
            "AI AG AW BS BB BQ VG KY CU CW DM DO GD GP HT JM MQ MS PR BL KN LC MF VC SX TT TC VI BZ CR SV GT HN MX NI "
                + "PA AR BO BV BR CL CO EC FK GF GY PY PE GS SR UY VE BM CA GL PM US"),
        region(
            "Asia",
            "KZ KG TJ TM UZ CN HK MO KP JP MN KR TW BN KH ID LA MY MM PH SG TH TL VN AF BD BT IN IR MV NP PK LK AM AZ "
                + "BH CY GE IQ IL JO KW LB OM QA SA PS SY TR AE YE"),
        region(
            "Europe",
            "BY BG CZ HU PL MD RO RU SK UA AX GG JE DK EE FO FI IS IE IM LV LT NO SJ SE GB AL AD BA HR GI GR VA IT MT "
                + "ME MK PT SM RS SI ES AT BE FR DE LI LU MC NL CH EA IC XK"),
        region("Oceania", "AU CX CC HM NZ NF FJ NC PG SB VU GU KI MH FM NR MP PW UM AS CK PF NU PN WS TK TO TV WF"),
    ]

    private static func region(_ label: BucketLabel, _ codes: String) -> BucketGroup {
        BucketGroup(label: label, values: codes.split(separator: " ").map(String.init))
    }
}

/// Values that share a bucket.
public struct BucketGroup: Sendable, Hashable, Codable {
    /// The bucket's label.
    public let label: BucketLabel
    /// The raw values that it holds; the label itself is always among them.
    public let values: [String]

    /// Creates a group with its label and values.
    public init(label: BucketLabel, values: [String]) { (self.label, self.values) = (label, values) }
}

/// A problem that keeps a bucketing rule from being compiled. Holds only what the plan's author wrote, never a client's value.
public enum BucketingProblem: Error, Sendable, Hashable, CustomStringConvertible {
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

    /// A message: what was found, what is allowed and what to do.
    public var description: String {
        switch self {
        case .noBuckets: "the bucketing names no bucket; list at least one"
        case .tooManyBuckets(let found, let limit):
            "the bucketing has \(found) buckets, a dimension may have \(limit); coarsen it"
        case .malformedLabel(let label):
            "the label \(label.debugDescription) can't be printed safely; use 1 to 64 bytes without quotes, commas, "
                + "semicolons, backslashes, bars and control characters, starting with none of = + - @ and no space"
        case .repeatedLabel(let label): "the label \(label.debugDescription) stands for two buckets; rename one"
        case .repeatedValue(let value, let first, let second):
            "the value \(value.debugDescription) is in the buckets \(first) and \(second); keep it in one"
        case .unorderedEdges(let first, let second):
            "the edge \(second) follows \(first); edges are finite numbers in ascending order"
        case .malformedDigits(let digits): "\(digits) significant figures; use 1, 2 or 3"
        case .malformedRange(let lowest, let highest):
            "the range \(lowest) to \(highest); use 10^-9 to 10^15, the lower bound first"
        case .malformedPowers(let base, let lowest, let highest):
            "powers of \(base) from exponent \(lowest) to \(highest); "
                + "use a base from 2 to 1000, the lower exponent first, and powers between 10^-9 and 10^15"
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
