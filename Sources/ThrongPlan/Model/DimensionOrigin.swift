package import ThrongWire

/// What a base dimension is made from: a field of events, and the rule that coarsens it.
///
/// A layout has no more of it than the rule's fingerprint, and two dimensions of other names or buckets may look at the
/// same field. So it is kept beside the layout, with the plan that had it.
package struct DimensionOrigin: Sendable, Hashable, Codable {
    /// The field.
    package let field: FieldName
    /// The rule.
    package let rule: BucketingRule

    /// Puts one together.
    package init(field: FieldName, rule: BucketingRule) {
        self.field = field
        self.rule = rule
    }
}

/// By base dimension of a layout, what it was made from under each plan that is known; none for one of which nobody kept
/// that.
package typealias DimensionOrigins = [DimensionName: Set<DimensionOrigin>]
