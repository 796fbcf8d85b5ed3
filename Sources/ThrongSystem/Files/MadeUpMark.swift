internal import Foundation

/// The mark of a data directory whose numbers are made up: a file `made-up`, with a sentence for whoever opens it.
///
/// No daemon takes such a directory for its own by mistake, and no other one is ever emptied for a trial.
package enum MadeUpMark {
    private static let name = "made-up"
    private static let sentence = "Made up by throng try: no such devices exist. The folder may be deleted.\n"

    package static func isThere(in folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + name)
    }

    /// Marks a folder; returns false where it can't be written.
    package static func put(in folder: String) -> Bool {
        FileManager.default.createFile(atPath: folder + "/" + name, contents: Data(sentence.utf8))
    }
}
