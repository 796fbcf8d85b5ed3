/// A file of a run as it was made.
package struct StoredReportFile: Sendable, Hashable {
    /// In which order it is delivered: from 0.
    package let place: Int
    /// Its name without a folder.
    package let name: String
    /// Its bytes.
    package let contents: [UInt8]

    /// Puts a file together.
    package init(place: Int, name: String, contents: [UInt8]) {
        self.place = place
        self.name = name
        self.contents = contents
    }
}
