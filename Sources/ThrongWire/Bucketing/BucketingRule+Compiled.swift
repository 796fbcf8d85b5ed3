extension BucketingRule {
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
    static func withAliases(_ groups: [BucketGroup]) -> [BucketGroup] {
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
}
