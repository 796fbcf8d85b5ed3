extension PlanComparison {
    /// Compares how fields are coarsened, of what metrics use.
    mutating func compareDimensions() {
        for dimension in new.dimensions {
            guard let before = old.dimension(dimension.name) else { continue }
            let subject = "dimension '\(dimension.name)'"
            noteWords(subject, [words("dimensions.\(dimension.name).title", before.title, dimension.title)])
            let purposes = purposes(using: dimension.name)
            guard !purposes.isEmpty else { continue }
            if before.field != dimension.field {
                for purpose in purposes {
                    note(
                        .widens, subject,
                        "is made from '\(dimension.field)' instead of '\(before.field)', in the same counters",
                        purpose: purpose)
                }
            } else if before.rule != dimension.rule {
                noteGrain(subject, isCoarser: dimension.rule.isCoarser(than: before.rule), purposes)
            }
            if before.partitionsDevices != dimension.partitionsDevices {
                note(
                    .runs, subject,
                    dimension.partitionsDevices
                        ? "a device is in one of its buckets only" : "a device may be in several of its buckets")
            }
        }
        for dimension in new.derivedDimensions {
            guard let before = old.derivedDimension(dimension.name) else { continue }
            let subject = "dimension '\(dimension.name)'"
            noteWords(subject, [words("dimensions.\(dimension.name).title", before.title, dimension.title)])
            let purposes = purposes(using: dimension.name)
            guard !purposes.isEmpty, before.base != dimension.base || before.groups != dimension.groups else {
                continue
            }
            noteGrain(
                subject, isCoarser: before.base == dimension.base && Self.isCoarser(dimension, than: before), purposes)
        }
    }

    private mutating func noteGrain(_ subject: String, isCoarser: Bool, _ purposes: [PurposeName]) {
        for purpose in purposes {
            note(
                isCoarser ? .tightens : .widens, subject,
                isCoarser
                    ? "has coarser buckets: each former one lies in one of them"
                    : "has finer or other buckets, which tell people apart that the former ones did not",
                purpose: purpose)
        }
    }

    /// True if each former bucket lies within one new bucket, judged by what both are made of.
    private static func isCoarser(_ now: DerivedDimension, than before: DerivedDimension) -> Bool {
        let labels = Set((now.groups + before.groups).flatMap(\.values)).map { BucketLabel($0) }.sorted {
            $0.text < $1.text
        }
        let all = labels + [.other]
        let pairs = Set(zip(before.buckets(of: all), now.buckets(of: all)).map { [$0, $1] })
        return Set(pairs.map { $0[0] }).count == pairs.count
    }

    /// The purposes of the new plan whose metrics, which the former one had, use a dimension.
    private func purposes(using name: DimensionName) -> [PurposeName] {
        let used = new.metrics.filter { metric in
            old.metric(metric.name) != nil
                && (metric.dimensions.contains(name) || new.groupingNames(of: metric).joined().contains(name))
        }
        return Set(used.map(\.purpose)).sorted()
    }
}
