extension PlanComparison {
    /// Compares how fields are coarsened, of what metrics use.
    mutating func compareDimensions() {
        for dimension in new.dimensions {
            guard let before = old.dimension(dimension.name) else { continue }
            let parts = parts(of: dimension.name, before.title, dimension.title)
            guard let part = parts.first else { continue }
            if before.field != dimension.field {
                let change = "is made from '\(dimension.field)' instead of '\(before.field)', in the same counters"
                for part in parts { note(.widens, part, change) }
            } else if before.rule != dimension.rule {
                noteGrain(parts, isCoarser: dimension.rule.isCoarser(than: before.rule))
            }
            if before.partitionsDevices != dimension.partitionsDevices {
                note(
                    .runs, Part(part.subject),
                    dimension.partitionsDevices
                        ? "a device is in one of its buckets only" : "a device may be in several of its buckets")
            }
        }
        for dimension in new.derivedDimensions {
            guard let before = old.derivedDimension(dimension.name) else { continue }
            let parts = parts(of: dimension.name, before.title, dimension.title)
            guard before.base != dimension.base || before.groups != dimension.groups else { continue }
            noteGrain(parts, isCoarser: before.base == dimension.base && Self.isCoarser(dimension, than: before))
        }
    }

    /// Notes another title of a dimension, and returns it as a part of each purpose whose former metrics use it.
    private mutating func parts(of name: DimensionName, _ before: String, _ now: String) -> [Part] {
        let subject = "dimension '\(name)'"
        noteWords(Part(subject), [words("dimensions.\(name).title", before, now)])
        let used = new.metrics.filter { metric in
            old.metric(metric.name) != nil
                && (metric.dimensions.contains(name) || new.groupingNames(of: metric).joined().contains(name))
        }
        return Set(used.map(\.purpose)).sorted().map { Part(subject, of: $0) }
    }

    private mutating func noteGrain(_ parts: [Part], isCoarser: Bool) {
        for part in parts {
            note(
                part, isLess: isCoarser, "has coarser buckets: each former one lies in one of them",
                else: "has finer or other buckets, which tell people apart that the former ones did not")
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
}
