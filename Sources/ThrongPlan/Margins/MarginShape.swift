package import ThrongNoise

/// The lattices of a metric's groupings. One is for its events and sums, by all fields. The others are for devices, by
/// the fields of which a device has one bucket: one lattice for each way to tell occasions apart.
///
/// Events add up over all dimensions. Devices add up only over the dimensions that partition them, so each combination
/// of buckets of the other dimensions, an occasion, asks a question of its own.
package struct MarginShape: Sendable {
    /// One grouping, as it is made from the lattices.
    package struct Part: Sendable, Hashable {
        package let grouping: Margin
        /// The base dimensions that its events are made of.
        package let base: Margin
        /// The dimensions that tell its occasions apart; devices do not add up over them.
        package let occasions: Margin
        /// The base dimensions of which a device has one bucket each.
        package let fields: Margin
        /// The numbers of buckets that are added up, by base dimension; 1 if the grouping keeps the dimension.
        package let sums: [Int: [Int]]
    }

    /// The groupings, in the order of asking.
    package let parts: [Part]
    package let events: Lattice
    /// The lattice of devices for each margin of occasions; none without identifiers.
    package let devices: [Margin: Lattice]
    private let eventPlaces: [Int]
    private let devicePlaces: [Int]

    /// Works out a layout's lattices for some groupings.
    ///
    /// - Throws: ``NoiseError/tooManyFields(found:limit:)``, ``NoiseError/tooManyCells(found:limit:)`` and
    ///   ``NoiseError/emptyUniverse``.
    package init(_ layout: MetricLayout, groupings: [Margin]) throws(NoiseError) {
        parts = groupings.map { Part($0, layout) }
        let used = parts.reduce(Margin.total) { $0.union($1.base) }
        // A dimension of one bucket splits nothing.
        let places = layout.dimensions.indices.filter { used.keeps($0) && layout.dimensions[$0].labels.count > 1 }
        let partitioning = places.filter { layout.dimensions[$0].partitionsDevices }
        (eventPlaces, devicePlaces) = (places, partitioning)
        func lattice(_ places: [Int], _ margins: [Margin]) throws(NoiseError) -> Lattice {
            let fields = try places.map { place throws(NoiseError) in
                try Field(buckets: layout.dimensions[place].labels.count)
            }
            // A lattice has names for so many fields and refuses more.
            guard fields.count <= Lattice.mostFields else {
                throw .tooManyFields(found: fields.count, limit: Lattice.mostFields)
            }
            return try Lattice(fields: fields, groupings: margins.map { FieldSet(Self.fields(of: $0, among: places)) })
        }
        events = try lattice(places, parts.map(\.base))
        var devices: [Margin: Lattice] = [:]
        if layout.hasIdentifiers {
            for occasions in Set(parts.map(\.occasions)) {
                devices[occasions] = try lattice(partitioning, parts.filter { $0.occasions == occasions }.map(\.fields))
            }
        }
        self.devices = devices
    }

    package func eventFields(of margin: Margin) -> FieldSet { FieldSet(Self.fields(of: margin, among: eventPlaces)) }

    package func deviceFields(of margin: Margin) -> FieldSet { FieldSet(Self.fields(of: margin, among: devicePlaces)) }

    /// Returns the dimensions of some of the events' fields, ascending.
    package func eventDimensions(of fields: FieldSet) -> [Int] { fields.places.map { eventPlaces[$0] } }

    /// Returns the dimensions of some of the devices' fields, ascending.
    package func deviceDimensions(of fields: FieldSet) -> [Int] { fields.places.map { devicePlaces[$0] } }

    private static func fields(of margin: Margin, among places: [Int]) -> [Int] {
        places.indices.filter { margin.keeps(places[$0]) }
    }
}

extension MarginShape.Part {
    fileprivate init(_ grouping: Margin, _ layout: MetricLayout) {
        let kept = layout.dimensions.indices.filter(grouping.keeps)
        func base(_ places: [Int]) -> Margin {
            Margin(keeping: places.map { layout.dimensions[$0].coarsening?.place ?? $0 })
        }
        self.grouping = grouping
        self.base = base(kept)
        fields = base(kept.filter { layout.dimensions[$0].partitionsDevices })
        occasions = Margin(keeping: kept.filter { !layout.dimensions[$0].partitionsDevices })
        var sums: [Int: [Int]] = [:]
        for (place, dimension) in layout.dimensions.enumerated()
        where self.base.keeps(place) && dimension.labels.count > 1 {
            let coarse = kept.compactMap { layout.dimensions[$0].coarsening }.filter { $0.place == place }
            let added = Dictionary(grouping: dimension.labels.indices) { bucket in coarse.map { $0.buckets[bucket] } }
            sums[place] = grouping.keeps(place) ? [1] : Set(added.values.map(\.count)).sorted()
        }
        self.sums = sums
    }

    /// Returns all combinations of the numbers of buckets that are added up, one number per dimension.
    package func combinations(of places: [Int]) -> [[Int]] {
        places.reduce([[]]) { all, place in all.flatMap { start in (sums[place] ?? [1]).map { start + [$0] } } }
    }
}
