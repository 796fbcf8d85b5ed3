/// What happened in a history, as a digest that tells whether two are the same, and as lines where they are asked for.
package struct Trace: Sendable {
    /// FNV-1a over every line.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// What happened, for people; empty unless asked for.
    package private(set) var lines: [String] = []
    let isKept: Bool

    init(isKept: Bool) { self.isKept = isKept }

    /// Something that happened.
    mutating func note(_ word: StaticString, _ numbers: Int64...) {
        word.withUTF8Buffer { for byte in $0 { add(UInt64(byte)) } }
        for number in numbers { add(UInt64(bitPattern: number)) }
        if isKept { lines.append(numbers.reduce("  \(word)") { "\($0) \($1)" }) }
    }

    /// How things stand.
    mutating func measure(_ numbers: Int64...) {
        for number in numbers { add(UInt64(bitPattern: number)) }
        if isKept { lines.append(numbers.reduce("  =") { "\($0) \($1)" }) }
    }

    /// For people only.
    mutating func say(_ text: @autoclosure () -> String) { if isKept { lines.append(text()) } }

    private mutating func add(_ value: UInt64) { digest = (digest ^ value) &* 0x0000_0100_0000_01B3 }
}
