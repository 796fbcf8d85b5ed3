package import ThrongWire

/// The origin of a base dimension: a field of events, and the rule that coarsens it.
///
/// A layout holds only the rule's fingerprint, and two dimensions of other names or buckets may look at the same field.
/// So the origin is kept beside the layout, with the plan that had it.
package struct DimensionOrigin: Sendable, Hashable, Codable {
    package let field: FieldName
    package let rule: BucketingRule

    package init(field: FieldName, rule: BucketingRule) {
        self.field = field
        self.rule = rule
    }
}

/// The origins of a layout's base dimensions under each known plan; none for a dimension whose origin nobody kept.
package typealias DimensionOrigins = [DimensionName: Set<DimensionOrigin>]
