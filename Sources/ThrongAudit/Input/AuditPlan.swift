/// What everybody may know of the plan and the attacker uses.
package struct AuditPlan: Sendable, Codable, Hashable {
    /// Dimensions with all of their buckets, where the files do not list them.
    package var dimensions: [Dimension]
    /// Metrics of which parts are bound to each other.
    package var ties: [Tie]
    /// Totals and kinds of them.
    package var covers: [Cover] = []
    /// Combinations that cannot occur.
    package var structuralZeros: [StructuralZero]
    /// When counting began: everything before is zero. By metric. Unit: Unix seconds.
    package var begins: [String: Int64]
    /// Metrics whose zeros the plan declares to be public knowledge.
    package var publicZeros: Set<String>
    /// Sums whose clip allows negative contributions, by name: only exact elimination says anything about them.
    package var signedSums: Set<String>

    /// By metric, within what numbers of devices tell devices apart.
    package var deviceSpans: [String: DeviceSpan] = [:]

    /// Nothing is known but the files.
    package init(
        dimensions: [Dimension] = [], ties: [Tie] = [], structuralZeros: [StructuralZero] = [],
        begins: [String: Int64] = [:], publicZeros: Set<String> = [], signedSums: Set<String> = []
    ) {
        self.dimensions = dimensions
        self.ties = ties
        self.structuralZeros = structuralZeros
        self.begins = begins
        self.publicZeros = publicZeros
        self.signedSums = signedSums
    }

    /// A dimension as the plan declares it.
    package struct Dimension: Sendable, Codable, Hashable {
        /// Its name.
        package let name: String
        /// The finest buckets of any bucketing that was ever in force, disjoint and total.
        package let elements: [String]
        /// Coarser or older labels and the elements that they add up: hierarchies, moved edges, `other`.
        package let groups: [String: [String]]
        /// Whether a device can be in only one bucket within a window.
        package let partitionsDevices: Bool

        /// A dimension.
        package init(
            name: String, elements: [String], groups: [String: [String]] = [:], partitionsDevices: Bool = false
        ) {
            self.name = name
            self.elements = elements
            self.groups = groups
            self.partitionsDevices = partitionsDevices
        }
    }

    /// `leftFactor · left ≤ rightFactor · right` (or equal) in every leaf, such as clicks ≤ views, or a device count
    /// and an event that each device sends once.
    package struct Tie: Sendable, Codable, Hashable {
        /// The app.
        package let app: String
        /// One side.
        package let left: Side
        /// The other side.
        package let right: Side
        /// Whether the sides are equal instead of ordered.
        package let isEqual: Bool
        /// In which leaves; none is everywhere.
        package let within: [AuditRegion.Slice]

        /// A measure of a metric, times a whole number.
        package struct Side: Sendable, Codable, Hashable {
            /// The metric.
            package let metric: String
            /// The measure.
            package let measure: AuditMeasure
            /// Not 0; below 0 where a clip is.
            package let factor: Int64
            /// A side.
            package init(metric: String, measure: AuditMeasure, factor: Int64 = 1) {
                self.metric = metric
                self.measure = measure
                self.factor = factor
            }
        }

        /// A tie.
        package init(app: String, left: Side, right: Side, isEqual: Bool, within: [AuditRegion.Slice] = []) {
            self.app = app
            self.left = left
            self.right = right
            self.isEqual = isEqual
            self.within = within
        }
    }

    /// Metrics that count different events of one that counts them all: together they are no more than it in any leaf, or
    /// the same.
    package struct Cover: Sendable, Codable, Hashable {
        /// The app.
        package let app: String
        /// The metric that counts all.
        package let total: String
        /// The metrics that count parts of it.
        package let kinds: [String]
        /// Whether there is no other kind.
        package let isWhole: Bool

        /// A total and kinds of it.
        package init(app: String, total: String, kinds: [String], isWhole: Bool) {
            self.app = app
            self.total = total
            self.kinds = kinds
            self.isWhole = isWhole
        }
    }

    /// Buckets of one metric that never occur together.
    package struct StructuralZero: Sendable, Codable, Hashable {
        /// The metric.
        package let metric: String
        /// By dimension.
        package let slices: [AuditRegion.Slice]
        /// A combination.
        package init(metric: String, slices: [AuditRegion.Slice]) {
            self.metric = metric
            self.slices = slices
        }
    }
}
