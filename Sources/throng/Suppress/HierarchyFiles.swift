import ArgumentParser
import ThrongTable

/// Which files say what the codes of a table's dimensions add up to.
struct HierarchyFiles: ParsableArguments {
    @Option(
        help: ArgumentHelp("A dimension's hierarchy, as NAME=FILE; once a dimension.", valueName: "name=file"))
    var hierarchy: [String] = []

    /// By dimension.
    func read() throws -> [String: Hierarchy] {
        var result: [String: Hierarchy] = [:]
        for option in hierarchy {
            guard let sign = option.firstIndex(of: "="), sign != option.startIndex else {
                throw ValidationError("--hierarchy takes NAME=FILE; found '\(option)'.")
            }
            let name = String(option[..<sign])
            let file = String(option[option.index(after: sign)...])
            guard result[name] == nil else { throw ValidationError("--hierarchy names '\(name)' twice.") }
            result[name] = try Hierarchy(csv: try TextFile.read(file), file: file)
        }
        return result
    }
}
