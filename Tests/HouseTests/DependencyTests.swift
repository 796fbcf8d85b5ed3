import Foundation
import Testing

@Suite("One commit is always built from the same packages")
struct DependencyTests {
    /// A package as the list, the manifest or SwiftPM names it.
    private struct Pin: Hashable, Comparable {
        let name: String
        let version: String
        let location: String

        init(location: String, version: String) {
            self.location = location.hasSuffix(".git") ? String(location.dropLast(4)) : location
            self.version = version
            name = self.location.split(separator: "/").last?.lowercased() ?? ""
        }

        static func < (left: Pin, right: Pin) -> Bool { left.name < right.name }
    }

    /// What SwiftPM writes beside the manifest.
    private struct Resolved: Decodable {
        struct Package: Decodable {
            struct State: Decodable { let version: String? }
            let location: String
            let state: State
        }
        let pins: [Package]
    }

    private static let list = "Deploy/dependencies.txt"

    private static func listed() throws -> [Pin] {
        try House.text(list).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let words = line.split(separator: " ").map(String.init)
            try #require(words.count == 3, "\(list): '\(line)' is no name, version and place")
            let pin = Pin(location: words[2], version: words[1])
            #expect(pin.name == words[0], "\(list): \(words[0]) is at \(words[2])")
            return pin
        }
    }

    @Test("Package.swift names exact versions, and those of the list")
    func manifest() throws {
        let manifest = try House.text("Package.swift")
        let exact = manifest.matches(of: /url: "([^"]+)", exact: "([^"]+)"/)
            .map { Pin(location: String($0.1), version: String($0.2)) }
        #expect(exact.count == Set(exact).count && exact.count >= 15)
        #expect(Set(exact).subtracting(try Self.listed()).isEmpty)
        // An app shares this one with its other packages.
        let ranges = manifest.matches(of: /url: "([^"]+)", (?:from|branch|revision|\.|")[^)]*\)/)
            .map { Pin(location: String($0.1), version: "").name }
        #expect(ranges == ["swift-crypto"])
    }

    @Test("what this was built from is the list, and nothing else")
    func resolved() throws {
        let file = try JSONDecoder().decode(Resolved.self, from: Data(House.text("Package.resolved").utf8))
        let pins = file.pins.map { Pin(location: $0.location, version: $0.state.version ?? "none") }
        #expect(pins.sorted() == (try Self.listed()).sorted(), "Deploy/dependencies check says what differs")
    }

    @Test("a package that is newer, missing or one more is refused by its name, with what to do")
    func drifted() throws {
        let text = try House.text("Package.resolved")
        #expect(try check(text) == (0, ""))
        let newer = text.replacing(/"version" : "[0-9.]+"/, with: "\"version\" : \"99.0.0\"", maxReplacements: 1)
        let (status, words) = try check(newer)
        #expect(status == 1 && words.contains("async-http-client: ") && words.contains("99.0.0"))
        #expect(words.contains("Deploy/dependencies pin"))
        let other = text.replacing("\"identity\" : \"swift-log\"", with: "\"identity\" : \"swift-logs\"")
        let (_, more) = try check(other)
        #expect(more.contains("swift-log: ") && more.contains("swift-logs: "))
    }

    /// The exit code of `Deploy/dependencies check` beside such a Package.resolved, and what it says.
    private func check(_ resolved: String) throws -> (status: Int32, words: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "throng-dependencies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Deploy"), withIntermediateDirectories: true)
        defer {
            // It is temporary: what can't be removed does no harm.
            _ = Result { try FileManager.default.removeItem(at: folder) }
        }
        for name in ["Deploy/dependencies", Self.list] {
            try FileManager.default.copyItem(at: House.root.appending(path: name), to: folder.appending(path: name))
        }
        try resolved.write(to: folder.appending(path: "Package.resolved"), atomically: true, encoding: .utf8)
        let process = Process()
        let pipe = Pipe()
        process.executableURL = folder.appending(path: "Deploy/dependencies")
        process.arguments = ["check"]
        process.standardError = pipe
        try process.run()
        let words = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: words, as: UTF8.self))
    }
}
