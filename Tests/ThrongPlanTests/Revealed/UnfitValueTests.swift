import Testing
import ThrongWire

@Suite("A value that looks personal, or can't name a bucket, is never revealed")
struct UnfitValueTests {
    private static func reason(_ value: String) -> UnfitValue? {
        do {
            _ = try BucketLabel(revealing: value)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "what reaches or names a person is personal",
        arguments: [
            "ada@example.com", "ask ada@example", "@ada", "ada\u{FF20}example.com", "+43 660 1234567", "0660/123 45 67",
            "(555) 123-4567", "555.0142.77", "call 555\u{2013}0142\u{2013}77", "123456", "card 4111 1111 1111 1111",
            "2001-04-17", "192.168.10.17", "١٢٣٤٥٦", "１２３４５６", "12\u{200B}34\u{AD}56", "12\u{A0}34\u{2009}56",
            "iban at611904300234573201",
        ])
    func personal(value: String) {
        #expect(Self.reason(value) == .personal)
    }

    @Test(
        "words with few digits are not",
        arguments: [
            "apple pie", "iphone 15", "1920x1080", "windows 11 24h2", "Käsekuchen", "東京", "covid 19",
            "crash at 0x7f3a in draw()", "100 % rye", "12345", "3.14.15", "a1b2c3d4e5f6",
        ])
    func harmless(value: String) throws {
        #expect(try BucketLabel(revealing: value).text == value)
    }

    @Test(
        "what a table or a spreadsheet could take for something else can't name a bucket",
        arguments: [
            "", " ", " pie", "pie ", "=1+1", "-pie", "a,b", "a;b", "a|b", "a\"b", "a\\b", "a\nb", "a\u{202E}b",
            String(repeating: "a", count: 65),
        ])
    func malformed(value: String) {
        #expect(Self.reason(value) == .malformed)
    }

    @Test(
        "what means something else already is reserved",
        arguments: ["other", "(all)", "(3)", "(none", "#1", "#0f1e2d3c4b5a"])
    func reserved(value: String) {
        #expect(Self.reason(value) == .reserved)
    }

    @Test("no message holds the value")
    func messages() {
        for value in ["ada@example.com", "a;secret", "(secret)"] {
            #expect(Self.reason(value)?.description.contains("secret") == false)
            #expect(Self.reason(value)?.description.contains("ada") == false)
        }
    }
}
