extension Release {
    /// Decides over the whole cube which cells may leave it, then takes those and no others.
    ///
    /// - Throws: ``ReleaseError``, and nothing is released.
    package init(
        of stored: StoredCube, header: ReleaseHeader, options: ReleaseOptions = ReleaseOptions()
    ) throws(ReleaseError) {
        self = try ReleaseCase(header: header, parts: [stored]).decide(options).release
    }
}
