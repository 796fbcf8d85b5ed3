extension BucketingRule: Codable {
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
        try container.encode(kind, forKey: .kind)
        func put(_ value: some Encodable, _ key: Key) throws { try container.encode(value, forKey: key) }
        switch self {
        case .list(let groups):
            try put(groups, .groups)
        case .bands(let edges):
            try put(edges, .edges)
        case .significantFigures(let digits, let lowest, let highest):
            try put(digits, .digits)
            try put(lowest, .lowest)
            try put(highest, .highest)
        case .powers(let base, let lowestExponent, let highestExponent):
            try put(base, .base)
            try put(lowestExponent, .lowestExponent)
            try put(highestExponent, .highestExponent)
            // The edges are for clients that know bands only.
            try put(try BandBucketing.edges(powersOf: base, from: lowestExponent, to: highestExponent), .edges)
        case .version(let level, let known):
            try put(level, .level)
            try put(known, .known)
        case .screen(let mediumFrom, let largeFrom):
            try put(mediumFrom, .mediumFrom)
            try put(largeFrom, .largeFrom)
        case .browser(let families):
            try put(families, .families)
        case .operatingSystem(let families):
            try put(families, .families)
        case .language(let known):
            try put(known, .known)
            // The groups are for clients without a table of codes.
            try put(LanguageBucketing.groups(known), .groups)
        case .utcOffset(let bandHours):
            try put(bandHours, .bandHours)
        case .region(let groups):
            // The other codes of each country are for clients without a table of them.
            try put(Self.withAliases(groups), .groups)
        case .time(let part, let timeZone):
            try put(part, .part)
            try put(timeZone, .timeZone)
        case .host(let known):
            try put(known, .known)
        case .route(let templates):
            try put(templates, .templates)
        case .fileType:
            // The groups are for clients without a table of their own: names as *.pdf.
            try put(
                FileTypeBucketing.types.map { type in
                    BucketGroup(label: type.label, values: type.values.map { "*.\($0)" })
                }, .groups)
        case .revealed(let most):
            try put(most, .most)
        case .deviceClass:
            break
        }
    }

    /// The rule's kind, as it is written.
    private var kind: Kind {
        switch self {
        case .list: .list
        case .bands: .bands
        case .significantFigures: .significantFigures
        case .powers: .powers
        case .version: .version
        case .screen: .screen
        case .browser: .browser
        case .operatingSystem: .operatingSystem
        case .deviceClass: .deviceClass
        case .language: .language
        case .utcOffset: .utcOffset
        case .region: .region
        case .time: .time
        case .host: .host
        case .route: .route
        case .fileType: .fileType
        case .revealed: .revealed
        }
    }
}
