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
}
