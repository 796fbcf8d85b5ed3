import Foundation
import Testing

@Suite("The map: which target needs which")
struct ArrowTests {
    private let manifest: Manifest

    init() throws { manifest = Manifest(try House.text("Package.swift")) }

    /// Those that the map has a line for.
    private var product: [Manifest.Target] {
        manifest.targets.filter { $0.kind != "testTarget" && ($0.name.hasPrefix("Throng") || $0.name == "throng") }
    }

    private static func isSystems(_ name: String) -> Bool {
        name.hasPrefix("C") && (House.has("Sources/\(name)") || House.has("Lab/\(name)"))
    }

    @Test("a target depends only on those above it, and on the system's libraries")
    func downwards() {
        #expect(manifest.targets.count > 40)
        var above: Set<String> = []
        for target in manifest.targets {
            for name in target.dependencies where !above.contains(name) && !Self.isSystems(name) {
                Issue.record("Package.swift: \(target.name) depends on \(name), which stands below it or is no target")
            }
            above.insert(target.name)
        }
        for target in manifest.targets where Self.isSystems(target.name) { #expect(target.dependencies.isEmpty) }
    }

    @Test("what a target imports of ours it depends on, and what it depends on it imports")
    func imports() {
        let ours = Set(product.map(\.name)).union(manifest.targets.map(\.name).filter(Self.isSystems))
        var imported: [String: Set<String>] = [:]
        for file in House.sources { imported[file.target, default: []].formUnion(file.imports) }
        for target in product {
            let found = (imported[target.name] ?? []).intersection(ours)
            let declared = Set(target.dependencies).intersection(ours)
            #expect(found.subtracting(declared).isEmpty, "\(target.name) imports these without depending on them")
            #expect(declared.subtracting(found).isEmpty, "\(target.name) depends on these and imports them nowhere")
        }
    }

    @Test("Architecture's table has a line for each target, with its arrows")
    func table() throws {
        let page = try House.text("Sources/Throng.docc/Architecture.md")
        var rows: [String: [String]] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4 else { continue }
            let name = cells[0].filter { $0 != "`" }
            guard name.hasPrefix("Throng") || name == "throng" else { continue }
            #expect(rows[name] == nil, "Architecture.md has two lines for \(name)")
            rows[name] = cells
        }
        for target in product {
            let known = target.dependencies.filter { $0.hasPrefix("Throng") }.map { $0.dropFirst(6).lowercased() }
            let words = known.isEmpty ? "nothing else" : known.joined(separator: ", ")
            guard let cells = rows.removeValue(forKey: target.name) else {
                Issue.record(
                    "Architecture.md has no line for \(target.name): | `\(target.name)` | IN | OUT | \(words) |")
                continue
            }
            let parts = cells[3].split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
            let note = parts.count > 1 ? ";\(parts[1])" : ""
            #expect(
                parts[0] == words,
                "Architecture.md: paste | \(cells[0]) | \(cells[1]) | \(cells[2]) | \(words)\(note) |")
        }
        #expect(rows.isEmpty, "Architecture.md has lines for targets that Package.swift does not have")
        for target in manifest.targets where Self.isSystems(target.name) {
            #expect(page.contains("`\(target.name)`"), "Architecture.md does not name the library \(target.name)")
        }
    }

    @Test("a target of which the table says that it does no I/O names nothing that does")
    func withoutIO() throws {
        let page = try House.text("Sources/Throng.docc/Architecture.md")
        let pure = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.hasSuffix("no I/O |") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map { String($0) } }
        #expect(pure.count >= 4)
        let doors: Set = ["FileManager", "FileHandle", "URLSession", "Process", "fopen", "socket", "NIOCore"]
        // What decides which cells of a table to publish is a room of the lab, whose commands do I/O.
        let engine = House.sources.filter { $0.path.hasPrefix("Lab/throng-lab/Suppression/") }
        #expect(engine.count >= 30)
        for file in House.sources.filter({ pure.contains($0.target) }) + engine {
            for token in file.tokens where token.kind == .word && doors.contains(token.text) {
                Issue.record("\(file.place(token)): \(token.text), and \(file.target) is said to do no I/O")
            }
        }
    }

    @Test("the command line imports the server where it serves, and nowhere else")
    func server() {
        let files = House.sources.filter { $0.target == "throng" && $0.imports.contains("ThrongServer") }.map(\.name)
        let served = ["ServeCommand", "Settings", "DaemonSettings", "ProxyVisit", "TryCommand", "TrialCrowd"]
        #expect(Set(files) == Set(served))
    }
}
