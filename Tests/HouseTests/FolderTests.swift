import Testing

@Suite("Rooms: folders of one target need each other one way only")
struct FolderTests {
    /// Circles that are let stand, by target, each with its reason.
    private static let exceptions: [String: (circle: [String], reason: String)] = [:]

    private static let targets = Set(House.sources.map(\.target)).sorted()

    @Test("no circle between folders of one target", arguments: targets)
    func circles(target: String) {
        let graph = FolderGraph(House.sources.filter { $0.target == target })
        for circle in graph.circles where Self.exceptions[target]?.circle != circle {
            Issue.record("\(target): \(circle.joined(separator: ", ")) need each other\n\(graph.words(of: circle))")
        }
    }

    @Test("no type's name stands in two targets")
    func names() {
        var homes: [String: Set<String>] = [:]
        for file in House.sources {
            for type in file.declarations where type.isOnTop && !type.isPrivate {
                homes[type.name, default: []].insert(file.target)
            }
        }
        #expect(homes.count > 500)
        for (name, targets) in homes where targets.count > 1 {
            Issue.record(
                "\(name) is in \(targets.sorted().joined(separator: " and ")): one meaning, one name, one place")
        }
    }

    @Test("a circle is found, a way in one direction is none, and comments, strings and members don't count")
    func control() {
        func circles(_ first: String, _ second: String) -> [[String]] {
            FolderGraph([
                SwiftFile(path: "Sources/T/Upper/First.swift", text: first),
                SwiftFile(path: "Sources/T/Lower/Second.swift", text: second),
            ]).circles
        }
        let below = "struct Second { let first: First }"
        #expect(circles("struct First { let second: Second }", below) == [["Lower", "Upper"]])
        #expect(circles(#"struct First { let text = "\(Second.self)" }"#, below) == [["Lower", "Upper"]])
        for free in [
            "struct First {}", "struct First {} // Second", "struct First { let text = \"Second\" }",
            "struct First {} /* /* Second */ Second */", "struct First { let it: Other.Second }",
            "struct First { let text = #\"\"\"\nSecond \\(Second)\n\"\"\"# }",
            "struct First { enum Second {}; let second: Second }",
            "let pattern = /Second\\/Second/\nstruct First {}",
        ] {
            #expect(circles(free, below).isEmpty, "\(free)")
        }
    }
}
