/// The trigrams that a text must hold for a regular expression to match it: a few bit tests spare most expressions from
/// being run. What is not understood requires nothing, so no match is ever turned away.
struct RequiredText: Sendable {
    /// One part of the expression: any of these alternatives, each a set of trigram bits that are all needed.
    typealias Clause = [[UInt16]]

    /// The clauses, all of which a text must meet.
    let clauses: [Clause]

    init(regex: String) {
        // Inline flags such as (?x) would change what the letters mean; uap-core uses none.
        let bytes = Array(regex.utf8)
        var reader = Reader(bytes: bytes)
        let clauses = reader.alternation()
        self.clauses = reader.isLost || reader.place < bytes.count ? [] : clauses
    }

    /// False only where the expression can't match the text that these trigrams are of.
    func isMet(by trigrams: TrigramSet) -> Bool {
        clauses.allSatisfy { clause in clause.contains { trigrams.holds($0) } }
    }

    /// Reads an expression once from left to right.
    private struct Reader {
        let bytes: [UInt8]
        var place = 0
        var isLost = false

        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        /// Branches up to a closing parenthesis or the end: one clause with an alternative of every branch.
        mutating func alternation() -> [Clause] {
            var branches = [sequence()]
            while take("|") { branches.append(sequence()) }
            if branches.count == 1 { return branches[0] }
            var joined: Clause = []
            for branch in branches {
                // The most telling clause of each branch; a branch without one lets everything pass.
                guard let best = branch.max(by: { Self.weight($0) < Self.weight($1) }) else { return [] }
                joined += best
            }
            return [joined]
        }

        /// Returns how much a clause tells: more if its shortest alternative is longer, or if it has fewer of them.
        private static func weight(_ clause: Clause) -> Int {
            (clause.map(\.count).min() ?? 0) * 64 - clause.count
        }

        private mutating func sequence() -> [Clause] {
            var clauses: [Clause] = []
            var run: [UInt8] = []
            func finish(_ run: inout [UInt8]) {
                let bits = TrigramSet.bits(of: run)
                if !bits.isEmpty { clauses.append([bits]) }
                run = []
            }
            while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")"), !isLost {
                place += 1
                switch byte {
                case UInt8(ascii: "("):
                    finish(&run)
                    let inner = group()
                    if !quantifier().allowsNone { clauses += inner }
                case UInt8(ascii: "["):
                    finish(&run)
                    skipClass()
                    _ = quantifier()
                case UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "."):
                    finish(&run)
                    _ = quantifier()
                default:
                    guard let literal = byte == UInt8(ascii: "\\") ? escaped() : byte else {
                        finish(&run)
                        _ = quantifier()
                        continue
                    }
                    let quantifier = quantifier()
                    if !quantifier.allowsNone { run.append(literal) }
                    if quantifier.isPresent { finish(&run) }
                }
            }
            finish(&run)
            return clauses
        }

        /// Reads what follows an opening parenthesis, through the closing one.
        private mutating func group() -> [Clause] {
            var counts = true
            if take("?") {
                if take(":") {
                    counts = true
                } else if take("=") || take("!") {
                    counts = false
                } else if take("<"), take("=") || take("!") {
                    counts = false
                } else {
                    isLost = true
                    return []
                }
            }
            let inner = alternation()
            if !take(")") { isLost = true }
            return counts ? inner : []
        }

        /// The byte that an escape stands for; nil for a class or an assertion.
        private mutating func escaped() -> UInt8? {
            guard let byte = next else {
                isLost = true
                return nil
            }
            place += 1
            if byte.isASCIILetter || byte.isDigit {
                // \d, \w, \s, \b and their opposites; anything else could take arguments.
                if !"dDwWsSbB".utf8.contains(byte) { isLost = true }
                return nil
            }
            return byte
        }

        private mutating func skipClass() {
            _ = take("^")
            var isFirst = true
            while let byte = next {
                place += 1
                if byte == UInt8(ascii: "]"), !isFirst { return }
                if byte == UInt8(ascii: "\\") { place += 1 }
                // POSIX classes such as [[:alpha:]] nest.
                if byte == UInt8(ascii: "["), next == UInt8(ascii: ":") { isLost = true }
                isFirst = false
            }
            isLost = true
        }

        /// `?`, `*`, `+` or `{n,m}` with its lazy or possessive sign, if there is one here.
        private mutating func quantifier() -> (isPresent: Bool, allowsNone: Bool) {
            var allowsNone = false
            if take("?") || take("*") {
                allowsNone = true
            } else if next == UInt8(ascii: "{"), place + 1 < bytes.count,
                bytes[place + 1].isDigit || bytes[place + 1] == UInt8(ascii: ",")
            {
                let count = bytes[(place + 1)...].prefix(while: \.isDigit)
                allowsNone = count.allSatisfy { $0 == UInt8(ascii: "0") }
                while let byte = next, byte != UInt8(ascii: "}") {
                    _ = byte
                    place += 1
                }
                place += 1
            } else if !take("+") {
                return (false, false)
            }
            _ = take("?") || take("+")
            return (true, allowsNone)
        }
    }
}

/// The three-byte sequences in a text, in any case of ASCII letters, as 4,096 bits, which two of them may share.
struct TrigramSet {
    private var words: [UInt64] = Array(repeating: 0, count: 64)

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 3 else { return }
        for place in 2..<bytes.count {
            let bit = Self.bit(bytes[place - 2], bytes[place - 1], bytes[place])
            words[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
        }
    }

    func holds(_ bits: [UInt16]) -> Bool {
        bits.allSatisfy { words[Int($0 >> 6)] & (1 << UInt64($0 & 63)) != 0 }
    }

    /// The bits that a text needs; none for one of fewer than three bytes.
    static func bits(of text: [UInt8]) -> [UInt16] {
        guard text.count >= 3 else { return [] }
        return Array(Set((2..<text.count).map { bit(text[$0 - 2], text[$0 - 1], text[$0]) })).sorted()
    }

    private static func bit(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt16 {
        let joined =
            UInt32(first.lowercasedASCII) | UInt32(second.lowercasedASCII) << 8 | UInt32(third.lowercasedASCII) << 16
        return UInt16((joined &* 0x9e37_79b1) >> 20)
    }
}
