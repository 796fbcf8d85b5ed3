import Foundation
import ThrongPlan
import ThrongSystem

extension Plan {
    /// Reads a plan's file.
    ///
    /// - Throws: `CommandFailure` if there is none, and what the reader finds wrong.
    init(file: String) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFailure("\(file): there is no such file, or it can't be read.")
        }
        try self.init(bytes: bytes, file: file)
    }
}
