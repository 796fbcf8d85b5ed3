import Foundation
import Testing

@Suite("Rules of CONTRIBUTING that a machine can see")
struct RuleTests {
    private let all = House.sources + House.tests

    @Test("every file is read to its end: its braces, brackets and parentheses pair up")
    func reading() {
        #expect(House.sources.count > 400 && House.tests.count > 200)
        for file in all {
            var signs: [String: Int] = [:]
            for token in file.tokens where token.kind == .sign { signs[token.text, default: 0] += 1 }
            for (open, close) in [("{", "}"), ("[", "]"), ("(", ")")] {
                #expect(signs[open] == signs[close], "\(file.path): \(open) and \(close)")
            }
        }
    }

    @Test("no file of Swift or Python has more than 400 lines")
    func length() throws {
        var lengths = all.map { (path: $0.path, lines: $0.lines) }
        let programs = ["Tests", "Deploy"].flatMap { House.files(under: $0) }.filter { $0.hasSuffix(".py") }
        #expect(programs.count > 50)
        for path in programs { lengths.append((path, try House.text(path).utf8.count { $0 == UInt8(ascii: "\n") })) }
        for (path, lines) in lengths where lines > 400 { Issue.record("\(path) has \(lines) lines; split it") }
    }

    @Test("each promise has a suite with its name", arguments: 1...7)
    func promises(number: Int) {
        let hasSuite = House.tests.contains { file in
            zip(file.tokens, file.tokens.dropFirst(2)).contains { word, title in
                word.isWord("Suite") && title.kind == .string && title.text.hasPrefix("Promise \(number): ")
            }
        }
        #expect(hasSuite)
    }

    @Test("no try!, as! or fatalError; what can't be is a preconditionFailure that says why")
    func force() {
        for file in House.sources {
            for (token, next) in zip(file.tokens, file.tokens.dropFirst()) {
                let isForced = (token.isWord("try") || token.isWord("as")) && next.isSign("!") && next.isAttached
                if isForced || token.isWord("fatalError") { Issue.record("\(file.place(token)): \(token.text)") }
            }
            for place in file.tokens.indices.dropLast(2) where file.tokens[place].isWord("preconditionFailure") {
                #expect(file.tokens[place + 2].kind == .string, "\(file.place(file.tokens[place])) says nothing")
            }
        }
    }

    @Test("a catch does something, or says why it need not")
    func emptyCatch() {
        for file in all {
            for place in file.tokens.indices where file.tokens[place].isWord("catch") {
                guard let brace = file.tokens[place...].firstIndex(where: { $0.isSign("{") }),
                    brace + 1 < file.tokens.count, file.tokens[brace + 1].isSign("}")
                else { continue }
                let lines = file.tokens[brace].line...file.tokens[brace + 1].line
                #expect(
                    !file.commentedLines.isDisjoint(with: lines), "\(file.place(file.tokens[place])): an empty catch")
            }
        }
    }

    @Test("a try? says why the error does not matter, on its line or shortly before")
    func swallowed() {
        for file in House.sources {
            var explained: Int?
            for (token, next) in zip(file.tokens, file.tokens.dropFirst())
            where token.isWord("try") && next.isSign("?") {
                // One after the other, such as types that are tried in turn, are explained together.
                let isExplained =
                    explained.map { token.line - $0 <= 2 } ?? false
                    || !file.commentedLines.isDisjoint(with: token.line - 3...token.line)
                if isExplained { explained = token.line }
                #expect(isExplained, "\(file.place(token)): try? without a word why")
            }
        }
    }

    @Test("nothing is left to do without the number of an issue")
    func leftToDo() throws {
        let marks = ["TO" + "DO", "FIX" + "ME"]
        let endings = ["swift", "py", "sql", "sh", "js", "md", "yaml", "json", "css", "mustache", "c", "cpp", "h"]
        for path in ["Sources", "Tests", "Schema", "Deploy"].flatMap({ House.files(under: $0) })
        where endings.contains(where: { path.hasSuffix(".\($0)") }) || !path.contains(".") {
            let text = try House.text(path)
            for mark in marks where Data(text.utf8).range(of: Data(mark.utf8)) != nil {
                for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                where line.contains(mark) && !line.contains("#") { Issue.record("\(path):\(number + 1): \(line)") }
            }
        }
    }

    /// Error types that are no enum, and why.
    private static let otherErrors = [
        "PlanProblem": "one of many found at a time, each with its line in the plan",
        "PlanProblems": "the list of them",
        "ExplorerProblem": "a page for a person: a heading, a text and what is allowed",
        "CommandFailure": "words for whoever sits at the command line; nobody catches it",
        "PrintLack": "the formats that go without files, and the problem, which is an enum",
        "FileDamage": "a file, what it has to be, and a flaw, which is an enum",
        "OddEvent": "a place in an event, and what belongs there",
        "AppTrouble": "an app, and the words of whatever went wrong with it",
        "Malformed": "says all with its name, and stays within its reader",
    ]

    @Test("what can fail has an enum whose cases are facts, and nobody throws a bare string")
    func errors() {
        var unused = Set(Self.otherErrors.keys)
        for file in House.sources {
            for type in file.declarations where type.inherits.contains("Error") {
                unused.remove(type.name)
                let isFine = type.kind == "enum" || type.isPrivate || Self.otherErrors[type.name] != nil
                #expect(isFine, "\(file.place(type.token)): \(type.name) is an error and no enum")
            }
            for (token, next) in zip(file.tokens, file.tokens.dropFirst()) where token.isWord("throw") {
                #expect(next.kind != .string && !next.isWord("NSError"), "\(file.place(token)): a bare string")
            }
            #expect(!file.extended.contains("String") || !file.tokens.contains { $0.isWord("Error") })
        }
        #expect(unused.isEmpty, "these exceptions are needed no more")
    }

    @Test("a log message is a constant; facts go into metadata")
    func logs() {
        let levels: Set = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        var messages = 0
        for file in House.sources {
            let tokens = file.tokens
            for place in tokens.indices.dropLast(4)
            where tokens[place].kind == .word && tokens[place].text.lowercased().hasSuffix("logger") {
                let dot = tokens[place + 1].isSign("?") ? place + 2 : place + 1
                guard tokens[dot].isSign("."), levels.contains(tokens[dot + 1].text), tokens[dot + 2].isSign("(") else {
                    continue
                }
                messages += 1
                let message = tokens[(dot + 3)...].prefix { !$0.isSign(",") && !$0.isSign(")") }
                let isConstant = message.allSatisfy { $0.kind == .string && !$0.isInterpolated || $0.isSign("+") }
                #expect(isConstant, "\(file.place(tokens[place])): the message is no constant")
            }
        }
        #expect(messages > 50)
    }

    @Test("public is what an app may use: in the client, on the wire and in attestation, and nowhere else")
    func access() {
        for file in House.sources where !["ThrongClient", "ThrongWire", "ThrongAttestation"].contains(file.target) {
            // What Plan hands on of the wire stays public.
            let tokens = file.tokens
            for place in tokens.indices.dropLast() where tokens[place].isWord("public") {
                let next = tokens[place + 1]
                guard next.kind == .word, !next.isWord("import") else { continue }
                // What is sealed by @_spi(…) has to be.
                if place > 4, tokens[place - 4].isWord("_spi") { continue }
                Issue.record("\(file.place(tokens[place])): say package instead of public")
            }
        }
    }

    /// Files that bear no type's name, and why.
    private static let otherNames = [
        "Coverage": "the kinds of what became of events, and their sums",
        "PortalPage": "the frame of pages, and a page that is only words",
        "ScheduledWork": "what the schedule asks of others, for tests to stand in",
    ]

    @Test("a file bears the name of the type that it holds")
    func names() {
        var unused = Set(Self.otherNames.keys)
        // A file without code says what is in its target.
        for file in House.sources where !file.tokens.isEmpty {
            let name = file.name.prefix { $0 != "+" }
            let types = file.declarations.filter(\.isOnTop).map(\.name)
            // A store's queries are a function each, together.
            guard !name.hasSuffix("Queries"), !types.contains(String(name)),
                !file.extended.contains(where: { $0.hasSuffix(name) })
            else {
                continue
            }
            unused.remove(file.name)
            #expect(
                Self.otherNames[file.name] != nil,
                "\(file.path) holds \((types + file.extended).joined(separator: ", "))")
        }
        #expect(unused.isEmpty, "these exceptions are needed no more")
    }

    /// Where an instant stays a bare number, and why.
    private static let bareInstants = [
        "Sources/ThrongClient/Answers/Inspection.swift": "what apps read",
        "Sources/ThrongClient/Parts/ClientStorage.swift": "what apps may bring with them",
    ]

    @Test("an instant is UnixSeconds, not a bare Int64")
    func instants() throws {
        var unused = Set(Self.bareInstants.keys)
        var typed = 0
        for file in House.sources {
            var found = file.bareInstants.map { file.place($0) }
            for (number, line) in try House.text(file.path).split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            where line.contains("///") && line.contains("Unit: Unix seconds") {
                found.append("\(file.path):\(number + 1)")
            }
            typed += file.tokens.count { $0.isWord("UnixSeconds") }
            if Self.bareInstants[file.path] == nil {
                for place in found { Issue.record("\(place): an instant is UnixSeconds") }
            } else if !found.isEmpty {
                unused.remove(file.path)
            }
        }
        #expect(typed > 200)
        #expect(unused.isEmpty, "these exceptions are needed no more")
    }

    @Test("every test is named after what it claims")
    func claims() {
        for file in House.tests {
            for place in file.tokens.indices.dropLast(3)
            where file.tokens[place].isSign("@") && file.tokens[place + 1].isWord("Test") {
                let isNamed = file.tokens[place + 2].isSign("(") && file.tokens[place + 3].kind == .string
                #expect(isNamed, "\(file.place(file.tokens[place])): a test without a claim")
            }
        }
    }

    @Test("what CONTRIBUTING and the pages say lies somewhere lies there")
    func paths() throws {
        let pages =
            ["README.md", "CONTRIBUTING.md"] + House.files(under: "Sources/Throng.docc").filter { $0.hasSuffix(".md") }
        let pattern = /`((?:Sources|Tests|Schema|Deploy)\/[A-Za-z0-9_.+\/-]*[A-Za-z0-9])`/
        var checked = 0
        for page in pages {
            for match in try House.text(page).matches(of: pattern) {
                checked += 1
                #expect(House.has(String(match.1)), "\(page) names \(match.1), which is not there")
            }
        }
        #expect(checked > 10)
    }
}
