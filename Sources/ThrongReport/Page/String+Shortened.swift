extension String {
    /// The text, or its beginning and an ellipsis.
    func shortened(to length: Int) -> String {
        count <= length ? self : prefix(length - 1) + "…"
    }
}
