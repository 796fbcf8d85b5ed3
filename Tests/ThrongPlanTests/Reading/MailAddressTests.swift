import Testing
import ThrongPlan

@Suite("A plan's mail address is one address, and names its place instead of itself")
struct MailAddressTests {
    @Test(
        "addresses are read, and their domains as operators list them",
        arguments: ["m@bank.example", "ms.miller+reports@Mail.Bank.Example", "o'neil_1@x-y.example"])
    func allowed(text: String) throws {
        let address = try #require(MailAddress(text))
        #expect(address.text == text && address.domain == text.split(separator: "@").last?.lowercased())
        #expect(Delivery.mail(address, place: 2).target == "mail address 2 at \(address.domain)")
    }

    @Test(
        "everything else is refused",
        arguments: [
            "", "m", "@bank.example", "m@", "m@bank", "m@.example", "m@bank..example", "m@-bank.example",
            "m@bank-.example",
            ".m@bank.example", "m.@bank.example", "m..m@bank.example", "m m@bank.example",
            "m@bank.example\r\nRCPT TO:<x@y.example>",
            "<m@bank.example>", "\"m\"@bank.example", "m@[127.0.0.1]", "m@bank.example,n@bank.example",
            "m\u{FC}@bank.example",
            "m@b\u{FC}nk.example", "m@bank.example.", String(repeating: "m", count: 65) + "@bank.example",
        ])
    func refused(text: String) { #expect(MailAddress(text) == nil) }
}
