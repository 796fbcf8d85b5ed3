import Foundation

/// A file of UTF-8 that somebody named.
enum TextFile {
    /// The whole text.
    static func read(_ file: String) throws -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFailure("\(file): there is no such file, or it can't be read.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(file) is not UTF-8; convert it, for example with iconv.")
        }
        return text
    }
}
