import HTTPTypes
import Testing
import ThrongPlan

@testable import ThrongServer

@Suite("An address says what it says, once")
struct AddressQueryTests {
    @Test("what is written is read again, whatever it is")
    func roundTrip() throws {
        let hostile = [
            "a b", "100 %", "a+b&c=d", "'; drop table x; --", "<script>", "\u{202e}\u{0}x", "日本", "=cmd()", "\"\\",
        ]
        for text in hostile where !text.contains("\u{0}") {
            let query = try AddressQuery(AddressQuery.text([("at.\(text)", text), ("empty", ""), ("none", nil)]))
            #expect(query["at.\(text)"] == text)
            #expect(query["empty"] == nil && query["none"] == nil)
        }
        #expect(try AddressQuery("a=1+2%203&b")["a"] == "1 2 3")
        #expect(try AddressQuery(nil).names.isEmpty)
    }

    @Test("what stands there twice, is cut off, is no UTF-8 or holds NUL is refused with 400")
    func refused() {
        for text in [
            "a=1&a=2", "a=%", "a=%4", "a=%zz", "a=%ff", "a=%00", "a=%C0%80", String(repeating: "a=1&", count: 70),
        ] {
            do {
                _ = try AddressQuery(text)
                Issue.record("taken: \(text)")
            } catch {
                #expect(error.status == .badRequest && error.allowed(in: .english).isEmpty)
            }
        }
    }
}
