internal import ThrongInsight

extension Figure {
    /// What stands where the number would be; nil where there is one.
    var marker: String? { status.marker }
}
