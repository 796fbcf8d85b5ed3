import ArgumentParser
import Foundation
import ThrongSystem

/// The options for the files that say what the codes of a table's dimensions add up to.
struct HierarchyFiles: ParsableArguments {
    @Option(help: ArgumentHelp("A dimension's hierarchy; several need not nest.", valueName: "name=file"))
    var hierarchy: [String] = []

    /// Reads the hierarchies, by dimension.
    func read() throws -> [String: [Hierarchy]] {
        var result: [String: [Hierarchy]] = [:]
        for option in hierarchy {
            guard let sign = option.firstIndex(of: "="), sign != option.startIndex else {
                throw ValidationError("--hierarchy takes NAME=FILE; found '\(option)'.")
            }
            let name = String(option[..<sign])
            let file = String(option[option.index(after: sign)...])
            result[name, default: []].append(try Hierarchy(csv: try TextFile.read(file), file: file))
        }
        return result
    }
}

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
