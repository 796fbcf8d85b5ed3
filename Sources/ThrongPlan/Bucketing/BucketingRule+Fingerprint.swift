import Crypto

extension BucketingRule {
    /// The version of the bucketings; it rises when one puts a value elsewhere for a reason that no rule shows.
    static let version = 2

    /// Returns a text that tells rules with the same labels apart, such as "bands 2 5f6e0a2c9d1b3e47": kind, version,
    /// and the start of a SHA-256 over the rule, its tables and, for user agents, ``UserAgentRules/version``. The time
    /// zone database is left out, which changes what a day is anyway.
    package func fingerprint(rules: UserAgentRules) -> String {
        func text(_ kind: String, _ parts: Part...) -> String { "\(kind) \(Self.version) \(Part.digest(parts))" }
        // Read only where it counts: a plan without such rules needs no file.
        var version: Part { .texts([rules.version]) }
        return switch self {
        case .list(let groups): text("list", .groups(groups))
        case .bands(let edges): text("bands", .reals(edges))
        case .significantFigures(let digits, let lowest, let highest):
            text("significant_figures", .numbers([digits]), .reals([lowest, highest]))
        case .powers(let base, let lowest, let highest): text("powers", .numbers([base, lowest, highest]))
        case .version(let level, let known): text("version", .texts([level.rawValue]), .texts(known))
        case .screen(let mediumFrom, let largeFrom): text("screen", .numbers([mediumFrom, largeFrom]))
        case .browser(let families):
            text(
                "browser", .texts(families.isEmpty ? BrowserFamily.standard : families), .table(BrowserFamily.table),
                version)
        case .operatingSystem(let families):
            text(
                "operating_system", .texts(families.isEmpty ? OperatingSystemFamily.standard : families),
                .table(OperatingSystemFamily.table), version)
        case .deviceClass: text("device_class", .table(OperatingSystemFamily.table), version)
        case .language(let known): text("language", .texts(known))
        case .utcOffset(let bandHours): text("utc_offset", .numbers([bandHours]))
        case .region(let groups): text("region", .groups(groups))
        case .time(let part, let timeZone): text("time", .texts([part.rawValue, timeZone]))
        case .host(let known): text("host", .texts(known))
        case .route(let templates): text("route", .texts(templates))
        case .fileType: text("file_type", .groups(FileTypeBucketing.types))
        case .revealed(let most): text(MetricLayout.DimensionLayout.revealedKind, .numbers([most]))
        }
    }

    /// A list in a rule, written with its length, and each text with its own, so that no two rules give the same bytes.
    private enum Part {
        case numbers([Int])
        case reals([Double])
        case texts([String])
        case groups([BucketGroup])
        case table([String: String])

        /// Returns the start of the SHA-256 of some parts.
        static func digest(_ parts: [Part]) -> String {
            var hash = SHA256()
            for part in parts { part.add(to: &hash) }
            return hash.finalize().prefix(8).lowerHex
        }

        private func add(to hash: inout SHA256) {
            func add(_ words: [UInt64]) {
                for word in words { withUnsafeBytes(of: word.littleEndian) { hash.update(bufferPointer: $0) } }
            }
            switch self {
            case .numbers(let numbers): add([UInt64(numbers.count)] + numbers.map { UInt64(bitPattern: Int64($0)) })
            case .reals(let reals): add([UInt64(reals.count)] + reals.map { ($0 == 0 ? 0 : $0).bitPattern })
            case .texts(let texts):
                add([UInt64(texts.count)])
                for text in texts {
                    add([UInt64(text.utf8.count)])
                    hash.update(data: Array(text.utf8))
                }
            case .groups(let groups):
                add([UInt64(groups.count)])
                for group in groups { Part.texts([group.label.text] + group.values).add(to: &hash) }
            case .table(let table):
                let entries = table.sorted { $0.key.precedes($1.key) }
                Part.texts(entries.flatMap { [$0.key, $0.value] }).add(to: &hash)
            }
        }
    }

    /// The bucketing that this rule declares, as tables, with user agents read by rules.
    ///
    /// - Parameter rules: read only by the kinds that look at user agents.
    /// - Throws: ``BucketingProblem``.
    package func compiled(rules: UserAgentRules) throws(BucketingProblem) -> any Bucketing {
        try compiled { part, families throws(BucketingProblem) in
            try UserAgentBucketing(part, families: families, rules: rules)
        }
    }

    /// The buckets that the rule leads to, which need no user agent rules: plans can be read where these are missing.
    ///
    /// - Throws: ``BucketingProblem`` where the rule can't be compiled for a reason of its own.
    package func labels() throws(BucketingProblem) -> [BucketLabel] { try bucketingByLabel.labels }

    /// The bucketing with user agents known only by their labels: it needs no rules for them.
    var bucketingByLabel: any Bucketing {
        get throws(BucketingProblem) {
            try compiled { part, families throws(BucketingProblem) in
                try LabelBucketing(UserAgentBucketing.table(part, families).labels)
            }
        }
    }
}
