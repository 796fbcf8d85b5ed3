package import ThrongWire

/// The origin of a base dimension: a field of events, and the rule that coarsens it, of which a layout holds only the
/// fingerprint.
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
