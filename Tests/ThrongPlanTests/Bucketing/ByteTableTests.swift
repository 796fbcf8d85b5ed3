import Testing

@testable import ThrongPlan
@testable import ThrongWire

@Suite("A byte table finds what was put in, by bytes")
struct ByteTableTests {
    @Test("a thousand keys are found, and nothing else is")
    func findsKeys() {
        var table = ByteTable()
        for number in 0..<1000 { #expect(table.insert("key\(number)", number) == nil) }
        #expect(table.insert("key7", 8) == 7)
        #expect(table.count == 1000)
        for number in 0..<1000 { #expect(find("key\(number)", in: table) == number) }
        for text in ["", "key", "key1000", "KEY1", "key01", String(repeating: "k", count: 10_000)] {
            #expect(find(text, in: table) == nil)
        }
    }

    @Test("letters fold only where asked, and only ASCII ones")
    func folding() {
        var table = ByteTable(.foldingASCII)
        table.insert("Straße", 1)
        #expect(find("STRAßE", in: table) == 1)
        #expect(find("STRASSE", in: table) == nil)
        #expect(table.insert("strAße", 2) == 1)
    }

    @Test("an empty table and an empty key are no special case")
    func empty() {
        #expect(find("", in: ByteTable()) == nil)
        var table = ByteTable()
        table.insert("", 3)
        #expect(find("", in: table) == 3)
    }

    private func find(_ text: String, in table: ByteTable) -> Int? {
        var copy = text
        return copy.withUTF8 { table[$0] }
    }
}
