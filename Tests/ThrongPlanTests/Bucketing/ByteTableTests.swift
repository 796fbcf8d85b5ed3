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

    @Test("texts of every length differ by each of their bytes, whether letters fold or not")
    func everyByte() {
        for letters in [ByteTable.Letters.exact, .foldingASCII] {
            for length in 1...34 {
                var wrong = 0
                var table = ByteTable(letters)
                let key = String(repeating: "q", count: length)
                table.insert(key, length)
                for place in 0..<length {
                    for byte in UInt8.min...127 {
                        var bytes = Array(key.utf8)
                        bytes[place] = byte
                        let isKey = byte == UInt8(ascii: "q") || letters == .foldingASCII && byte == UInt8(ascii: "Q")
                        wrong += (bytes.withUnsafeBufferPointer { table[$0] } == length) == isKey ? 0 : 1
                    }
                }
                #expect(wrong == 0, "\(length) bytes")
            }
        }
    }

    private func find(_ text: String, in table: ByteTable) -> Int? {
        var copy = text
        return copy.withUTF8 { table[$0] }
    }
}
