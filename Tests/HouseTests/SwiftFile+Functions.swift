extension SwiftFile {
    /// A function, an initializer or a subscript with a body.
    struct Function {
        /// Its name; "init" or "subscript" for what has none.
        let name: String
        /// The word that declares it.
        let token: Token
        /// The lines from that word to the closing brace.
        let lines: Int
    }

    /// Words at which another declaration begins: what comes before one, and has no brace yet, has no body.
    private static let declaringWords: Set = [
        "func", "init", "subscript", "deinit", "var", "let", "case", "import", "associatedtype", "typealias",
        "struct", "class", "enum", "actor", "extension", "protocol",
    ]

    /// Every function that has a body, nested ones too.
    var functions: [Function] {
        tokens.indices.compactMap { place in
            guard let name = nameOfFunction(at: place), let open = openingBrace(ofFunctionAt: place),
                let close = closingBrace(of: open)
            else { return nil }
            return Function(
                name: name, token: tokens[place], lines: tokens[close].line - tokens[place].line + 1)
        }
    }

    /// The name of the function that a word declares; nil for other words, and for calls of initializers.
    private func nameOfFunction(at place: Int) -> String? {
        guard place + 1 < tokens.count, place == 0 || !(tokens[place - 1].isSign(".") || tokens[place - 1].isSign("`"))
        else { return nil }
        let next = tokens[place + 1]
        if tokens[place].isWord("func") { return next.text }
        let takesParameters = ["(", "?", "!", "<"].contains { next.isSign($0) }
        guard takesParameters, tokens[place].isWord("init") || tokens[place].isWord("subscript") else { return nil }
        return tokens[place].text
    }

    /// The brace that opens a function's body, behind its parameters; nil for a requirement of a protocol.
    private func openingBrace(ofFunctionAt place: Int) -> Int? {
        var depth = 0
        for next in tokens.indices[(place + (tokens[place].isWord("func") ? 2 : 1))...] {
            let token = tokens[next]
            if token.isSign("(") || token.isSign("[") { depth += 1 }
            if token.isSign(")") || token.isSign("]") { depth -= 1 }
            guard depth == 0 else { continue }
            if token.isSign("{") { return next }
            if token.isSign("}") || token.kind == .word && Self.declaringWords.contains(token.text) { return nil }
        }
        return nil
    }

    private func closingBrace(of open: Int) -> Int? {
        var depth = 0
        return tokens.indices[open...].first { place in
            if tokens[place].isSign("{") { depth += 1 }
            if tokens[place].isSign("}") { depth -= 1 }
            return depth == 0
        }
    }
}
