import Foundation

/// The package's files as they lie on this disk.
enum House {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every file of Swift of the product.
    static let sources =
        swift(under: "Sources") + swift(under: "Lab").filter { !$0.path.hasPrefix("Lab/throng-lab/Releases/") }
    /// Every file of Swift of tests and what they need.
    static let tests = swift(under: "Tests")

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Regular files below a folder, by path from the top of the package. Hidden ones and what a build leaves are left out.
    static func files(under folder: String) -> [String] {
        let top = root.appendingPathComponent(folder)
        let found = FileManager.default.enumerator(
            at: top, includingPropertiesForKeys: [.isRegularFileKey], options: [.skipsHiddenFiles])
        var paths: [String] = []
        while let file = found?.nextObject() as? URL {
            let isFile = (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile ?? false
            guard isFile, !file.path.contains("/__pycache__/") else { continue }
            paths.append(folder + file.path.dropFirst(top.path.count))
        }
        return paths.sorted()
    }

    private static func swift(under folder: String) -> [SwiftFile] {
        files(under: folder).filter { $0.hasSuffix(".swift") }.compactMap { path in
            (try? text(path)).map { SwiftFile(path: path, text: $0) }
        }
    }

    /// Whether something lies at a path from the top of the package.
    static func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }
}
