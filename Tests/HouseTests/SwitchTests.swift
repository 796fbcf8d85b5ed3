import Testing

/// Promises that a debug build can be told to break are promises that a release build can't be.
@Suite("Switches that break a promise on purpose are in debug builds only")
struct SwitchTests {
    private static let folder = "Sources/ThrongSystem/Faults"

    /// The lines of a file, each with whether a release build has it.
    private func lines(_ path: String) throws -> [(text: String, isReleased: Bool)] {
        var conditions: [Bool] = []
        return try House.text(path).split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let text = line.drop { $0 == " " }
            if text.hasPrefix("#if") {
                #expect(text == "#if DEBUG", "\(path): \(text)")
                conditions.append(false)
            } else if text.hasPrefix("#else") {
                conditions[conditions.count - 1].toggle()
            } else if text.hasPrefix("#endif") {
                conditions.removeLast()
            }
            return (String(text), conditions.allSatisfy { $0 })
        }
    }

    @Test("a release build reads no variable that breaks one, keeps none for a task, and finds every switch off")
    func released() throws {
        let files = House.files(under: Self.folder).filter { $0.hasSuffix(".swift") }
        #expect(!files.isEmpty)
        for path in files {
            let lines = try lines(path)
            for word in ["environment", "TaskLocal", "kill(", "chosen", "simulated", "armed"] {
                for line in lines where line.isReleased && !line.text.hasPrefix("//") {
                    #expect(!line.text.contains(word), "\(path): \(line.text)")
                }
            }
        }
        let fault = try lines("\(Self.folder)/Fault.swift")
        let start = try #require(fault.firstIndex { $0.text.contains("package var isOn") })
        let rest = fault[(start + 1)...]
        let end = try #require(rest.firstIndex { $0.text.hasPrefix("#endif") })
        let kept = fault[(start + 1)..<end].filter { $0.isReleased && !$0.text.hasPrefix("#") }.map(\.text)
        #expect(kept == ["false"])
    }

    @Test("nothing else reads their variables, and each switch is used")
    func used() throws {
        var words: Set<String> = []
        for file in House.sources where !file.path.hasPrefix(Self.folder) {
            for token in file.tokens {
                if token.kind == .string { #expect(!token.text.contains("THRONG_FAULT"), "\(file.place(token))") }
                if token.kind == .word { words.insert(token.text) }
            }
        }
        let cases = try lines("\(Self.folder)/Fault.swift").map(\.text).filter { $0.hasPrefix("case ") }
            .compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(cases.count > 15)
        for name in cases { #expect(words.contains(name), "nothing can be broken by \(name)") }
    }
}
