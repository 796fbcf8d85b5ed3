/// The noisy numbers of one release, drawn once; they are stored before anyone sees them and published as stored.
package struct NoiseDraw: Sendable, Hashable {
    /// Whose numbers they are.
    package let release: NoiseReleaseID
    /// One array per measure, one number per declared cell; may be negative. Unit: the measure's.
    package let values: [[Int64]]

    /// Made by ``DrawPermit/draw(_:using:)``, or read back by the store.
    package init(release: NoiseReleaseID, values: [[Int64]]) {
        self.release = release
        self.values = values
    }

    /// What its digest is taken over: the release, then one line per measure, decimal numbers with commas between.
    package var canonicalText: String {
        ([release.text] + values.map { $0.map(String.init).joined(separator: ",") }).joined(separator: "\n") + "\n"
    }
}
