/// A file of Swift, read once.
struct SwiftFile: Sendable {
    /// From the top of the package, such as Sources/ThrongPlan/Model/Plan.swift.
    let path: String
    let lines: Int
    let tokens: [Token]
    /// Lines with a comment, from 1.
    let commentedLines: Set<Int>

    init(path: String, text: String) {
        let lexer = Lexer(text)
        self.path = path
        lines = text.utf8.count { $0 == UInt8(ascii: "\n") }
        tokens = lexer.tokens
        commentedLines = lexer.commentedLines
    }

    /// "Plan+Layout" of Sources/ThrongPlan/Layout/Plan+Layout.swift.
    var name: String { String(path.split(separator: "/").last?.dropLast(6) ?? "") }
    /// "ThrongPlan" of Sources/ThrongPlan/Layout/Plan+Layout.swift.
    var target: String { path.split(separator: "/").dropFirst().first.map { String($0) } ?? "" }
    /// "Layout" of Sources/ThrongPlan/Layout/Plan+Layout.swift, "." of a file that lies in no folder of its target.
    var folder: String {
        let parts = path.split(separator: "/").dropFirst(2).dropLast()
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }

    /// The modules that it imports.
    var imports: [String] {
        tokens.indices.dropLast().filter { tokens[$0].isWord("import") }.map { tokens[$0 + 1].text }
    }

    /// "path:line", as compilers write it.
    func place(_ token: Token) -> String { "\(path):\(token.line)" }
}
