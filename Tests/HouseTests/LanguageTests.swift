import Testing

@Suite("Language: functions that fit a screen, sentences that begin with what they are about")
struct LanguageTests {
    // MARK: Functions

    private static let mostLines = 70

    @Test("no function has more than 70 lines")
    func functions() {
        var count = 0
        for file in House.sources {
            for function in file.functions {
                count += 1
                guard function.lines > Self.mostLines else { continue }
                Issue.record("\(file.place(function.token)): \(function.name) has \(function.lines) lines; split it")
            }
        }
        #expect(count > 4000)
    }

    @Test(
        "a function's lines are those from its name to its last brace",
        arguments: ["func work()", "init?(_ text: String)", "subscript(place: Int) -> Int", "func < (one: A, two: A)"])
    func functionControl(head: String) {
        for lines in [3, 70, 71] {
            let body = String(repeating: "        if isFine { say(\"}\") }  // }\n", count: lines - 2)
            let file = SwiftFile(path: "Sources/T/A.swift", text: "struct A {\n    \(head) {\n\(body)    }\n}\n")
            #expect(file.functions.map(\.lines) == [lines])
        }
    }

    @Test("calls of initializers, requirements of protocols and what stands in parentheses are no bodies")
    func otherControl() {
        let text = """
            protocol P {
                func first() throws
                var number: Int { get }
                init(_ number: Int)
            }
            let numbers = [A.init(1), A(2)].map(A.init)
            func second(
                by rule: () -> Void = {
                    third()
                }
            ) {
                func inner() {}
            }
            """
        let file = SwiftFile(path: "Sources/T/A.swift", text: text)
        #expect(file.functions.map(\.name) == ["second", "inner"])
        #expect(file.functions.map(\.lines) == [7, 1])
    }

    // MARK: Comments

    /// Words of relative clauses and prepositions.
    private static let badWords = Set(
        """
        What Who Whom Whose Which How Whether Where When Why While As In Of For From By With Without Through At On Onto
        To Into Under Until Since After Before Beside Behind Between Over Among Against Despite During Like So That
        Whatever Whoever Wherever Whenever Puts
        """.split { $0 == " " || $0 == "\n" }.map(String.init))

    /// The doc comments of a text that do not begin with what they are about, each with its line.
    private func badComments(in text: String) -> (bad: [(line: Int, text: String)], count: Int) {
        var bad: [(line: Int, text: String)] = []
        var count = 0
        var isWithin = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.drop { $0 == " " }
            defer { isWithin = line.hasPrefix("///") }
            guard line.hasPrefix("///"), !isWithin else { continue }
            let comment = line.dropFirst(3).drop { $0 == " " }
            guard !comment.isEmpty, !comment.hasPrefix("-") else { continue }
            count += 1
            let word = comment.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if Self.badWords.contains(String(word)) { bad.append((number + 1, String(comment))) }
        }
        return (bad, count)
    }

    @Test("a doc comment begins with what it is about, not with a relative clause or a preposition")
    func comments() throws {
        var count = 0
        for file in House.sources {
            let found = badComments(in: try House.text(file.path))
            count += found.count
            for (line, text) in found.bad { Issue.record("\(file.path):\(line): \(text)") }
        }
        #expect(count > 6000)
    }

    @Test("only the first word of a comment's first line counts")
    func commentControl() {
        let text = """
            /// What becomes of it.
            /// Which is more.
            let one = 1

                /// How often.
                func two() {}
            /// Returns the number
            /// of those that are there.
            /// - Parameter three: what it says.
            // What is no doc comment.
            /// However long.
            """
        let found = badComments(in: text)
        #expect(found.bad.map { $0.line } == [1, 5])
        #expect(found.count == 4)
    }

    @Test("no comment says that an initializer puts something together")
    func memberwise() throws {
        for file in House.sources {
            let says = try House.text(file.path).contains("Puts it together")
            #expect(!says, "\(file.path): a memberwise initializer needs no comment")
        }
    }

    // MARK: Pages

    private static let pages =
        ["README.md"] + House.files(under: "Sources/Throng.docc").filter { $0.hasSuffix(".md") }

    /// The words of a sentence, on average over a page.
    private static let mostWords = 18.0

    @Test("the sentences of a page have 18 words or fewer on average", arguments: pages)
    func sentences(page: String) throws {
        let prose = Prose(try House.text(page))
        #expect(prose.lengths.count > 10)
        #expect(prose.meanLength <= Self.mostWords, "\(page): \(prose.meanLength) words a sentence; make two of one")
    }

    @Test("words are counted in paragraphs and points of lists, and nowhere else")
    func sentenceControl() {
        let page = """
            # A heading that has many words and is not counted

            Four words are here. Is this [one](https://example.org/a) longer,
            by its second line?
            - A point.
            - [A link](A.md), [another](B.md)
            1. Another point, without an end
            ```sh
            code that nobody reads as a sentence of so many words
            ```
            | a table | with cells |
            **The end.** Fine!
            """
        #expect(Prose(page).lengths == [4, 8, 2, 5, 2, 1])
        let long = String(repeating: "word ", count: 19) + "end."
        #expect(Prose(long).meanLength == 20)
        #expect(Prose(long).meanLength > Self.mostWords)
    }

    // MARK: Rooms

    private static let targets = Set(House.sources.map(\.target)).filter { $0.hasPrefix("Throng") }.sorted()

    @Test("a target's folder begins with a file that says what is in it", arguments: targets)
    func rooms(target: String) throws {
        let path = "\(target)/\(target).swift"
        let file = try #require(House.sources.first { $0.path.hasSuffix("/" + path) }, "\(path) is not there")
        #expect(file.tokens.isEmpty, "\(path) is for readers; code has other files")
        #expect((6...16).contains(file.lines), "\(path) has \(file.lines) lines")
    }
}
